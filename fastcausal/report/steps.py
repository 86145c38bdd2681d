"""From one way of counting to another, step by step: the effect of each change on F1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups
from fastcausal.report.report import Report, Tables, plain

if TYPE_CHECKING:
    import pyarrow as pa

Change = TypeVar("Change")
State = TypeVar("State")
Measured = TypeVar("Measured")
MAX_NAMES = 10  # units of a step to name


class Step(dict[str, Any]):
    """A step: the ``field`` that changes, its ``meaning``, ``f1`` after it, its ``change`` of F1.

    Its values are also attributes.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f'no "{name}" of a step, expected one of {", ".join(self)}')
        return self[name]


def walk(
    changes: Iterable[tuple[str, str, Change]],  # field, meaning, and the change itself
    begin: State,
    apply: Callable[[State, Change], State],
    measure: Callable[[State], Measured],
    f1_of: Callable[[Measured], float],
    differing: Callable[[Measured, Measured], list[str]],  # names of the units that differ
    unit: str = "example",
) -> tuple[list[Step], Measured, Measured]:
    """Apply changes in turn; return the steps, and the measurements at the start and the end.

    ``change_alone`` is the effect of a change without the earlier ones.
    """
    current, first = begin, measure(begin)
    steps: list[Step] = []
    before = first
    for field, meaning, change in changes:
        current = apply(current, change)
        after = measure(current)
        alone = measure(apply(begin, change)) if steps else after  # the first has none before it
        names = differing(before, after)
        step: dict[str, Any] = {"field": field, "meaning": meaning, f"n_{unit}s": len(names)}
        step |= {f"{unit}s": tuple(names[:MAX_NAMES]), "f1": f1_of(after)}
        step |= {
            "change": f1_of(after) - f1_of(before),
            "change_alone": f1_of(alone) - f1_of(first),
        }
        steps.append(Step(step))
        before = after
    return steps, first, before


def present_steps(
    title: str,
    signature: str,
    scores: Groups,  # at the start and at the end, by name
    steps: Sequence[Step],
    columns: Mapping[str, str],  # of the printed table: headers and keys of steps
    facts: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Report:
    """Make the report of the steps between two scores, which are its ``quirks``."""
    quirks = tuple(steps)
    return Report(
        title,
        signature,
        scores,
        facts={**(facts or {}), "quirks": quirks},
        tables=Tables(quirks=partial(_tabulate, quirks)),
        grids=partial(_grids, dict(columns)),
        **fields,
    )


def _tabulate(steps: tuple[Step, ...]) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(plain(steps))


def _grids(columns: Mapping[str, str], report: Report, counts: bool) -> list[Grid]:
    """Make a row per step, between a row for each end."""
    start, end = report.scores
    signed = [name for name, key in columns.items() if key.startswith("change")]
    shares = [name for name, key in columns.items() if not key.startswith("n_")]
    grid = Grid(report.title, [*columns], f"quirk of {start}", signed=signed, shares=shares)
    for name, steps in ((start, report.quirks), (end, ())):
        grid.add(f"({name})", *(report.scores[name].get(key, "") for key in columns.values()))
        for step in steps:
            grid.add(step.meaning, *(step[key] for key in columns.values()))
    return [grid]

"""Systems on the same examples: missing ids, different contents, unequal numbers of answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import joined
from fastcausal.counts.signatures import different
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Remedy, warning_lines
from fastcausal.files.keys import lacking, places_of, some_keys
from fastcausal.report.numbers import Scale
from fastcausal.significance.sums import Int64
from fastcausal.tasks.values.formula import N_ANSWERS, ValueFormula

CONTENT = "content"  # the column of digests of examples
MOST_UNEQUAL = 4  # times as many answers, beyond which p may be too small (docs/desk.md)


class Systems(NamedTuple):
    """Systems by name, with the same units in the same order."""

    systems: dict[str, Statistics]
    # For values: the rule, and numbers of answers by system
    answers: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def any(self) -> Statistics:
        """Statistics of the first system."""
        return next(iter(self.systems.values()))

    def scores(self, asked: str | Iterable[str] | None) -> list[str]:
        """Return the requested scores as a list; by default the only one, or the main score."""
        if asked is None:
            return self._default()
        scores = [asked] if isinstance(asked, str) else list(asked)
        if not scores:
            raise ValueError("no score is asked for, expected one or more")
        return scores

    def scale(self, score: str, lower_is_better: bool = False) -> Scale:
        """Return the scale of a score in all systems.

        Raises
        ------
        ValueError
            The score is unknown, or lower is better against its declaration; values of logs and
            tables follow the caller.
        """
        scale = Scale.joint(statistics.scale(score) for statistics in self.systems.values())
        if not lower_is_better or scale.better == "lower":
            return scale
        if not is_values(self.any):
            has = "higher is better" if scale.better == "higher" else "it has no better direction"
            raise ValueError(f"lower_is_better is for values of logs and tables: {score}: {has}")
        return scale._replace(better="lower")

    def ranking_scale(self, score: str, lower_is_better: bool = False) -> Scale:
        """Return the scale of a score that ranks or judges; ValueError without a direction."""
        scale = self.scale(score, lower_is_better)
        if scale.better == "none":
            raise ValueError(
                f"{score} has no better direction, expected a score to rank and judge by; compare "
                "shows its change"
            )
        return scale

    def _default(self) -> list[str]:
        formula = self.any.formula
        if not isinstance(formula, ValueFormula):
            return [formula.main]
        if len(formula.names_of_scores) > 1:
            names = ", ".join(formula.names_of_scores)
            raise InputError(f"several scores, name one with --score: {names}")
        return [*formula.names_of_scores]


def is_values(statistics: Statistics) -> bool:
    """Return True for statistics of values, False for counts of other tasks."""
    return isinstance(statistics.formula, ValueFormula)


def counts_of(statistics: Statistics) -> dict[str, int]:
    """Count the examples and the answers of a system, including left-out examples."""
    tables = [t for t in (statistics.units, statistics.left_out) if t is not None]
    counts = {"examples": sum(map(len, tables))}
    for name in N_ANSWERS:
        counts[name.removeprefix("n_")] = sum(
            pc.sum(table[name]).as_py() or 0 for table in tables if name in table.column_names
        )
    return counts


def pair(systems: Mapping[str, Statistics], cluster: str | None = None) -> Systems:
    """Reduce systems to the same examples, in the same order.

    If a system lacks an example, the policy for missing examples decides: raise an error, leave it
    out of all systems, or count it as 0.

    Raises
    ------
    InputError
        A system lacks an id under ``"error"``, no id is common, or contents, clusters, scores or
        rules differ.
    """
    names = [*systems]
    signed = one_signature(systems)
    every = {name: _ids(name, s) for name, s in systems.items()}
    formula = _formula_of(next(iter(signed.values())))
    common = _common(every)
    if formula.missing == "error":
        _require_same(every, common)
    wanted = _united(every) if formula.missing == "zero" else common
    if not len(wanted):
        raise _no_common(every)
    answers = {
        name: counts_of(s) | {"missing": len(_united(every)) - len(every[name])}
        for name, s in systems.items()
    }
    aligned = {name: _on(s, every[name], wanted) for name, s in signed.items()}
    for name in names[1:]:
        _check_examples((names[0], aligned[names[0]]), (name, aligned[name]), cluster)
    if formula.missing == "skip":
        aligned = _scored_by_all(aligned)
    units = _joint_units(aligned)
    return Systems(
        {name: replace(s, units=units) for name, s in aligned.items()},
        {"rule": formula.answers, **answers},
        notes(systems) + _unequal(aligned, formula.answers),
    )


def _formula_of(statistics: Statistics) -> ValueFormula:
    formula = statistics.formula
    assert isinstance(formula, ValueFormula)
    return formula


def one_signature(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Give all systems one formula and signature; InputError if their scores or rules differ.

    The formats of their sources may differ.
    """
    (first, statistics), *rest = systems.items()
    formulas = [_formula_of(statistics)]
    for name, other in rest:
        try:
            formulas.append(formulas[0].union(other.formula))
        except ValueError as error:
            ours, theirs = (
                s.formula.signature([]) if isinstance(s.formula, ValueFormula) else s.signature
                for s in (statistics, other)
            )
            raise InputError(
                f"{first} and {name} are of other scores or rules: {different(ours, theirs)} and "
                f"{different(theirs, ours)}"
            ) from error
    formula = formulas[0]
    for each in formulas[1:]:
        formula = formula.union(each)
    formats = {_source_of(s).get("format", "table") for s in systems.values()}
    signature = formula.signature(formats)
    return {name: replace(s, formula=formula, signature=signature) for name, s in systems.items()}


def _source_of(statistics: Statistics) -> Mapping[str, Any]:
    source: Mapping[str, Any] = statistics.facts.get("source") or {}
    return source


def _ids(name: str, statistics: Statistics) -> pa.Array:
    if statistics.units is None or "id" not in statistics.units.column_names:
        raise InputError(f"{name}: no ids to join by")
    return joined(statistics.units["id"].cast(pa.string()))


def _united(every: Mapping[str, pa.Array]) -> pa.Array:
    return pc.unique(pa.chunked_array([*every.values()], pa.string()))


def _common(every: Mapping[str, pa.Array]) -> pa.Array:
    return reduce(lambda a, b: a.filter(pc.is_in(a, b)), every.values())


def _no_common(every: Mapping[str, pa.Array]) -> InputError:
    shown = "; ".join(
        f"{name} has {len(ids)}{some_keys(ids, np.arange(len(ids)))}" for name, ids in every.items()
    )
    return InputError(f"no common ids: {shown}", _UNPAIRED)


_UNPAIRED = Remedy("unpaired", (), "would compare other examples on purpose")


def _require_same(every: Mapping[str, pa.Array], common: pa.Array) -> None:
    """Raise InputError if a system has ids that another one lacks; the message names such ids."""
    if not len(common):
        raise _no_common(every)
    alone = {name: lacking(ids, common) for name, ids in every.items()}
    if not any(map(len, alone.values())):
        return
    shown = "; ".join(
        f"{name} alone has {len(rows)} ids{some_keys(every[name], rows)}"
        for name, rows in alone.items()
    )
    raise InputError(
        f"{shown}, expected the same ids",
        Remedy("missing", ("skip", "zero"), "would leave them out or count 0"),
    )


def _on(statistics: Statistics, ids: pa.Array, wanted: pa.Array) -> Statistics:
    """Reduce a system to the wanted examples; an example that it lacks gets 0 as values."""
    places = places_of(wanted, ids)
    lacks = places < 0
    units = statistics.units
    assert units is not None
    taken = statistics.rows_of_units()[places]
    taken[lacks, 0::2], taken[lacks, 1::2] = 0, 1
    table = units.take(pa.array(places, mask=lacks))
    if not lacks.any():
        return _with(statistics, taken, table)
    return _with(statistics, taken, table.set_column(table.column_names.index("id"), "id", wanted))


def _with(statistics: Statistics, rows: Any, units: pa.Table) -> Statistics:
    return replace(
        statistics,
        rows=rows,
        times=np.ones(len(rows), np.int64),
        units=units,
        row_of=None,
        left_out=None,
    )


def _check_examples(
    a: tuple[str, Statistics], b: tuple[str, Statistics], cluster: str | None
) -> None:
    """Raise InputError if contents or clusters of an example differ between two systems."""
    (name, mine), (other, theirs) = a, b
    assert mine.units is not None
    assert theirs.units is not None
    for column, noun in ((CONTENT, "inputs"), (cluster, f"values of {cluster}")):
        tables = [t for t in (mine.units, theirs.units) if column in t.column_names]
        sides = [table[column] for table in tables]
        if len(sides) < 2:
            continue
        left, right = (joined(side.cast(pa.string())) for side in sides)
        unlike = np.asarray(pc.fill_null(pc.not_equal(left, right), False))
        if unlike.any():
            id = mine.units["id"][int(unlike.argmax())]
            raise InputError(
                f"{name} and {other} have other {noun} for {int(unlike.sum())} of {len(unlike)} "
                f'ids, first for "{id}": expected the same examples'
            )


def _scored_by_all(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Drop a score of an example from all systems if one of them lacks it."""
    rows = [s.rows.copy() for s in systems.values()]
    has = np.logical_and.reduce([each[:, 1::2] > 0 for each in rows])
    if _formula_of(next(iter(systems.values()))).of == "mean":
        for each in rows:
            each[:, 0::2] *= has
            each[:, 1::2] *= has
    kept = has.any(axis=1) if len(has) else has[:, 0]
    return {
        name: _with(s, each[kept], s.units.filter(pa.array(kept)))  # type: ignore[union-attr]
        for (name, s), each in zip(systems.items(), rows, strict=True)
    }


def _joint_units(systems: Mapping[str, Statistics]) -> pa.Table:
    """Return the columns of the first system, with its nulls filled from the other systems."""
    first, *rest = (s.units for s in systems.values())
    assert first is not None
    for name in first.column_names:
        for other in rest:
            if (
                first[name].null_count
                and other is not None
                and name in other.column_names
                and other[name].type == first[name].type
            ):
                filled = pc.coalesce(first[name], other[name])
                first = first.set_column(first.column_names.index(name), name, filled)
    return first


def notes(systems: Mapping[str, Statistics]) -> tuple[str, ...]:
    """Return warnings of systems, and notes on tasks, models and prompts."""
    lines = [line for s in systems.values() for line in warning_lines(s.warnings)]
    lost = {name: _lost(counts_of(s)) for name, s in systems.items()}
    lines += [f"{name}: {text}" for name, text in lost.items() if text]
    sources = {name: _source_of(s) for name, s in systems.items()}
    for key, noun in (("version", "versions of the task"), ("prompts", "prompts")):
        held = {name: source[key] for name, source in sources.items() if key in source}
        if len({*held.values()}) > 1:
            shown = ", ".join(f"{name} {value}" for name, value in held.items())
            lines.append(f"{noun} differ" + (f": {shown}" if key == "version" else ""))
    models = [source["model"] for source in sources.values() if "model" in source]
    if len(models) == len(systems) > 1 and len({*models}) == 1:
        lines.append(f"all systems have the model {models[0]}")
    return tuple(dict.fromkeys(lines))


def _lost(counts: Mapping[str, int]) -> str:
    """Return a text on answers with errors, at limits or without a score; "" if there are none."""
    parts = [
        f"{counts[name]} {text}"
        for name, text in (("errors", "with errors"), ("limits", "at a limit"),
                           ("unscored", "without a score"))
        if counts[name]
    ]  # fmt: skip
    return f"of {counts['answers']} answers {', '.join(parts)}" if parts else ""


def _unequal(systems: Mapping[str, Statistics], rule: str) -> tuple[str, ...]:
    """Return a note on unequal numbers of answers, a warning above a factor of `MOST_UNEQUAL`.

    Raises
    ------
    InputError
        Systems differ in the number of answers to an example, and the rule is max or min.
    """
    numbers = {name: n for name, s in systems.items() if (n := _numbers(s)) is not None}
    if len(numbers) < 2 or not all(map(len, numbers.values())):
        return ()
    every = np.stack([*numbers.values()])
    high, low = every.max(axis=0), every.min(axis=0)
    if (high == low).all() and every.max() <= MOST_UNEQUAL * every.min():
        return ()
    shown = ", ".join(f"{_range(n)} in {name}" for name, n in numbers.items())
    if rule in ("max", "min") and (high != low).any():
        raise InputError(f"{rule} of other numbers of answers: {shown}, expected as many")
    if every.max() > MOST_UNEQUAL * max(1, every.min()):
        return (f"answers to an example: {shown}: more than {MOST_UNEQUAL} times as many, the "
                "p-value may be too small",)  # fmt: skip
    return (f"answers to an example: {shown}",)


def _numbers(statistics: Statistics) -> Int64 | None:
    """Return each example's number of answers with a score, at least 1; None if unknown."""
    units = statistics.units
    if units is None or "n_answers" not in units.column_names:
        return None
    n, unscored = (
        np.asarray(pc.fill_null(units[name], 0), np.int64) for name in ("n_answers", "n_unscored")
    )
    lost = 0 if _formula_of(statistics).missing == "zero" else unscored
    numbers: Int64 = np.maximum(n - lost, 1)
    return numbers


def _range(numbers: Int64) -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low}" if low == high else f"{low} to {high}"

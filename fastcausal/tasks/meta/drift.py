"""A judge at two times on the same anchor items: labels changed, and the change of its mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.files.records import Records, read_records
from fastcausal.options import Level
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Bounded
from fastcausal.report.report import Report
from fastcausal.significance.draws import Draws
from fastcausal.significance.paired import difference, n_differing
from fastcausal.significance.units import OneScore
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.estimates import MEAN, interval_of_mean, join_rows
from fastcausal.tasks.meta.files import JudgedScores, read_judged
from fastcausal.tasks.meta.kinds import is_binary
from fastcausal.tasks.values.formula import ValueFormula

Sides = tuple[JudgedScores, JudgedScores]
LEGEND = (
    "changed [low, high]: share of rows with another score or label, 95% confidence interval",
    "change [low, high]: later minus earlier, by the paired test of compare",
    "accuracy: rows with people's majority; error: mean distance from people's mean",
)


def measure_drift(
    earlier: Any,
    later: Any,
    human: Any = None,
    *,
    metrics: Sequence[str] | None = None,
    label: str = "label",
    level: Level | None = None,
    cluster: str | None = None,
) -> Report:
    """Compare a judge with itself: its scores of the same anchor items at two times.

    Parameters
    ----------
    earlier, later : path, table, or list of mappings
        Scores of both times: item, a column per judge, and ``system`` if there are several.
    human : path, table, or list of mappings, optional
        Judgments of people, as for `fastcausal.tasks.meta.scorer.meta`.
    metrics : sequence of str, optional
        Look at this column of scores; may be given several times. By default as in `meta`; needed
        without ``human``.
    label : str
        The column of people's labels, numbers or words.
    level : {"nominal", "ordinal", "interval", "ratio"}, optional
        Level of measurement of labels, as in `meta`.
    cluster : str, optional
        Take clusters, the values of this column, as units, not items.

    Returns
    -------
    Report
        A group ``JUDGE``: ``n`` rows and the share ``changed`` with bounds ``changed_low`` and
        ``changed_high``. Groups ``JUDGE_mean`` of numbers, and with people ``JUDGE_accuracy``, or
        ``JUDGE_error`` of a scale: ``earlier``, ``later``, ``change`` with bounds ``low`` and
        ``high``, and ``p``.

    Raises
    ------
    InputError
        A table cannot be read, or the two have other items.
    ValueError
        Neither ``human`` nor ``metrics`` is given.

    Examples
    --------
    >>> first = [{"item": k, "judge": k % 2} for k in range(40)]
    >>> second = [{"item": k, "judge": int(k % 2 or k < 8)} for k in range(40)]
    >>> drift = measure_drift(first, second, metrics=["judge"])
    >>> drift["judge"].changed, round(drift["judge_mean"].change, 3)
    (0.1, 0.1)
    """
    if human is None and not metrics:
        raise ValueError("metrics is missing, expected a judge's column, or people's labels")
    earlier, later = read_records(earlier, "earlier"), read_records(later, "later")
    human = None if human is None else read_records(human, "human")
    groups: dict[str, Scores] = {}
    unit, level_read = "item", level
    for sides in _read_sides(earlier, later, human, metrics, label, level, cluster):
        unit, level_read = sides[0].unit, sides[0].level
        for name in sides[0].scores:
            groups |= _measure(name, sides, human is not None)
    names = [name for name, group in groups.items() if "changed" in group]
    n = max(int(groups[name]["n"]) for name in names)
    return Report(
        f"drift of {'judges' if len(names) > 1 else 'a judge'} on {n} anchor rows",
        f"fastcausal|{__version__}|meta-drift|metrics:{'+'.join(names)}"
        f"|label:{'none' if human is None else label}|level:{level_read}|unit:{unit}"
        "|confidence:0.95",
        groups,
        facts={"unit": unit},
        legend=LEGEND if human is not None else LEGEND[:2],
        grids=_grids,
    )


def _read_sides(
    earlier: Records,
    later: Records,
    human: Records | None,
    metrics: Sequence[str] | None,
    label: str,
    level: Level | None,
    cluster: str | None,
) -> Iterator[Sides]:
    """Yield both times with people's labels, or for each judge with its earlier labels."""
    if human is not None:
        first = read_judged(earlier, human, label, metrics, level, cluster=cluster)
        names = list(first.scores)
        yield _aligned(first, read_judged(later, human, label, names, level, cluster=cluster))
        return
    for name in dict.fromkeys([metrics] if isinstance(metrics, str) else metrics or ()):
        both = [
            read_judged(side, earlier, name, [name], level, cluster=cluster)
            for side in (earlier, later)
        ]
        yield _aligned(*both)


def _aligned(first: JudgedScores, second: JudgedScores) -> Sides:
    """Return both; refuse other rows."""
    keys = [
        {
            (side.item_names[i], side.system_names[s])
            for i, s in zip(side.items, side.systems, strict=True)
        }
        for side in (first, second)
    ]
    if keys[0] != keys[1]:
        item, system = min(keys[0] ^ keys[1])
        where = "earlier" if (item, system) in keys[0] else "later"
        raise InputError(
            f'item "{item}", system "{system}" has a score at the {where} time alone, '
            f"expected the same anchor items ({len(keys[0] ^ keys[1])} differ)"
        )
    return first, second


def _measure(name: str, sides: Sides, has_people: bool) -> dict[str, Scores]:
    """Measure one judge: rows that changed, its mean, and its accuracy or error."""
    scores = [side.scores[name] for side in sides]
    units, unit = sides[1].units, sides[1].unit
    first, second = (
        _words(side.classes, values) for side, values in zip(sides, scores, strict=True)
    )
    changed = (first != second).astype(np.float64)
    low, high, _ = interval_of_mean(changed, units, unit)
    names = ("n", "changed", "changed_low", "changed_high")
    values = (len(changed), float(np.mean(changed)), low, high)
    groups = {name: Scores(dict(zip(names, values, strict=True)))}
    if sides[0].classes is None:
        groups[f"{name}_mean"] = _change(scores, units, unit)
    if has_people:
        is_label = all(side.classes or (side.is_binary and is_binary(side.scores[name]))
                       for side in sides)  # fmt: skip
        labels = [side.majority if is_label else side.labels for side in sides]
        judged = ~np.isnan(labels[0])
        near = [
            (values == people if is_label else np.abs(values - people))[judged].astype(np.float64)
            for values, people in zip(scores, labels, strict=True)
        ]
        kind = "accuracy" if is_label else "error"
        groups[f"{name}_{kind}"] = _change(near, units[judged], unit)
    return groups


def _words(classes: tuple[str, ...] | None, scores: Float64) -> Any:
    """Return the words of labels; numbers as they are."""
    return scores if classes is None else np.array(classes, object)[scores.astype(np.int64)]


def _change(times: list[Float64], units: Int64, unit: str) -> Scores:
    """Return both means, and later minus earlier by the paired test of `compare`."""
    ones = np.ones(len(units))
    rows = np.column_stack([times[0], ones, times[1], ones])
    formula = ValueFormula((MEAN,)).only(MEAN)
    assert isinstance(formula, OneScore)
    joint = join_rows(formula, rows, units, unit)
    found = difference(joint, n_differing(joint), Draws())
    names = ("earlier", "later", "change", "low", "high", "p")
    values = (found.a, found.b, found.delta, found.low, found.high, found.p)
    return Scores(dict(zip(names, values, strict=True)))


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a table of changed rows, and one of changed means."""
    grid = Grid(report.title, ["changed", "n"], shares=("changed",))
    changes = Grid("change", ["earlier", "later", "change", "p-value"], signed=("change",))
    for name, group in report.scores.items():
        if "changed" in group:
            bounds = Bounded(group.changed, group.changed_low, group.changed_high)
            grid.add(name, bounds, group.n)
        else:
            change = Bounded(group.change, group.low, group.high)
            changes.add(name, group.earlier, group.later, change, group.p)
    return [grid, changes][: 1 + any("change" in group for group in report.scores.values())]

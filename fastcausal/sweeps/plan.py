"""Numbers of items, and of answers to each, that detect a difference: from a pilot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.counts.joint import joint_units
from fastcausal.counts.statistics import Statistics
from fastcausal.report.grid import Grid
from fastcausal.report.numbers import number_text
from fastcausal.report.report import Report
from fastcausal.significance.corrections import level_text
from fastcausal.significance.draws import Draws
from fastcausal.significance.paired import difference, n_differing
from fastcausal.significance.planning import units_needed
from fastcausal.significance.units import nouns_of, units_text
from fastcausal.sweeps.compare import request_scores
from fastcausal.sweeps.systems import load, load_pair
from fastcausal.tasks.values.formula import WITHIN
from fastcausal.tasks.values.reading import ValueReading

if TYPE_CHECKING:
    import pyarrow as pa

ANSWERS = (1, 2, 4, 8, 16)  # numbers of answers to an example, one plan each


ComparisonPlan = Report
"""Units that a comparison needs, after a pilot.

Attributes
----------
score : str
    Flat name.
systems : mapping of str to str
unit : str
    Noun of single units, or the column of the clusters.
n_units : int
    Units of the pilot.
delta : float
    The difference to detect, without its sign.
power : float
    The share of such comparisons that detect it.
confidence : float
se : float
    Standard error of the pilot's difference.
plans : list of dict
    ``answers`` to each example (None: as in the pilot), ``units`` in all, and the units
    beyond the pilot (``more``).
"""


def _tabulate(report: Report) -> pa.Table:
    """Make a row per plan."""
    import pyarrow as pa

    return pa.Table.from_pylist([dict(plan) for plan in report.plans])


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per number of answers."""
    grid = Grid(report.title, ("units", "more"), "answers")
    for plan in report.plans:
        name = "as now" if plan["answers"] is None else str(plan["answers"])
        grid.add(name, plan["units"], plan["more"])
    return [grid]


def plan(
    a: Any,
    b: Any,
    score: str | None = None,
    *,
    power: float = 0.8,
    delta: float | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
    reading: ValueReading | None = None,
) -> ComparisonPlan:
    """Plan how many examples, and answers to each, show a difference of two systems.

    Parameters
    ----------
    a : Statistics, Report, path or table
        Counts, a log or a table of A. Any source of `compare`.
    b : Statistics, Report, path or table
        Counts, a log or a table of B.
    score : str, optional
        Look at this score; by default overall_f1, of logs and tables the only one.
    power : float
        Set the power: the share of such comparisons with a significant difference.
    delta : float, optional
        Detect this difference; by default that of the pilot. The pilot's own is often too large.
    cluster : str, optional
        Take clusters, the values of this column, as units.
    confidence : float
        Set the confidence level of the test.
    reading : ValueReading, optional
        As in `compare`.

    Returns
    -------
    ComparisonPlan
        If the pilot has several answers to an example, there are also plans for other numbers of
        answers. They split the variance of an example in two parts: the variance between examples,
        and the variance of its answers divided by their number.

    Raises
    ------
    InputError
        As `compare`; the pilot does not vary, or shows no difference and ``delta`` is missing.
    ValueError
        A number is out of its range.

    Examples
    --------
    >>> import fastcausal as fc
    >>> a, b = ([{"id": k, "value": k % n == 0} for k in range(60)] for n in (2, 3))
    >>> fc.plan(fc.statistics(a), fc.statistics(b), delta=0.1).plans
    ({'answers': None, 'units': 379, 'more': 319},)
    """
    for name, value in (("power", power), ("confidence", confidence)):
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value}, expected a number between 0 and 1")
    if delta is not None and not (math.isfinite(delta) and delta != 0):
        raise ValueError(f"delta is {delta}, expected a number other than 0")
    reading = request_scores(reading, score, cluster)
    names, systems = load_pair(a, b, ("A", "B"), reading)
    left, right = systems.systems.values()
    [score] = systems.scores(score)
    units = joint_units(left, right, cluster, score)
    draws = Draws("jackknife", confidence, 1, 0, cluster)
    change = difference(units, n_differing(joint_units(left, right, cluster)), draws)
    if math.isnan(change.se):
        raise ValueError("the pilot does not vary, so it tells nothing about other samples")
    size = abs(change.delta if delta is None else delta)
    if not size:
        raise ValueError("the pilot shows no difference: name one with delta")
    variance = change.se * change.se * units.n_units
    sides = [load(side, reading) for side in (a, b)] if cluster is None else []
    plans = []
    for answers, each in _split_variance(sides, score, variance):
        n = units_needed(each, size, power, confidence)
        plans.append({"answers": answers, "units": n, "more": max(0, n - units.n_units)})
    facts = {
        "score": score,
        "systems": dict(zip("ab", names, strict=True)),
        "unit": units.unit,
        "n_units": units.n_units,
        "delta": size,
        "power": power,
        "confidence": confidence,
        "se": change.se,
        "plans": tuple(plans),
    }
    return ComparisonPlan(
        f"{score}: sample size to detect {number_text(size)} ({100 * power:g}% power), "
        f"from a pilot of {units_text(units.n_units, units.unit)}",
        left.signature,
        {},
        facts=facts,
        warnings=systems.warnings,
        legend=(
            f"units: {nouns_of(units.unit)} in all; more: besides the pilot; paired t-test, "
            f"significant at {level_text(confidence)}",
        ),
        keys=("signature", *facts, "warnings"),
        logged=(),
        grids=_grids,
        arrow=_tabulate,
    )


def _split_variance(
    sides: Sequence[Statistics], score: str, variance: float
) -> list[tuple[int | None, float]]:
    """Return the variance of an example's difference as now, and by the number of its answers."""
    # Only as now if examples have one answer, or differ in their number. The variance between
    # examples is at least 0, also in the variance as now.
    within, numbers = 0.0, set[int]()
    for side in sides:
        units, name = side.units, f"{WITHIN}:{score}"
        if units is None or name not in units.column_names or units[name].null_count:
            return [(None, variance)]
        within += float(np.mean(np.asarray(units[name])))
        numbers |= {*np.unique(np.asarray(units["n_answers"])).tolist()}
    if len(numbers) != 1:
        return [(None, variance)]
    [n] = numbers
    between = max(0.0, variance - within)
    return [(None, max(variance, within)), *((k, between + within * n / k) for k in ANSWERS)]

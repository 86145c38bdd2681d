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
from fastcausal.significance.paired import Difference, difference, n_differing
from fastcausal.significance.planning import units_needed, variance_bounds
from fastcausal.significance.units import nouns_of, units_text
from fastcausal.sweeps.systems import load, load_pair, request_scores
from fastcausal.tasks.values.formula import WITHIN
from fastcausal.tasks.values.reading import ValueReading

if TYPE_CHECKING:
    import pyarrow as pa

ANSWERS = (1, 2, 4, 8, 16)  # numbers of answers to an example, one plan each
PILOT = Draws(confidence=0.8)  # the interval of what a pilot shows


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
    The difference to detect, or that of the pilot, without its sign.
delta_low, delta_high : float or None
    Without a difference to detect, ends of the pilot's 80% interval: ``units`` detect the lower.
power : float
    The share of such comparisons that detect it.
confidence : float
se : float
    Standard error of the pilot's difference.
plans : list of dict
    ``answers`` to each example (None: as in the pilot), ``units`` in all, the units beyond the
    pilot (``more``), and ``units_low`` to ``units_high``, an 80% interval: of the pilot's
    difference, or of its variance if the difference is given.
"""


def _tabulate(report: Report) -> pa.Table:
    """Make a row per plan."""
    import pyarrow as pa

    return pa.Table.from_pylist([dict(plan) for plan in report.plans])


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make a row per number of answers."""
    columns = ("units", "units_low", "units_high", "more")
    grid = Grid(report.title, columns, "answers")
    for plan in report.plans:
        name = "as now" if plan["answers"] is None else str(plan["answers"])
        grid.add(name, *(plan[column] for column in columns))
    return [grid]


def plan(
    a: Any,
    b: Any,
    score: str | None = None,
    *,
    power: float = 0.8,
    delta: float | None = None,
    cluster: str | None = "auto",
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
        Detect this difference; by default the lower end of the pilot's 80% interval.
    cluster : str, optional
        Take clusters, the values of this column, as units; none for single ones.
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
        As `compare`.
    ValueError
        A number is out of its range; the pilot does not vary; ``delta`` is missing, and the lower
        end of the pilot's 80% interval is not above 0.

    Examples
    --------
    >>> import fastcausal as fc
    >>> a, b = ([{"id": k, "value": k % n == 0} for k in range(60)] for n in (2, 3))
    >>> fc.plan(fc.statistics(a), fc.statistics(b), delta=0.1).plans
    ({'answers': None, 'units': 379, 'more': 319, 'units_low': 282, 'units_high': 555},)
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
    cluster = left.resolve_cluster(cluster)
    units = joint_units(left, right, cluster, score)
    change = difference(units, n_differing(joint_units(left, right, cluster)), PILOT)
    if math.isnan(change.se):
        raise ValueError("the pilot does not vary, so it tells nothing about other samples")
    low, high = _pilot_ends(change) if delta is None else (None, None)
    size = low or abs(delta or 0)
    # Fewest and most units: by the pilot's difference, else by its variance
    ends = [(high or size, 1.0), (size, 1.0)]
    if delta is not None:
        freedom = max(1, n_differing(units) - 1)
        ends = [(size, times) for times in variance_bounds(freedom, PILOT.confidence)]
    variance = change.se * change.se * units.n_units
    sides = [load(side, reading) for side in (a, b)] if cluster is None else []
    plans = []
    for answers, each in _split_variance(sides, score, variance):
        n = units_needed(each, size, power, confidence)
        fewest, most = (units_needed(each * t, end, power, confidence) for end, t in ends)
        plans.append(
            {"answers": answers, "units": n, "more": max(0, n - units.n_units)}
            | {"units_low": fewest, "units_high": most}
        )
    facts = {
        "score": score,
        "systems": dict(zip("ab", names, strict=True)),
        "unit": units.unit,
        "n_units": units.n_units,
        "delta": abs(change.delta if delta is None else delta),
        "delta_low": low,
        "delta_high": high,
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
            _explain_ends(change.delta, low, high),
        ),
        keys=("signature", *facts, "warnings"),
        logged=(),
        grids=_grids,
        arrow=_tabulate,
    )


def _pilot_ends(change: Difference) -> tuple[float, float]:
    """Return the ends of the pilot's interval on the side of its difference; refuse 0."""
    bounds = (change.low, change.high) if change.delta > 0 else (-change.high, -change.low)
    if not bounds[0] > 0:
        raise ValueError(
            f"the lower end of the pilot's 80% interval is {bounds[0]:.4f}, not above 0: name a "
            "difference with delta"
        )
    return bounds


def _explain_ends(delta: float, low: float | None, high: float | None) -> str:
    """Say what `units_low` and `units_high` are the ends of."""
    if low is None or high is None:
        return "units_low, units_high: 80% interval, by the variance of the pilot"
    return (
        f"units_low, units_high: at both ends of the pilot's 80% interval, {number_text(low)} to "
        f"{number_text(high)}; its difference is {number_text(abs(delta))}"
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

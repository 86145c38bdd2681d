"""Numbers of human labels until a powered estimate is within a distance: from a pilot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from fastcausal._version import __version__
from fastcausal.options import LabelPolicy, Level, check
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import Range
from fastcausal.report.report import Report
from fastcausal.significance.laws import normal_quantile, student_quantile
from fastcausal.significance.planning import units_needed
from fastcausal.tasks.labels.ratings import Float64
from fastcausal.tasks.meta.estimates import LEVEL, satterthwaite, weight_of
from fastcausal.tasks.meta.files import JudgedScores, read_judged
from fastcausal.tasks.meta.judges import shares_of

COLUMNS = {
    "rows": "rows judged",
    "margin": "margin",
    "n_alone": "people alone",
    "n_powered": "powered",
    "n_labels": "labels",
    "n_more": "more labels",
    "margin_all": "all rows",
}
LEGEND = (
    "rows judged: the pilot; margin: half the width of its powered 95% confidence interval",
    "all rows: the margin with labels of all scored rows",
    "people alone, powered: rows to judge in all, without the metric and with it",
    "labels: those of powered rows, with as many to a row as in the pilot",
)


def plan_labels(
    scores: Any,
    human: Any = None,
    *,
    delta: float,
    label: str = "label",
    metrics: Sequence[str] | None = None,
    level: Level | None = None,
    raters: Sequence[str] | None = None,
    unmatched: LabelPolicy = "error",
) -> Report:
    """Plan how many human labels make powered estimates precise enough.

    Parameters
    ----------
    scores, human, label, metrics, level, raters, unmatched
        See `fastcausal.tasks.meta.scorer.meta`: the pilot, with scores of all rows and labels of
        some.
    delta : float
        Reach this half width of the 95% confidence interval. The interval is of a system's human
        mean, or of the share of a class.

    Returns
    -------
    Report
        A group ``METRIC_SYSTEM``, or ``JUDGE_SYSTEM_LABEL`` for classes: ``rows`` judged in the
        pilot, and their powered ``margin``; all rows to judge, without the metric (``n_alone``)
        and with it (``n_powered``); the labels of the latter (``n_labels``), and those beyond the
        pilot (``n_more``); and the margin with labels of all scored rows (``margin_all``). NaN if
        ``delta`` is out of reach, and if the pilot has fewer than two rows or does not vary.

    Raises
    ------
    InputError
        As in `meta`.
    ValueError
        As in `meta`, or ``delta`` is not positive.

    Examples
    --------
    >>> rows = [(k % 3 == 0, k % 10 == 0) for k in range(600)]
    >>> table = [{"judge": int(true != slip), "ann": int(true) if k < 40 else None}
    ...          for k, (true, slip) in enumerate(rows)]
    >>> plan = plan_labels(table, raters=["ann"], delta=0.06)["judge_all"]
    >>> plan.n_alone, plan.n_powered, plan.n_more
    (252, 135, 95)
    """
    check("unmatched", unmatched, LabelPolicy)
    if level is not None:
        check("level", level, Level)
    if not 0 < delta < math.inf:
        raise ValueError(f"delta is {delta}, expected a positive number")
    judged = read_judged(scores, human, label, metrics, level, raters, unmatched=unmatched)
    given = ~np.isnan(judged.votes)
    a_row = given.sum() / given.any(axis=0).sum()
    groups: Groups = {
        name: Scores(_planned(people, metric, judged.range, delta, a_row))
        for name, people, metric in _samples(judged)
    }
    return Report(
        f"labels until a powered estimate is within {delta:g}",
        f"fastcausal|{__version__}|meta-plan|label:{label if raters is None else '+'.join(raters)}"
        f"|metrics:{'+'.join(judged.scores)}|level:{judged.level}|delta:{delta:g}"
        f"|confidence:0.95|unmatched:{unmatched}",
        groups,
        facts={"delta": delta, "labels_per_row": float(a_row)},
        warnings=tuple(f"{name}: {why}" for name, plan in groups.items() if (why := _why(plan))),
        legend=LEGEND,
        grids=_grids,
    )


def _samples(judged: JudgedScores) -> Iterator[tuple[str, Float64, Float64]]:
    """Yield a name, human values (NaN if unjudged) and scores of the rows of each system."""
    values: list[tuple[str, str, Float64, Float64]] = []
    for name, scores in judged.scores.items():
        if judged.classes is None:
            values.append((name, "", judged.labels, scores))
        else:
            values += [(name, f"_{of}", *both) for of, both in shares_of(judged, scores)]
    for name, end, people, metric in values:
        for k in np.unique(judged.systems).tolist():
            mine = (judged.systems == k) & ~np.isnan(metric)
            yield f"{name}_{judged.system_names[k]}{end}", people[mine], metric[mine]


def _planned(
    people: Float64, metric: Float64, range: Range, delta: float, a_row: float
) -> dict[str, float]:
    """Plan the rows of one system, at most its rows with scores."""
    pilot = ~np.isnan(people)
    n = int(pilot.sum())
    plan: dict[str, float] = dict.fromkeys(COLUMNS, math.nan) | {"rows": n}
    if n < 2 or np.ptp(people[pilot]) == 0:
        return plan
    errors, freedom = errors_of(people[pilot], metric[pilot], metric, range)

    def margin(k: int) -> float:
        return student_quantile(LEVEL, float(freedom[k])) * float(errors[k])

    # Student's quantiles are above the normal law's, so that few rows need one.
    near = np.flatnonzero(normal_quantile(LEVEL) * errors <= delta).tolist()
    reached = next((k for k in near if margin(k) <= delta), None)
    plan["margin"] = margin(n - 2)
    with suppress(ValueError):  # out of reach
        # Half the width of people alone is a difference that is found in half of samples.
        plan["n_alone"] = units_needed(float(np.var(people[pilot] / delta, ddof=1)), 1.0, 0.5, 0.95)
    plan["margin_all"] = margin(-1)
    if reached is not None:
        powered = reached + 2
        labels = math.ceil(powered * a_row)
        more = math.ceil(max(0, powered - n) * a_row)
        plan |= {"n_powered": powered, "n_labels": labels, "n_more": more}
    return plan


def _why(plan: Mapping[str, float]) -> str:
    """Return the reason why a plan has no number of rows; "" for others."""
    if math.isnan(plan["margin"]):
        return "the pilot has fewer than two rows or does not vary, so it tells nothing"
    if math.isnan(plan["n_powered"]):
        return f"labels of all scored rows give ±{plan['margin_all']:.4f}: score more rows"
    return ""


def errors_of(
    judged: Float64,  # [n]: human values of the pilot
    metric: Float64,  # [n]: scores of the pilot
    scored: Float64,  # [n_rows]: scores of all rows, judged or not
    range: Range,  # of human values
) -> tuple[Float64, Float64]:
    """Return standard errors and degrees of freedom of 2, 3, ... judged rows, up to all."""
    # The moments of `JudgedSample.powered` with its two pseudo-rows, from those of the pilot
    width = range[1] - range[0]  # squares of shares of it stay within floats
    judged, metric, scored = (values / width for values in (judged, metric, scored))
    least, most = range[0] / width, range[1] / width
    n = np.arange(2, len(scored) + 1)
    rest = len(scored) - n
    spread = float(np.var(scored, ddof=1))
    of_people, of_metric = float(np.var(judged, ddof=1)), float(np.var(metric, ddof=1))
    together = float(np.sum((judged - judged.mean()) * (metric - metric.mean()))) / (
        len(judged) - 1
    )
    off = float(np.mean(judged)) - (least + most) / 2  # means of the pilot from the pseudo-rows'
    metric_off = float(np.mean(metric) - np.mean(scored))
    apart = 2 * n / (n + 2)
    with_pseudo = ((n - 1) * together + apart * off * metric_off) / (n + 1)
    spread_of_all = spread * (len(scored) - 1) / (len(scored) + 1)
    weight = np.where(rest > 1, weight_of(with_pseudo, spread_of_all, n + 2, rest), 0.0)
    left = of_people - 2 * weight * together + weight**2 * of_metric
    squares = (n - 1) * left + (most - least) ** 2 / 2 + apart * (off - weight * metric_off) ** 2
    variance = np.maximum(squares, 0) / ((n + 1) * (n + 2))
    of_rest = weight**2 * spread / np.maximum(rest, 1)
    freedom = satterthwaite(variance, of_rest, n + 1, rest - 1)
    return np.sqrt(variance + of_rest) * width, freedom


def _grids(report: Report, counts: bool) -> list[Grid]:
    grid = Grid(report.title, [*COLUMNS.values()])
    for name, plan in report.scores.items():
        grid.add(name, *(plan[column] for column in COLUMNS))
    return [grid]

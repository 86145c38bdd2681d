"""The alternative annotator test: compare a metric with each rater, against the other raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fastcausal.counts.arithmetic import tied
from fastcausal.significance.corrections import benjamini_yekutieli
from fastcausal.significance.laws import student_p
from fastcausal.tasks.labels.ratings import Float64, Int64

MIN_ROWS = 30  # per rater: Student's test needs as many
LEVEL = 0.05


@dataclass(frozen=True)
class AltTest:
    """The result of the test."""

    winning_rate: float  # Share of raters that the metric may replace; NaN without raters
    # Mean over raters of the share of rows with the metric at least as close to the rest
    advantage: float
    epsilon: float  # Allowed advantage of a rater, for the cost of raters
    n_raters: int  # Raters with at least 30 rows, of two units, that another rater judged too
    unit: str = "row"  # What varies by chance with all its rows: ``item``, or a column of clusters


def alt_test(
    metric: Float64,  # [n], NaN if missing
    votes: Float64,  # [n_raters, n], NaN if missing
    epsilon: float,  # allowed advantage of a rater in the share of rows at least as close
    units: Int64 | None = None,  # [n]: the item or cluster of each row; by default each is its own
    unit: str = "row",
    *,
    labels: bool,  # distance is the share of other labels; else the root mean square
) -> AltTest:
    """Leave out each rater, and test if the metric is as close to the rest as that rater."""
    # Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge.
    units = np.arange(len(metric)) if units is None else units
    distances, units_of = [], []
    for rater in range(len(votes)):
        rest = np.delete(votes, rater, axis=0)
        rows = ~np.isnan(metric) & ~np.isnan(votes[rater]) & ~np.isnan(rest).all(axis=0)
        if np.count_nonzero(rows) < MIN_ROWS or len(np.unique(units[rows])) < 2:
            continue
        distance = _unlike if labels else _rmse
        both = [distance(values[rows], rest[:, rows]) for values in (metric, votes[rater])]
        distances.append(np.column_stack(both))
        units_of.append(units[rows])
    return replace(compare_distances(distances, epsilon, units_of), unit=unit)


def compare_distances(
    # float64[n, 2] of each rater with enough rows: from the rest to the metric, and to the rater
    distances: Sequence[Float64],
    epsilon: float,
    units: Sequence[Int64] | None = None,  # the item or cluster of each row of each rater
) -> AltTest:
    """Test if a metric is as close to the rest as each rater."""
    # Distances equal up to rounding are equal. Rows of a unit share errors, so p is by the sums of
    # units. It is corrected by Benjamini and Yekutieli at .05; without variation it is 0 or 1.
    p, advantages = [], []
    for both, unit_of in zip(distances, units or map(_number, distances), strict=True):
        of_metric, of_rater = tied(both).T
        wins = of_metric <= of_rater
        losses = (of_rater <= of_metric).astype(np.int64) - wins
        codes = np.unique(unit_of, return_inverse=True)[1]
        p.append(_p_below(np.bincount(codes, losses) - epsilon * np.bincount(codes)))
        advantages.append(float(np.mean(wins)))
    if not p:
        return AltTest(math.nan, math.nan, epsilon, 0)
    won = benjamini_yekutieli(np.array(p)) <= LEVEL
    return AltTest(float(np.mean(won)), math.fsum(advantages) / len(p), epsilon, len(p))


def _number(rows: Float64) -> Int64:
    return np.arange(len(rows))


def _unlike(values: Float64, rest: Float64) -> Float64:
    n = (~np.isnan(rest)).sum(axis=0)
    shares: Float64 = (n - (rest == values).sum(axis=0)) / n
    return shares


def _rmse(values: Float64, rest: Float64) -> Float64:
    squares = np.sort((rest - values) ** 2, axis=0)  # NaN last; the order of raters has no effect
    root: Float64 = np.sqrt(np.nanmean(squares, axis=0))
    return root


def _p_below(sums: Float64) -> float:
    """Test by Student's t if the mean of sums is below 0."""
    n = len(sums)
    mean, spread = float(np.mean(sums)), float(np.std(sums, ddof=1))
    if np.ptp(sums) == 0:
        return 0.0 if mean < 0 else 1.0
    t = mean / (spread / math.sqrt(n))
    p = student_p(t, n - 1) / 2
    return p if t < 0 else 1 - p

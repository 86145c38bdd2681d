"""The alternative annotator test: compare a metric with each rater, against the other raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastcausal.counts.arithmetic import tied
from fastcausal.significance.corrections import benjamini_yekutieli
from fastcausal.tasks.labels.ratings import Float64

MIN_ROWS = 30  # per rater: Student's test needs as many
LEVEL = 0.05


@dataclass(frozen=True)
class AltTest:
    """The result of the test."""

    winning_rate: float  # Share of raters that the metric may replace; NaN without raters
    # Mean over raters of the share of rows with the metric at least as close to the rest
    advantage: float
    epsilon: float  # Allowed advantage of a rater, for the cost of raters
    n_raters: int  # Raters with at least 30 rows that another rater judged too


def alt_test(
    metric: Float64,  # [n], NaN if missing
    votes: Float64,  # [n_raters, n], NaN if missing
    epsilon: float,  # allowed advantage of a rater in the share of rows at least as close
    *,
    labels: bool,  # distance is the share of other labels; else the root mean square
) -> AltTest:
    """Leave out each rater, and test if the metric is as close to the rest as that rater."""
    # Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge.
    distances = []
    for rater in range(len(votes)):
        rest = np.delete(votes, rater, axis=0)
        rows = ~np.isnan(metric) & ~np.isnan(votes[rater]) & ~np.isnan(rest).all(axis=0)
        if np.count_nonzero(rows) < MIN_ROWS:
            continue
        distance = _unlike if labels else _rmse
        both = [distance(values[rows], rest[:, rows]) for values in (metric, votes[rater])]
        distances.append(np.column_stack(both))
    return compare_distances(distances, epsilon)


def compare_distances(
    # float64[n, 2] of each rater with enough rows: from the rest to the metric, and to the rater
    distances: Sequence[Float64],
    epsilon: float,
) -> AltTest:
    """Test if a metric is as close to the rest as each rater."""
    # Distances equal up to rounding are equal. p is corrected by Benjamini and Yekutieli at .05;
    # without variation it is 0 or 1.
    p, advantages = [], []
    for both in distances:
        of_metric, of_rater = tied(both).T
        wins = of_metric <= of_rater
        p.append(_p_below((of_rater <= of_metric).astype(np.float64) - wins, epsilon))
        advantages.append(float(np.mean(wins)))
    if not p:
        return AltTest(math.nan, math.nan, epsilon, 0)
    won = benjamini_yekutieli(np.array(p)) <= LEVEL
    return AltTest(float(np.mean(won)), math.fsum(advantages) / len(p), epsilon, len(p))


def _unlike(values: Float64, rest: Float64) -> Float64:
    n = (~np.isnan(rest)).sum(axis=0)
    shares: Float64 = (n - (rest == values).sum(axis=0)) / n
    return shares


def _rmse(values: Float64, rest: Float64) -> Float64:
    squares = np.sort((rest - values) ** 2, axis=0)  # NaN last; the order of raters has no effect
    root: Float64 = np.sqrt(np.nanmean(squares, axis=0))
    return root


def _p_below(differences: Float64, bound: float) -> float:
    """Test by Student's t if the mean of differences is below a bound."""
    from scipy.special import stdtr  # loads in a quarter of the time of scipy.stats

    n = len(differences)
    mean, spread = float(np.mean(differences)), float(np.std(differences, ddof=1))
    if spread == 0:
        return 0.0 if mean < bound else 1.0
    return float(stdtr(n - 1, (mean - bound) / (spread / math.sqrt(n))))

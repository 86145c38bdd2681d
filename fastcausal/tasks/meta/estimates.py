"""The quality of a system: the mean of its judged rows, improved by scores of unjudged rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from fastcausal.report.numbers import Range
from fastcausal.significance.units import cut
from fastcausal.tasks.labels.ratings import Float64

Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Estimate:
    """Mean human value of a system with 95% intervals, from judged rows and from all."""

    # Of the judged rows alone; bounds are NaN for fewer than two
    mean: float
    low: float
    high: float
    # With the scores of unjudged rows; NaN without any
    powered_mean: float
    powered_low: float
    powered_high: float
    weight: float  # Weight of the scores, from 0 to 1
    n: int
    n_unjudged: int


def estimate(
    judged: Float64,  # [n]: the human values of judged rows
    metric: Float64,  # [n]: the scores of the same rows
    unjudged: Float64,  # [n_unjudged]: the scores of other rows
    range: Range | None = None,  # possible human values; powered mean and bounds are cut to it
) -> Estimate:
    """Estimate a system's mean human value by PPI++."""
    # Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, for
    # means. Unbiased if judged rows are drawn at random, for any metric; a good metric narrows the
    # interval.
    n, n_unjudged = len(judged), len(unjudged)
    nan = math.nan
    if not n:
        return Estimate(nan, nan, nan, nan, nan, nan, nan, 0, n_unjudged)
    bounded = _bounded(float(np.mean(judged)), float(np.var(judged)) / n, n, range)
    if not n_unjudged:
        return Estimate(*bounded, nan, nan, nan, nan, n, 0)
    together = float(np.mean((judged - judged.mean()) * (metric - metric.mean())))
    spread = float(np.var(np.concatenate([metric, unjudged]), ddof=1))
    weight = float(weight_of(together, spread, n, n_unjudged))
    rest = judged - weight * metric
    mean = weight * float(np.mean(unjudged)) + float(np.mean(rest))
    variance = weight**2 * float(np.var(unjudged)) / n_unjudged + float(np.var(rest)) / n
    return Estimate(*bounded, *_bounded(mean, variance, n, range), weight, n, n_unjudged)


def weight_of(
    together: float,  # covariance of human values and scores
    spread: float,  # variance of the scores
    n: Any,  # int or [n_plans]
    n_unjudged: Any,  # int or [n_plans]
) -> Any:
    """Return the weight of the scores with the least variance; 0 if they do not vary.

    >>> weight_of(0.1, 0.2, np.array([5, 10]), np.array([5, 0]))
    array([0.25, 0.  ])
    """
    if spread == 0:
        return np.zeros(np.shape(n))
    with np.errstate(divide="ignore"):
        weight = together / ((1 + np.divide(n, n_unjudged)) * spread)
    return np.clip(weight, 0.0, 1.0)


def _bounded(
    mean: float, variance: float, n: int, range: Range | None
) -> tuple[float, float, float]:
    margin = Z * math.sqrt(variance) if n > 1 else math.nan
    return cut(mean, range), cut(mean - margin, range), cut(mean + margin, range)

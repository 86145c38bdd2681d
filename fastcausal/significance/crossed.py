"""Bounds of a mean over seeds for new seeds and new units at once."""

from __future__ import annotations

import math

import numpy as np

from fastcausal.significance.laws import student_quantile
from fastcausal.significance.sums import Float64, Int64, sums_of
from fastcausal.significance.units import rounding_of


def cross(
    values: Float64,  # [n_seeds]: The score of each seed
    left_out: Float64,  # [n_kinds, n_seeds]: The scores without one unit of each kind
    times: Int64,  # int64[n_kinds]
    confidence: float,
) -> tuple[float, float]:
    """Return bounds of the mean score, NaN if unknown."""
    # The variance between seeds holds a part of the variance over units, their interaction: it is
    # counted once. Jackknife pseudo-values, of a mean the values themselves, have the mean squares
    # of a table of units and seeds with a value in each cell. Satterthwaite's degrees of freedom.
    n, n_seeds, nan = int(times.sum()), len(values), (math.nan, math.nan)
    mean = math.fsum(values) / n_seeds
    if n < 2 or n_seeds < 2 or not (np.isfinite(values).all() and np.isfinite(left_out).all()):
        return nan

    def mean_square(deviations: Float64, freedom: int) -> float:
        sums = sums_of(deviations * deviations, times[None]).ravel()
        return math.fsum(sums) / freedom

    effects = (n - 1) * (values - left_out)  # pseudo-values less the score of their seed
    scale = int(np.frexp(np.abs(effects).max(initial=abs(values - mean).max()))[1])
    effects, of_seeds = np.ldexp(effects, -scale), np.ldexp(values - mean, -scale)
    effects = effects - sums_of(effects, times[None]) / n
    of_units = effects.mean(axis=1, keepdims=True)
    units = mean_square(of_units, n - 1) / n
    seeds = math.fsum(of_seeds**2) / (n_seeds - 1) / n_seeds
    twice = mean_square(effects - of_units, (n_seeds - 1) * (n - 1)) / (n_seeds * n)
    variance = max(units + seeds - twice, units, seeds)
    if not variance > 0:
        return nan
    of_freedom = (max(seeds - twice, 0) / variance) ** 2 / (n_seeds - 1)
    of_freedom += (units / variance) ** 2 / (n - 1)
    freedom = 1 / of_freedom if of_freedom > 0 else 1.0
    quantile = student_quantile((1 + confidence) / 2, max(1.0, freedom))
    half = float(np.ldexp(quantile * math.sqrt(variance), scale))
    return (mean - half, mean + half) if half > rounding_of(mean) else nan

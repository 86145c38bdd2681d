"""Tests that may be looked at whenever one likes: betting e-values, and a normal mixture.

An e-value is the wealth of a bet against the hypothesis. Under it, the wealth ever reaches
1/alpha with a chance of at most alpha (Ville 1939), however often and whenever one looks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fastcausal.significance.sums import CountRows, Float64, Int64
from fastcausal.significance.units import merged

# Shares of the wealth that are bet at once, from cautious to bold: the wealth is their mean
SHARES = 0.005 * 190.0 ** (np.arange(40) / 39)
HALVINGS = 50  # of an interval from -1 to 1
LEAST_WORTH = 10  # of differing units, for the mixture: below, the normal law is no guide
TUNED = 200  # number of units for which the mixture's bounds are the narrowest


class Wealth(NamedTuple):
    """Bounds of a mean, and natural logs of the wealth of two bets on it."""

    # Each bound holds at its level at all looks together; NaN if unknown
    low: float
    high: float
    log_e: float  # Of the bet that the mean is above the hypothesis
    log_e_fail: float  # Of the bet that it is below


UNKNOWN = Wealth(math.nan, math.nan, math.nan, math.nan)


def log_wealth(
    gains: Float64,  # float64[n]: Of units, at least -1; 0 or less on average by the hypothesis
    times: Int64,  # int64[n]: How often each occurs
) -> float:
    """Return the natural log of the wealth after bets on these gains, from a wealth of 1.

    >>> round(log_wealth(np.array([-1.0, 0.0, 1.0]), np.array([10, 60, 30])), 6)
    3.339569
    """
    # Callers sort the units, so that their order moves no bit.
    logs = np.array([(times * np.log1p(share * gains)).sum() for share in SHARES])
    most = float(logs.max())
    return most + math.log(math.fsum(np.exp(logs - most))) - math.log(len(SHARES))


def bet_on_mean(
    values: Float64,  # float64[n] in [-1, 1], bounds that are known before the data
    times: Int64,
    least: float,  # The hypothesis: the mean is at most this; of the other bet, at least
    alpha: float,  # Level of each bound
) -> Wealth:
    """Bet on the mean of values of units, such as differences of two systems."""
    rows, times = merged(values[:, None], times)
    ascending = rows[:, 0]

    def log_above(mean: float) -> float:
        return log_wealth((ascending - mean) / (1 + mean), times)

    def log_below(mean: float) -> float:
        return log_wealth((mean - ascending) / (1 - mean), times)

    return Wealth(
        _last_refuted(log_above, -1.0, 1.0, alpha),
        -_last_refuted(lambda mean: log_below(-mean), -1.0, 1.0, alpha),
        log_above(least) if least > -1 else math.nan,
        log_below(least) if least < 1 else math.nan,
    )


def bet_on_ratio(
    parts: CountRows,  # [n, 2]: Numerator and denominator of each unit; no share is above 1
    times: Int64,
    largest: float,  # The largest denominator that a unit can have
    least: float,  # The hypothesis: the ratio of sums is at most this; of the other bet, at least
    alpha: float,
) -> Wealth:
    """Bet on a ratio of sums, such as F1 with 2tp and 2tp + fp + fn of each document."""
    # A ratio of at most c is a mean of numerator - c * denominator of at most 0. The stakes are
    # divided by its largest size, so that no unit takes all of the wealth.
    rows, times = merged(parts, times)
    numerators, denominators = rows.T.astype(np.float64)

    def log_above(ratio: float, sign: int = 1) -> float:
        gains = sign * (numerators - ratio * denominators)
        return log_wealth(gains / (largest * max(ratio, 1 - ratio)), times)

    return Wealth(
        _last_refuted(log_above, 0.0, 1.0, alpha),
        -_last_refuted(lambda ratio: log_above(-ratio, -1), -1.0, 0.0, alpha),
        log_above(least),
        log_above(least, -1),
    )


def _last_refuted(
    log_wealth_at: Callable[[float], float], low: float, high: float, alpha: float
) -> float:
    """Return the largest hypothesis that a bet refutes, by bisection; ``low`` without any."""
    # The wealth falls in the hypothesis; those at ``low`` cannot be wrong, at ``high`` not right.
    goal = -math.log(alpha)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if log_wealth_at(middle) >= goal else (low, middle)
    return low


def mix_normals(
    value: float,
    se: float,  # Its standard error
    n: int,  # Number of units
    worth: float,  # Of the units that vary; below `LEAST_WORTH` nothing is known
    least: float,  # As in `bet_on_mean`
    alpha: float,
) -> Wealth:
    """Bound a value that is a mean for many units, at all looks together.

    >>> round(mix_normals(0.1, 0.03, 100, 100, 0.0, 0.05).low, 6)
    0.015369
    """
    # The half-normal mixture of Robbins (1970), with the estimated variance (Waudby-Smith et al.
    # 2024): a law for many units only.
    if worth < LEAST_WORTH or not se > 0 or not alpha < 0.5:
        return UNKNOWN
    odds = -2 * math.log(2 * alpha)
    spread = n * (odds + math.log(odds) + 1) / TUNED  # n rho^2
    root = math.sqrt(spread + 1)
    half = se * math.sqrt(2 * (spread + 1) / spread * math.log1p(root / (2 * alpha)))

    def log_above(gain: float) -> float:
        exponent = (gain / se) ** 2 * spread / (2 * (spread + 1))
        if gain <= 0 or exponent == 0:
            return -math.inf
        return math.log(2 / root) + exponent + math.log(-math.expm1(-exponent))

    return Wealth(value - half, value + half, log_above(value - least), log_above(least - value))

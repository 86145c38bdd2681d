"""Tests that may be looked at whenever one likes: betting e-values, and a normal mixture.

An e-value is the wealth of a bet against the hypothesis. Under it, the wealth ever reaches
1/alpha with a chance of at most alpha (Ville 1939), however often and whenever one looks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fastcausal.errors import InputError
from fastcausal.options import AnytimeLaw
from fastcausal.significance.intervals import spreads_of
from fastcausal.significance.paired import Difference, minus
from fastcausal.significance.sampling import BLOCK
from fastcausal.significance.sums import CountRows, Float64, Int64
from fastcausal.significance.units import NOUNS, OneScore, Units, cut, merged

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
    law: AnytimeLaw = "betting"
    is_seen: bool = False  # True if a bound of the values was taken from the data

    def mirrored(self) -> Wealth:
        """Return it for the opposite of the mean, which is to be above the opposite hypothesis."""
        return Wealth(-self.high, -self.low, self.log_e_fail, self.log_e, self.law, self.is_seen)

    def cut_to(self, range: tuple[float, float] | None) -> Wealth:
        """Return it with bounds within a range."""
        return self._replace(low=cut(self.low, range), high=cut(self.high, range))


UNKNOWN = Wealth(math.nan, math.nan, -math.inf, -math.inf, "mixture")


def log_wealth(
    gains: Float64,  # float64[n]: Of units, at least -1; 0 or less on average by the hypothesis
    times: Int64,  # int64[n]: How often each occurs
) -> float:
    """Return the natural log of the wealth after bets on these gains, from a wealth of 1.

    >>> round(log_wealth(np.array([-1.0, 0.0, 1.0]), np.array([10, 60, 30])), 6)
    3.339569
    """
    # Callers sort the units, so that their order moves no bit.
    at_once = max(1, BLOCK // max(len(gains), 1))
    parts = [
        (times * np.log1p(SHARES[k : k + at_once, None] * gains)).sum(axis=1)
        for k in range(0, len(SHARES), at_once)
    ]
    logs = np.concatenate(parts)
    most = float(logs.max())
    return most + math.log(math.fsum(np.exp(logs - most))) - math.log(len(SHARES))


def joint_law(bets: Sequence[Wealth]) -> AnytimeLaw | None:
    """Return the law of several bets: the mixture if one needs it."""
    laws = {bet.law for bet in bets}
    return "mixture" if "mixture" in laws else next(iter(laws), None)


def join_bets(signature: str, bets: Sequence[Wealth]) -> str:
    """Add to a signature line what bets rest on."""
    law = joint_law(bets)
    if law is None:
        return signature
    rests = {
        f"anytime:{law}": True,
        "asymptotic": law == "mixture",
        "largest:seen": any(bet.is_seen for bet in bets),
    }
    return "|".join([signature, *(name for name, rest in rests.items() if rest)])


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
        log_above(least) if least > -1 else math.inf,  # cannot be wrong
        log_below(least) if least < 1 else -math.inf if least == 1 else math.inf,
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

    logs = log_above(value - least), log_above(least - value)
    return Wealth(value - half, value + half, *logs, "mixture")


def bet_on_difference(
    units: Units,  # Joint units, with the formula of one score
    change: Difference,
    least: float,
    alpha: float,
) -> Wealth:
    """Bet on values of single units from 0 to 1, or mix normals for other scores and clusters."""
    # A bet on clusters would be bounded by the largest one, and have no power.
    assert isinstance(units.formula, OneScore), "units of all scores, expected those of one"
    name, sides = units.formula.name, np.hsplit(units.terms, 2)
    a, b = (replace(units, terms=terms).fractions.get(name) for terms in sides)
    if a is not None and b is not None and units.unit in NOUNS and _are_values(a, b):
        counted = a[:, 1] == 1
        values = (b - a)[counted, 0].astype(np.float64)
        return bet_on_mean(values, units.times[counted], least, alpha)
    worth = min(change.worth, change.n_differ or 0)
    mixed = mix_normals(change.delta, change.se, units.n_units, worth, least, alpha)
    return mixed.cut_to(replace(units, formula=minus(units.formula)).range_of(name))


def bet_on_score(
    units: Units,  # With the formula of one score
    value: float,
    least: float,
    alpha: float,
    largest: float | None,  # As in `bet_on_ratio`; None takes the largest denominator so far
) -> Wealth:
    """Bet on a ratio of sums of units or clusters, or mix normals for other scores."""
    assert isinstance(units.formula, OneScore), "units of all scores, expected those of one"
    name = units.formula.name
    parts = units.fractions.get(name)
    if parts is None or not _are_shares(parts) or not parts[:, 1].any():
        [spread] = spreads_of(units.score_without_each(), units.times).values()
        mixed = mix_normals(value, spread.error, units.n_units, units.worth(name), least, alpha)
        return mixed.cut_to(units.range_of(name))
    most = float(parts[:, 1].max())
    if largest is not None and most > largest:
        raise InputError(
            f"{name}: a unit has the denominator {most:g}, expected at most {largest:g}"
        )
    bet = bet_on_ratio(parts, units.times, most if largest is None else largest, least, alpha)
    return bet._replace(is_seen=largest is None and not (parts[:, 1] == 1).all())


def _are_shares(parts: CountRows) -> bool:
    """Return True if no numerator is below 0 or above its denominator."""
    return bool(((parts[:, 0] >= 0) & (parts[:, 0] <= parts[:, 1])).all())


def _are_values(a: CountRows, b: CountRows) -> bool:
    """Return True if units have a value from 0 to 1 on both sides, or none on either."""
    same = (a[:, 1] == b[:, 1]).all() and np.isin(a[:, 1], (0, 1)).all()
    return bool(same and _are_shares(a) and _are_shares(b))

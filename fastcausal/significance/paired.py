"""Differences of two systems on the same units: bounds, p, minimum detectable effect."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from fastcausal.report.numbers import Scale
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import spreads_of, student_p, student_quantile, varied
from fastcausal.significance.sampling import exchange_sums
from fastcausal.significance.sums import CountRows, FixedPoint, Float64, Int64, sums_of
from fastcausal.significance.units import (
    EQUAL,
    OneScore,
    Units,
    cut,
    merged,
    range_of_difference,
    rounding_of,
)

MAX_LISTED = 16  # most differing units for which all 2^16 exchanges are listed
POWER = 0.8


class Difference(NamedTuple):
    """A score of two systems, and B minus A."""

    a: float
    b: float
    delta: float
    # Bounds of ``delta``, NaN if unknown
    low: float
    high: float
    se: float  # Standard error of ``delta`` by the jackknife, NaN if it does not vary
    p: float  # The p-value, by Student's t or randomisation, see `is_student`
    p_exact: bool  # True if all exchanges were listed


def is_student(n_units: int, confidence: float) -> bool:
    """Return True if p is by Student's t: too few units for p of exchanges to reach the level.

    >>> is_student(5, 0.95), is_student(6, 0.95), is_student(5, 0.9)
    (True, False, False)
    """
    return 2.0 ** (1 - n_units) > 1 - confidence + EQUAL


def difference(
    units: Units,  # Joint units, with the formula of one score
    n_differ: int,  # See `randomisation`
    # See `intervals_of`, but the jackknife's bounds are never on the logit scale; they are cut to
    # the range of the difference. Bounds by resamples ignore p.
    draws: Draws,
) -> Difference:
    """Compute the difference of two systems, B minus A, its bounds and its p."""
    # The jackknife's bounds are by Student's t; the degrees of freedom are the number of differing
    # units less one. These bounds exclude 0 exactly if p is at most 1 - confidence.
    confidence = draws.confidence
    formula = _formula_of(units)
    paired = replace(units, formula=minus(formula))
    sums = np.hsplit(sums_of(units.terms, units.times[None]), 2)
    a, b = (float(formula.value(side)[0]) for side in sums)
    [spread] = spreads_of(paired.score_without_each(), units.times).values()
    delta, freedom = b - a, max(1, n_differing(units) - 1)
    if is_student(units.n_units, confidence) and not math.isnan(spread.error):
        p, exact = student_p(delta / spread.error, freedom), False
    else:
        p, exact = randomisation(units, n_differ, draws.n_resamples, draws.seed)
    if draws.method == "jackknife":
        range = paired.range_of(formula.name)
        bounds = _bounds(delta, spread.error, freedom, p, confidence)
        low, high = (cut(bound, range) for bound in bounds)
    else:
        terms, times = merged(paired.terms, paired.times)  # units that the score cannot tell apart
        alike = replace(paired, terms=terms, times=times)
        [(low, high, _)] = varied(alike, {formula.name: delta}, draws).values()
    return Difference(a, b, delta, low, high, spread.error, p, exact)


def _bounds(
    delta: float, error: float, freedom: int, p: float, confidence: float
) -> tuple[float, float]:
    """Return bounds by Student's t; the bound next to 0 is moved if it contradicts p about 0."""
    # Moved, it is t(p) - t(1 - confidence) standard errors from 0, on the side of the difference;
    # t(p) is the value of t with this two-sided p. The standard error is the smaller of two: the
    # jackknife's, and the one implied by p (Miettinen 1976).
    if math.isnan(delta) or math.isnan(error):
        return math.nan, math.nan
    quantile = student_quantile((1 + confidence) / 2, freedom)
    size = abs(delta)
    near, far = size - quantile * error, size + quantile * error
    if not math.isnan(p) and (near > 0) != (p <= 1 - confidence + EQUAL):
        implied = -student_quantile(p / 2, freedom)
        unit = min(error, size / implied) if implied > 0 else error
        near = unit * (implied - quantile)
    return (near, far) if delta >= 0 else (-far, -near)


def detectable(se: float, confidence: float) -> float:
    """Return the difference that a test with this standard error finds with a power of 80%."""
    normal = NormalDist()
    return (normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(POWER)) * se


def minus(formula: OneScore) -> OneScore:
    """Return a formula of the difference B minus A, from joint sums of A and then B."""

    def value(sums: CountRows) -> Float64:
        a, b = np.hsplit(sums, 2)
        return formula.value(b) - formula.value(a)

    def scaled(terms: CountRows) -> Scale:
        a, b = map(formula.scaled, np.hsplit(terms, 2))
        return a._replace(range=range_of_difference(a.range, b.range))

    return replace(formula, value=value, scaled=scaled)


def _formula_of(units: Units) -> OneScore:
    assert isinstance(units.formula, OneScore), "units of all scores, expected those of one"
    return units.formula


def n_differing(units: Units) -> int:
    """Count the joint units in which A and B differ in any term."""
    a, b = np.hsplit(units.terms, 2)
    return int(units.times[(a != b).any(axis=1)].sum())


def randomisation(
    units: Units,  # Joint units, with the formula of one score
    # Number of units that differ in any count; up to `MAX_LISTED`, all exchanges are listed
    n_differ: int,
    n_resamples: int,
    seed: int,
) -> tuple[float, bool]:
    """Compute p of the paired randomisation test, two-sided (Yeh 2000)."""
    # Each exchange swaps the rows of A and B in some units. p is the share of exchanges whose
    # difference, of either sign, is at least the observed one, or undefined. If few units differ,
    # all exchanges are listed; else they are drawn, and the observed rows count as one of them.
    # Returns p, float; exact, bool: true if all exchanges were listed.
    formula = _formula_of(units)
    difference_of = minus(formula).value
    whole = sums_of(units.terms, units.times[None])
    observed = abs(difference_of(whole)[0])
    if np.isnan(observed):
        return math.nan, False
    exact = n_differ <= MAX_LISTED
    sums = _sums_of_exchanges(units, exact, n_resamples, seed)
    rounding = max(rounding_of(formula.value(side)[0]) for side in np.hsplit(whole, 2))
    hits = int(np.count_nonzero(~(np.abs(difference_of(sums)) < observed - rounding)))
    return (hits / len(sums) if exact else (1 + hits) / (1 + len(sums))), exact


def _sums_of_exchanges(units: Units, exact: bool, n_resamples: int, seed: int) -> CountRows:
    """Return the joint sums under all exchanges, or under drawn ones: [n_draws, n_terms]."""
    # An exchange adds to one side as much as it takes from the other, so units with equal
    # differences are drawn together. Each difference is taken from the lesser to the greater side,
    # so that p is symmetric in A and B.
    a, b = np.hsplit(units.terms, 2)
    unlike = a != b
    first = unlike.argmax(axis=1)[:, None]
    greater = np.take_along_axis(a > b, first, axis=1)
    sides = np.vstack([np.where(greater, b, a), np.where(greater, a, b)])
    split = FixedPoint.split(sides, 2 * units.n_units)
    lesser, larger = np.hsplit(split.parts, 2)
    differ = unlike.any(axis=1)
    changes, times = merged((larger - lesser).T[differ], units.times[differ])
    draw = _listed(changes, times) if exact else exchange_sums(changes, times, n_resamples, seed)
    sums = lesser @ units.times + draw, larger @ units.times - draw
    return np.hstack([split.rounded(side) for side in sums])


def _listed(changes: Int64, times: Int64) -> Int64:
    """Return the sums of changes, as `exchange_sums` does, for every set of exchanged units."""
    places = np.repeat(np.arange(len(times)), times)
    ways = np.arange(2 ** len(places))
    exchanged = np.zeros((len(ways), len(times)), np.int64)
    for k, place in enumerate(places):
        exchanged[:, place] += ways >> k & 1
    return exchanged @ changes

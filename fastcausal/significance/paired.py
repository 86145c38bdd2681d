"""Differences of two systems on the same units: bounds, p, minimum detectable effect."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fastcausal.report.numbers import Scale
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import freedom_of, spreads_of, unseen, varied
from fastcausal.significance.laws import share_of_tosses, student_p, student_quantile
from fastcausal.significance.sampling import exchange_sums
from fastcausal.significance.sums import (
    CountRows,
    FixedPoint,
    Float64,
    Int64,
    products_of,
    scaled_down,
    sums_of,
)
from fastcausal.significance.units import (
    EQUAL,
    OneScore,
    SystemParts,
    Units,
    cut,
    merged,
    range_of_difference,
    rounding_of,
)

MAX_LISTED = 16  # most differing units for which all 2^16 exchanges are listed
MAX_CONVOLVED = 1 << 14  # largest sum of whole differences whose law is convolved
MIN_EXCHANGED = 8  # of fewer units the exchanges have next to no power, Student's t has some
POWER = 0.8
ROUNDING = 1e-9  # relative: larger studentised differences count as equal


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
    p_exact: bool  # True if p is of all exchanges
    mde: float  # Minimum detectable effect: found with a power of 80% at this confidence
    worth: float  # How many equal units tell as much
    n_differ: int | None = None  # Units that differ in the terms of the score; None if unpaired
    studentised: bool = False  # True if exchanges were compared by their differences over errors

    def numbers(self) -> dict[str, float]:
        """Return the numbers that results show, by name."""
        return {name: getattr(self, name) for name in self._fields[:10]}

    def explain(self, n_units: int, confidence: float) -> str | None:
        """Say what no data of this size could show; None if they could."""
        if not n_units:
            return None
        if self.n_differ == 0:
            return f"none of {n_units} differ; up to {unseen_text(n_units, confidence)} may"
        if self.n_differ == n_units and math.isnan(self.se) and not math.isnan(self.low):
            unlike = unseen_text(n_units, confidence)
            return f"all {n_units} change alike; up to {unlike} may change otherwise"
        least = 2.0 ** (1 - (self.n_differ or n_units))
        if self.p_exact and least > 1 - confidence + EQUAL:
            return (
                f"{self.n_differ} differ, so p is at least {least:.4g}: no outcome is significant"
            )
        return None

    def least_p(self, n_units: int, draws: Draws) -> float:
        """Return the least p that these differing units could give; 0 if any p is possible."""
        if self.n_differ is None or math.isnan(self.delta):
            return 0.0
        if n_units == 1 or self.p_exact:
            return 2.0 ** (1 - self.n_differ) if n_units > 1 and self.n_differ else 1.0
        by_draws = not is_student(n_units, draws.confidence) and not math.isnan(self.p)
        return 1 / (1 + draws.n_resamples) if by_draws else 0.0


def unseen_text(n: int, confidence: float) -> str:
    """Format the largest share of units that may differ if none of n does.

    >>> unseen_text(30, 0.9)
    '9.5%'
    """
    return f"{100 * unseen(n, confidence):.1f}%"


def is_student(n_units: int, confidence: float) -> bool:
    """Return True if p is by Student's t: too few units for p of exchanges to reach the level.

    >>> is_student(7, 0.95), is_student(8, 0.95), is_student(8, 0.999)
    (True, False, True)
    """
    return n_units < MIN_EXCHANGED or 2.0 ** (1 - n_units) > 1 - confidence + EQUAL


def difference(
    units: Units,  # Joint units, with the formula of one score
    n_differ: int,  # See `randomisation`
    # See `intervals_of`, but the jackknife's bounds are never on the logit scale; they are cut to
    # the range of the difference. Bounds by resamples ignore p.
    draws: Draws,
    exchanged: bool = True,  # False takes p from Student's t
) -> Difference:
    """Compute the difference of two systems, B minus A, its bounds and its p."""
    # The jackknife's bounds are by Student's t, see `freedom_of`; the units are the differing ones.
    # These bounds exclude 0 exactly if p is at most 1 - confidence.
    confidence, n = draws.confidence, units.n_units
    formula = _formula_of(units)
    pair = PairedParts.of(units, formula)
    paired = replace(units, formula=minus(formula))
    sums = np.hsplit(sums_of(units.terms, units.times[None]), 2)
    a, b = (float(formula.value(side)[0]) for side in sums)
    left_out = paired.score_without_each()
    [spread] = spreads_of(left_out, units.times).values()
    delta, error = b - a, spread.error
    scale = paired.formula.scale_of(formula.name, units.terms)
    freedom = freedom_of(pair.n_differ, pair.worth)
    detected = detectable(error, freedom, confidence)

    # Units with other parts and the same score do not move it. A score that is undefined without a
    # unit does not show how others move it.
    moved = pair.n_differ if abs(delta) > rounding_of(max(abs(a), abs(b))) else 0
    is_defined = not np.isnan(left_out[formula.name]).any()

    def found(low: float, high: float, p: float, exact: bool, compared: bool = False) -> Difference:
        bounds = cut(low, scale.range), cut(high, scale.range)
        values = a, b, delta, *bounds, error, p, exact, detected
        return Difference(*values, pair.worth, pair.n_differ, compared)

    is_unvaried = pair.n_differ == 0 or (is_defined and moved in (0, n))
    if math.isnan(error) and is_unvaried and n > 1 and not math.isnan(delta):
        is_share = scale.range == (-1.0, 1.0) and scale.of_units
        bounds = _unvaried(delta, n, moved, is_share, confidence)
        p = 2.0 ** (1 - moved) if moved else 1.0
        return found(*bounds, p, True)._replace(n_differ=moved)
    compared = False
    if (is_student(n, confidence) or not exchanged) and not math.isnan(error):
        p, exact = student_p(delta / error, freedom), False
    else:
        compared = pair.units is not None
        whole = None if pair.steps is None else exchange_whole(pair.steps, units.times)
        p, exact = (
            randomisation(pair.units or units, n_differ, draws.n_resamples, draws.seed)
            if whole is None
            else (whole, True)
        )
    if draws.method == "jackknife":
        return found(*_bounds(delta, error, freedom, p, confidence), p, exact, compared)
    terms, times = merged(paired.terms, paired.times)  # units that the score cannot tell apart
    alike = replace(paired, terms=terms, times=times)
    [(low, high, _)] = varied(alike, {formula.name: delta}, draws).values()
    return found(low, high, p, exact, compared)


class PairedParts(NamedTuple):
    """Two systems in the terms of one score."""

    n_differ: int  # Units in which they differ
    worth: float  # By the sums of both denominators
    units: Units | None  # Units of studentised differences; None for a score that is no ratio
    # int64[n_distinct]: Whole differences of units that have one denominator; None for others
    steps: Int64 | None

    @classmethod
    def of(cls, units: Units, formula: OneScore) -> PairedParts:
        """Split joint units into numerators and denominators, if the score is a ratio of sums."""
        fractions, worth = SystemParts.of(units, formula, 2)
        if not fractions:
            return cls(n_differing(units), worth, None, None)
        a, b = fractions
        terms = _products(a, b, units.n_units)
        studentised = replace(units, terms=terms, formula=replace(formula, value=_studentised))
        return cls(n_differing(studentised), worth, studentised, _whole_steps(a, b))


def _whole_steps(a: CountRows, b: CountRows) -> Int64 | None:
    """Return whole differences B minus A if all units have one denominator, in both systems."""
    # A unit without denominator, as of a value left out, has no part in either system.
    counted = a[:, 1] > 0
    below = a[counted, 1]
    is_one = a.dtype.kind == "i" and (a[:, 1] == b[:, 1]).all() and len(below) > 0
    if not is_one or (below != below[0]).any() or a[~counted, 0].any() or b[~counted, 0].any():
        return None
    steps: Int64 = b[:, 0] - a[:, 0]
    return steps


def _products(a: CountRows, b: CountRows, n: int) -> CountRows:
    """Return the terms of a studentised difference: a side's sums, squares and products."""
    # Products of both sides are the same on both, except that of one side's numerator and the
    # other's denominator. Common scales of numerators and of denominators cancel out.
    whole = [scaled_down(np.stack([a[:, k], b[:, k]], axis=1)) for k in (0, 1)]
    a, b = (np.column_stack([part[:, side] for part in whole]) for side in (0, 1))
    sides = [
        np.column_stack([
            own,
            *(products_of(own[:, k], own[:, m], n) for k, m in ((0, 0), (0, 1), (1, 1))),
            products_of(own[:, 0], other[:, 1], n),
            *(products_of(a[:, k], b[:, k], n) for k in (0, 1)),
        ])
        for own, other in ((a, b), (b, a))
    ]  # fmt: skip
    return np.hstack(sides)


def _studentised(sums: CountRows) -> Float64:
    """Return differences over their linearised standard errors; infinite without error."""
    # The variance of f = n / d is that of (n - f d) / sum d, summed over units; that of a
    # difference has the covariance of both sides besides.
    a, b = np.split(sums.astype(np.float64).T, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        f_a, f_b = a[0] / a[1], b[0] / b[1]
        own = [
            (side[2] - 2 * f * side[3] + f * f * side[4]) / (side[1] * side[1])
            for side, f in ((a, f_a), (b, f_b))
        ]
        both = (a[6] - f_b * a[5] - f_a * b[5] + f_a * f_b * a[7]) / (a[1] * b[1])
        # Rounding leaves less than nothing, or next to nothing, of a variance of 0.
        variance = own[0] + own[1] - 2 * both
        variance[variance <= EQUAL * (own[0] + own[1])] = 0.0
        delta = f_b - f_a
        delta[np.abs(delta) <= EQUAL] = 0.0
        values: Float64 = np.where(delta == 0, 0.0, delta / np.sqrt(variance))
    return np.where(np.isnan(f_a) | np.isnan(f_b), math.nan, values)


def _unvaried(
    delta: float, n: int, n_differ: int, of_units: bool, confidence: float
) -> tuple[float, float]:
    """Return bounds if no unit differs, or all move alike; NaN if the score does not allow any."""
    # A share u of units may move otherwise, see `unseen`: by 1 at most if the score is a share.
    u = unseen(n, confidence)
    if of_units:
        return delta * (1 - u) - u, delta * (1 - u) + u
    if not n_differ:
        return math.nan, math.nan
    near, far = delta * (1 - u), delta * (1 + u)
    return (near, far) if delta > 0 else (far, near)


def _bounds(
    delta: float, error: float, freedom: float, p: float, confidence: float
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


def detectable(se: float, freedom: float, confidence: float) -> float:
    """Return the difference that a test with this standard error finds with a power of 80%."""
    levels = (1 + confidence) / 2, POWER
    return sum(student_quantile(level, freedom) for level in levels) * se


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
    value = formula.value if formula.value is _studentised else minus(formula).value
    whole = sums_of(units.terms, units.times[None])
    observed = abs(value(whole)[0])
    if np.isnan(observed):
        return math.nan, False
    exact = n_differ <= MAX_LISTED
    sums = _sums_of_exchanges(units, exact, n_resamples, seed)
    if formula.value is _studentised:
        least = observed * (1 - ROUNDING)
    else:
        least = observed - max(rounding_of(formula.value(side)[0]) for side in np.hsplit(whole, 2))
    hits = int(np.count_nonzero(~(np.abs(value(sums)) < least)))
    return (hits / len(sums) if exact else (1 + hits) / (1 + len(sums))), exact


def exchange_whole(steps: Int64, times: Int64) -> float | None:
    """Compute p over all exchanges of whole differences; None if they are too large.

    >>> exchange_whole(np.array([1, -1, 0]), np.array([12, 5, 100]))
    0.143463134765625
    """
    # With one denominator, the square of a studentised difference grows with that of the sum of
    # differences, so p is about this sum: of equal differences by the binomial law (the sign test,
    # McNemar's exact test), of others by the convolution of such laws.
    sizes, places = np.unique(np.abs(steps), return_inverse=True)
    numbers = np.bincount(places, times, len(sizes)).astype(np.int64)[sizes > 0]
    sizes = sizes[sizes > 0]
    unit = np.gcd.reduce(sizes, initial=0)
    if not unit:
        return 1.0
    sizes //= unit
    observed = abs(int(steps @ times)) // int(unit)
    n = int(sizes @ numbers)
    if len(sizes) == 1:
        return min(1.0, 2 * share_of_tosses(n, (n - observed) // 2))
    if n > MAX_CONVOLVED:
        return None
    law = np.ones(1)
    for size, number in zip(sizes.tolist(), numbers.tolist(), strict=True):
        fair = np.zeros(size + 1)
        fair[[0, size]] = 0.5
        law = np.convolve(law, _convolve_often(fair, number))
    sums = 2 * np.arange(n + 1) - n
    return min(1.0, float(law[np.abs(sums) >= observed].sum()))


def _convolve_often(law: Float64, number: int) -> Float64:
    """Return the law of a sum of so many draws."""
    total = np.ones(1)
    while number:
        if number & 1:
            total = np.convolve(total, law)
        number >>= 1
        law = np.convolve(law, law) if number else law
    return total


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
    sum_up = split.near if _formula_of(units).value is _studentised else split.rounded
    return np.hstack([sum_up(side) for side in sums])


def _listed(changes: Int64, times: Int64) -> Int64:
    """Return the sums of changes, as `exchange_sums` does, for every set of exchanged units."""
    places = np.repeat(np.arange(len(times)), times)
    ways = np.arange(2 ** len(places))
    exchanged = np.zeros((len(ways), len(times)), np.int64)
    for k, place in enumerate(places):
        exchanged[:, place] += ways >> k & 1
    return exchanged @ changes

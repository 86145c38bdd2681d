"""Differences of two systems on different units: Welch's test."""

from __future__ import annotations

import math

from fastcausal.options import Method
from fastcausal.significance.intervals import freedom_of, spreads_of
from fastcausal.significance.laws import student_p, student_quantile
from fastcausal.significance.paired import Difference, detectable
from fastcausal.significance.units import Units, cut, range_of_difference


def welch(
    a: Units,  # Units of A and of B, with the formula of one score
    b: Units,
    method: Method,
    confidence: float,
) -> Difference:
    """Compute the difference of two systems on different units, B minus A, its bounds and its p."""
    # The variance is the sum of both sides' variances by the jackknife, with Welch's degrees of
    # freedom (1947). Bounds are cut to the range of the difference. A side without variation adds
    # nothing; if neither side varies, bounds and p are NaN.
    if method != "jackknife":
        raise ValueError(f"method is {method}, expected jackknife for unpaired samples")
    values, errors, freedoms, ranges, worth = [], [], [], [], 0.0
    for units in (a, b):
        [(name, value)] = units.scores(units.times[None]).items()
        worth += units.worth(name)
        ranges.append(units.range_of(name))
        [spread] = spreads_of(units.score_without_each(), units.times).values()
        values.append(float(value[0]))
        errors.append(0.0 if math.isnan(spread.error) else spread.error)
        freedoms.append(freedom_of(units.n_units, units.worth(name)))
    (left, right), most = values, max(errors)
    delta = right - left
    if math.isnan(delta) or not most > 0 or min(a.n_units, b.n_units) < 2:
        nan = math.nan
        return Difference(left, right, delta, nan, nan, nan, nan, False, nan, worth)
    squares = [(error / most) ** 2 for error in errors]
    variance = sum(squares)
    freedom = variance**2 / sum(s**2 / n for s, n in zip(squares, freedoms, strict=True))
    error = most * math.sqrt(variance)
    half = student_quantile((1 + confidence) / 2, freedom) * error
    p = student_p(delta / error, freedom)
    range = range_of_difference(*ranges)
    low, high = cut(delta - half, range), cut(delta + half, range)
    detected = detectable(error, freedom, confidence)
    return Difference(left, right, delta, low, high, error, p, False, detected, worth)

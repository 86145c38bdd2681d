"""Differences of two systems on the same units: bounds, p, and the difference such data show."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.formulas import Int64, OneScore, Rows, sums_of
from fastcausal.options import Method
from fastcausal.scores import Float64
from fastcausal.significance.checks import check_inference
from fastcausal.significance.intervals import intervals_of, spreads_of, student_quantile
from fastcausal.significance.sampling import exchanges
from fastcausal.significance.units import Units

MOST_LISTED = 16  # units that differ, of which all 2^16 exchanges are listed
EQUAL = 1e-12  # differences of two differences that are rounding errors
POWER = 0.8


class Difference(NamedTuple):
    """A score of two systems, and B minus A.

    Attributes
    ----------
    a, b, delta : float
    low, high : float
        Bounds of ``delta``, NaN where nothing can be said.
    se : float
        Standard error of ``delta`` by the jackknife, NaN where no unit moves it.
    """

    a: float
    b: float
    delta: float
    low: float
    high: float
    se: float


def difference(
    units: Units, method: Method, confidence: float, n_resamples: int, seed: int
) -> Difference:
    """Compute the difference of two systems, B minus A, and its bounds.

    Parameters
    ----------
    units : Units
        Joint units, with the formula of one score.
    method : {"bca", "percentile", "jackknife"}
        As `intervals_of` takes them, but the jackknife's bounds are never on the logit scale.
    confidence : float
    n_resamples, seed : int

    Raises
    ------
    ValueError
        An unknown method, or a number out of its range.
    """
    check_inference(method, confidence, n_resamples, seed)
    formula = _formula_of(units)
    paired = replace(units, formula=minus(formula))
    sums = np.hsplit(sums_of(units.terms, units.times[None]), 2)
    a, b = (float(formula.value(side)[0]) for side in sums)
    [spread] = spreads_of(paired.left_out(), units.times).values()
    if method == "jackknife":
        half = spread.error * student_quantile((1 + confidence) / 2, units.n_units - 1)
        return Difference(a, b, b - a, b - a - half, b - a + half, spread.error)
    [bounds] = intervals_of(paired, method, confidence, n_resamples, seed).values()
    return Difference(a, b, b - a, bounds.low, bounds.high, spread.error)


def detectable(se: float, confidence: float) -> float:
    """Return the difference that data of such a standard error show in four of five cases.

    Examples
    --------
    >>> round(detectable(0.01, 0.95), 4)
    0.028
    """
    normal = NormalDist()
    return (normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(POWER)) * se


def minus(formula: OneScore) -> OneScore:
    """Return the way from joint sums, A's and then B's, to the score of B minus that of A."""

    def value(sums: Rows) -> Float64:
        a, b = np.hsplit(sums, 2)
        return formula.value(b) - formula.value(a)

    return replace(formula, value=value)


def _formula_of(units: Units) -> OneScore:
    assert isinstance(units.formula, OneScore), "units of all scores, expected those of one"
    return units.formula


def n_differing(units: Units) -> int:
    """Count the joint units of which A and B differ in any term."""
    a, b = np.hsplit(units.terms, 2)
    return int(units.times[(a != b).any(axis=1)].sum())


def randomisation(units: Units, n_differ: int, n_resamples: int, seed: int) -> tuple[float, bool]:
    """Compute p of the paired randomisation test, two-sided (Yeh 2000).

    Each unit may have its rows of A and B exchanged: p is the share of exchanges that give at least
    the difference observed, or none. Where few units differ, all exchanges are listed.

    Parameters
    ----------
    units : Units
        Joint units, with the formula of one score.
    n_differ : int
        Units that differ in any count; all exchanges are listed up to `MOST_LISTED` of them.
    n_resamples, seed : int

    Returns
    -------
    p : float
    exact : bool
        Whether all exchanges were listed.
    """
    difference_of = minus(_formula_of(units)).value
    observed = abs(difference_of(sums_of(units.terms, units.times[None]))[0])
    if np.isnan(observed):
        return math.nan, False
    rows, times, alike = _unordered(units)
    exact = n_differ <= MOST_LISTED
    hits, total = 0, 0
    for exchanged in _listed(times) if exact else exchanges(times, n_resamples, seed):
        sums = alike + sums_of(
            np.vstack([rows, _swapped(rows)]), np.hstack([times - exchanged, exchanged])
        )
        hits += int(np.count_nonzero(~(np.abs(difference_of(sums)) < observed - EQUAL)))
        total += len(exchanged)
    return (hits / total if exact else (1 + hits) / (1 + total)), exact


def _unordered(units: Units) -> tuple[Rows, Int64, Rows]:
    """Return unlike rows, the lesser of A and B first, with their times, and the sums of all else.

    So A and B have the p of B and A, and equal rows take no part in the draws.
    """
    a, b = np.hsplit(units.terms, 2)
    unlike = (a != b).any(axis=1)
    first = (a != b).argmax(axis=1)[:, None]
    greater = np.take_along_axis(a > b, first, axis=1)
    rows, row_of = distinct(np.where(greater, _swapped(units.terms), units.terms)[unlike])
    times = np.zeros(len(rows), np.int64)
    np.add.at(times, row_of, units.times[unlike])
    return rows, times, sums_of(units.terms[~unlike], units.times[None, ~unlike])


def _swapped(rows: Rows) -> Rows:
    return np.hstack(np.hsplit(rows, 2)[::-1])


def _listed(times: Int64) -> Iterator[Int64]:
    """Give every way to exchange units or not, as `exchanges` does."""
    places = np.repeat(np.arange(len(times)), times)
    ways = np.arange(2 ** len(places))
    exchanged = np.zeros((len(ways), len(times)), np.int64)
    for k, place in enumerate(places):
        exchanged[:, place] += ways >> k & 1
    yield exchanged

"""Ranks of many systems, ties among them, and the expected score of the best on new units.

All systems share their resamples, so a difference of two varies as it would on new units.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.significance import _ranks
from fastcausal.significance.intervals import quantile
from fastcausal.significance.laws import normal_share, student_quantile
from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.significance.sums import CountRows, Float64, Int64, narrowed, summing, sums_of
from fastcausal.significance.units import EQUAL, OneScore, Units, as_integers, rounding_of

CELLS = 2**23  # most sums in memory at once
MAX_LEFT_OUT = 1000  # resamples for the expected best score, a mean that varies little
LEFT_SCALE = 2**20  # parts of a unit that are told apart among units left out
FEWEST = 50  # resamples that all units are drawn in: each is missing in all with a chance of e^-50


def negated(score: OneScore) -> OneScore:
    """Return the negative of a score, so that the better of two values is the larger one."""
    return replace(score, value=lambda sums: -score.value(sums))


class Shared(NamedTuple):
    """Scores of all systems on all units and in every resample."""

    values: Float64  # float64[n_systems]: Scores on all units; NaN if undefined
    drawn: Float64  # float64[n_systems, n_resamples]: Scores in resamples
    # Mean score, over resamples, of the resample's best system on the units not drawn
    expected: float


class RankSets(NamedTuple):
    """Ranks with simultaneous intervals for all systems; 0 for an undefined score."""

    rank: Int64  # int64[n_systems]: 1 + the number of better scores
    # int64[n_systems]: 1 + the number of significantly better systems; the number of systems,
    # itself included, that are not significantly worse
    low: Int64
    high: Int64


def share(
    score: OneScore,
    # int or float64[n_units, n_systems, n_terms]: Additive terms of each unit, from
    # ``score.terms``. Unit order does not change a bit.
    terms: CountRows,
    n_resamples: int,
    seed: int,
) -> Shared:
    """Score all systems under the same resamples of the units."""
    # Returns Shared: ``expected`` has the mean of several best systems of a resample. It ignores
    # resamples that leave out no unit, or whose best systems have no defined score on the units
    # left out.
    values = score.value(_add_up(terms))
    score, terms = _split_ratio(score, terms)
    n_units, n_systems, n_terms = terms.shape
    columns, times = _distinct_by_content(terms.reshape(n_units, n_systems * n_terms))
    terms = columns.reshape(-1, n_systems, n_terms)
    drawn = np.empty((n_systems, n_resamples))
    left_out = []
    sums_in = summing(columns, n_units)
    for first, weights in _weights(times, columns.shape[1], n_resamples, seed):
        scores = score.value(sums_in(weights).reshape(-1, n_terms)).reshape(len(weights), n_systems)
        drawn[:, first : first + len(weights)] = scores.T
        few = slice(max(0, MAX_LEFT_OUT - first))
        left_out += _best_elsewhere(score, terms, _left_out(times, weights[few]), scores[few])
    return Shared(values, drawn, math.fsum(left_out) / len(left_out) if left_out else math.nan)


def _add_up(terms: CountRows) -> CountRows:
    """Sum the terms of all units: [n_systems, n_terms]."""
    n_units, n_systems, n_terms = terms.shape
    columns = terms.reshape(n_units, n_systems * n_terms)
    return sums_of(columns, np.ones((1, n_units), np.int64)).reshape(n_systems, n_terms)


def _split_ratio(score: OneScore, terms: CountRows) -> tuple[OneScore, CountRows]:
    """Take a ratio of sums in its numerators and denominators, in which many units are equal."""
    # Terms of other scores, [n_units, n_systems, n_terms], are returned as they are.
    ones = np.ones(len(terms), np.int64)
    sides = []
    for k in range(terms.shape[1]):
        own = terms[:, k]
        own = own if own.dtype.kind == "f" else own.astype(np.int64)
        if (side := Units(score, own, ones, "").fractions.get(score.name)) is None:
            return score, terms
        sides.append(narrowed(side))
    void = float(score.value(np.zeros((1, terms.shape[2]), np.int64))[0])

    def divide(sums: CountRows) -> Float64:
        top, bottom = sums.T
        quotients = np.full(len(sums), void)
        np.divide(top, bottom, out=quotients, where=bottom > 0)
        return quotients

    parts = as_integers(np.stack(sides, axis=1))
    return replace(score, value=divide), narrowed(parts)


def _distinct_by_content(columns: CountRows) -> tuple[CountRows, Int64]:
    """Return the distinct rows, in an order of their content alone, and the number of each."""
    place = np.zeros(len(columns), np.int64)
    for first in range(0, columns.shape[1], 200):  # units equal so far have equal places
        _, place = distinct(np.column_stack([place, columns[:, first : first + 200]]))
    _, firsts, times = np.unique(place, return_index=True, return_counts=True)
    return columns[firsts], times


def _weights(
    times: Int64, n_columns: int, n_resamples: int, seed: int
) -> Iterator[tuple[int, Int64]]:
    """Yield the number of the first resample of a block, and its weights; limit memory of sums."""
    most = max(1, CELLS // max(n_columns, 1))
    for first in range(0, n_resamples, most):
        for weights in bootstrap_weights(times, min(most, n_resamples - first), seed, first=first):
            yield first, weights
            first += len(weights)


def _left_out(times: Int64, weights: Int64) -> Int64:
    """Return the number of units of each row that a resample leaves out, up to a common factor."""
    # Of n equal units in w draws, (1 - 1/n)^w n are left out on average: no score depends on which.
    left = weights == 0
    if (times > 1).any():
        left = np.rint(LEFT_SCALE * times * (1 - 1 / times) ** weights)
    whole: Int64 = left.astype(np.int64)
    return whole


def _best_elsewhere(
    score: OneScore, terms: CountRows, left_out: Int64, scores: Float64
) -> list[float]:
    """Return the mean score of each resample's best systems on units left out, where defined."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    highest = known.max(axis=1, keepdims=True, initial=-np.inf)
    best = (known >= highest - rounding_of(highest)) & ~np.isnan(scores)
    total, n = np.zeros(len(scores)), np.zeros(len(scores), np.int64)
    for k in np.flatnonzero(best.any(axis=0)):
        draws = np.flatnonzero(best[:, k])
        values = score.value(sums_of(terms[:, k], left_out[draws]))
        defined = ~np.isnan(values)
        total[draws[defined]] += values[defined]
        n[draws[defined]] += 1
    means: list[float] = (total[n > 0] / n[n > 0]).tolist()
    return means


def rank_sets(
    values: Float64,  # float64[n_systems]: Scores on all units; NaN is undefined and has no rank
    # float64[n_systems, n_resamples]: Scores in shared resamples; a pair ignores resamples in which
    # a score of it is undefined
    drawn: Float64,
    confidence: float,
    n_units: int,  # Number of units in a resample
) -> RankSets:
    """Rank systems, with simultaneous rank intervals of this ``confidence``."""
    # A lead is sure if it exceeds c standard deviations of the difference in resamples. In each
    # resample, every difference deviates from its observed value; the largest deviation, in
    # standard deviations, counts. c is the quantile of these over resamples at the confidence,
    # widened for few units (`widen_for_few_units`).
    # Returns RankSets: a lead without variation in resamples is one that all units share, of which
    # the exact p is 2^(1 - n); it is sure by Bonferroni's correction for all pairs.
    # The single-step procedure of simultaneous confidence sets for ranks (Mogstad, Romano, Shaikh
    # and Wilhelm 2024, Review of Economic Studies 91, section 3). A ``low`` of 1 means that Hsu's
    # comparisons with the best do not exclude the system as the best.
    leads = values[:, None] - values
    sure = leads > _margins(drawn - values[:, None], confidence, n_units)
    defined = ~np.isnan(values)
    rank = 1 + (leads < -rounding_of(values)[:, None]).sum(axis=1)
    high = np.count_nonzero(defined) - sure.sum(axis=1)
    return RankSets(rank * defined, (1 + sure.sum(axis=0)) * defined, high * defined)


def _margins(strays: Float64, confidence: float, n_units: int) -> Float64:
    """Return the lead of each pair above which it is sure: float64[n_systems, n_systems]."""
    n_systems, n = strays.shape
    places = -(-n // _ranks.PLACES) * _ranks.PLACES
    padded = np.full((n_systems, places), np.nan)
    padded[:, :n] = strays
    threads = os.cpu_count() or 1
    spreads = np.zeros((n_systems, n_systems))
    _ranks.spreads(padded, spreads, threads)
    varies = spreads > EQUAL
    scales = np.divide(1.0, spreads, out=np.zeros_like(spreads), where=varies)
    largest = np.empty(places)
    _ranks.largest(padded, scales, largest, threads)
    critical = quantile(np.sort(largest[largest >= 0]), confidence)
    n_pairs = int(np.count_nonzero(varies)) // 2
    if n_pairs:
        critical = widen_for_few_units(critical, n_units, n_pairs, confidence)
    margins = np.full_like(spreads, math.inf)
    n_all_pairs = n_systems * (n_systems - 1) / 2
    if n >= FEWEST and n_all_pairs * 2.0**-n_units <= (1 - confidence) / 2 + EQUAL:
        defined = ~np.isnan(strays).any(axis=1)
        margins[np.logical_and.outer(defined, defined)] = EQUAL
    return np.multiply(critical, spreads, out=margins, where=varies)


def widen_for_few_units(critical: float, n_units: int, n_pairs: int, confidence: float) -> float:
    """Widen a normal quantile of the largest of many deviations to Student's t."""
    # Each pair's standard deviation has n - 1 degrees of freedom, and resamples underestimate it by
    # sqrt((n - 1) / n). The quantile of t has the level that the normal law gives the critical
    # value for one pair. A large t is due to a small estimate of the deviation in a share w = t^2 /
    # (t^2 + n - 1). Such estimates are independent between pairs, so the quantile moves by w
    # towards the quantile for independent pairs (Bonferroni).
    freedom = n_units - 1
    if freedom < 1:
        return math.inf
    t = -student_quantile(normal_share(-critical), freedom)
    if math.isinf(t):  # the level of the critical value is 0 in float64
        return math.inf
    apart = max(t, -student_quantile((1 - confidence) / (2 * n_pairs), freedom))
    share = t / (t + freedom / t) if t else 0.0  # t squared may overflow
    return (t + share * (apart - t)) * math.sqrt(n_units / freedom)

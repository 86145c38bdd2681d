"""Coefficients of agreement between raters, under any weights of the units.

::

    Ratings ──┬─ disagreements (native) ── alpha, Fleiss' kappa, percent agreement
              ├─ chances_of_ac1 ────────── Gwet's AC1, with percent agreement
              └─ mean_kappas (native) ──── Cohen's kappa, averaged over pairs of raters

Missing ratings drop out; undefined coefficients are NaN. Order and names of units and raters do not
change a bit of the result. A unit of weight 2 counts as two equal units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import get_args

import numpy as np

from fastcausal.arrays import arrow
from fastcausal.errors import InputError
from fastcausal.options import KappaWeights, Level, check
from fastcausal.tasks.labels import _native
from fastcausal.tasks.labels.ratings import Float64, Int64, Ratings, numbered

LEVELS = get_args(Level)  # in the order of the native Level
MAX_RATINGS = 2**31 - 1  # most ratings that native counters hold
COEFFICIENTS = (
    "percent_agreement", "cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic",
    "fleiss_kappa", "alpha", "gwet_ac1",
)  # fmt: skip

ORDER = (None, *get_args(KappaWeights))  # in the order of the native Weights
UNIT = 2**53  # kappas are summed as integer multiples of 1 / UNIT, so order does not matter


def coefficients(
    ratings: Ratings,
    level: Level,  # of alpha; weighted kappas are NaN at the level nominal
    names: Sequence[str] = COEFFICIENTS,
    times: Int64 | None = None,  # [n_draws, n_units]: frequencies of units; None: each unit once
) -> dict[str, Float64]:  # [n_draws] each
    """Compute coefficients by name."""

    @cache
    def distances(of: Level) -> Float64:
        return disagreements(ratings, of, times)

    def kappas(weights: KappaWeights | None) -> Float64:
        if weights and level == "nominal":
            return np.full(1 if times is None else len(times), math.nan)
        return mean_kappas(ratings, numbered(ratings.paired_values())[0], weights, times)

    ways: dict[str, Callable[[], Float64]] = {
        "percent_agreement": lambda: percents_of(distances("nominal")),
        "cohen_kappa": lambda: kappas(None),
        "cohen_kappa_linear": lambda: kappas("linear"),
        "cohen_kappa_quadratic": lambda: kappas("quadratic"),
        "fleiss_kappa": lambda: fleiss_kappas_of(distances("nominal")),
        "alpha": lambda: alphas_of(distances(level)),
        "gwet_ac1": lambda: gwet_ac1s(
            ratings, distances("nominal"), numbered(ratings.values)[0], times
        ),
    }
    return {name: ways[name]() for name in names}


def disagreements(
    ratings: Ratings,
    level: Level,
    times: Int64 | None = None,  # [n_draws, n_units]: frequencies of units
) -> Float64:  # [n_problems, 5]
    """Compute the parts of alpha and Fleiss' kappa."""
    # There is a row for each row of times; without times for each group of units, or one for all
    # units. Only units with at least two ratings count. Columns are the number of these units, the
    # number of their ratings, the mean squared distance of two ratings of a unit (as a mean over
    # ratings, then as a mean over units), and the mean squared distance of any two ratings.
    check("level", level, Level)
    if level != "nominal" and ratings.names:
        raise InputError(
            f"ratings such as {ratings.names[0]!r} are nominal, level {level} needs numbers"
        )
    if level == "ratio" and np.fmin.reduce(ratings.values, initial=0) < 0:
        k = int(np.argmax(ratings.values < 0))
        raise InputError(
            f"{ratings.locate(k)} is {ratings.values[k]}, level ratio has none below 0"
        )
    groups = ratings.groups if times is None else None
    n_problems, drawn = 1, None
    if times is not None:
        if (n := int((times @ np.diff(ratings.offsets)).max(initial=0))) > MAX_RATINGS:
            raise ValueError(f"a draw of {n} ratings, expected at most {MAX_RATINGS}")
        n_problems, drawn = len(times), np.ascontiguousarray(times, np.int32)
    elif groups is not None:
        n_problems = int(groups.max(initial=-1)) + 1
    rows = np.empty((n_problems, 5))
    _native.disagreements(LEVELS.index(level), ratings.values, ratings.offsets, groups, drawn, rows)
    return rows


def alphas_of(rows: Float64) -> Float64:
    """Compute Krippendorff's alpha of every row of `disagreements`."""
    observed, expected = rows[:, 2], rows[:, 4]
    return 1 - _quotient(observed, expected)


def percents_of(rows: Float64) -> Float64:
    """Compute percent agreement of every row of nominal `disagreements`."""
    return np.where(rows[:, 0] > 0, 1 - rows[:, 3], math.nan)


def fleiss_kappas_of(rows: Float64) -> Float64:
    """Compute Fleiss' kappa of every row of nominal `disagreements`."""
    n_ratings, by_unit, expected = rows[:, 1], rows[:, 3], rows[:, 4]
    # `expected` is for two draws without replacement; Fleiss' chance is for draws with replacement.
    return 1 - _quotient(by_unit, _quotient(expected * (n_ratings - 1), n_ratings))


def gwet_ac1s(
    ratings: Ratings, rows: Float64, places: Int64, times: Int64 | None = None
) -> Float64:
    """Compute Gwet's AC1 of every row of nominal `disagreements`; see `mean_kappas` for places."""
    chance = chances_of_ac1(ratings, places, times)
    return _quotient(percents_of(rows) - chance, 1 - chance)


def chances_of_ac1(ratings: Ratings, places: Int64, times: Int64 | None = None) -> Float64:
    """Compute the chance agreement of Gwet's AC1: float64[n_draws]."""
    # Chance is Σπ(1 − π) / (q − 1). A label's π is the mean, over units with a rating, of its share
    # of the unit's ratings; q is the number of labels (Gwet 2008, equation 3; missing ratings as in
    # his handbook). NaN for one label. See `mean_kappas` for parameters.
    units, places = ratings.units_of()[places >= 0], places[places >= 0]
    widths = np.bincount(units, minlength=ratings.n_units)
    most, n_labels = int(widths.max(initial=0)), int(places.max(initial=-1)) + 1
    keys = places * (most + 1) + widths[units]

    def chance(drawn: Int64 | None, n_units: int) -> float:
        weights = None if drawn is None else drawn[units]
        counts = np.bincount(keys, weights, n_labels * (most + 1)).reshape(-1, most + 1)
        # A rated unit adds 1 over all labels.
        return _chance_of(counts[:, 1:] / np.arange(1, most + 1), n_units)

    if times is None:
        return np.array([chance(None, int(np.count_nonzero(widths)))])
    return np.array([chance(drawn, int(drawn[widths > 0].sum())) for drawn in times])


def _chance_of(shares: Float64, n_units: int) -> float:
    means = [math.fsum(row) / n_units for row in shares.tolist() if any(row)]
    if len(means) < 2:
        return math.nan
    return math.fsum(mean * (1 - mean) for mean in means) / (len(means) - 1)


def _quotient(above: Float64, below: Float64) -> Float64:
    quotient: Float64 = np.full(len(below), math.nan)
    return np.divide(above, below, out=quotient, where=below > 0)


def mean_kappas(
    ratings: Ratings,
    places: Int64,  # [n]: the index of each rating among the labels, -1 if missing
    weights: KappaWeights | None,
    times: Int64 | None = None,  # [n_draws, n_units]: frequencies of units; None: each unit once
) -> Float64:  # [n_draws]
    """Compute Cohen's kappa averaged over all pairs of raters."""
    # Labels that drawn units lack do not count in distances of labels.
    rated = places >= 0
    places, units, raters = places[rated], ratings.units_of()[rated], ratings.raters_of()[rated]
    stops = np.cumsum(np.bincount(units, minlength=ratings.n_units))
    few = raters.astype(np.min_scalar_type(ratings.n_raters))  # two bytes are sorted by counting
    rows = np.argsort(few, kind="stable")
    starts = arrow.offsets(np.bincount(raters, minlength=ratings.n_raters))
    n_labels = int(places.max(initial=-1)) + 1
    if times is None:
        ones = np.ones(ratings.n_units, np.int64)
        table = raters, places, units, stops, ones, rows, starts
        return np.array([_mean_kappa(table, n_labels, weights)])
    kappas = np.empty(len(times))
    for k, drawn in enumerate(np.ascontiguousarray(times, np.int64)):
        present = np.zeros(n_labels, np.int64)
        present[places[drawn[units] > 0]] = 1
        among = (np.cumsum(present) - 1)[places]
        table = raters, np.maximum(among, 0), units, stops, drawn, rows, starts
        kappas[k] = _mean_kappa(table, n_labels, weights)
    return kappas


def _mean_kappa(table: tuple[Int64, ...], n_labels: int, weights: KappaWeights | None) -> float:
    _, places, units, _, times, rows, starts = table

    def score_pair(a: int, b: int) -> float:
        of_a, of_b = (rows[starts[rater] : starts[rater + 1]] for rater in (a, b))
        both, both_a, both_b = np.intersect1d(units[of_a], units[of_b], True, return_indices=True)
        return kappa(places[of_a[both_a]], places[of_b[both_b]], n_labels, weights, times[both])

    n, total, wide = _native.add_kappas(ORDER.index(weights), n_labels, table)
    rest = [int(k * UNIT) for k in (score_pair(a, b) for a, b in wide) if not math.isnan(k)]
    n, total = n + len(rest), total + sum(rest)
    return total / UNIT / n if n else math.nan


def kappa(
    a: Int64, b: Int64, n_labels: int, weights: KappaWeights | None, times: Int64 | None = None
) -> float:
    """Compute Cohen's kappa from indices of labels, in integers up to the last division."""

    def count(numbers: Int64) -> list[int]:
        counts = np.bincount(numbers, times, n_labels)  # with times these are floats
        return [int(n) for n in counts.tolist()]

    return kappa_of(count(np.abs(a - b)), count(a), count(b), weights)


def kappa_of(
    apart: list[int],  # number of units with ratings so many labels apart, from 0
    of_a: list[int],
    of_b: list[int],
    weights: KappaWeights | None,
) -> float:
    """Compute Cohen's kappa from numbers of units."""
    cost, expected_cost = COSTS[weights]
    observed = sum(n * cost(distance) for distance, n in enumerate(apart))
    return _beyond_chance(observed, expected_cost(of_a, of_b), sum(of_a))


def kappa_of_counts(unlike: int, a: list[int], b: list[int]) -> float:
    """Compute Cohen's kappa from the number of unlike pairs and each rater's counts of labels.

    >>> kappa_of_counts(1, [2, 2], [1, 3])
    0.5
    """
    return _beyond_chance(unlike, _expected_unlike(a, b), sum(a))


def _beyond_chance(observed: int, expected: int, n: int) -> float:
    """Return 1 - observed / expected cost: ``observed`` over n pairs, ``expected`` over n × n."""
    return 1 - n * observed / expected if expected else math.nan


# The next functions return the cost of all n × n pairs of the raters' ratings, from the frequencies
# of labels: no table of labels × labels is needed.


def _expected_unlike(a: list[int], b: list[int]) -> int:
    return sum(a) * sum(b) - sum(m * n for m, n in zip(a, b, strict=True))


def _expected_distance(a: list[int], b: list[int]) -> int:
    """Sum the distances: a pair counts once at each border between its two labels."""
    below_a = below_b = steps = 0
    n = sum(a)
    for m, k in zip(a, b, strict=True):
        below_a += m
        below_b += k
        steps += below_a * (n - below_b) + (n - below_a) * below_b
    return steps


def _expected_square(a: list[int], b: list[int]) -> int:
    """Sum (i − j)² from the sums of i, j and their squares."""
    n = sum(a)
    squares = n * sum(i * i * (m + k) for i, (m, k) in enumerate(zip(a, b, strict=True)))
    return squares - 2 * sum(i * m for i, m in enumerate(a)) * sum(j * k for j, k in enumerate(b))


COSTS: dict[
    KappaWeights | None, tuple[Callable[[int], int], Callable[[list[int], list[int]], int]]
] = {
    None: (lambda distance: int(distance > 0), _expected_unlike),
    "linear": (lambda distance: distance, _expected_distance),
    "quadratic": (lambda distance: distance * distance, _expected_square),
}

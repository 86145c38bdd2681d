"""Cohen's kappa of two raters, and its mean over all pairs of raters, from integer counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from fastcausal.arrays import arrow
from fastcausal.engine import _native
from fastcausal.errors import InputError
from fastcausal.options import KappaWeights, check
from fastcausal.tasks.reliability.ratings import Int64, Ratings, array_of, numbers_of, positions

ORDER = (None, *get_args(KappaWeights))  # of the native Weights
UNIT = 2**53  # kappas are multiples of 1 / UNIT, so their sum is an integer
CALLS = 64  # between two native calls an interrupt is heard


def cohen_kappa(
    a: Any, b: Any, weights: KappaWeights | None = None, labels: Sequence[Any] | None = None
) -> float:
    """Cohen's kappa of two raters (Cohen 1960, 1968): 1 − observed / expected cost.

    Units that one of them did not rate drop out. NaN where nothing is left, or where both used one
    and the same label only.

    Parameters
    ----------
    a, b : array-like [n_units]
        What each rater said of every unit; None and NaN are missing.
    weights : {None, "linear", "quadratic"}
        What a disagreement costs: 1, the distance of the two labels, or its square. Distance is
        that of their places in ``labels``.
    labels : sequence, optional
        All labels in order; if not given, those that occur in ``a`` or ``b``, ascending. Labels
        that are no numbers have no order of their own, so weights need this.

    Raises
    ------
    InputError
        ``a`` and ``b`` differ in length or hold mixed types, a label is not in ``labels``, or
        weights are without order.
    ValueError
        Unknown weights.

    Examples
    --------
    >>> cohen_kappa(["x", "x", "y", "y", None], ["x", "y", "y", "y", "x"])
    0.5
    >>> cohen_kappa([1, 2, 3, 3], [1, 3, 3, 3], "linear")
    0.7142857142857143
    """
    sides = array_of(a), array_of(b)
    if sides[0].shape != sides[1].shape or sides[0].ndim != 1:
        raise InputError(
            f"a has the shape {sides[0].shape} and b {sides[1].shape}, expected one rating a unit"
        )
    values, names = numbers_of(*sides)
    places, n_labels = positions(values, names, labels, ordered=weights is not None)
    of_a, of_b = np.split(places, 2)
    both = (of_a >= 0) & (of_b >= 0)
    return kappa(of_a[both], of_b[both], n_labels, weights)


def mean_pairwise_kappa(
    data: Any,
    weights: KappaWeights | None = None,
    labels: Sequence[Any] | None = None,
    *,
    unit: str | None = None,
    rater: str | None = None,
    label: str | None = None,
) -> float:
    """Cohen's kappa averaged over all pairs of raters (Light 1971).

    Each pair is compared on the units that both rated; pairs whose kappa is undefined are left
    out. NaN if none is left. Time grows with the pairs of ratings of one unit.

    Parameters
    ----------
    data : array-like [n_units, n_raters], or table
        As in `krippendorff_alpha`; so are ``unit``, ``rater`` and ``label``.
    weights, labels
        As in `cohen_kappa`; the labels of all raters together make the order.

    Raises
    ------
    InputError
        As in `krippendorff_alpha` and `cohen_kappa`.

    Examples
    --------
    >>> mean_pairwise_kappa([["x", "x", "x"], ["x", "y", "x"], ["y", "y", "y"], ["y", "y", None]])
    0.6333333333333333
    """
    return mean_kappa(Ratings.of(data, unit, rater, label), weights, labels)


def mean_kappa(
    ratings: Ratings, weights: KappaWeights | None = None, labels: Sequence[Any] | None = None
) -> float:
    """As `mean_pairwise_kappa`."""
    _check(weights)
    places, n_labels = positions(ratings.values, ratings.names, labels, weights is not None)
    rated = places >= 0
    places, units, raters = places[rated], ratings.units_of()[rated], ratings.raters_of()[rated]
    stops = np.cumsum(np.bincount(units, minlength=ratings.n_units))
    rows = np.argsort(raters, kind="stable")
    starts = arrow.offsets(np.bincount(raters, minlength=ratings.n_raters))

    def of_pair(a: int, b: int) -> float:
        of_a, of_b = (rows[starts[rater] : starts[rater + 1]] for rater in (a, b))
        _, both_a, both_b = np.intersect1d(units[of_a], units[of_b], True, return_indices=True)
        return kappa(places[of_a[both_a]], places[of_b[both_b]], n_labels, weights)

    n = total = 0
    table = raters, places, units, stops, rows, starts
    step = max(ratings.n_raters // CALLS, 1)
    for first in range(0, ratings.n_raters, step):
        last = min(first + step, ratings.n_raters)
        found, part, wide = _native.add_kappas(ORDER.index(weights), n_labels, table, first, last)
        rest = [int(k * UNIT) for k in (of_pair(a, b) for a, b in wide) if not math.isnan(k)]
        n, total = n + found + len(rest), total + part + sum(rest)
    return total / UNIT / n if n else math.nan


def kappa(a: Int64, b: Int64, n_labels: int, weights: KappaWeights | None) -> float:
    """Cohen's kappa of places of labels; integers up to the last division."""
    _check(weights)
    cost, expected_cost = COSTS[weights]
    apart = np.bincount(np.abs(a - b)).tolist()
    observed = sum(n * cost(distance) for distance, n in enumerate(apart))
    of_a, of_b = (np.bincount(side, minlength=n_labels).tolist() for side in (a, b))
    expected = expected_cost(of_a, of_b)
    return 1 - len(a) * observed / expected if expected else math.nan


def _check(weights: KappaWeights | None) -> None:
    if weights is not None:
        check("weights", weights, KappaWeights)


# Cost of all n × n pairs of a rating of one rater and a rating of the other, from how often each
# used each label: no table of labels × labels.


def _expected_unlike(a: list[int], b: list[int]) -> int:
    return sum(a) * sum(b) - sum(m * n for m, n in zip(a, b, strict=True))


def _expected_distance(a: list[int], b: list[int]) -> int:
    """Between two neighbouring labels, every pair with one rating on either side goes one step."""
    below_a = below_b = steps = 0
    n = sum(a)
    for m, k in zip(a, b, strict=True):
        below_a += m
        below_b += k
        steps += below_a * (n - below_b) + (n - below_a) * below_b
    return steps


def _expected_square(a: list[int], b: list[int]) -> int:
    """Of (i − j)², from the sums of i, j and their squares."""
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

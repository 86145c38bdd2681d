"""Cohen's kappa of two raters, and its mean over all pairs of raters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fastcausal.arrays.arrow import numbers
from fastcausal.counts.confusions import Int64, count_pairs
from fastcausal.counts.labels import MAX_LABELS
from fastcausal.errors import InputError
from fastcausal.options import KappaWeights, check
from fastcausal.tasks.labels.coefficients import kappa, kappa_of, mean_kappas
from fastcausal.tasks.labels.reading import array_of, numbers_of, positions, read_ratings


def cohen_kappa(
    a: Any, b: Any, weights: KappaWeights | None = None, labels: Sequence[Any] | None = None
) -> float:
    """Compute Cohen's kappa of two raters (Cohen 1960, 1968): 1 − observed / expected cost.

    Units rated by only one of the raters drop out. NaN if no unit is left, or if both raters used
    only one label, the same.

    Parameters
    ----------
    a, b : array-like [n_units]
        Each rater's rating of every unit; None and NaN are missing.
    weights : {None, "linear", "quadratic"}
        The cost of a disagreement: 1, the distance of the two labels in the order of ``labels``, or
        its square.
    labels : sequence, optional
        All labels in order; by default the labels of the units that both rated, ascending. Weights
        require them if labels are text, which has no order of its own.

    Raises
    ------
    InputError
        ``a`` and ``b`` differ in length or have mixed types, a label is not in ``labels``, or
        weights lack an order.
    ValueError
        The weights are unknown.

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
    if labels is None and all(side.dtype == np.int64 for side in sides) and _are_near(*sides):
        if weights is not None:
            check("weights", weights, KappaWeights)
        return _kappa_of_pairs(count_pairs(*map(numbers, sides))[1], weights)
    values, names = numbers_of(*sides)
    both = np.tile(~np.isnan(values).reshape(2, -1).any(axis=0), 2)
    if labels is None:
        values = values[both]
    places, n_labels = positions(values, names, weights, labels)
    if labels is not None:
        places = places[both]
    of_a, of_b = np.split(places, 2)
    return kappa(of_a, of_b, n_labels, weights)


def _are_near(a: Int64, b: Int64) -> bool:
    """Return True for a range of numbers so small that a matrix holds all pairs."""
    return len(a) > 0 and max(a.max(), b.max()) - min(a.min(), b.min()) < MAX_LABELS


def _kappa_of_pairs(counts: Int64, weights: KappaWeights | None) -> float:
    """Compute Cohen's kappa from the number of units with each pair of labels, which ascend."""
    k = len(counts)
    apart = [int(np.trace(counts, d) + np.trace(counts, -d)) for d in range(k)]
    apart[0] //= 2  # the diagonal is there twice
    return kappa_of(apart, counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist(), weights)


def mean_pairwise_kappa(
    data: Any,
    weights: KappaWeights | None = None,
    labels: Sequence[Any] | None = None,
    *,
    unit: str | None = None,
    rater: str | None = None,
    label: str | None = None,
) -> float:
    """Average Cohen's kappa over all pairs of raters (Light 1971).

    Each pair is compared on the units that both rated; pairs with an undefined kappa are left out.
    NaN if no pair is left. Time grows with the pairs of ratings of one unit.

    Parameters
    ----------
    data : array-like [n_units, n_raters], or table
        As in `krippendorff_alpha`; so are ``unit``, ``rater`` and ``label``.
    weights, labels
        As in `cohen_kappa`; by default the labels of all units of two or more ratings.

    Raises
    ------
    InputError
        As in `krippendorff_alpha` and `cohen_kappa`.

    Examples
    --------
    >>> mean_pairwise_kappa([["x", "x", "x"], ["x", "y", "x"], ["y", "y", "y"], ["y", "y", None]])
    0.6333333333333333
    """
    ratings = read_ratings(data, unit, rater, label)
    values = ratings.values if labels is not None else ratings.paired_values()
    places, _ = positions(values, ratings.names, weights, labels)
    return float(mean_kappas(ratings, places, weights)[0])

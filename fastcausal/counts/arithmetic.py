"""Every score formula: integer counts in, float64 out. All scores are fractions, not percent.

A formula takes numbers or arrays of any shape, with the same bits for both: a report passes one
group of counts, resampling thousands at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.distinct import distinct
from fastcausal.arrays.strata import sum_by
from fastcausal.significance.sums import EXACT, Float64, max_abs

Counts = Mapping[str, Any]
"""Counts by field name: ints, or int64 arrays of one shape."""

ScoresByName = dict[str, Any]
"""Scores by name: floats, or float64 arrays of the shape of the counts."""

EQUAL = 1e-12  # closer means, relative to their size, count as equal


class Quotient(np.ndarray[Any, np.dtype[np.float64]]):
    """Values of `ratio` that remember what was divided, for statistics of ratios of sums."""

    parts: tuple[Any, Any] | None = None  # numerators and denominators, of the same shape

    @classmethod
    def of(cls, values: Float64, numerator: Any, denominator: Any) -> Quotient:
        """Return values with their numerators and denominators."""
        made = values.view(cls)
        made.parts = numerator, denominator
        return made

    def __neg__(self) -> Any:
        found = super().__neg__()
        if self.parts is not None:
            found.parts = -self.parts[0], self.parts[1]
        return found

    def __getitem__(self, at: Any) -> Any:
        taken = super().__getitem__(at)
        if isinstance(taken, Quotient) and self.parts is not None:
            taken.parts = self.parts[0][at], self.parts[1][at]
        return taken


def ratio(numerator: Any, denominator: Any, undefined: float) -> Any:
    """Divide ``numerator`` by ``denominator``; 0/0 is ``undefined``."""
    if not isinstance(denominator, np.ndarray):
        return numerator / denominator if denominator else undefined
    kind = denominator.dtype.kind
    if kind == "O" or (kind == "i" and max(max_abs(numerator), max_abs(denominator)) > EXACT):
        # Python rounds the quotient of large integers once; NumPy rounds each integer first.
        pairs = zip(numerator.ravel().tolist(), denominator.ravel().tolist(), strict=True)
        quotients = [ratio(a, b, undefined) for a, b in pairs]
        result = np.array(quotients, np.float64).reshape(denominator.shape)
        return Quotient.of(result, numerator, denominator)
    result = np.full(denominator.shape, undefined)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return Quotient.of(result, numerator, denominator)


def f1(precision: Any, recall: Any, errors: Any, undefined: float) -> Any:
    """Return the harmonic mean of precision and recall.

    Without hits it is 0 if there were errors, even if precision or recall alone is 0/0; without
    hits and errors it is ``undefined``.
    """
    if isinstance(precision, np.ndarray):
        total = precision + recall
        with np.errstate(invalid="ignore"):
            hits = total > 0.0  # false for NaN
        result = np.where(errors != 0, 0.0, undefined)
        np.divide(2 * (precision * recall), total, out=result, where=hits)
        of_precision, of_recall = (getattr(side, "parts", None) for side in (precision, recall))
        if of_precision is None or of_recall is None or of_precision[0] is not of_recall[0]:
            return result
        (right, predicted), (_, wanted) = of_precision, of_recall
        return Quotient.of(result, 2 * right, predicted + wanted)
    if math.isnan(precision) or math.isnan(recall) or precision + recall == 0.0:
        return 0.0 if errors else undefined
    return 2 * (precision * recall) / (precision + recall)


def precision_recall_f1(
    hits: Any, predicted: Any, wanted: Any, undefined: float, prefix: str = ""
) -> ScoresByName:
    """Return precision ``hits / predicted``, recall ``hits / wanted`` and their F1."""
    precision = ratio(hits, predicted, undefined)
    recall = ratio(hits, wanted, undefined)
    return {
        f"{prefix}precision": precision,
        f"{prefix}recall": recall,
        f"{prefix}f1": f1(precision, recall, predicted + wanted, undefined),
    }


def exact(counts: Counts, undefined: float) -> ScoresByName:
    """Return precision, recall and F1 of TP, FP and FN."""
    predicted = counts["tp"] + counts["fp"]
    return precision_recall_f1(counts["tp"], predicted, counts["tp"] + counts["fn"], undefined)


def accuracy(hits: Any, n: Any, undefined: float) -> Any:
    """Return the share of examples with the right label."""
    return ratio(hits, n, undefined)


def matthews(
    hits: int,  # Examples with the right label
    predicted: Sequence[int],  # Predicted examples of each class
    wanted: Sequence[int],  # Gold examples of each class
    undefined: float,  # If gold or the predictions have only one class
) -> float:
    """Return Matthews' correlation coefficient of any number of classes.

    >>> matthews(288, [145, 195], [155, 185], 0.0)
    0.6913252176445224
    """
    # Gorodkin 2004. The sums are exact integers of any size, so this takes one matrix at a time.
    n = sum(wanted)
    spread = (n * n - sum(p * p for p in predicted)) * (n * n - sum(w * w for w in wanted))
    covariance = hits * n - sum(p * w for p, w in zip(predicted, wanted, strict=True))
    return float(ratio(covariance, math.sqrt(spread), undefined))


def spearman(
    x: Float64,  # [n]
    y: Float64,  # [n]
    weights: npt.NDArray[np.int64],  # [n_draws, n]: frequency of each value in a draw
) -> Float64:
    """Return Spearman's correlation under each row of weights."""
    # Ties have their mean rank. NaN if a side does not vary. All sums are exact integers, so the
    # order of values does not change a bit.
    if len(weights) == 1:  # many values, most of them repeated
        pairs, place = distinct(np.stack([x, y], axis=1))
        x, y = pairs.T
        weights = sum_by(weights, place, len(pairs))
    a, b = (_centred_ranks(side, weights) for side in (x, y))
    if int(weights.sum(axis=1).max(initial=0)) ** 3 >= 2**62:
        a, b = a.astype(object), b.astype(object)
    sums = [(weights * p * q).sum(axis=1).tolist() for p, q in ((a, b), (a, a), (b, b))]
    each = [ratio(ab, math.sqrt(aa * bb), math.nan) for ab, aa, bb in zip(*sums, strict=True)]
    return np.array(each, np.float64)


def _centred_ranks(values: Float64, weights: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """Return twice the mean rank of each value, less twice the mean of all: int64[n_draws, n]."""
    different, code = np.unique(values, return_inverse=True)
    times = sum_by(weights, code, len(different))
    ends = np.cumsum(times, axis=1)
    centred: npt.NDArray[np.int64] = 2 * ends - times - weights.sum(axis=1, keepdims=True)
    return centred[:, code]


def mean_defined(values: Sequence[float], weights: Sequence[int], undefined: float) -> float:
    """Return the weighted mean of the values that are not NaN."""
    # All-zero weights count as equal.
    defined = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
    if not any(weight for _, weight in defined):
        defined = [(value, 1) for value, _ in defined]
    total = sum(w for _, w in defined)
    return float(ratio(math.fsum(v * w for v, w in defined), total, undefined))


def tied(
    means: Float64,  # [..., n]; undefined means are NaN
    low: float = 0.0,  # The smallest value of the data
) -> Float64:
    """Return means along the last axis, and make means equal that differ by rounding errors.

    >>> tied(np.array([0.1 + 0.2, 0.3, 0.4])).tolist()
    [0.3, 0.3, 0.4]
    """
    # Thirds of integers and sums of decimal fractions may differ in their last digits. Two means
    # are equal if their difference is less than `EQUAL` of their distance from ``low``.
    order = np.argsort(means, axis=-1)
    ascending = np.take_along_axis(means, order, -1)
    same = np.diff(ascending) <= EQUAL * (ascending[..., 1:] - low)  # false for NaN
    first = np.arange(1, means.shape[-1]) * ~same
    first = np.concatenate([np.zeros_like(order[..., :1]), first], axis=-1)
    first = np.maximum.accumulate(first, axis=-1)
    values = np.empty_like(means)
    np.put_along_axis(values, order, np.take_along_axis(ascending, first, -1), -1)
    return values

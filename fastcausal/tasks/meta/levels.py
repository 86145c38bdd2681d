"""A metric against human values at three levels: all rows, within items, and means of systems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fastcausal.arrays import arrow
from fastcausal.counts.arithmetic import EQUAL, tied
from fastcausal.report.numbers import CORRELATION, MEAN_SHARE, Scale
from fastcausal.significance.sums import sums_of
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.correlations import CORRELATIONS, Ordered
from fastcausal.tasks.meta.soft import soft_pairwise_accuracy

Values = dict[str, Float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RatedScores:
    """Scores of a metric beside human values, in order of item and system."""

    # int64[n]
    items: Int64
    systems: Int64
    # float64[n]
    scores: Float64
    labels: Float64
    majority: Float64 | None = None  # float64[n], optional: 0, 1 or NaN, if all labels are 0 or 1

    @cached_property
    def item_offsets(self) -> Int64:
        """Offsets of the rows of each item."""
        return arrow.offsets(np.unique(self.items, return_counts=True)[1])

    @cached_property
    def system_rows(self) -> list[Int64]:
        """Rows of each system that has any."""
        return [np.flatnonzero(self.systems == k) for k in np.unique(self.systems)]

    @cached_property
    def pooled(self) -> Ordered:
        """All rows as one segment."""
        return Ordered.sort(self.scores, self.labels)

    @cached_property
    def voted(self) -> tuple[Int64, Ordered]:
        """Rows with a majority label: their numbers, and the rows as one segment."""
        assert self.majority is not None
        kept = np.flatnonzero(~np.isnan(self.majority))
        return kept, Ordered.sort(self.scores[kept], self.majority[kept])

    @cached_property
    def segments(self) -> Ordered:
        """The rows of each item as a segment."""
        return Ordered.sort(self.scores, self.labels, self.item_offsets)

    @cached_property
    def item_correlations(self) -> Values:
        """Correlations of each item: float64[n_items]."""
        values = self.segments.correlate()
        return {name: values[name][0] for name in CORRELATIONS}

    @cached_property
    def gaps(self) -> Gaps:
        """Pairs of systems within items."""
        return Gaps.pair(self)


def pooled(rows: RatedScores, weights: Int64 | None = None) -> Values:
    """Compute correlations over all rows, under weights of the rows: float64[n_draws] each."""
    values = rows.pooled.correlate(weights)
    correlations = {name: values[name][:, 0] for name in CORRELATIONS}
    return correlations | {"auc": auc(rows, weights)}


def auc(rows: RatedScores, weights: Int64 | None = None) -> Float64:
    """Compute the area under the ROC curve, against the majority; NaN unless labels are 0 and 1."""
    if rows.majority is None:
        return np.full(1 if weights is None else len(weights), math.nan)
    kept, ordered = rows.voted
    return ordered.correlate(None if weights is None else weights[:, kept])["auc"][:, 0]


def distances(
    rows: RatedScores, bounds: tuple[float, float], weights: Int64 | None = None
) -> Values:
    """Average score − label and its absolute value; NaN if a score leaves the labels' range."""
    weights = np.ones((1, len(rows.scores)), np.int64) if weights is None else weights
    if not within(rows.scores, bounds):
        return {name: np.full(len(weights), math.nan) for name in ("bias", "mae")}
    away = rows.scores - rows.labels
    means = sums_of(np.column_stack([away, np.abs(away)]), weights)
    means = means / weights.sum(axis=1, keepdims=True)
    return {"bias": means[:, 0], "mae": means[:, 1]}


def within(scores: Float64, bounds: tuple[float, float]) -> bool:
    """Return True if scores are in the range of the labels."""
    return bool(len(scores)) and bounds[0] <= scores.min() and scores.max() <= bounds[1]


def average_items(
    rows: RatedScores,
    weights: Int64 | None = None,  # [n_draws, n], equal within an item
) -> Values:  # [n_draws]
    """Average the correlations within items over items; compute calibrated accuracy."""
    ones = np.ones((1, len(rows.item_offsets) - 1), np.int64)
    weights = ones if weights is None else weights[:, rows.item_offsets[:-1]]
    means = {name: _mean(values, weights) for name, values in rows.item_correlations.items()}
    accuracy, tie_threshold = rows.gaps.calibrated(weights)
    return means | {"calibrated_accuracy": accuracy, "tie_threshold": tie_threshold}


def _mean(values: Float64, weights: Int64) -> Float64:
    """Return the mean of the defined values."""
    defined = ~np.isnan(values)
    n = weights[:, defined].sum(axis=1)
    sums = sums_of(values[defined][:, None], weights[:, defined])[:, 0]
    return np.where(n > 0, sums / np.maximum(n, 1), math.nan)


def system_means(rows: RatedScores, values: Float64, weights: Int64 | None = None) -> Float64:
    """Average the rows of each system, less the least value: float64[n_draws, n_systems]."""
    # NaN without rows. Means equal up to rounding are made equal.
    weights = np.ones((1, len(values)), np.int64) if weights is None else weights
    values = values - values.min(initial=math.inf)
    means = np.full((len(weights), len(rows.system_rows)), math.nan)
    for k, mine in enumerate(rows.system_rows):
        n = weights[:, mine].sum(axis=1)
        sums = sums_of(values[mine, None], weights[:, mine])[:, 0]
        np.divide(sums, n, out=means[:, k], where=n > 0)
    return tied(means)


def systems(rows: RatedScores, weights: Int64 | None = None) -> Values:
    """Correlate the means of systems: float64[n_draws] each."""
    return correlate_means(
        system_means(rows, rows.scores, weights), system_means(rows, rows.labels, weights)
    )


def correlate_means(scores: Float64, labels: Float64) -> Values:
    """Correlate the means of systems in each draw: both float64[n_draws, n_systems]."""
    drawn = ~np.isnan(scores)
    offsets = arrow.offsets(drawn.sum(axis=1))
    values = Ordered.sort(scores[drawn], labels[drawn], offsets).correlate()
    return {name: values[name][0] for name in CORRELATIONS}


@dataclass(frozen=True)
class Gaps:
    """Pairs of systems within items, in ascending order of the difference of their scores."""

    gap: Float64  # float64[n_pairs]: Absolute difference of the scores
    item: Int64  # int64[n_pairs]
    alike: Bools  # bool[n_pairs]: True if scores and labels order the pair equally; false for ties
    tied: Bools  # bool[n_pairs]: True if the labels tie
    n_pairs: Int64  # int64[n_items]

    @classmethod
    def pair(cls, rows: RatedScores) -> Gaps:
        """Pair the rows of each item."""
        sizes = np.diff(rows.item_offsets)
        pairs = list(_pairs(rows.item_offsets))
        a, b = np.concatenate([np.zeros((2, 0), np.int64), *pairs], axis=1)
        apart = rows.scores[a] - rows.scores[b]
        labels = rows.labels[a] - rows.labels[b]
        n_pairs = sizes * (sizes - 1) // 2
        item = np.repeat(np.arange(len(sizes)), n_pairs)
        order = np.lexsort((item, np.abs(apart)))
        alike = np.sign(apart) * np.sign(labels) > 0
        return cls(np.abs(apart)[order], item[order], alike[order], (labels == 0)[order], n_pairs)

    def calibrated(
        self,
        weights: Int64,  # [n_draws, n_items]
    ) -> tuple[Float64, Float64]:
        """Compute accuracy with the best tie threshold, and the smallest such threshold."""
        # Differences of scores up to the threshold are ties (Deutsch, Foster and Freitag 2023).
        accuracy, threshold = (np.full(len(weights), math.nan) for _ in range(2))
        if not len(self.gap):
            return accuracy, threshold
        shares = 1 / self.n_pairs[self.item]
        first = np.count_nonzero(self.gap == 0)  # ties without a threshold
        last = np.append(self.gap[1:] != self.gap[:-1], True)
        for k, drawn in enumerate(weights):
            n = drawn[self.n_pairs > 0].sum()
            if not n:
                continue
            times = shares * drawn[self.item]
            right = np.cumsum(times * self.tied)
            right += np.sum(times * self.alike) - np.cumsum(times * self.alike)
            start = right[first - 1] if first else np.sum(times * self.alike)
            values = np.concatenate([[start], right[last]]) / n
            best = int(np.argmax(values >= values.max() - EQUAL))
            accuracy[k] = values[best]
            threshold[k] = np.concatenate([[0.0], self.gap[last]])[best]
        return accuracy, threshold


def _pairs(offsets: Int64) -> Iterator[Int64]:
    """Yield the pairs of rows of each item: int64[2, n_pairs]."""
    of_size: dict[int, Int64] = {}
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        size = last - first
        if size not in of_size:
            of_size[size] = np.array(np.triu_indices(size, 1))
        yield of_size[size] + first


SCALES = {
    **dict.fromkeys(("pearson", "spearman", "kendall"), CORRELATION),
    **dict.fromkeys(("pairwise_accuracy", "auc"), MEAN_SHARE),
    **dict.fromkeys(("calibrated_accuracy", "soft_pairwise_accuracy"), MEAN_SHARE),
    "tie_threshold": Scale("points", "none"),
    "bias": Scale("points", "none"),
    "mae": Scale("points", "lower"),
}
LEVELS = {"pooled": pooled, "by_item": average_items, "systems": systems}


def levels_of(
    rows: RatedScores, bounds: tuple[float, float], n_resamples: int, seed: int
) -> dict[str, dict[str, float]]:
    """Compute every score of a metric at every level; NaN if undefined."""
    n_pooled, several = len(rows.scores), np.diff(rows.item_offsets) > 1
    undefined = several & np.isnan(rows.item_correlations["kendall"])
    of_pooled = pooled(rows)
    correlations = {name: of_pooled[name] for name in CORRELATIONS}
    more = {"auc": of_pooled["auc"]} | distances(rows, bounds)
    items = average_items(rows)
    counts = {"n": int(several.sum()), "n_undefined": int(undefined.sum())}
    both = np.column_stack([rows.labels, rows.scores])
    soft = soft_pairwise_accuracy(rows.items, rows.system_rows, both, n_resamples, seed)
    of_systems = {"n": len(rows.system_rows), "soft_pairwise_accuracy": soft}
    return {
        "pooled": _floats(correlations) | {"n": n_pooled} | _floats(more),
        "by_item": _floats({name: items.pop(name) for name in CORRELATIONS})
        | counts
        | _floats(items),
        "systems": _floats(systems(rows)) | of_systems,
    }


def _floats(values: Values) -> dict[str, float]:
    return {name: float(value[0]) for name, value in values.items()}

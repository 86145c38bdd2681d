"""Correlations of scores with labels, within segments of rows and under weights of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta import _correlate

CORRELATIONS = ("pearson", "spearman", "kendall", "pairwise_accuracy")
NAMES = (*CORRELATIONS, "auc")
BLOCK = 2**17  # weights of rows in memory at once: 1 MB stays in the cache


@dataclass(frozen=True)
class Ordered:
    """Rows in order of segment, score and label."""

    order: Int64  # int64[n]: The original place of each row
    values: Float64  # float64[2, n]: Scores and labels
    # int64[2, n]: Ranks of values; equal values have equal ranks. Ranks of labels start at 0
    # in a segment.
    places: Int64
    offsets: Int64  # int64[n_segments + 1]

    @classmethod
    def sort(cls, scores: Float64, labels: Float64, offsets: Int64 | None = None) -> Ordered:
        """Sort rows without NaN; without offsets all rows are one segment."""
        n = len(scores)
        if offsets is None:
            offsets, order = np.array([0, n]), np.argsort(scores)
        else:
            segments = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            order = np.lexsort((scores, segments))
        values, places = np.empty((2, n)), np.empty((2, n), np.int64)
        _correlate.arrange(scores, labels, order, values, places, offsets)
        return cls(order, values, places, offsets)

    def correlate(
        self,
        weights: Int64 | None = None,  # [n_draws, n]: frequencies of rows; None: each row once
    ) -> dict[str, Float64]:  # [n_draws, n_segments], NaN if undefined
        """Compute every correlation in every segment, under weights in the original order."""
        # Kendall is tau-b. Pairwise accuracy is (concordant + tied in both) / pairs (Deutsch et al.
        # 2023). AUC is the share of pairs of different labels in the same order by score, with half
        # of the ties.
        n_draws = 1 if weights is None else len(weights)
        into = np.empty((n_draws, len(self.offsets) - 1, len(NAMES)))
        step = n_draws if weights is None else max(BLOCK // max(len(self.order), 1), 1)
        for k in range(0, n_draws, step):
            drawn = None
            if weights is not None:
                drawn = np.ascontiguousarray(weights[k : k + step, self.order])
            block = into[k : k + step].reshape(-1, len(NAMES))
            _correlate.correlate(self.values, self.places, self.offsets, drawn, block)
        return {name: into[:, :, k] for k, name in enumerate(NAMES)}


def correlations(scores: Float64, labels: Float64) -> dict[str, float]:
    """Compute every correlation of scores with labels."""
    values = Ordered.sort(scores, labels).correlate()
    return {name: float(value[0, 0]) for name, value in values.items()}

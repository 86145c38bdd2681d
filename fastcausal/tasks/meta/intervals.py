"""Intervals of a metric's scores: items, or clusters, drawn with all their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import intervals_of
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.levels import RatedScores, average_items, distances, pooled, systems

LEFT_OUT = ("tie_threshold",)


@dataclass(frozen=True)
class DrawnRows:
    """Rows for drawing by cluster."""

    rows: RatedScores
    clusters: Int64  # int64[n]: From 0, each at least once
    bounds: tuple[float, float]  # Smallest and largest label

    @property
    def times(self) -> Int64:
        """1 for each cluster."""
        return np.ones(int(self.clusters.max(initial=-1)) + 1, np.int64)

    def scores(self, weights: Int64) -> dict[str, Float64]:
        """Compute every score under each int64[n_draws, n_clusters] of weights."""
        drawn = weights[:, self.clusters]
        levels = {
            "pooled": pooled(self.rows, drawn) | distances(self.rows, self.bounds, drawn),
            "by_item": average_items(self.rows, drawn),
            "systems": systems(self.rows, drawn),
        }
        return {
            f"{level}.{name}": values
            for level, scores in levels.items()
            for name, values in scores.items()
            if name not in LEFT_OUT
        }

    def score_without_each(self) -> dict[str, Float64]:
        """Refuse: percentile intervals need no jackknife."""
        raise ValueError("percentile intervals leave no unit out")

    def range_of(self, name: str) -> None:
        """Return None: percentile intervals have no scale."""

    def alike(self, values: Mapping[str, float]) -> dict[str, int]:
        """Return {}: no score is a share of units."""
        return {}


def intervals(
    rows: RatedScores, clusters: Int64, bounds: tuple[float, float], n_resamples: int, seed: int
) -> dict[str, dict[str, list[float]]]:
    """Compute 95% percentile intervals by level and score; NaN without variation."""
    drawn = DrawnRows(rows, np.unique(clusters, return_inverse=True)[1], bounds)
    draws = Draws("percentile", 0.95, n_resamples, seed)
    levels: dict[str, dict[str, list[float]]] = {}
    for name, interval in intervals_of(drawn, draws).items():
        level, _, score = name.partition(".")
        levels.setdefault(level, {})[score] = [interval.low, interval.high]
    return levels

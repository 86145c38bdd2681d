"""Intervals of a metric's scores: items, or clusters, left out or drawn with all their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fastcausal.report.numbers import Range
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import Interval, intervals_of, unsure
from fastcausal.significance.sampling import BLOCK, groups_of
from fastcausal.significance.units import MAX_LEFT_OUT
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.levels import (
    SCALES,
    RatedScores,
    average_items,
    distances,
    pooled,
    systems,
)

LEFT_OUT = ("tie_threshold",)
Bounds = dict[str, dict[str, list[float]]]  # by level or group, and score; NaN if unknown


class MetricIntervals(NamedTuple):
    """Intervals of all scores of a metric or a judge."""

    bounds: Bounds | None = None  # None unless requested
    unsure: tuple[str, ...] = ()  # Scores that are undefined in many resamples


@dataclass(frozen=True)
class DrawnRows:
    """Rows for leaving out or drawing by cluster."""

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
        """Compute the scores without one cluster, for each, in blocks."""
        numbers = np.arange(len(self.times))
        step = max(1, BLOCK // max(len(self.clusters), 1))
        parts = [
            self.scores((numbers[k : k + step, None] != numbers).astype(np.int64))
            for k in range(0, len(numbers), step)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def grouped(self) -> DrawnRows:
        """Return random groups of clusters if these are many: scores without each take long."""
        n = len(self.times)
        if n <= MAX_LEFT_OUT:
            return self
        return replace(self, clusters=groups_of(n, MAX_LEFT_OUT)[self.clusters])

    def range_of(self, name: str) -> Range | None:
        """Return the range of a score: on its logit scale a correlation has Fisher's z."""
        return SCALES[name.partition(".")[2]].range

    def worth(self, name: str) -> float:
        """Return the number of clusters: no score is a ratio."""
        return float(len(self.times))

    def right_of(self, name: str) -> None:
        """Return None: no score is a share of units."""

    def alike(self, values: Mapping[str, float]) -> dict[str, int]:
        """Return {}: no score is a share of units."""
        return {}


def intervals(
    rows: RatedScores, clusters: Int64, bounds: tuple[float, float], draws: Draws
) -> MetricIntervals:
    """Compute the intervals of every level and score."""
    drawn = DrawnRows(rows, np.unique(clusters, return_inverse=True)[1], bounds)
    return nested(intervals_of(drawn, draws), draws)


def nested(found: Mapping[str, Interval], draws: Draws) -> MetricIntervals:
    """Return intervals of ``LEVEL.SCORE`` by level and score."""
    bounds: Bounds = {}
    for name, interval in found.items():
        level, _, score = name.rpartition(".")
        bounds.setdefault(level, {})[score] = [interval.low, interval.high]
    return MetricIntervals(bounds, tuple(unsure(found, draws.n_resamples)))

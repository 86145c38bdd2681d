"""One metric against people: its scores at all levels, as a label, and in estimates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from fastcausal.options import Method
from fastcausal.report.numbers import FRACTION
from fastcausal.significance.draws import Draws
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.alt_test import AltTest, alt_test
from fastcausal.tasks.meta.estimates import (
    Estimate,
    PoweredDifference,
    differences_of,
    estimates_of,
)
from fastcausal.tasks.meta.files import JudgedScores
from fastcausal.tasks.meta.intervals import Bounds, MetricIntervals, intervals
from fastcausal.tasks.meta.levels import Bools, RatedScores, levels_of, within
from fastcausal.tasks.meta.reasons import Reasons, explain_metric
from fastcausal.tasks.meta.thresholds import Threshold, threshold


@dataclass(frozen=True)
class Metric:
    """All numbers of a metric, by the keys of the report; NaN if undefined."""

    # Scores at the three levels
    pooled: dict[str, float]
    by_item: dict[str, float]
    systems: dict[str, float]
    threshold: Threshold | None  # None if labels are not 0 and 1
    alt_test: AltTest | None  # None if scores are outside the labels' range
    estimates: dict[str, Estimate] | None  # By system; None if every row is judged
    # B minus A by ``B - A``; None if every row is judged, and for one or very many systems
    differences: dict[str, PoweredDifference] | None
    # Bounds by level and score; None unless requested
    intervals: Bounds | None
    # Scores that are undefined in many resamples
    unsure: tuple[str, ...] = field(default=(), repr=False)
    # Reason of each undefined number, by its place
    undefined: Reasons = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class MetaOptions:
    """Arguments that the numbers of a metric depend on, and the kind of labels."""

    folds: int
    epsilon: float
    n_resamples: int
    seed: int
    method: Method | None  # of intervals; None for no intervals
    bounds: tuple[float, float]  # Smallest and largest label
    binary: bool  # True if all labels are 0 or 1

    def metrics(self, judged: JudgedScores) -> dict[str, Metric]:
        """Compute all metrics of judged rows."""
        labels = judged.labels
        return {
            name: self._metric(judged, labels, scores) for name, scores in judged.scores.items()
        }

    def _metric(self, judged: JudgedScores, labels: Float64, scores: Float64) -> Metric:
        kept = ~(np.isnan(scores) | np.isnan(labels))
        rows = _rows(judged, scores, kept, self.binary)
        fit = self._threshold(rows) if self.binary else None
        votes = judged.votes[:, kept]
        levels = levels_of(rows, self.bounds, self.n_resamples, self.seed)
        found = self._intervals(rows, judged.units[kept])
        range = FRACTION if self.binary else self.bounds
        metric = Metric(
            levels["pooled"],
            levels["by_item"],
            levels["systems"],
            threshold=fit,
            alt_test=self._alt_test(rows, votes, fit, judged.units[kept], judged.unit),
            estimates=estimates_of(judged, labels, scores, range),
            differences=differences_of(judged, labels, scores, range),
            intervals=found.bounds,
            unsure=found.unsure,
        )
        return replace(
            metric, undefined=explain_metric(metric, rows, votes, self.bounds, judged.n_systems)
        )

    def _threshold(self, rows: RatedScores) -> Threshold:
        assert rows.majority is not None
        labels = np.where(np.isnan(rows.majority), -1, rows.majority).astype(np.int64)
        items = np.unique(rows.items, return_inverse=True)[1]
        return threshold(rows.scores, labels, items, self.folds)

    def _alt_test(
        self, rows: RatedScores, votes: Float64, fit: Threshold | None, units: Int64, unit: str
    ) -> AltTest | None:
        """Test scores as labels if labels are 0 and 1, else as numbers; None if out of range."""
        if fit is not None:
            is_label = bool(np.isin(rows.scores, (0, 1)).all())
            labels = rows.scores if is_label else fit.predictions
            return alt_test(labels, votes, self.epsilon, units, unit, labels=True)
        if not within(rows.scores, self.bounds):
            return None
        return alt_test(rows.scores, votes, self.epsilon, units, unit, labels=False)

    def _intervals(self, rows: RatedScores, units: Int64) -> MetricIntervals:
        if self.method is None:
            return MetricIntervals()
        draws = Draws(self.method, 0.95, self.n_resamples, self.seed)
        return intervals(rows, units, self.bounds, draws)


def list_judged_rows(judged: JudgedScores) -> dict[str, RatedScores]:
    """Return the judged rows of every metric, with NaN for missing scores."""
    kept = ~np.isnan(judged.labels)
    binary = judged.is_binary
    return {name: _rows(judged, scores, kept, binary) for name, scores in judged.scores.items()}


def _rows(judged: JudgedScores, scores: Float64, kept: Bools, binary: bool) -> RatedScores:
    majority = judged.majority[kept] if binary else None
    return RatedScores(
        judged.items[kept], judged.systems[kept], scores[kept], judged.labels[kept], majority
    )

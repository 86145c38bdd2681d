"""The quality of systems: the mean of judged rows, improved by scores of unjudged rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from fastcausal.report.numbers import Range
from fastcausal.significance.corrections import adjusted
from fastcausal.significance.intervals import NONE, Interval, intervals_of
from fastcausal.significance.laws import student_p, student_quantile
from fastcausal.significance.units import EXAMPLE, Scored, Units, cut, merged
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta.files import JudgedScores
from fastcausal.tasks.values.formula import ValueFormula

LEVEL = 0.975  # of each bound
MAX_SYSTEMS = 20  # most systems whose differences are estimated
MEAN = "mean"
TINY = 1e-9  # instead of 0 degrees of freedom


@dataclass(frozen=True)
class Estimate:
    """Mean human value of a system with 95% intervals, from judged rows and from all."""

    # Of the judged rows alone; bounds are NaN for fewer than two rows or clusters
    mean: float
    low: float
    high: float
    # With the scores of unjudged rows; NaN without any
    powered_mean: float
    powered_low: float
    powered_high: float
    weight: float  # Weight of the scores, from 0 to 1
    n: int
    n_unjudged: int
    unit: str  # ``item``, or the column of clusters


@dataclass(frozen=True)
class PoweredDifference(Estimate):
    """Difference of two systems on their shared items: the mean human value of B minus A."""

    p: float  # Two-sided, of the powered difference by Student's t
    p_adjusted: float  # For all pairs of systems, by Holm's method


class Powered(NamedTuple):
    """A powered mean, its bounds and p, and the weight of the scores."""

    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    weight: float = math.nan


@dataclass(frozen=True)
class JudgedSample:
    """Rows of one system, or pairs of rows of two, with scores; some are judged."""

    people: Float64  # [n]: human values; NaN if unjudged
    metric: Float64  # [n]: scores
    units: Int64  # [n]: item or cluster of each row
    range: Range  # of human values
    unit: str = "item"

    def alone(self) -> Interval:
        """Return the interval of the mean of judged rows, as that of a table of values."""
        given = ~np.isnan(self.people)
        return interval_of_mean(self.people[given], self.units[given], self.unit)

    def estimate(self) -> Estimate:
        """Estimate the mean human value of a system."""
        interval, powered = self.alone(), self.powered()
        n = int((~np.isnan(self.people)).sum())
        mean = float(np.sum(self.people[~np.isnan(self.people)])) / n if n else math.nan
        return Estimate(
            mean, interval.low, interval.high, powered.mean, powered.low, powered.high,
            powered.weight, n, len(self.people) - n, self.unit,
        )  # fmt: skip

    def difference(self) -> PoweredDifference:
        """Estimate the mean difference of two systems."""
        # People alone are the powered estimate without the metric: differences often do not vary.
        alone, powered = self.powered(weight=0.0), self.powered()
        n = int((~np.isnan(self.people)).sum())
        return PoweredDifference(
            alone.mean, alone.low, alone.high, powered.mean, powered.low, powered.high,
            powered.weight, n, len(self.people) - n, self.unit, powered.p, math.nan,
        )  # fmt: skip

    def powered(self, weight: float | None = None) -> Powered:
        """Estimate the mean human value of all rows by PPI++, with the best weight or this one."""
        # Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, for
        # means. Unbiased if judged rows are drawn at random, for any metric; a good metric narrows
        # the interval. Two pseudo-rows, people at the ends of the range and the metric at its mean,
        # keep the variance above 0 and the bounds honest with few rows (Agresti and Coull 1998).
        # Each is a cluster of its own, and counts as the square root of an average cluster's rows:
        # between 1, too little if rows of a cluster are alike, and all, too much if they are not.
        given = ~np.isnan(self.people)
        n, n_rest = int(given.sum()), int((~given).sum())
        if not n or not (n_rest or weight == 0):
            return Powered()
        codes = np.unique(self.units, return_inverse=True)[1]
        n_codes = int(codes.max()) + 3
        clusters = np.append(codes[given], [n_codes - 2, n_codes - 1])
        n_clusters, n_others = (len(np.unique(of)) for of in (clusters[:-2], codes[~given]))
        size = math.sqrt(n / n_clusters)
        judged = Weighed(np.append(np.ones(n), [size, size]), clusters, n_clusters + 2, n_codes)
        rest = Weighed(np.ones(n_rest), codes[~given], n_others, n_codes)
        people = np.append(self.people[given], self.range)
        scores = np.append(self.metric[given], np.repeat(np.mean(self.metric), 2))
        others = self.metric[~given]
        if n_others < 2:
            weight = 0.0
        if weight is None:
            together = judged.product(people, scores) / (judged.total - 1)
            every = np.append(judged.weights, rest.weights)
            both = replace(judged, weights=every)
            every_score = np.append(scores, others)
            spread = both.product(every_score, every_score) / (both.total - 1)
            weight = float(weight_of(together, spread, judged.total, n_rest))
        shift = weight * rest.mean(others) if weight else 0.0
        left = people - weight * scores
        mean, middle = (
            cut(shift + float(np.sum(part)) / total, self.range)
            for part, total in ((left[:-2], n), (judged.weights * left, judged.total))
        )
        if n_clusters < 2 or self.range[0] == self.range[1]:
            return Powered(mean, weight=weight)
        width = self.range[1] - self.range[0]  # squares of shares of it stay within floats
        sides = ((judged, left), (rest, weight * others))
        parts = np.array([side.deviations(values / width) for side, values in sides])
        of_judged, of_rest, square = (
            float(np.sum(part * part)) for part in (*parts, parts.sum(axis=0))
        )
        freedom = float(satterthwaite(of_judged, of_rest, judged.worth - 1, rest.worth - 1))
        error = math.sqrt(square) * width
        half = error * student_quantile(LEVEL, freedom)
        low, high = (cut(middle + side * half, self.range) for side in (-1, 1))
        return Powered(mean, low, high, student_p(middle / error, freedom), weight)


def interval_of_mean(values: Float64, units: Int64, unit: str) -> Interval:
    """Return the interval of the mean of rows: single ones, or sums by item or cluster."""
    if not len(values):
        return NONE
    rows = np.column_stack([values, np.ones(len(values))])
    return intervals_of(join_rows(ValueFormula((MEAN,)), rows, units, unit))[MEAN]


def join_rows(formula: Scored, rows: Float64, units: Int64, unit: str) -> Units:
    """Return rows as units, or their sums by item or cluster if several rows share one."""
    codes = np.unique(units, return_inverse=True)[1]
    noun = EXAMPLE
    if unit != "item" or len(np.unique(codes)) < len(rows):
        rows, noun = np.column_stack([np.bincount(codes, column) for column in rows.T]), unit
    return Units(formula, *merged(rows, np.ones(len(rows), np.int64)), noun)


@dataclass(frozen=True)
class Weighed:
    """Weights and clusters of rows, for a mean and its variance by clusters."""

    weights: Float64  # [n]
    clusters: Int64  # [n]
    n_clusters: int  # different ones
    n_codes: int  # more than each of ``clusters``

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(np.sum(self.weights))

    @property
    def worth(self) -> float:
        """Number of equal clusters that tell as much as these; 1 for none."""
        sizes = np.bincount(self.clusters, self.weights)
        return self.total**2 / float(np.sum(sizes * sizes)) if self.total else 1.0

    def mean(self, values: Float64) -> float:
        """Return the mean of values."""
        return float(np.sum(self.weights * values)) / self.total

    def product(self, a: Float64, b: Float64) -> float:
        """Return the sum of products of the deviations of two columns from their means."""
        return float(np.sum(self.weights * (a - self.mean(a)) * (b - self.mean(b))))

    def deviations(self, values: Float64) -> Float64:
        """Return by cluster the deviations from the mean whose squares add up to its variance."""
        if self.n_clusters < 2:
            return np.zeros(self.n_codes)
        away = self.weights * (values - self.mean(values)) / self.total
        factor = math.sqrt(self.n_clusters / (self.n_clusters - 1))
        sums: Float64 = np.bincount(self.clusters, away * factor, self.n_codes).astype(np.float64)
        return sums


def satterthwaite(judged: Any, rest: Any, of_judged: Any, of_rest: Any) -> Any:
    """Return Satterthwaite's degrees of freedom of two added variances that have these alone."""
    # Without the pseudo-rows the judged variance has two degrees less; the sum has no more.
    # Fewer than two unjudged rows have no variance, and no degrees of freedom.
    share = judged / (judged + rest)
    freedom = 1 / (share**2 / of_judged + (1 - share) ** 2 / np.maximum(of_rest, TINY))
    return np.maximum(1.0, np.minimum(freedom, of_judged - 2))


def weight_of(
    together: Any,  # covariance of human values and scores: float or [n_plans]
    spread: Any,  # variance of the scores
    n: Any,  # int or [n_plans]
    n_unjudged: Any,  # int or [n_plans]
) -> Any:
    """Return the weight of the scores with the least variance; 0 if they do not vary.

    >>> weight_of(0.1, 0.2, np.array([5, 10]), np.array([5, 0]))
    array([0.25, 0.  ])
    """
    if spread == 0:
        return np.zeros(np.shape(n))
    with np.errstate(divide="ignore"):
        weight = together / ((1 + np.divide(n, n_unjudged)) * spread)
    return np.clip(weight, 0.0, 1.0)


def estimates_of(
    judged: JudgedScores, labels: Float64, scores: Float64, range: Range
) -> dict[str, Estimate] | None:
    """Estimate the human mean of every system; None if every row is judged."""
    scored = ~np.isnan(scores)
    if not (np.isnan(labels) & scored).any():
        return None
    estimates = {}
    for k in np.unique(judged.systems).tolist():
        mine = (judged.systems == k) & scored
        sample = JudgedSample(labels[mine], scores[mine], judged.units[mine], range, judged.unit)
        estimates[judged.system_names[k]] = sample.estimate()
    return estimates


def differences_of(
    judged: JudgedScores, labels: Float64, scores: Float64, range: Range
) -> dict[str, PoweredDifference] | None:
    """Estimate B minus A of every two systems on their items; None if every row is judged."""
    systems = np.unique(judged.systems).tolist()
    unjudged = np.isnan(labels) & ~np.isnan(scores)
    if not unjudged.any() or not 1 < judged.n_systems <= MAX_SYSTEMS:
        return None
    rows = {k: np.flatnonzero(judged.systems == k) for k in systems}
    most = range[1] - range[0]
    found = {}
    for a, b in combinations(systems, 2):
        places = np.intersect1d(
            judged.items[rows[a]], judged.items[rows[b]], assume_unique=True, return_indices=True
        )
        of_a, of_b = rows[a][places[1]], rows[b][places[2]]
        metric = scores[of_b] - scores[of_a]
        people, units = labels[of_b] - labels[of_a], judged.units[of_a]
        scored = ~np.isnan(metric)
        sample = JudgedSample(
            people[scored], metric[scored], units[scored], (-most, most), judged.unit
        )
        found[f"{judged.system_names[b]} - {judged.system_names[a]}"] = sample.difference()
    after = adjusted([each.p for each in found.values()], "holm").tolist()
    pairs = zip(found.items(), after, strict=True)
    return {name: replace(each, p_adjusted=p) for (name, each), p in pairs}

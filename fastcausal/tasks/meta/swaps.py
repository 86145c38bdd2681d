"""Two metrics compared by exchanging their scores (PERM-BOTH, Deutsch et al. 2021), by item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import combinations
from threading import Event

import numpy as np

from fastcausal.counts.arithmetic import EQUAL
from fastcausal.significance.corrections import adjusted
from fastcausal.significance.sampling import exchanges
from fastcausal.tasks.labels.ratings import Float64, Int64
from fastcausal.tasks.meta import levels
from fastcausal.tasks.meta.correlations import BLOCK, CORRELATIONS
from fastcausal.tasks.meta.levels import Bools, RatedScores
from fastcausal.tasks.meta.soft import MAX_LISTED, arrangements, soft_pairwise_accuracy

WEIGHTED = (*CORRELATIONS, "auc")  # scores computed for many exchanges at once
DIGITS = 12  # of standardised scores
SIGNALS = 0.1  # seconds between checks for signals
MAX_TESTED = 20  # most metrics that are tested by default
SCORES = {
    "pooled": (*CORRELATIONS, "auc"),
    "by_item": (*CORRELATIONS, "calibrated_accuracy"),
    "systems": (*CORRELATIONS, "soft_pairwise_accuracy"),
}


@dataclass(frozen=True)
class SwapTest:
    """A test if two metrics are equally close to people."""

    # The metrics, in ascending order
    a: str
    b: str
    # The compared score
    level: str
    score: str
    delta: float  # Score of ``a`` minus score of ``b``, over their common rows
    # Two-sided; adjusted for all pairs by Holm's method
    p: float
    p_adjusted: float
    unit: str  # What is exchanged with all its rows: ``item``, or the column of clusters


def check_compare(compare: str) -> tuple[str, str]:
    """Return level and score of ``compare``; raise ValueError for unknown ones."""
    level, _, score = compare.partition(".")
    if score not in SCORES.get(level, ()):
        known = ", ".join(f"{name}.{score}" for name, scores in SCORES.items() for score in scores)
        raise ValueError(f'compare is "{compare}", expected one of {known}')
    return level, score


def swap_tests(
    rows: Mapping[str, RatedScores],  # by metric, with NaN for missing scores
    units: Int64,  # [n]: the item or cluster of each row
    unit: str,
    compare: str,  # LEVEL.SCORE
    n_resamples: int,
    seed: int,
) -> list[SwapTest]:
    """Test every pair of metrics."""
    # Both are standardised over their common rows, so that an exchange mixes scores of one scale.
    # Rows of an item share errors, so an exchange takes whole items. p is the share of exchanges
    # with a difference at least as large as the observed one, for up to 13 items over all
    # exchanges, else (b + 1) / (n + 1) over a sample. NaN if the difference is undefined.
    level, score = check_compare(compare)
    pairs = list(combinations(sorted(rows), 2))
    stopped = Event()

    def test(pair: tuple[str, str]) -> tuple[float, float]:
        a, b = (rows[name] for name in pair)
        return _test(a, b, units, level, score, n_resamples, seed, stopped)

    with ThreadPoolExecutor() as pool:
        try:
            results = [_result(future) for future in [pool.submit(test, pair) for pair in pairs]]
        except BaseException:  # an interrupt: running tests end soon, waiting ones never start
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    adjusted_p = adjusted([p for _, p in results], "holm").tolist()
    return [
        SwapTest(*pair, level, score, delta, p, after, unit)
        for pair, (delta, p), after in zip(pairs, results, adjusted_p, strict=True)
    ]


def _result(future: Future[tuple[float, float]]) -> tuple[float, float]:
    """Wait in short steps, so that a signal just before a wait is still noticed."""
    while not wait([future], SIGNALS).done:
        pass
    return future.result()


def _test(
    a: RatedScores,
    b: RatedScores,
    units: Int64,
    level: str,
    score: str,
    n_resamples: int,
    seed: int,
    stopped: Event,
) -> tuple[float, float]:
    both = ~(np.isnan(a.scores) | np.isnan(b.scores))
    sides = [_standardised(side.scores[both]) for side in (a, b)]
    majority = None if a.majority is None else a.majority[both]
    swapped = Swapped.join(a.items[both], a.systems[both], sides, a.labels[both], majority)
    swapped = replace(swapped, n_resamples=n_resamples, seed=seed)
    unit_of = np.unique(units[both], return_inverse=True)[1]
    n, n_rows = int(unit_of.max(initial=-1)) + 1, len(unit_of)
    delta = float(swapped.differences(level, score, np.zeros((1, n_rows), np.int64))[0])
    if math.isnan(delta):
        return delta, math.nan
    reached = n_defined = 0
    extra = int(n > MAX_LISTED)
    step = max(BLOCK // max(n_rows, 1), 1) if score in WEIGHTED else 1
    for ways in _ways(n, n_resamples, seed, step):
        if stopped.is_set():
            return delta, math.nan
        drawn = swapped.differences(level, score, ways[:, unit_of])
        reached += int((np.abs(drawn) >= abs(delta) - EQUAL).sum())
        n_defined += int((~np.isnan(drawn)).sum())
    return delta, (reached + extra) / (n_defined + extra)


def _ways(n: int, n_resamples: int, seed: int, step: int) -> Iterator[Int64]:
    """Yield all exchanges of n units, or a sample, so many at a time."""
    blocks: Iterable[Int64]
    if n > MAX_LISTED:
        blocks = exchanges(np.ones(n, np.int64), n_resamples, seed)
    else:
        blocks = [arrangements(n, n_resamples, seed)[0]]
    for block in blocks:
        yield from (block[k : k + step] for k in range(0, len(block), step))


def _standardised(scores: Float64) -> Float64:
    """Return standardised scores; a constant metric gets zeros."""
    # They are rounded, so that two metrics whose scores differ in their last bits become equal.
    n = max(len(scores), 1)
    away = scores - math.fsum(scores) / n
    spread = math.sqrt(math.fsum(away * away) / n)
    constant = len(scores) == 0 or scores.min() == scores.max()
    return np.zeros(len(scores)) if constant else np.round(away / spread, DIGITS)


@dataclass(frozen=True)
class Swapped:
    """Rows of two metrics: each row twice, once with each metric's score."""

    rows: RatedScores  # In order of item; scores of the first and of the second metric alternate
    first: Int64  # int64[2 n]: 1 for rows with the score of the first metric
    source: Int64  # int64[2 n]: The original row
    # For soft pairwise accuracy
    n_resamples: int = 1
    seed: int = 0

    @classmethod
    def join(
        cls,
        items: Int64,
        systems: Int64,
        sides: list[Float64],
        labels: Float64,
        majority: Float64 | None,
    ) -> Swapped:
        """Join the scores of two metrics."""
        n = len(items)
        source = np.repeat(np.arange(n), 2)
        rows = RatedScores(
            items[source],
            systems[source],
            np.column_stack(sides).ravel(),
            labels[source],
            None if majority is None else majority[source],
        )
        return cls(rows, (np.arange(2 * n) + 1) % 2, source)

    def differences(
        self,
        level: str,
        score: str,
        exchanged: Int64,  # [n_draws, n]: 1 for rows in which the metrics exchange scores
    ) -> Float64:
        """Compute the first metric's score minus the second's, after exchanges."""
        if score not in WEIGHTED:
            return np.array([self._difference(score, swap == 1) for swap in exchanged])
        in_first = exchanged[:, self.source] ^ self.first
        of_first, of_second = (
            self._scores(level, score, weights) for weights in (in_first, 1 - in_first)
        )
        return of_first - of_second

    def _difference(self, score: str, swap: Bools) -> float:
        """Compute the difference of a score without weights."""
        first, second = self.rows.scores[::2], self.rows.scores[1::2]
        sides = (np.where(swap, second, first), np.where(swap, first, second))
        of_first, of_second = (self._score(score, scores) for scores in sides)
        return of_first - of_second

    def _score(self, score: str, scores: Float64) -> float:
        labels = self.rows.labels[::2].copy()  # in one piece
        rows = RatedScores(self.rows.items[::2], self.rows.systems[::2], scores, labels)
        if score == "calibrated_accuracy":
            return float(levels.average_items(rows)[score][0])
        both = np.column_stack([labels, scores])
        return soft_pairwise_accuracy(
            rows.items, rows.system_rows, both, self.n_resamples, self.seed
        )

    def _scores(self, level: str, score: str, weights: Int64) -> Float64:
        if score == "auc":
            return levels.auc(self.rows, weights)
        if level == "pooled":
            return self.rows.pooled.correlate(weights)[score][:, 0]
        if level == "systems":
            return levels.systems(self.rows, weights)[score]
        return _mean_of_defined(self.rows.segments.correlate(weights)[score])


def _mean_of_defined(values: Float64) -> Float64:
    """Return the mean of the defined values over the items of each draw: float64[n_draws]."""
    defined = ~np.isnan(values)
    n = defined.sum(axis=1)
    sums = np.where(defined, values, 0.0).sum(axis=1)
    return np.where(n > 0, sums / np.maximum(n, 1), math.nan)

"""Bootstrap intervals of agreement, by example or by cluster of examples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fastcausal.statistics import strata_of
from fastcausal.tasks.agreement.measures import Floats, Int64, Sums, mean, ratio


def intervals_of(
    pairs: Sequence[Sums], cluster: str | None, n_resamples: int, confidence: float, seed: int
) -> tuple[Floats, Floats]:
    """Percentile bounds of the mean over pairs of annotators: two float64[n_groups, n_measures].

    The same draw of examples, or of clusters with all their examples, serves every pair. NaN where
    a measure is undefined in every draw.
    """
    codes, n = _cluster_codes(pairs, cluster)
    if not n:  # nothing to draw from
        nothing = np.full(pairs[0].top.shape[1:], np.nan)
        return nothing, nothing
    sums = [
        [_by_cluster(side, code, n) for side in (pair.top, pair.bottom)]
        for pair, code in zip(pairs, codes, strict=True)
    ]
    rng = np.random.default_rng(seed)
    values = np.empty((n_resamples, *pairs[0].top.shape[1:]))
    for k in range(n_resamples):
        drawn = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
        of_pairs = [ratio(drawn @ top, drawn @ bottom) for top, bottom in sums]
        values[k] = mean(np.stack(of_pairs)).reshape(values.shape[1:])
    undefined = np.isnan(values).all(axis=0)
    values[:, undefined] = 0.0  # a column without a number has no percentile
    tail = 100 * (1 - confidence) / 2
    low, high = np.nanpercentile(values, [tail, 100 - tail], axis=0)
    low[undefined] = high[undefined] = np.nan
    return low, high


def _cluster_codes(pairs: Sequence[Sums], cluster: str | None) -> tuple[list[Int64], int]:
    """The cluster of every example of every pair, with the same numbers in all, and their count."""
    keys: list[Sequence[Any]] = []
    for pair in pairs:
        if cluster is not None:
            names, stratum = strata_of(pair.examples, cluster)
            keys.append([names[k] for k in stratum])
        elif "id" in pair.examples.column_names:
            keys.append(pair.examples["id"].to_pylist())
        else:
            keys.append(range(len(pair.examples)))
    # Sorted, so that the draws of a seed depend on no order of examples or annotators.
    numbers = {key: k for k, key in enumerate(sorted({key for part in keys for key in part}))}
    return [np.array([numbers[key] for key in part], np.int64) for part in keys], len(numbers)


def _by_cluster(side: Floats, codes: Int64, n: int) -> Floats:
    """Sums of the examples of each cluster: float64[n_clusters, n_groups * n_measures]."""
    flat = side.reshape(len(side), math.prod(side.shape[1:]))
    return np.stack([np.bincount(codes, column, minlength=n) for column in flat.T], axis=1)

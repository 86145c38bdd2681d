"""Bootstrap percentile intervals, by unit or by cluster of units."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

DRAWS = 2**22  # weights held at once


class Interval(NamedTuple):
    """Bounds of a score, NaN where no resample defines it.

    Attributes
    ----------
    low, high : float
    n_undefined : int
        Resamples that leave the score undefined; the bounds leave them out.
    """

    low: float
    high: float
    n_undefined: int


def bootstrap(
    scores: Callable[[Int64], Mapping[str, Float64]],
    cluster_of: Int64,
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Compute percentile intervals of scores, from resamples with replacement.

    Parameters
    ----------
    scores : callable
        From weights int64[n_draws, n_units] to a float64[n_draws] per score, such as
        `fastcausal.Statistics.scores`.
    cluster_of : int64[n_units]
        The cluster of each unit, from 0 on: as many clusters are drawn as there are, with all their
        units. A cluster for each unit draws units.
    n_resamples : int
    confidence : float
        Share of resamples between the bounds.
    seed : int
        Of ``numpy.random.default_rng``: the same seed draws the same places in the list of
        clusters.

    Returns
    -------
    dict of str to Interval

    Raises
    ------
    ValueError
        ``n_resamples`` is below 1, or ``confidence`` outside of 0 to 1.

    Examples
    --------
    >>> values = np.array([0.0, 1.0, 1.0, 2.0])
    >>> bootstrap(lambda weights: {"mean": weights @ values / 4}, np.arange(4))
    {'mean': Interval(low=0.25, high=1.75, n_undefined=0)}
    """
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples}, expected at least 1")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}, expected a number between 0 and 1")
    n_clusters = int(cluster_of.max(initial=-1)) + 1
    blocks = [
        scores(np.take(drawn, cluster_of, axis=1))
        for drawn in _times_drawn(n_clusters, len(cluster_of), n_resamples, seed)
    ]
    return {
        name: _percentiles(np.concatenate([block[name] for block in blocks]), confidence)
        for name in blocks[0]
    }


def _percentiles(values: Float64, confidence: float) -> Interval:
    defined = values[~np.isnan(values)]
    n_undefined = len(values) - len(defined)
    if not len(defined):
        return Interval(math.nan, math.nan, n_undefined)
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return Interval(low, high, n_undefined)


def _times_drawn(n: int, n_units: int, n_resamples: int, seed: int) -> Iterator[Int64]:
    """How often each of n clusters is drawn: blocks of int64[resamples, n]."""
    rng = np.random.default_rng(seed)
    most = max(1, DRAWS // max(n_units, 1))
    for done in range(0, n_resamples, most):
        rows = min(most, n_resamples - done)
        drawn = rng.integers(n, size=(rows, n)) if n else np.empty((rows, 0), np.int64)
        drawn += np.arange(rows)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)

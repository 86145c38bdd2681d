"""Random draws that depend on a seed and the number of the resample alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from fastcausal.significance import _sampling
from fastcausal.significance.draws import check_draws

Int64 = npt.NDArray[np.int64]

HEAVY = 32  # rows of more units are drawn by a binomial
BLOCK = 2**21  # weights in memory at once: 16 MB
WORK_PER_THREAD = 2**18  # rows and single draws


def bootstrap_weights(
    times: Int64, n_resamples: int, seed: int, *, first: int = 0
) -> Iterator[Int64]:
    """Draw all units with replacement: a multinomial over the rows.

    Parameters
    ----------
    times : int64[n_rows]
        Number of units with each row; rows ascend by content.
    n_resamples : int
    seed : int
    first : int
        Number of the first resample. Resample k depends on ``times``, ``seed`` and k alone.

    Yields
    ------
    int64[n_draws, n_rows]
        Frequency of each row in a resample, a block of resamples at a time.

    Raises
    ------
    ValueError
        ``n_resamples`` is below 1, or ``seed`` outside of 0 to 2^63 - 1.

    Examples
    --------
    >>> [weights] = bootstrap_weights(np.array([1, 2, 997]), 2, seed=0)
    >>> weights.shape, weights.sum(axis=1)
    ((2, 3), array([1000, 1000]))
    """
    check_draws(n_resamples, seed)
    order = np.argsort(-times, kind="stable")
    heavy = order[: np.count_nonzero(times > HEAVY)]
    heavy_times = times[heavy]
    n_light = int(times.sum() - heavy_times.sum())
    if n_light >= 2**32:
        raise ValueError(f"{n_light} units of rare rows, expected less than 2^32")
    light = np.repeat(np.arange(len(times), dtype=np.int32), np.where(times > HEAVY, 0, times))

    def draw(number: int, weights: Int64, num_threads: int) -> None:
        _sampling.resample(heavy, heavy_times, light, seed, number, weights, num_threads)

    return _blocks(draw, len(times), len(times) + n_light, first, n_resamples)


def exchanges(times: Int64, n_resamples: int, seed: int) -> Iterator[Int64]:
    """Exchange each unit with its partner with a chance of one half.

    Parameters
    ----------
    times : int64[n_rows]
        Number of units with each joint row; rows ascend by content.
    n_resamples, seed : int

    Yields
    ------
    int64[n_draws, n_rows]
        Number of exchanged units of each row, a block of resamples at a time.

    Raises
    ------
    ValueError
        As `bootstrap_weights` does.

    Examples
    --------
    >>> [exchanged] = exchanges(np.array([1, 2, 997]), 100, seed=0)
    >>> exchanged.min(axis=0)[:2], exchanged.max(axis=0)[:2]
    (array([0, 0]), array([1, 2]))
    """
    check_draws(n_resamples, seed)

    def draw(number: int, weights: Int64, num_threads: int) -> None:
        _sampling.exchange(times, seed, number, weights, num_threads)

    return _blocks(draw, len(times), len(times), 0, n_resamples)


def _blocks(
    draw: Callable[[int, Int64, int], None], n_rows: int, work: int, first: int, n_resamples: int
) -> Iterator[Int64]:
    n_cores = os.cpu_count() or 1
    most = max(n_cores, BLOCK // max(n_rows, 1))
    for done in range(0, n_resamples, most):
        weights = np.zeros((min(most, n_resamples - done), n_rows), np.int64)
        n_threads = min(n_cores, 1 + len(weights) * work // WORK_PER_THREAD)
        draw(first + done, weights, n_threads)
        yield weights

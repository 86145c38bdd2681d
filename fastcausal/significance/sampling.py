"""Random draws that depend only on the data, a seed and the number of the resample."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from fastcausal.significance import _sampling
from fastcausal.significance.draws import check_draws
from fastcausal.significance.sums import FixedPoint, Float64, Int64, sums_of  # noqa: F401  in doctests

HEAVY = 32  # a row that stands for more units is drawn by a binomial
BLOCK = 2**21  # weights in memory at once: 16 MB
KEY_BITS = 48  # random bits by which units are put in order
WORK_PER_THREAD = 2**18  # rows and single draws that pay for a thread


def bootstrap_weights(
    times: Int64,  # int64[n_rows]: Number of units with each row; rows ascend by content
    n_resamples: int,
    seed: int,
    *,
    # Number of the first resample. Resample k depends only on ``times``, ``seed`` and k.
    first: int = 0,
) -> Iterator[Int64]:
    """Draw all units with replacement: a multinomial over the rows."""
    # Yields int64[n_draws, n_rows]: frequency of each row in a resample, a block of resamples at a
    # time.
    heavy, heavy_times, light = _rows_of_draws(times, n_resamples, seed)

    def draw(number: int, weights: Int64, num_threads: int) -> None:
        _sampling.resample(heavy, heavy_times, light, seed, number, weights, num_threads)

    return _blocks(draw, len(times), len(times) + len(light), first, n_resamples)


def _rows_of_draws(
    times: Int64, n_resamples: int, seed: int
) -> tuple[Int64, Int64, npt.NDArray[np.int32]]:
    """Return the rows drawn by binomials, their numbers of units, and each other unit's row."""
    check_draws(n_resamples, seed)
    order = np.argsort(-times, kind="stable")
    heavy = order[: np.count_nonzero(times > HEAVY)]
    heavy_times = times[heavy]
    n_light = int(times.sum() - heavy_times.sum())
    if n_light >= 2**32:
        raise ValueError(f"{n_light} units of rare rows, expected less than 2^32")
    light = np.repeat(np.arange(len(times), dtype=np.int32), np.where(times > HEAVY, 0, times))
    return heavy, heavy_times, light


def bootstrap_sums(
    values: Float64,  # float64[n_rows, n_fields]
    times: Int64,  # int64[n_rows]
    n_resamples: int,
    seed: int,
) -> Float64:
    """Sum floats in every resample of `bootstrap_weights`; round each sum once."""
    # Returns float64[n_resamples, n_fields]: equal to `sums_of` these weights, which are never in
    # memory.
    heavy, heavy_times, light = _rows_of_draws(times, n_resamples, seed)
    parts = FixedPoint.split(values, int(times.sum()))
    sums = parts.room(n_resamples)
    n_threads = _threads(n_resamples * (len(times) + len(light)))
    _sampling.resample_sums(heavy, heavy_times, light, seed, 0, parts.parts, sums, n_threads)
    return parts.rounded(sums)


def exchange_sums(
    changes: Int64,  # int64[n_rows, n_fields]
    times: Int64,  # int64[n_rows]
    n_resamples: int,
    seed: int,
) -> Int64:
    """Sum the rows of exchanged units in every resample of `exchanges`."""
    # Returns int64[n_resamples, n_fields].
    check_draws(n_resamples, seed)
    moved = changes.any(axis=0)
    drawn = np.zeros((n_resamples, int(moved.sum())), np.int64)
    parts = np.ascontiguousarray(changes.T[moved])
    n_threads = _threads(n_resamples * len(times))
    _sampling.exchange_sums(times, seed, 0, parts, drawn, n_threads)
    sums = np.zeros((n_resamples, changes.shape[1]), np.int64)
    sums[:, moved] = drawn
    return sums


def exchanges(
    times: Int64,  # int64[n_rows]: Number of units with each joint row; rows ascend by content
    n_resamples: int,
    seed: int,
) -> Iterator[Int64]:
    """Draw the units exchanged with their partners, each with a chance of one half."""
    # Yields int64[n_draws, n_rows]: number of exchanged units with each row, a block of resamples
    # at a time.
    check_draws(n_resamples, seed)

    def draw(number: int, weights: Int64, num_threads: int) -> None:
        _sampling.exchange(times, seed, number, weights, num_threads)

    return _blocks(draw, len(times), len(times), 0, n_resamples)


def groups_of(n: int, most: int) -> Int64:
    """Return a group from 0 to ``most`` - 1 for each of n units: random, of one size or two."""
    # The random bits are those of `exchanges`, which are the same on every machine.
    keys = np.zeros(n, np.int64)
    for block in exchanges(np.ones(n, np.int64), KEY_BITS, 0):
        for bits in block:
            keys = 2 * keys + bits
    groups = np.empty(n, np.int64)
    groups[np.argsort(keys, kind="stable")] = np.arange(n) % most
    return groups


def _blocks(
    draw: Callable[[int, Int64, int], None], n_rows: int, work: int, first: int, n_resamples: int
) -> Iterator[Int64]:
    n_cores = os.cpu_count() or 1
    most = max(n_cores, BLOCK // max(n_rows, 1))
    for done in range(0, n_resamples, most):
        weights = np.zeros((min(most, n_resamples - done), n_rows), np.int64)
        draw(first + done, weights, _threads(len(weights) * work))
        yield weights


def _threads(work: int) -> int:
    return min(os.cpu_count() or 1, 1 + work // WORK_PER_THREAD)

"""Soft pairwise accuracy: how alike people and a metric are in how sure they are of each pair."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fastcausal.ratings import Float64, Int64
from fastcausal.scores import exact_sums
from fastcausal.significance.sampling import exchanges

if TYPE_CHECKING:
    from fastcausal.tasks.meta.levels import Rows

MOST_ALL = 13  # of so many things all arrangements are taken, of more a sample
EQUAL = 1e-12


def arrangements(n: int, n_resamples: int, seed: int) -> tuple[Int64, int]:
    """Return all ways to choose among n things, or a sample; and what to add to its counts.

    Returns
    -------
    chosen : int64[n_ways, n]
        0 or 1.
    extra : int
        0 of all ways; 1 of a sample, whose p is (b + 1) / (n_ways + 1).
    """
    if n <= MOST_ALL:
        return np.arange(2**n)[:, None] >> np.arange(n) & 1, 0
    return np.concatenate([*exchanges(np.ones(n, np.int64), n_resamples, seed)]), 1


def soft_pairwise_accuracy(rows: Rows, n_resamples: int, seed: int) -> float:
    """Average 1 − |p of people − p of the metric| over pairs of systems (Thompson et al. 2024).

    p is the share of sign flips of the items that both systems have whose flipped differences sum
    below 0, plus half of those at 0. Pairs without such items are left out; NaN where none is left.
    """
    ways: dict[int, tuple[Int64, int]] = {}
    values = []
    for a, b in combinations(rows.system_rows, 2):
        _, of_a, of_b = np.intersect1d(rows.items[a], rows.items[b], True, return_indices=True)
        if not (n := len(of_a)):
            continue
        if n not in ways:
            ways[n] = arrangements(n, n_resamples, seed)
        pairs = a[of_a], b[of_b]
        apart = [values[pairs[0]] - values[pairs[1]] for values in (rows.labels, rows.scores)]
        of_people, of_metric = _shares_below(np.column_stack(apart), *ways[n])
        values.append(1 - abs(of_people - of_metric))
    return math.fsum(values) / len(values) if values else math.nan


def _shares_below(apart: Float64, flipped: Int64, extra: int) -> Float64:
    """Share of ways whose flipped differences sum below 0, ties half: float64[2]."""
    sums = exact_sums(apart, flipped)
    bounds = EQUAL * np.abs(apart).sum(axis=0)
    twice = 2 * (sums < -bounds).sum(axis=0) + (np.abs(sums) <= bounds).sum(axis=0)
    shares: Float64 = (twice / 2 + extra) / (len(flipped) + extra)
    return shares

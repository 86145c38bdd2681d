"""Soft pairwise accuracy: similarity of people's and a metric's confidence in pairs of systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from fastcausal.counts.arithmetic import EQUAL
from fastcausal.significance.sampling import exchanges
from fastcausal.significance.sums import sums_of
from fastcausal.tasks.labels.ratings import Float64, Int64

MAX_LISTED = 13  # most items for which all arrangements are used; otherwise a sample


def arrangements(n: int, n_resamples: int, seed: int) -> tuple[Int64, int]:  # [n_ways, n] of 0 or 1
    """Return all subsets of n items, or a sample; and the correction of its counts."""
    # The correction is 0 for all subsets, and 1 for a sample, with p = (b + 1) / (n_ways + 1).
    if n <= MAX_LISTED:
        return np.arange(2**n)[:, None] >> np.arange(n) & 1, 0
    return np.concatenate([*exchanges(np.ones(n, np.int64), n_resamples, seed)]), 1


def soft_pairwise_accuracy(
    items: Int64,  # [n]: the item of each row
    of_systems: Sequence[Int64],  # rows of each system
    values: Float64,  # [n, 2]: labels and scores
    n_resamples: int,  # for sign flips, if there are too many for all
    seed: int,
) -> float:
    """Average 1 − |p of people − p of the metric| over pairs of systems (Thompson et al. 2024)."""
    # p is the share of sign flips, over the items of both systems, with a sum of differences below
    # 0, plus half of those at 0. Pairs without common items are left out; NaN if none is left.
    ways: dict[int, tuple[Int64, int]] = {}
    agreements = []
    for a, b in combinations(of_systems, 2):
        _, of_a, of_b = np.intersect1d(items[a], items[b], True, return_indices=True)
        if not (n := len(of_a)):
            continue
        if n not in ways:
            ways[n] = arrangements(n, n_resamples, seed)
        apart = values[a[of_a]] - values[b[of_b]]
        of_people, of_metric = _shares_below(apart, *ways[n])
        agreements.append(1 - abs(of_people - of_metric))
    return math.fsum(agreements) / len(agreements) if agreements else math.nan


def _shares_below(apart: Float64, flipped: Int64, extra: int) -> Float64:
    """Return the share of flips with sums below 0, ties half: float64[2]."""
    sums = sums_of(apart, flipped)
    bounds = EQUAL * np.abs(apart).sum(axis=0)
    twice = 2 * (sums < -bounds).sum(axis=0) + (np.abs(sums) <= bounds).sum(axis=0)
    shares: Float64 = (twice / 2 + extra) / (len(flipped) + extra)
    return shares

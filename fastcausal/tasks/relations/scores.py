"""Scores of relations from the counts of a kernel. All scores are fractions, not percent."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from fastcausal.counts.arithmetic import Counts, ScoresByName, precision_recall_f1, ratio
from fastcausal.engine.kernel import Measure, Terms, find_measures
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.significance.sums import max_abs


def binary_alpha(
    n: Any,  # Units of all annotators
    n1: Any,  # Marked units
    o01: Any,  # Disagreeing units
    undefined: float,  # Alpha if n0 n1 is 0
) -> Any:
    """Return binary Krippendorff's alpha."""
    # RECESS, Eq. 1: 1 - (n-1) o01 / (n0 n1); integers, or int64 arrays
    if isinstance(n, np.ndarray) and max_abs(n) >= 2**31:
        n, n1, o01 = (np.asarray(part, object) for part in (n, n1, o01))
    both = (n - n1) * n1
    observed = ratio((n - 1) * o01, both, math.nan)
    if isinstance(both, np.ndarray):
        return np.where(both > 0, 1.0 - observed, undefined)
    return 1.0 - observed if both else undefined


def scores_of(
    kernel: str,
    counts: Counts,
    undefined: float | None,  # of 0/0; None: NaN
) -> ScoresByName:
    """Return the scores of a kernel's counts, numbers or arrays of one shape."""
    zero = math.nan if undefined is None else undefined
    scores: ScoresByName = {}
    for formula, name, declared in find_declared(kernel, counts):
        sums = [add(terms, counts) for terms in declared]
        if formula == "f1":
            scores |= precision_recall_f1(sums[0], sums[1], sums[2], zero, name)
        elif formula == "share":
            scores[name] = ratio(sums[0], sums[1], zero)
        else:
            scores[name] = binary_alpha(sums[0], sums[1], sums[2], zero)
    return scores


def find_declared(kernel: str, fields: Collection[str]) -> tuple[Measure, ...]:
    """Return the scores that a kernel declares, or those of a user's kernel by its fields."""
    built_in = KERNELS.get(kernel)
    return built_in.scores if built_in else find_measures(fields)


def add(terms: Terms, counts: Counts) -> Any:
    """Return a sum of weighted counts."""
    parts = [n * counts[name] if n != 1 else counts[name] for name, n in terms.items()]
    return sum(parts[1:], parts[0])


def scores_of_groups(
    kernel: str, counts: Iterable[Counts], undefined: float | None
) -> list[ScoresByName]:
    """Return the scores of several groups, as `scores_of`."""
    return [scores_of(kernel, each, undefined) for each in counts]


def fields_read(kernel: str) -> tuple[str, ...]:
    """Return the counts that the scores of a kernel depend on."""
    built_in = KERNELS.get(kernel)
    return built_in.scored_fields if built_in else ("tp", "fp", "fn")

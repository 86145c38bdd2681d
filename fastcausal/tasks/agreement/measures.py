"""The measures of agreement, EM, OSB, TO and alpha of pairs of relations, as sums by example."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.engine.plan import Plan
from fastcausal.rows import Rows
from fastcausal.significance.sums import rounded_sums
from fastcausal.tasks.agreement import _native

TOTAL = "total"
N_MEASURES = 4  # alpha, EM, OSB, TO
Floats = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
PairList = tuple[Int64, Int64, Int64]
"""The example and both relations of each pair, -1 for none; in the order of examples."""


@dataclass(frozen=True)
class MeasureSums:
    """Numerators and denominators of two annotators: each measure is a ratio of two sums."""

    examples: pa.Table  # The common examples
    # Relations with at least one span
    first: Rows
    second: Rows
    pairs: PairList  # The example and the two relations of each pair; -1 for no relation
    plan: Plan  # Plan of the kernel ``span_overlap``
    unitized: bool  # True if alpha is the one of the published program
    by_example: bool  # True if EM, OSB and TO are averaged over the pairs of an example first

    def counted(self) -> Int64:
        """Return the indices of the counted examples: those with at least one pair."""
        example = self.pairs[0]
        return example[np.diff(example, prepend=-1) > 0]

    def n_unmarked(self) -> int:
        """Return the number of examples without any relation."""
        n_each = np.diff(self.first.relation_offsets) + np.diff(self.second.relation_offsets)
        return len(n_each) - int(np.count_nonzero(n_each))

    @cached_property
    def totals(self) -> Floats:
        """Sums over examples: float64[2, n_groups, n_measures], numerators first, rounded once."""
        return rounded_sums(self._sums(), _native.EXPONENTS)

    def rows(self) -> Floats:
        """Compute the sums of each example: float64[n_examples, 2, n_groups, n_measures]."""
        shape = self._sums_shape
        rows = np.zeros((self.first.n_examples, math.prod(shape)))
        self._sums(rows)
        return rows.reshape(len(rows), *shape)

    @property
    def _sums_shape(self) -> tuple[int, int, int]:
        return 2, len(self.plan.params), N_MEASURES

    def _sums(self, rows: Floats | None = None) -> Int64:
        sums = np.zeros((*self._sums_shape, len(_native.EXPONENTS)), np.int64)
        _native.sum_pairs(
            self.first, self.second, self.pairs, self.plan.params, self.unitized, self.by_example,
            sums, rows,
        )  # fmt: skip
        return sums


def published_pairs(a: Rows, b: Rows, chosen: PairList) -> PairList:
    """Return the pairs of relations that the published program keeps."""
    # It keeps all pairs if both annotators have equally many relations. Otherwise it pads the
    # smaller side to the k relations of the larger one, and removes each pair that occurs in an
    # assignment other than the chosen one. A pair occurs in (k-1)! assignments, so up to k = 2 the
    # chosen pairs are left, beyond that none.
    n_a, n_b = np.diff(a.relation_offsets), np.diff(b.relation_offsets)
    left = (n_a != n_b) & (np.maximum(n_a, n_b) <= 2)
    kept = left[chosen[0]]
    pairs = [tuple(column[kept] for column in chosen)]
    for n in np.unique(n_a[(n_a == n_b) & (n_a > 0)]):
        at = np.flatnonzero((n_a == n) & (n_b == n))
        i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
        pairs.append(
            (
                np.repeat(at, n * n),
                (a.relation_offsets[at][:, None] + i).ravel(),
                (b.relation_offsets[at][:, None] + j).ravel(),
            )
        )
    joined = [np.concatenate(column) for column in zip(*pairs, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    return joined[0][order], joined[1][order], joined[2][order]

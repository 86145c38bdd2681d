"""The measures of agreement as sums: EM, OSB, TO and alpha of pairs of relations, by example."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.engine.reference.kernels import span_overlap
from fastcausal.rows import Rows
from fastcausal.significance.sums import sums_of
from fastcausal.tasks.agreement.unitized import unitized_alpha
from fastcausal.tasks.relations.scores import binary_alpha

TOTAL = "total"
Floats = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MeasureSums:
    """Numerators and denominators of two annotators: a measure is a ratio of their sums.

    ``top`` and ``bottom`` are float64[n_examples, n_groups, n_measures]. Subsets, resamples and
    single examples are sums over fewer or repeated rows.
    """

    examples: pa.Table
    top: Floats
    bottom: Floats

    def counted(self) -> Int64:
        """Return the numbers of the counted examples: at least one annotator marked a relation."""
        return np.flatnonzero(self.bottom[:, -1, 1])

    def totals(self) -> Floats:
        """Sum over examples: float64[2, n_groups, n_measures], tops first, each rounded once."""
        shape = self.top.shape[1:]
        ones = np.ones((1, len(self.top)), np.int64)
        sides = (side.reshape(len(side), math.prod(shape)) for side in (self.top, self.bottom))
        return np.stack([sums_of(side, ones).reshape(shape) for side in sides])


def measures(counts: Int64, n_roles: int) -> tuple[Floats, Floats]:
    """Compute alpha, EM, OSB, TO of pairs as top / bottom: float64[n_pairs, n_groups, 4]."""
    n_fields = len(span_overlap.fields)
    of_role = counts[:, : n_fields * n_roles].reshape(len(counts), n_roles, n_fields)
    n, n1, o01 = (of_role[..., span_overlap.fields.index(name)] for name in ("n", "n1", "o01"))
    top = np.ones((len(counts), n_roles + 1, 4))
    bottom = np.ones_like(top)
    top[:, :-1, 0], bottom[:, :-1, 0] = weighed_alpha(n, n1, o01)
    top[:, :-1, 1:] = of_role[..., :3]
    top[:, -1, 1:] = counts[:, n_fields * n_roles :][:, :3]
    for side in (top, bottom):
        side[:, -1, 0] = side[:, :-1, 0].sum(axis=1)
    return top, bottom


def weighed_alpha(n: Any, n1: Any, o01: Any) -> tuple[Floats, Floats]:
    """Weigh `binary_alpha` by marked units, as top / bottom; both are 0 if it is undefined."""
    alpha = binary_alpha(n, n1, o01, np.nan)
    undefined = np.isnan(alpha)
    return np.where(undefined, 0, alpha * n1), np.where(undefined, 0, n1)


def published_pairs(
    a: Rows, b: Rows, example: Int64, of_a: Int64, of_b: Int64
) -> tuple[Int64, Int64, Int64]:
    """Return the pairs of relations that the published program keeps.

    It keeps all if both annotators have equally many. Otherwise it pads the smaller side up to the
    k relations of the larger one, and removes pairs that occur in any order not chosen. A pair
    occurs in (k-1)! orders, so the chosen pairs are left up to k = 2, then nothing.
    """
    n_a, n_b = np.diff(a.relation_offsets), np.diff(b.relation_offsets)
    left = (n_a != n_b) & (np.maximum(n_a, n_b) <= 2)
    kept = left[example]
    pairs = [(example[kept], of_a[kept], of_b[kept])]
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


def unitized(
    a: Rows, b: Rows, example: Int64, of_a: Int64, of_b: Int64, n_roles: int
) -> tuple[Floats, Floats]:
    """Compute unitised alpha of pairs as top / bottom: float64[n_pairs, n_groups]."""
    top, bottom = (np.zeros((len(example), n_roles + 1)) for _ in range(2))
    for k, (e, i, j) in enumerate(zip(example, of_a, of_b, strict=True)):
        if i < 0 or j < 0:  # padding has no words for a weight
            continue
        for role in range(n_roles):
            first, second = (
                rows[rows[:, 0] == role, 1:].tolist() for rows in (a.relation(i), b.relation(j))
            )
            alpha, weight = unitized_alpha(first, second, int(a.lengths[e]))
            top[k, role], bottom[k, role] = alpha * weight, weight
    for side in (top, bottom):
        side[:, -1] = side[:, :-1].sum(axis=1)
    return top, bottom


def per_example(
    examples: pa.Table, top: Floats, bottom: Floats, example: Int64, average: str
) -> MeasureSums:
    """Sum the pairs of each example; EM, OSB and TO become their mean for ``average="example"``."""
    sums = [np.zeros((len(examples), *top.shape[1:])) for _ in range(2)]
    present, first, widths = np.unique(example, return_index=True, return_counts=True)
    # Alphas are not integers: three and more are added in order of size, not of the relations.
    several = np.repeat(widths > 2, widths)
    for g in range(top.shape[1]):
        alphas = top[several, g, 0]
        top[several, g, 0] = alphas[np.lexsort((alphas, example[several]))]
    for side, total in zip((top, bottom), sums, strict=True):
        if len(first):
            total[present] = np.add.reduceat(side, first, axis=0)
    if average == "example":
        sums[0][..., 1:] /= np.maximum(sums[1][..., 1:], 1)
        sums[1][..., 1:] = sums[1][..., 1:] > 0
    return MeasureSums(examples, *sums)

"""Agreement of two annotators' relations in whole-array numpy: recess.py, many examples at once.

Examples with the same number of relations on the larger side are one batch. Spans of a role do not
overlap within a relation.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from fastcausal.rows import Int64, Rows

from .recess import ROLES, Agreed, alpha

NOTHING = -1  # the empty relation, which is the last one of `Spans`


class Spans:
    """The relations of both sides in one list, gold first: int32[n_relations + 1, 3, most]."""

    def __init__(self, gold: Rows, pred: Rows) -> None:
        widths = np.concatenate([np.diff(gold.row_offsets), np.diff(pred.row_offsets)])
        values = np.concatenate([gold.values, pred.values])
        relation = np.repeat(np.arange(len(widths)), widths)
        group = relation * len(ROLES) + values[:, 0]
        order = np.argsort(group, kind="stable")
        of_group = np.bincount(group, minlength=len(ROLES) * (len(widths) + 1))
        place = np.arange(len(group)) - np.repeat(np.cumsum(of_group) - of_group, of_group)
        shape = (len(widths) + 1, len(ROLES), of_group.max(initial=1))
        self.start, self.stop = (np.full(shape, -1, np.int32) for _ in range(2))
        for bound, column in ((self.start, 1), (self.stop, 2)):
            bound[relation[order], values[order, 0], place] = values[order, column]
        self.marked = (self.stop - self.start).sum(axis=2)
        self.present = self.marked > 0
        flat = np.full((len(widths), widths.max(initial=0), 3), -1, np.int32)
        first = np.cumsum(widths) - widths
        flat[relation, np.arange(len(relation)) - first[relation]] = values
        _, self.rank = np.unique(flat.reshape(len(widths), -1), axis=0, return_inverse=True)

    def compare(self, a: Int64, b: Int64) -> dict[str, np.ndarray]:
        """Compute EM, OSB, TO, shared and marked tokens of pairs of relations: [..., 3] each."""
        starts, stops = (self.start[a], self.start[b]), (self.stop[a], self.stop[b])
        any_a, any_b = self.present[a], self.present[b]
        relations = any_a.any(axis=-1) & any_b.any(axis=-1)
        absent = relations[..., None] & ~any_a & ~any_b
        same = (starts[0] == starts[1]) & (stops[0] == stops[1])
        real = (starts[0] >= 0)[..., :, None] & (starts[1] >= 0)[..., None, :]
        boundary = (starts[0][..., :, None] == starts[1][..., None, :]) | (
            stops[0][..., :, None] == stops[1][..., None, :]
        )
        low = np.maximum(starts[0][..., :, None], starts[1][..., None, :])
        high = np.minimum(stops[0][..., :, None], stops[1][..., None, :])
        shared = np.maximum(high - low, 0).sum(axis=(-1, -2))
        return {
            "em": absent | (any_a & same.all(axis=-1)),
            "osb": absent | (boundary & real).any(axis=(-1, -2)),
            "to": absent | (shared > 0),
            "shared": shared,
            "marked": self.marked[a] + self.marked[b],
        }


def agreement(gold: Rows, pred: Rows) -> Agreed:
    """Compute EM, OSB, TO over the chosen pairs, and alpha over their token masks."""
    spans = Spans(gold, pred)
    n_gold, n_pred = np.diff(gold.relation_offsets), np.diff(pred.relation_offsets)
    most = np.maximum(n_gold, n_pred)
    pairs, lengths = [], []
    for k in range(1, most.max(initial=0) + 1):
        at = np.flatnonzero(most == k)
        sides = (
            _relations(gold.relation_offsets[at], n_gold[at], k, 0),
            _relations(pred.relation_offsets[at], n_pred[at], k, gold.n_relations),
        )
        pairs.append(_best(spans, *sides, k) if k > 1 else np.stack(sides, axis=-1)[:, 0])
        lengths.append(np.repeat(gold.lengths[at], k))
    a, b = np.concatenate([chosen.reshape(-1, 2) for chosen in pairs]).T
    return _summed(spans.compare(a, b), np.concatenate(lengths).astype(np.int64))


def _relations(first: Int64, n: Int64, k: int, offset: int) -> Int64:
    """Return the relations of each example, padded with `NOTHING`: int64[n_examples, k]."""
    found = offset + first[:, None] + np.arange(k)
    found[np.arange(k) >= n[:, None]] = NOTHING
    return found


def _best(spans: Spans, gold: Int64, pred: Int64, k: int) -> Int64:
    """Return the pairs of the first best permutation: int64[n_examples, k, 2]."""
    rank = np.append(spans.rank, len(spans.rank))  # nothing comes last
    gold, pred = (
        np.take_along_axis(side, np.argsort(rank[side], axis=1), axis=1) for side in (gold, pred)
    )
    # The side that sorts first leads; if one side begins with all of the other, the shorter side.
    difference = np.append(spans.rank, -1)[gold] - np.append(spans.rank, -1)[pred]
    decides = (difference != 0).argmax(axis=1)
    leads = np.take_along_axis(difference, decides[:, None], axis=1) <= 0
    rows, columns = np.where(leads, gold, pred), np.where(leads, pred, gold)
    found = spans.compare(rows[:, :, None], columns[:, None, :])
    value = sum(found[measure].sum(axis=-1, dtype=np.int64) for measure in ("em", "osb", "to"))
    weight = value << 32 | found["shared"].sum(axis=-1, dtype=np.int64)
    orders = np.array(list(permutations(range(k))))
    totals = weight[:, np.arange(k), orders].sum(axis=-1)
    chosen = np.take_along_axis(columns, orders[totals.argmax(axis=1)], axis=1)
    return np.stack([rows, chosen], axis=-1)


def _summed(found: dict[str, np.ndarray], lengths: Int64) -> Agreed:
    marked = found["marked"].astype(np.int64)
    units = np.broadcast_to(2 * lengths[:, None], marked.shape)
    masks = np.stack([units, marked, marked - 2 * found["shared"]]).sum(axis=1)  # [3, roles]
    groups: Agreed = {}
    for role, name in enumerate(ROLES):
        groups[name] = {m: found[m][:, role].mean() for m in ("em", "osb", "to")}
        groups[name]["alpha"] = alpha(*masks[:, role].tolist())
    groups["total"] = {m: found[m].all(axis=1).mean() for m in ("em", "osb", "to")}
    groups["total"]["alpha"] = alpha(*masks.sum(axis=1).tolist())
    return groups

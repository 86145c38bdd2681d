"""Roles and types of gold against those of predictions, span by span and pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fastcausal.counts.confusions import confusions
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.report.grid import Grid
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.counting import Counting
from fastcausal.tasks.relations.align import Aligned

AT_ONCE = 1 << 20  # pairs of spans compared at once, so that memory is bounded
WITHOUT_TYPE = "(none)"
Places = tuple[Int64, Int64]


def confusion_grid(types: Mapping[str, Any], title: str = "") -> Grid:
    """Make the table of a confusion of types, rows gold."""
    names = [name or WITHOUT_TYPE for name in types["labels"]]
    grid = Grid(title, names, "gold")
    for name, row in zip(names, types["confusion"], strict=True):
        grid.add(name, *("" if n is None else n for n in row))
    return grid


def confusion_of_roles(counting: Counting, aligned: Aligned) -> Int64:
    """Count the predicted roles of gold spans, over all examples.

    Return the sum of `confusion_of_examples`: int64[n_roles + 1, n_roles + 1].
    """
    counts: Int64 = _confusion(counting, aligned, np.zeros(aligned.gold.n_examples, np.int64), 1)[0]
    return counts


def confusion_of_examples(counting: Counting, aligned: Aligned) -> Int64:
    """Count the predicted roles of gold spans by example: int64[n, n_roles + 1, n_roles + 1].

    Rows are gold roles, columns predicted roles of the partner that the report pairs with a
    relation. The answer to a gold span is the partner's span that shares most tokens with it. Of
    several, it is the shortest, then one of the same role, then the first. So a perfect prediction
    has counts only on the diagonal, even if spans overlap, and a row adds up to the gold spans of
    its role. The last column counts gold spans without an answer, the last row predicted spans that
    share no token with the paired gold relation. Predictions that the protocol drops do not count.
    """
    n = aligned.gold.n_examples
    return _confusion(counting, aligned, np.arange(n), n)


def types_of_examples(counting: Counting, aligned: Aligned, names: Sequence[str]) -> Int64:
    """Count the types of paired relations by example: int64[n_examples, n + 1, n + 1], rows gold.

    ``names`` are those of all types; the last place is for relations without a type.
    """
    types, n = aligned.types, len(names) + 1
    if types is None:
        return np.zeros((aligned.gold.n_examples, n, n), np.int64)
    place = {name: k for k, name in enumerate(names)}
    places = np.array([len(names), *(place[name] for name in types.names)])
    of_gold, of_pred = counting.pair_all_types(aligned)
    example = aligned.gold.example_of_relation()[of_gold]
    gold, pred = places[types.gold[of_gold]], places[types.pred[of_pred]]
    return confusions(gold, pred, example, aligned.gold.n_examples, n)[:, :, :-1]


def _confusion(counting: Counting, aligned: Aligned, groups: Int64, n_groups: int) -> Int64:
    """Count as `confusion_of_examples`, by the group of each example."""
    gold, pred, n_roles = aligned.gold, aligned.pred, len(counting.roles)
    partner = counting.run(aligned, n_groups=1).partner
    _, of_gold, of_pred = counting.list_pairs(gold, pred, partner)
    paired = of_pred[of_gold >= 0]
    roles = np.ascontiguousarray(gold.values[:, 0], np.int64)
    answers = np.full(len(roles), n_roles)
    surplus = np.zeros(len(pred.values), bool)
    surplus[_spans_of(pred, of_pred[of_pred >= 0])] = True
    for spans, candidates in _meetings(gold, pred, paired):
        surplus[candidates] = False
        first = np.flatnonzero(np.diff(spans, prepend=-1))
        answers[spans[first]] = pred.values[candidates[first], 0]
    missing = np.full(int(surplus.sum()), n_roles)
    alone = pred.values[surplus, 0].astype(np.int64)
    gold_roles, pred_roles = np.concatenate([roles, missing]), np.concatenate([answers, alone])
    examples = np.concatenate([_examples_of(gold), _examples_of(pred)[surplus]])
    return confusions(gold_roles, pred_roles, groups[examples], n_groups, n_roles + 1)[:, :, :-1]


def _examples_of(rows: Rows) -> Int64:
    """Return the example of each span."""
    n_spans = np.diff(rows.row_offsets[rows.relation_offsets])
    return np.repeat(np.arange(rows.n_examples), n_spans)


def _spans_of(rows: Rows, relations: Int64) -> Int64:
    """Return the places of the spans of relations, relation by relation."""
    counts = np.diff(rows.row_offsets)[relations]
    return ranges(rows.row_offsets[relations], counts)


def ranges(starts: Int64, counts: Int64) -> Int64:
    """Return start, start + 1, ... of each range, one range after the other."""
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(counts.sum())


def _meetings(gold: Rows, pred: Rows, paired: Int64) -> Iterator[Places]:
    """Yield places of gold spans and of overlapping predicted spans, the best answer first."""
    partner = np.repeat(paired, np.diff(gold.row_offsets))
    spans = np.flatnonzero(partner >= 0)
    counts = np.diff(pred.row_offsets)[partner[spans]]
    parts = np.cumsum(counts) // AT_ONCE
    for part in np.split(np.arange(len(spans)), np.flatnonzero(np.diff(parts)) + 1):
        each = np.repeat(spans[part], counts[part])
        candidates = ranges(pred.row_offsets[partner[spans[part]]], counts[part])
        yield _best_first(gold.values, pred.values, each, candidates)


def _best_first(gold: Int32, pred: Int32, spans: Int64, candidates: Int64) -> Places:
    """Keep pairs of spans with a common token, in the order of `confusion_of_roles`."""
    starts = np.maximum(gold[spans, 1], pred[candidates, 1])
    shared = np.minimum(gold[spans, 2], pred[candidates, 2]) - starts
    met = shared > 0
    spans, candidates, shared = spans[met], candidates[met], shared[met]
    width = pred[candidates, 2] - pred[candidates, 1]
    other_role = gold[spans, 0] != pred[candidates, 0]
    order = np.lexsort((candidates, other_role, width, -shared, spans))
    return spans[order], candidates[order]

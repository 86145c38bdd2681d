"""Backend "reference": csrc/engine/cpu.hpp in plain Python, one example at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fastcausal.engine.kernel import COUNT_BITS, Int32, Int64, outside_of_counts
from fastcausal.engine.plan import CountGroups, Plan
from fastcausal.engine.reference.pairing import Value, best_pairing, official_pairing
from fastcausal.rows import Rows

OFFICIAL_MOST = 6


def run(
    plan: Plan, gold: Rows, pred: Rows, groups: CountGroups, partner: Int64 | None, counts: Int64
) -> None:
    """Add to ``counts`` (int64[groups.n_rows, n_fields]), and fill ``partner`` unless None."""
    for example in range(gold.n_examples):
        golds = list(range(*gold.relation_offsets[example : example + 2]))
        preds = list(range(*pred.relation_offsets[example : example + 2]))
        if plan.truncate and golds:
            preds = preds[: len(golds)]
        if plan.ignore_non_causal and not golds:
            preds = []
        pair = _counter(plan, gold, pred, int(gold.lengths[example]))
        paired = _assign(plan, gold, pred, golds, preds, pair) if golds and preds else {}
        group = groups.row(example, len(golds))
        for g in golds:
            counts[group] += pair(g, paired.get(g, -1))
            if partner is not None:
                partner[g] = paired.get(g, -1)
        for p in preds:
            if p not in paired.values():
                counts[group] += pair(-1, p)


def count_pairs(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    gold_index: Int64,
    pred_index: Int64,
    lengths: Int32,
    counts: Int64,
) -> None:
    """Fill ``counts`` (int64[n_pairs, n_fields]) of given pairs; index -1 is a missing relation."""
    for k, (g, p) in enumerate(zip(gold_index, pred_index, strict=True)):
        counts[k] = _counter(plan, gold, pred, int(lengths[k]))(g, p)


def _counter(plan: Plan, gold: Rows, pred: Rows, length: int) -> Callable[[int, int], Int64]:
    def pair(g: int, p: int) -> Int64:
        counts = np.zeros(plan.n_fields, np.int64)
        plan.kernel.function(gold.relation(g), pred.relation(p), length, plan.params, counts)
        if (counts >> COUNT_BITS).any():
            raise RuntimeError(outside_of_counts(plan.kernel))
        return counts

    return pair


def _assign(
    plan: Plan,
    gold: Rows,
    pred: Rows,
    golds: list[int],
    preds: list[int],
    pair: Callable[[int, int], Int64],
) -> dict[int, int]:
    """Choose the pairs, gold relation to predicted relation.

    The leading side gives the rows. By content, relations are sorted by their spans and the
    smaller side leads, so neither file order nor the choice of gold and pred matters. Else
    predictions lead, in file order. Empty relations come last and decide nothing, except in the
    official search.
    """
    if plan.official and len(preds) <= len(golds) <= OFFICIAL_MOST:
        cells = [[(plan.weights[2:] @ pair(g, p)).tolist() for g in golds] for p in preds]
        alone = [(plan.weights[2:] @ pair(g, -1)).tolist() for g in golds]
        return {golds[j]: preds[i] for i, j in enumerate(official_pairing(cells, alone))}
    if plan.by_content:
        golds = sorted(golds, key=lambda g: _content(gold, g))
        preds = sorted(preds, key=lambda p: _content(pred, p))
    if not plan.official:
        golds = sorted(golds, key=lambda g: not _content(gold, g))
        preds = sorted(preds, key=lambda p: not _content(pred, p))
    gold_leads = plan.by_content and (
        [_content(gold, g) for g in golds if _content(gold, g)]
        <= [_content(pred, p) for p in preds if _content(pred, p)]
    )

    def value(g: int, p: int) -> Value:
        numerator, denominator = (plan.weights[:2] @ pair(g, p)).tolist()
        return Value(numerator, denominator, 0)

    alone_gold = {g: value(g, -1) for g in golds}
    alone_pred = {p: value(-1, p) for p in preds}
    unmatched = Value(0, 0, 0)
    for v in (*alone_gold.values(), *alone_pred.values()):
        unmatched = unmatched.plus(v)
    edges = {}
    for i, g in enumerate(golds):
        for j, p in enumerate(preds):
            same_role, met = _shared(gold.relation(g), pred.relation(p))
            if plan.by_content and plan.kernel.additive and not met:
                continue
            v = value(g, p)
            edges[(i, j) if gold_leads else (j, i)] = Value(
                v.numerator - alone_gold[g].numerator - alone_pred[p].numerator,
                v.denominator - alone_gold[g].denominator - alone_pred[p].denominator,
                same_role if plan.by_content else 0,
            )
    leading, partners = (golds, preds) if gold_leads else (preds, golds)
    pairing = best_pairing(edges, len(leading), len(partners), unmatched, plan.linear)
    pairs = [(leading[i], partners[j]) for i, j in enumerate(pairing) if j >= 0]
    return dict(pairs) if gold_leads else {g: p for p, g in pairs}


def _content(rows: Rows, relation: int) -> list[list[int]]:
    content: list[list[int]] = rows.relation(relation).tolist()
    return content


def _shared(gold: Int32, pred: Int32) -> tuple[int, bool]:
    """Count the tokens marked with the same role on both sides; return if any token is shared."""
    met = any(min(g[2], p[2]) > max(g[1], p[1]) for g in gold for p in pred)
    same_role = 0
    for role in set(gold[:, 0].tolist()) & set(pred[:, 0].tolist()):
        a, b = _marked(gold, role), _marked(pred, role)
        same_role += sum(max(0, min(x[1], y[1]) - max(x[0], y[0])) for x in a for y in b)
    return same_role, met


def _marked(rows: Int32, role: int) -> list[tuple[int, int]]:
    """Return the tokens of one role as disjoint intervals; rows are in order of start."""
    apart: list[tuple[int, int]] = []
    for start, stop in rows[rows[:, 0] == role, 1:].tolist():
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(stop, apart[-1][1]))
        else:
            apart.append((start, stop))
    return apart

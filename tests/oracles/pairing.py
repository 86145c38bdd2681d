"""Best pairings by other means: every pairing tried, or scipy's assignment as certificate.

Edges map (row, column) to (numerator, denominator, shared): the gain of pairing over leaving both
unmatched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from fastcausal.engine.plan import Plan
from fastcausal.engine.run import count_pairs
from fastcausal.rows import Rows

Edge = tuple[int, int, int]
Edges = Mapping[tuple[int, int], Edge]


def worth(edges: Edges, pairing: list[int], alone: Edge, linear: bool) -> tuple[Any, int]:
    chosen = [alone, *(edges[i, j] for i, j in enumerate(pairing) if j >= 0)]
    n, d, shared = (sum(column) for column in zip(*chosen, strict=True))
    assert linear or d >= 0
    return (n if linear else Fraction(n, d) if d else 0), shared


def all_pairings(edges: Edges, n_rows: int, n_columns: int) -> Iterator[list[int]]:
    """Every partial pairing in lexicographic order, unmatched last."""

    def extend(pairing: list[int]) -> Iterator[list[int]]:
        row = len(pairing)
        if row == n_rows:
            yield pairing
            return
        for j in range(n_columns):
            if j not in pairing and (row, j) in edges:
                yield from extend([*pairing, j])
        yield from extend([*pairing, -1])

    return extend([])


def first_best(edges: Edges, n_rows: int, n_columns: int, alone: Edge, linear: bool) -> list[int]:
    pairings = all_pairings(edges, n_rows, n_columns)
    return max(pairings, key=lambda pairing: worth(edges, pairing, alone, linear))


def assert_first_best(
    pairing: list[int], edges: Edges, n_rows: int, n_columns: int, alone: Edge, linear: bool
) -> None:
    """Check that no pairing is worth more, and that no equally good one comes before."""
    gain = assert_best(pairing, edges, n_rows, n_columns, alone, linear)
    left = _most(gain)
    for i, chosen in enumerate(pairing):
        taken = [j for j in pairing[:i] if j >= 0]
        lower = [j for j in range(chosen if chosen >= 0 else n_columns) if (i, j) in edges]
        for j in set(lower) - set(taken):
            most = gain[i, j] + _most(gain[i + 1 :], [*taken, j])
            assert most < left, f"row {i} could have column {j}, has {chosen}"
        left -= gain[i, chosen] if chosen >= 0 else 0


def assert_best(
    pairing: list[int], edges: Edges, n_rows: int, n_columns: int, alone: Edge, linear: bool
) -> np.ndarray:
    """Check that no pairing is worth more.

    For a ratio x, this holds if no pairing has a positive N - x D; among pairings with zero, the
    most shared tokens decide. Return the gain of every edge.
    """
    columns = [j for j in pairing if j >= 0]
    assert len(set(columns)) == len(columns)
    value, _ = worth(edges, pairing, alone, linear)
    x = Fraction(0 if linear else value)
    scale = 1 + sum(shared for _, _, shared in edges.values())
    gain = np.zeros((n_rows, n_columns))
    for (i, j), (n, d, shared) in edges.items():
        gain[i, j] = (n * x.denominator - d * x.numerator) * scale + shared
    assert np.abs(gain).sum() < 2**52  # floats stay exact integers
    reached = sum(gain[i, j] for i, j in enumerate(pairing) if j >= 0)
    assert reached == _most(gain)
    return gain


def _most(gain: np.ndarray, without: Sequence[int] = ()) -> float:
    """The greatest sum over any partial pairing."""
    gain = np.delete(np.maximum(gain, 0), list(without), axis=1)
    return float(gain[linear_sum_assignment(gain, maximize=True)].sum())


def _masks(rows: Rows) -> list[set[tuple[int, int]]]:
    """The (role, token) pairs that each relation marks."""
    return [
        {(role, token) for role, start, stop in relation for token in range(start, stop)}
        for relation in (rows.relation(k).tolist() for k in range(rows.n_relations))
    ]


class Problem:
    """The problem that run() solves for one example, restated: rows, columns and edges in order."""

    def __init__(self, plan: Plan, gold: Rows, pred: Rows) -> None:
        golds, preds = list(range(gold.n_relations)), list(range(pred.n_relations))
        self.linear = plan.linear
        self.gold_leads = False
        of_gold, of_pred = (
            [side.relation(k).tolist() for k in range(side.n_relations)] for side in (gold, pred)
        )
        if plan.by_content:
            golds.sort(key=lambda g: of_gold[g])
            preds.sort(key=lambda p: of_pred[p])
            self.gold_leads = [*filter(None, map(of_gold.__getitem__, golds))] <= [
                *filter(None, map(of_pred.__getitem__, preds))
            ]
        if not plan.official:  # empty relations come last
            golds.sort(key=lambda g: not of_gold[g])
            preds.sort(key=lambda p: not of_pred[p])
        self.leading, self.others = (golds, preds) if self.gold_leads else (preds, golds)
        pairs = [(g, p) for g in golds for p in preds]
        every = [*pairs, *((g, -1) for g in golds), *((-1, p) for p in preds)]
        index = np.array(every, np.int64).reshape(-1, 2)
        values = count_pairs(plan, gold, pred, *map(np.ascontiguousarray, index.T))
        value = dict(zip(every, (values @ plan.weights[:2].T).tolist(), strict=True))
        unmatched = [value[g, -1] for g in golds] + [value[-1, p] for p in preds]
        self.alone: Edge = (sum(n for n, _ in unmatched), sum(d for _, d in unmatched), 0)
        self.edges: dict[tuple[int, int], Edge] = {}
        gold_masks, pred_masks = _masks(gold), _masks(pred)
        in_gold, in_pred = ([{t for _, t in m} for m in side] for side in (gold_masks, pred_masks))
        places = product(range(len(golds)), range(len(preds)))
        for (g, p), at in zip(pairs, places, strict=True):
            if plan.by_content and plan.kernel.additive and in_gold[g].isdisjoint(in_pred[p]):
                continue
            (n, d), (n_gold, d_gold), (n_pred, d_pred) = value[g, p], value[g, -1], value[-1, p]
            shared = len(gold_masks[g] & pred_masks[p]) if plan.by_content else 0
            self.edges[at if self.gold_leads else at[::-1]] = (
                n - n_gold - n_pred,
                d - d_gold - d_pred,
                shared,
            )

    @property
    def arguments(self) -> tuple[Edges, int, int, Edge, bool]:
        return self.edges, len(self.leading), len(self.others), self.alone, self.linear

    def pairing(self, partner: np.ndarray) -> list[int]:
        """partner of run() as the column of every row."""
        pairs = [(g, int(p)) for g, p in enumerate(partner) if p >= 0]
        of_row = dict(pairs if self.gold_leads else [(p, g) for g, p in pairs])
        column = {other: j for j, other in enumerate(self.others)}
        return [column[of_row[row]] if row in of_row else -1 for row in self.leading]

"""Pairing relations in plain Python: the specification of csrc/engine/assign.hpp.

Rows and columns are the relations of the two sides; an edge may pair them; either may stay
unmatched. The best pairing has the greatest value N / D, or N alone, then the most shared tokens.
Ties go to the first in lexicographic order: row 0 takes the lowest possible column, and so on;
unmatched comes last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

Weight = tuple[int, int]
ZERO: Weight = (0, 0)


class Value(NamedTuple):
    """The worth of a pairing, or the gain of an edge over two unmatched relations."""

    numerator: int
    denominator: int
    shared: int

    @property
    def bottom(self) -> int:
        """The denominator; 0/0, without any marked token, compares like 0."""
        return self.denominator or 1

    def plus(self, other: Value) -> Value:
        """Add field by field."""
        return Value(*(a + b for a, b in zip(self, other, strict=True)))


Edges = Mapping[tuple[int, int], Value]
Pairing = list[int]  # the column of each row, -1 for none


def best_pairing(
    edges: Edges, n_rows: int, n_columns: int, unmatched: Value, linear: bool
) -> Pairing:
    """Find the first of the best pairings.

    Dinkelbach's method maximises a ratio: with the best ratio n/d so far, maximise the sum of
    N d - D n. If the maximum gains nothing, n/d is the best ratio, reached by that pairing.
    """
    reached = unmatched
    while True:
        weights = {
            pair: (
                v.numerator
                if linear
                else v.numerator * reached.bottom - v.denominator * reached.numerator,
                v.shared,
            )
            for pair, v in edges.items()
        }
        pairing = heaviest_pairing(weights, n_rows, n_columns)
        value = unmatched
        for i, j in enumerate(pairing):
            if j >= 0:
                value = value.plus(edges[i, j])
        gain = value.numerator * reached.bottom - reached.numerator * value.bottom
        if linear or gain <= 0:
            return first_of_heaviest(weights, n_rows, n_columns)
        reached = value


def first_of_heaviest(
    weights: Mapping[tuple[int, int], Weight], n_rows: int, n_columns: int
) -> Pairing:
    """Fix row after row at the lowest column that still allows the greatest weight."""
    weights = dict(weights)
    best = total_weight(weights, heaviest_pairing(weights, n_rows, n_columns))
    pairing = []
    for i in range(n_rows):
        for j in [*range(n_columns), -1]:
            if j >= 0 and (i, j) not in weights:
                continue
            rest = {(r, c): w for (r, c), w in weights.items() if r != i and (c != j or j < 0)}
            gained = weights[i, j] if j >= 0 else ZERO
            total = total_weight(rest, heaviest_pairing(rest, n_rows, n_columns))
            if add(gained, total) == best:
                pairing.append(j)
                weights, best = rest, total
                break
    return pairing


def total_weight(weights: Mapping[tuple[int, int], Weight], pairing: Pairing) -> Weight:
    """Sum the weights of a pairing."""
    total = ZERO
    for i, j in enumerate(pairing):
        if j >= 0:
            total = add(total, weights[i, j])
    return total


def add(a: Weight, b: Weight) -> Weight:
    """Add two weights."""
    return a[0] + b[0], a[1] + b[1]


def heaviest_pairing(
    weights: Mapping[tuple[int, int], Weight], n_rows: int, n_columns: int
) -> Pairing:
    """Find a pairing of the greatest weight, by longest augmenting walks (Bellman and Ford).

    Rows join in order, each by the walk of displacements with the greatest total gain; a walk ends
    at a free column or at a row that gives up its column.
    """
    pairing = [-1] * n_rows
    owner = [-1] * n_columns
    for root in range(n_rows):
        gain: dict[int, Weight] = {root: ZERO}  # of the walk to each row, which then needs a column
        via: dict[int, tuple[int, int]] = {}
        changed = True
        while changed:
            changed = False
            for (i, j), w in weights.items():
                k = owner[j]
                if i not in gain or k < 0 or k == i:
                    continue
                lost = weights[k, j]
                there = add(gain[i], (w[0] - lost[0], w[1] - lost[1]))
                if k not in gain or there > gain[k]:
                    gain[k], via[k], changed = there, (i, j), True
        ends = [(gain[i], i, -1) for i in gain]
        ends += [
            (add(gain[i], w), i, j) for (i, j), w in weights.items() if i in gain and owner[j] < 0
        ]
        _, row, column = max(ends, key=lambda end: end[0])
        while True:  # walk back, moving every row to the column it took
            pairing[row] = column
            if column >= 0:
                owner[column] = row
            if row == root:
                break
            row, column = via[row]
    return pairing


def official_pairing(
    # [n_pred][n_gold] of (tp, fp, fn, half); ``half``: errors charged half to precision and half to
    # recall
    cells: Sequence[Sequence[Sequence[int]]],
    # [n_gold] of the same: gold relations left without a prediction
    alone: Sequence[Sequence[int]],
) -> Pairing:
    """Return the first permutation of gold with the best float F1."""
    # As the official CNC scorer does
    n_pred, n_gold = len(cells), len(alone)
    best = -1.0
    chosen: tuple[int, ...] = ()
    for order in permutations(range(n_gold)):
        pairs = [cells[k][g] if k < n_pred else alone[g] for k, g in enumerate(order)]
        f1 = official_f1(*(sum(column) for column in zip(*pairs, strict=True)))
        if f1 > best:
            best, chosen = f1, order
    return list(chosen[:n_pred])


def official_f1(tp: int, fp: int, fn: int, half: int) -> float:
    """Compute F1 in the official order of operations; its last bit decides between orders."""
    h = 0.5 * half
    precision = tp / (tp + fp + h) if tp + fp + h else 0.0
    recall = tp / (tp + fn + h) if tp + fn + h else 0.0
    return 2 * (precision * recall) / (precision + recall) if precision + recall else 0.0

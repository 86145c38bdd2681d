"""Counts of sections: their rows paired, labels of words and rows counted."""

from __future__ import annotations

import numpy as np

from fastcausal.formats.fincausal import Int64
from fastcausal.tasks.fincausal.formula import FIELDS
from fastcausal.tasks.fincausal.labels import WordBits, WordLabels

Counts = list[tuple[int, int, int]]  # of no span, causes and effects: hits, predicted, gold


def count_sections(
    labels: WordLabels, section: Int64, n: int, *, best: bool = False, both: bool = False
) -> Int64:
    """Count the labels of n sections; rows of section -1 are left out."""
    # best pairs the rows of a section for the most words with equal labels, not greedily; both
    # allows a word to be cause and effect.
    gold, pred = labels.gold, labels.pred
    if not both:
        gold, pred = _put_effect_over_cause(gold), _put_effect_over_cause(pred)
    rows: list[list[int]] = [[] for _ in range(n)]
    for row, name in enumerate(section.tolist()):
        if name >= 0:
            rows[name].append(row)
    sizes = labels.sizes.tolist()
    counts = [
        _count_section(sizes[of[0]], [gold[row] for row in of], [pred[row] for row in of], best)
        for of in rows
    ]
    return np.array(counts, np.int64).reshape(n, len(FIELDS))


def _put_effect_over_cause(labels: list[WordBits]) -> list[WordBits]:
    return [(cause & ~effect, effect) for cause, effect in labels]


def _count_section(
    n_words: int, gold: list[WordBits], pred: list[WordBits], best: bool
) -> list[int]:
    cells = [[_count_words(n_words, a, b) for b in pred] for a in gold]
    partners = (_pair_best if best else _pair_greedily)(cells)
    sums = np.sum([cells[k][j] for k, j in enumerate(partners)], axis=0)
    n, half = len(gold), n_words // 2
    first, last = (1 << half) - 1, (1 << n_words) - (1 << half)  # a guess of cause and effect
    return [
        *sums.ravel().tolist(),
        n,
        sum(a == b for a, b in zip(gold, pred, strict=True)),
        sum(gold[k] == pred[j] for k, j in enumerate(partners)),
        n * half,
        sum((cause & first).bit_count() for cause, _ in gold),
        sum((effect & last).bit_count() for _, effect in gold),
        gold.count((first, last)),
        gold.count((0, 0)),
    ]


def _count_words(n_words: int, gold: WordBits, pred: WordBits) -> Counts:
    all_words = (1 << n_words) - 1
    sides = [(all_words & ~(cause | effect), cause, effect) for cause, effect in (gold, pred)]
    return [
        ((a & b).bit_count(), b.bit_count(), a.bit_count()) for a, b in zip(*sides, strict=True)
    ]


def _pair_greedily(cells: list[list[Counts]]) -> list[int]:
    """Give each row of gold, in turn, the best row that is left, the first of equals."""
    left, partners = list(range(len(cells))), []
    for row in cells:
        partners.append(max(left, key=lambda k: _weighted_f1(row[k])))
        left.remove(partners[-1])
    return partners


def _weighted_f1(counts: Counts) -> float:
    """Return the F1 by which the program pairs: of each class, weighted by its words in gold."""
    f1 = [2 * hits / (pred + gold) if pred + gold else 0.0 for hits, pred, gold in counts]
    n_words = sum(gold for *_, gold in counts)
    total = 0.0
    for each, (*_, gold) in zip(f1, counts, strict=True):
        total += each * gold
    return total / n_words if n_words else 0.0


def _pair_best(cells: list[list[Counts]]) -> list[int]:
    """Return the first of the pairings with the most words labelled alike."""
    n = len(cells)
    alike = [[sum(hits for hits, *_ in cell) for cell in row] for row in cells]
    # Columns are the digits behind the words, those of the first row first: no two sums are equal.
    costs = [
        [k * n ** (n - 1 - row) - words * n**n for k, words in enumerate(alike[row])]
        for row in range(n)
    ]
    return _pair_cheapest(costs)


def _pair_cheapest(costs: list[list[int]]) -> list[int]:
    """Return the columns of rows with the least sum of costs (Kuhn 1955, by shortest paths)."""
    n = len(costs)
    row_of, column_of = [-1] * n, [-1] * n
    of_rows, of_columns = [0] * n, [0] * n  # prices: no cell costs less than its row and column
    for first in range(n):
        # The shortest path from this row to a free column, over the pairs so far
        lengths = [cost - price for cost, price in zip(costs[first], of_columns, strict=True)]
        via, left, passed = [first] * n, {*range(n)}, []
        while row_of[column := min(left, key=lengths.__getitem__)] >= 0:
            left.remove(column)
            passed.append(column)
            row = row_of[column]
            for k in left:
                length = lengths[column] + costs[row][k] - of_rows[row] - of_columns[k]
                if length < lengths[k]:
                    lengths[k], via[k] = length, row
        end = lengths[column]
        of_rows[first] += end
        for k in passed:
            of_rows[row_of[k]] += end - lengths[k]
            of_columns[k] -= end - lengths[k]
        while column >= 0:
            row_of[column] = row = via[column]
            column_of[row], column = column, column_of[row]
    return column_of

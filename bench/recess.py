"""Agreement of two annotators' relations in plain Python, as a user would write it.

As in the published program, the smaller side is padded with empty relations, every permutation is
tried for the greatest sum of EM, OSB and TO, and tokens are compared as sets. Ties are decided by
the most shared tokens, then by the order of the relations' spans, so that there is one answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from fastcausal.rows import Rows

ROLES = ("cause", "effect", "signal")
MEASURES = ("em", "osb", "to")
MASKS = ("units", "marked", "disagreeing")

Relation = list[tuple[int, int, int]]  # (role, start, stop) by start
Examples = list[list[Relation]]
Pairs = list[tuple[Relation, Relation]]
Agreed = dict[str, dict[str, float]]  # by role, or "total", and by measure


class Counts(NamedTuple):
    """Counts of one role of a pair of relations."""

    em: bool
    osb: bool
    to: bool
    units: int
    marked: int
    disagreeing: int
    shared: int


def spans_of(rows: Rows) -> Examples:
    """Convert rows to Python lists of spans."""
    values = [tuple(row) for row in rows.values.tolist()]
    row, relation = rows.row_offsets.tolist(), rows.relation_offsets.tolist()
    relations = [values[a:b] for a, b in pairwise(row)]
    return [relations[a:b] for a, b in pairwise(relation)]


def agreement(gold: Examples, pred: Examples, lengths: list[int], cached: bool = False) -> Agreed:
    """Compute EM, OSB, TO over the chosen pairs, and alpha over their token masks.

    ``cached`` compares two relations of an example once, not anew in every permutation.
    """
    return summed(
        [compare(*pair, length) for pair in best_pairs(golds, preds, length, cached)]
        for golds, preds, length in zip(gold, pred, lengths, strict=True)
    )


def agreement_by_scipy(gold: Examples, pred: Examples, lengths: list[int]) -> Agreed:
    """Compute the same with scipy's assignment, which takes any of the best pairings."""
    return summed(
        [compare(*pair, length) for pair in assigned_pairs(golds, preds, length)]
        for golds, preds, length in zip(gold, pred, lengths, strict=True)
    )


def best_pairs(golds: Sequence[Relation], preds: Sequence[Relation], length: int, cached: bool):
    """Return the pairs of the best permutation, the first one of several."""
    golds, preds = sorted(golds, key=flat), sorted(preds, key=flat)
    swap = list(map(flat, golds)) > list(map(flat, preds))
    rows, columns = padded(*((preds, golds) if swap else (golds, preds)))

    def compared(i: int, j: int) -> tuple[int, int]:
        return worth(compare(rows[i], columns[j], length))

    pair: Callable[[int, int], tuple[int, int]] = cache(compared) if cached else compared
    best, chosen = (-1, -1), ()
    for order in permutations(range(len(rows))):
        found = [pair(i, j) for i, j in enumerate(order)]
        total = sum(value for value, _ in found), sum(shared for _, shared in found)
        if total > best:
            best, chosen = total, order
    pairs = [(rows[i], columns[j]) for i, j in enumerate(chosen)]
    return [(b, a) for a, b in pairs] if swap else pairs


def assigned_pairs(golds: Sequence[Relation], preds: Sequence[Relation], length: int) -> Pairs:
    golds, preds = padded(golds, preds)
    if len(golds) == 1:
        return [(golds[0], preds[0])]
    matrix = np.zeros((len(golds), len(preds)), np.int64)
    for i, gold in enumerate(golds):
        for j, pred in enumerate(preds):
            value, shared = worth(compare(gold, pred, length))
            matrix[i, j] = value << 32 | shared
    return [(golds[i], preds[j]) for i, j in zip(*linear_sum_assignment(-matrix), strict=True)]


def padded(a: Sequence[Relation], b: Sequence[Relation]) -> tuple[list[Relation], list[Relation]]:
    n = max(len(a), len(b))
    return [*a, *[[]] * (n - len(a))], [*b, *[[]] * (n - len(b))]


def flat(relation: Relation) -> list[int]:
    return [number for span in relation for number in span]


def worth(counts: list[Counts]) -> tuple[int, int]:
    """Return a pair's part of the objective, and its shared tokens."""
    return sum(c.em + c.osb + c.to for c in counts), sum(c.shared for c in counts)


def compare(gold: Relation, pred: Relation, length: int) -> list[Counts]:
    """Return the counts of each role; a relation without spans is no relation."""
    found = []
    for role in range(len(ROLES)):
        a = [(start, stop) for r, start, stop in gold if r == role]
        b = [(start, stop) for r, start, stop in pred if r == role]
        x = {token for span in a for token in range(*span)}
        y = {token for span in b for token in range(*span)}
        absent = bool(gold and pred and not a and not b)
        em = absent or (bool(a) and a == b)
        osb = absent or any(s[0] == t[0] or s[1] == t[1] for s in a for t in b)
        to = absent or bool(x & y)
        shared = len(x & y)
        marked = len(x) + len(y)
        units = 2 * length if gold or pred else 0
        found.append(Counts(em, osb, to, units, marked, marked - 2 * shared, shared))
    return found


def summed(examples) -> Agreed:
    """Return the means over the pairs of all examples."""
    pairs = [pair for of_example in examples for pair in of_example]
    of_role = {name: [pair[role] for pair in pairs] for role, name in enumerate(ROLES)}
    found = {
        name: {m: mean([getattr(c, m) for c in counts]) for m in MEASURES}
        for name, counts in of_role.items()
    }
    found["total"] = {
        m: mean([all(getattr(c, m) for c in pair) for pair in pairs]) for m in MEASURES
    }
    for name, counts in (*of_role.items(), ("total", [c for pair in pairs for c in pair])):
        found[name]["alpha"] = alpha(*(sum(getattr(c, m) for c in counts) for m in MASKS))
    return found


def mean(values: list[bool]) -> float:
    return sum(values) / len(values)


def alpha(units: int, marked: int, disagreeing: int) -> float:
    """Compute binary Krippendorff's alpha of two token masks."""
    both = (units - marked) * marked
    return 1 - (units - 1) * disagreeing / both if both else math.nan

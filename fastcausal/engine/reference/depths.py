"""Protocol "depths" in plain Python: csrc/tasks/depths.hpp by sets, one example at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups
from fastcausal.rows import Rows

Tokens = tuple[int, ...]
T = TypeVar("T")
# What became of a relation, in the order of the counts behind those of spans
NO_SPAN = -1
(
    RIGHT, NOT_CAUSAL, BOTH, FIRST, SECOND, MISTYPED, TURNED, UNLINKED, PARTIAL,
) = LINES = range(9)  # fmt: skip
N_CAUSAL, N_SPANS = 4, 3  # counts of examples, and of the spans of each role


class DepthRules(NamedTuple):
    """Rules of one run: roles by number, and when two spans meet."""

    n_roles: int
    arguments: tuple[int, int]
    # Two spans meet if common / union is at least this share, and they have a token in common
    numerator: int
    denominator: int

    @property
    def n_fields(self) -> int:
        """Number of counts of an example."""
        return N_CAUSAL + N_SPANS * self.n_roles + 2 * len(LINES) - 1

    def meet(self, a: Tokens, b: Tokens) -> bool:
        """Return True if two token sets meet."""
        common, union = len({*a} & {*b}), len({*a} | {*b})
        return common > 0 and common * self.denominator >= self.numerator * union


class Related(NamedTuple):
    """One relation: the tokens of each role, its type, its place among all of its side."""

    roles: tuple[Tokens, ...]
    type: int
    place: int

    def arguments(self, rules: DepthRules) -> tuple[Tokens, Tokens]:
        """Return the tokens of both arguments."""
        return self.roles[rules.arguments[0]], self.roles[rules.arguments[1]]


def run(
    rules: DepthRules,
    gold: Rows,
    pred: Rows,
    types: tuple[Int64, Int64] | None,  # of the relations of both sides, if they must be equal
    groups: CountGroups,
    counts: Int64,  # [groups.n_rows, n_fields], to add to
    partner: Int64 | None = None,  # the prediction of each right gold relation, to fill
    # What became of each relation, to fill
    lines: tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]] | None = None,
) -> None:
    """Count all examples, and say of each relation what became of it."""
    if partner is not None:
        partner[:] = -1
    for example in range(gold.n_examples):
        sides = [
            relations_of(rows, example, rules.n_roles, None if types is None else types[k])
            for k, rows in enumerate((gold, pred))
        ]
        n_gold = int(gold.relation_offsets[example + 1] - gold.relation_offsets[example])
        row = counts[groups.row(example, n_gold)]
        is_causal = [bool(side) for side in sides]
        row[{(1, 1): 0, (0, 1): 1, (1, 0): 2, (0, 0): 3}[is_causal[0], is_causal[1]]] += 1
        for role in range(rules.n_roles):
            spans = [sorted({r.roles[role] for r in side} - {()}) for side in sides]
            tp = len(least_matching(spans[0], spans[1], rules.meet))
            at = N_CAUSAL + N_SPANS * role
            row[at : at + N_SPANS] += [tp, len(spans[1]), len(spans[0])]
        *found, pairs = account(rules, *sides)
        for side, of_side in enumerate(found):
            for relation, line in zip(sides[side], of_side, strict=True):
                if line != RIGHT or side == 0:  # those of predictions are as many
                    at = N_CAUSAL + N_SPANS * rules.n_roles + line
                    row[at + (len(LINES) - 1) * side] += 1
                if lines is not None:
                    lines[side][relation.place] = line
        if partner is not None:
            for g, p in pairs.items():
                partner[sides[0][g].place] = sides[1][p].place


def account(
    rules: DepthRules, gold: Sequence[Related], pred: Sequence[Related]
) -> tuple[list[int], list[int], dict[int, int]]:
    """Return what became of each relation of an example, on both sides, and the right pairs."""
    both: list[list[tuple[Tokens, Tokens, int, int]]] = [
        sorted((*a, r.type, k) for k, r in enumerate(side) if all(a := r.arguments(rules)))
        for side in (gold, pred)
    ]
    pairs = least_matching(
        both[0],
        both[1],
        lambda g, p: rules.meet(g[0], p[0]) and rules.meet(g[1], p[1]) and bool(g[2] == p[2]),
    )
    right = {both[0][g][3]: both[1][p][3] for g, p in pairs.items()}
    of_gold = [RIGHT if k in right else _miss(rules, r, pred) for k, r in enumerate(gold)]
    rights = {*right.values()}
    of_pred = [RIGHT if k in rights else _miss(rules, r, gold) for k, r in enumerate(pred)]
    return of_gold, of_pred, right


def _miss(rules: DepthRules, relation: Related, others: Sequence[Related]) -> int:
    """Return where a relation that is not right was lost, by the relations of the other side."""
    cause, effect = relation.arguments(rules)
    if not cause or not effect:
        return PARTIAL
    if not others:
        return NOT_CAUSAL
    meet, arguments = rules.meet, [other.arguments(rules) for other in others]
    found = [any(meet(span, s) for pair in arguments for s in pair) for span in (cause, effect)]
    if not all(found):
        return SECOND if found[0] else FIRST if found[1] else BOTH
    if any(
        meet(cause, a) and meet(effect, b) and other.type != relation.type
        for other, (a, b) in zip(others, arguments, strict=True)
    ):
        return MISTYPED
    if any(meet(effect, a) and meet(cause, b) for a, b in arguments):
        return TURNED
    return UNLINKED


def least_matching(
    gold: Sequence[T], pred: Sequence[T], fits: Callable[[T, T], bool]
) -> dict[int, int]:
    """Find the maximum matching of which the list of gold's partners is the least.

    No partner is greater than every partner.
    """
    preds = [*range(len(pred))]
    edges = [[p for p in preds if fits(g, pred[p])] for g in gold]
    pairs: dict[int, int] = {}
    best = _size(edges, {*preds})
    for g in range(len(gold)):
        free = {*preds} - {*pairs.values()}
        for p in edges[g]:
            if p in free and len(pairs) + 1 + _size(edges[g + 1 :], free - {p}) == best:
                pairs[g] = p
                break
    return pairs


def _size(edges: Sequence[Sequence[int]], free: set[int]) -> int:
    """Return the size of a maximum matching with free partners, by augmenting paths."""
    taken: dict[int, int] = {}

    def augment(g: int, seen: set[int]) -> bool:
        for p in edges[g]:
            if p in free and p not in seen:
                seen.add(p)
                if p not in taken or augment(taken[p], seen):
                    taken[p] = g
                    return True
        return False

    return sum(augment(g, set()) for g in range(len(edges)))


def relations_of(rows: Rows, example: int, n_roles: int, types: Int64 | None) -> list[Related]:
    """Return the relations of an example that mark a span."""
    found = []
    for place in range(*rows.relation_offsets[example : example + 2].tolist()):
        tokens: list[set[int]] = [set() for _ in range(n_roles)]
        for role, start, stop in rows.relation(place).tolist():
            tokens[role] |= {*range(start, stop)}
        if any(tokens):
            of_type = 0 if types is None else int(types[place])
            found.append(Related(tuple(tuple(sorted(t)) for t in tokens), of_type, place))
    return found

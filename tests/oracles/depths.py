"""Whole relations and where they are lost, by the definitions: token sets, and every matching.

A relation is a pair of its token sets by role and its type; an example is two lists of relations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

Tokens = frozenset[int]
Relation = tuple[Mapping[str, Tokens], str | None]
Meets = Callable[[Tokens, Tokens], bool]
ARGUMENTS = ("cause", "effect")
ROLES = (*ARGUMENTS, "signal")
LOST = ("not_causal", "both", "cause", "effect", "mistyped", "turned", "unlinked")


def meets_by(match: str) -> Meets:
    """Return when two spans meet."""
    if match == "exact":
        return lambda a, b: bool(a) and a == b
    if match == "overlap":
        return lambda a, b: bool(a & b)
    least = Fraction(match.removeprefix("iou:"))
    return lambda a, b: bool(a & b) and Fraction(len(a & b), len(a | b)) >= least


def best(edges: Sequence[Sequence[bool]]) -> list[int]:
    """Try every matching: the partner of each row in the largest and then least; 99 is none."""
    n = len(edges[0]) if edges else 0

    @cache
    def tried(row: int, free: frozenset[int]) -> tuple[int, tuple[int, ...]]:
        if row == len(edges):
            return 0, ()
        found = []
        for column in (*sorted(c for c in free if edges[row][c]), 99):
            size, rest = tried(row + 1, free - {column})
            found.append((-size - (column != 99), (column, *rest)))
        size, partners = min(found)
        return -size, partners

    return list(tried(0, frozenset(range(n)))[1])


def size(edges: Sequence[Sequence[bool]]) -> int:
    return sum(column != 99 for column in best(edges))


def table(a: Sequence[Any], b: Sequence[Any], fits: Callable[[Any, Any], bool]) -> list[list[bool]]:
    return [[fits(x, y) for y in b] for x in a]


def account(
    gold: Sequence[Relation], pred: Sequence[Relation], meets: Meets, typed: bool
) -> dict[str, Counter[str]]:
    """Count the relations of an example by what became of them."""

    def key(side: Sequence[Relation], k: int) -> Any:
        spans, name = side[k]
        return *(sorted(spans[a]) for a in ARGUMENTS), (name or "") if typed else "", k

    def link(g: Relation, p: Relation) -> bool:
        alike = all(meets(g[0][a], p[0][a]) for a in ARGUMENTS)
        return alike and (not typed or g[1] == p[1])

    def lost(relation: Relation, others: Sequence[Relation]) -> str:
        spans = [relation[0][a] for a in ARGUMENTS]
        anything = [other[0][a] for other in others for a in ARGUMENTS]
        missing = [a for a, s in zip(ARGUMENTS, spans, strict=True)
                   if not any(meets(s, t) for t in anything)]  # fmt: skip
        if not others:
            return "not_causal"
        if missing:
            return missing[0] if len(missing) == 1 else "both"
        pairs = [([other[0][a] for a in ARGUMENTS], other[1]) for other in others]
        if typed and any(all(map(meets, spans, p)) and t != relation[1] for p, t in pairs):
            return "mistyped"
        return "turned" if any(all(map(meets, spans, p[::-1])) for p, _ in pairs) else "unlinked"

    full = [
        sorted(
            (k for k, r in enumerate(s) if all(r[0][a] for a in ARGUMENTS)), key=lambda k: key(s, k)
        )
        for s in (gold, pred)
    ]
    partners = best(table(full[0], full[1], lambda g, p: link(gold[g], pred[p])))
    right = [
        {g for g, p in zip(full[0], partners, strict=True) if p != 99},
        {full[1][p] for p in partners if p != 99},
    ]
    counts = {}
    for name, side, others, k in (("gold", gold, pred, 0), ("predicted", pred, gold, 1)):
        lines = ["right" if r in right[k] else lost(side[r], others) for r in full[k]]
        counts[name] = Counter(lines)
        counts[name]["partial"] = len(side) - len(full[k])
        counts[name]["relations"] = len(full[k])
    return counts


def depths(examples: Sequence[Any], match: str, typed: bool) -> dict[str, Counter[str]]:
    """Sum the counts of examples: causal, spans by role, and both accounts."""
    meets = meets_by(match)
    sums: dict[str, Counter[str]] = {
        name: Counter() for name in ("causal", *ROLES, "gold", "predicted")
    }
    for example in examples:
        gold, pred = ([r for r in side if any(r[0].values())] for side in example)
        cells = {(True, True): "tp", (False, True): "fp", (True, False): "fn", (False, False): "tn"}
        sums["causal"][cells[bool(gold), bool(pred)]] += 1
        for role in ROLES:
            spans = [
                sorted({r[0][role] for r in s} - {frozenset()}, key=sorted) for s in (gold, pred)
            ]
            tp = size(table(*spans, meets))
            sums[role].update({"tp": tp, "gold": len(spans[0]), "predicted": len(spans[1])})
        for name, counts in account(gold, pred, meets, typed).items():
            sums[name].update(counts)
    return sums


def whole(examples: Sequence[Any], iou: str = "0.5") -> Counter[str]:
    """Sum the relations of examples, and the largest matchings by each criterion."""
    enough = meets_by(f"iou:{iou}")

    def both(holds: Meets) -> Callable[[Relation, Relation], bool]:
        def fits(g: Relation, p: Relation) -> bool:
            pairs = [(g[0][a], p[0][a]) for a in ARGUMENTS]
            if not any(a for a, _ in pairs) or not any(b for _, b in pairs):
                return False
            return all((not a and not b) or bool(a and b and holds(a, b)) for a, b in pairs)

        return fits

    exact = both(lambda a, b: a == b)
    criteria: dict[str, Callable[[Relation, Relation], bool]] = {
        "exact": exact,
        "signal": lambda g, p: exact(g, p) and g[0] == p[0],
        "strict": lambda g, p: exact(g, p) and g[1] == p[1],
        "undirected": lambda g, p: (
            exact(g, p)
            or exact(g, ({**p[0], "cause": p[0]["effect"], "effect": p[0]["cause"]}, p[1]))
        ),
        "boundary": both(lambda a, b: min(a) == min(b) or max(a) == max(b)),
        "overlap": both(lambda a, b: bool(a & b)),
        "iou": both(enough),
    }
    sums: Counter[str] = Counter()
    for example in examples:
        gold, pred = ([r for r in side if any(r[0].values())] for side in example)
        sums.update({"gold": len(gold), "predicted": len(pred)})
        for name, fits in criteria.items():
            sums[f"{name}_tp"] += size(table(gold, pred, fits))
    return sums

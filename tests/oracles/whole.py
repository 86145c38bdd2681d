"""Whole relations and depths by sets of tokens, and by trying all matchings.

A relation is a dict of the spans of each role, and perhaps a ``type``, as examples have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

Tokens = frozenset[int]
Meets = Callable[[Tokens, Tokens], bool]
GROUPS = ("exact", "signal", "strict", "undirected", "boundary", "overlap", "iou")
LINES = ("right", "not_causal", "both", "first", "second", "mistyped", "turned", "unlinked")


class Whole(NamedTuple):
    """A relation as sets of tokens."""

    sets: tuple[Tokens, ...]  # of each role
    a: Tokens
    b: Tokens
    type: str | None
    place: int

    @property
    def order(self) -> Any:
        return sorted(self.a), sorted(self.b), (self.type is not None, self.type or ""), self.place


def wholes(relations: list[dict[str, Any]], roles: Any, arguments: Any) -> list[Whole]:
    """The relations with any span."""
    found = []
    for place, relation in enumerate(relations):
        sets = {
            role: frozenset(t for start, stop in relation.get(role, ()) for t in range(start, stop))
            for role in roles
        }
        if any(sets.values()):
            a, b = (sets[role] for role in arguments)
            found.append(Whole(tuple(sets.values()), a, b, relation.get("type"), place))
    return found


def meets(match: str) -> Meets:
    """Whether two spans meet; an empty one never does."""
    if match == "exact":
        return lambda x, y: bool(x) and x == y
    if match == "overlap":
        return lambda x, y: not x.isdisjoint(y)
    least = Fraction(match.removeprefix("iou:"))
    return lambda x, y: bool(x) and bool(y) and Fraction(len(x & y), len(x | y)) >= least


def pairable(group: str, g: Whole, p: Whole, iou: Fraction) -> bool:
    if not (g.a or g.b) or not (p.a or p.b):
        return False
    sides = [(g.a, p.a), (g.b, p.b)]
    filled = [(x, y) for x, y in sides if x or y]
    if group == "exact":
        return g.a == p.a and g.b == p.b
    if group == "signal":
        return g.sets == p.sets
    if group == "strict":
        return g.a == p.a and g.b == p.b and g.type == p.type
    if group == "undirected":
        return sorted(map(sorted, (g.a, g.b))) == sorted(map(sorted, (p.a, p.b)))
    if not all(x and y for x, y in filled):
        return False
    if group == "boundary":
        return all(min(x) == min(y) or max(x) == max(y) for x, y in filled)
    if group == "overlap":
        return all(x & y for x, y in filled)
    return all(Fraction(len(x & y), len(x | y)) >= iou for x, y in filled)


def matchings(edges: Sequence[Sequence[int]], i: int = 0, taken: int = 0) -> Iterator[list[Any]]:
    """Every matching, as the partner of each row; an unmatched row has infinity."""
    if i == len(edges):
        yield []
        return
    for j in edges[i]:
        if not taken >> j & 1:
            yield from ([j, *rest] for rest in matchings(edges, i + 1, taken | 1 << j))
    yield from ([float("inf"), *rest] for rest in matchings(edges, i + 1, taken))


def best_matching(n: int, m: int, holds: Callable[[int, int], bool]) -> dict[int, int]:
    """The largest matching whose list of partners is the least: all are tried."""
    edges = [[j for j in range(m) if holds(i, j)] for i in range(n)]
    best = min(
        matchings(edges), key=lambda partners: (partners.count(float("inf")), partners), default=[]
    )
    return {i: j for i, j in enumerate(best) if j != float("inf")}


def count_relations(
    gold: list[dict[str, Any]], pred: list[dict[str, Any]], roles: Any, arguments: Any, iou: Any
) -> dict[str, int]:
    """Counts of an example, by the names of files of counts."""
    g, p = (wholes(side, roles, arguments) for side in (gold, pred))
    least = Fraction(str(iou))
    found = {"gold": len(g), "predicted": len(p)}
    for group in GROUPS:
        matching = best_matching(
            len(g), len(p), lambda i, j, group=group: pairable(group, g[i], p[j], least)
        )
        found[f"{group}_tp"] = len(matching)
    return found


def count_types(
    gold: list[list[dict[str, Any]]], pred: list[list[dict[str, Any]]], roles: Any, arguments: Any
) -> dict[str, Counter[str]]:
    """Exact counts of each type alone, summed over examples; relations without a type in none."""
    names = sorted({r["type"] for side in (gold, pred) for e in side for r in e if r.get("type")})
    found = {}
    for name in names:
        total: Counter[str] = Counter()
        for sides in zip(gold, pred, strict=True):
            g, p = ([r for r in side if r.get("type") == name] for side in sides)
            total.update(count_relations(g, p, roles, arguments, 1))
        figures = {n: total[n] for n in ("gold", "predicted")} | {"tp": total["exact_tp"]}
        if figures["gold"] or figures["predicted"]:
            found[name] = Counter(figures)
    return found


def count_depths(
    gold: list[dict[str, Any]],
    pred: list[dict[str, Any]],
    roles: Any,
    arguments: Any,
    match: str,
    typed: bool = False,
) -> dict[str, int]:
    """Counts of an example, by the names of files of counts."""
    meet = meets(match)
    sides = [wholes(side, roles, arguments) for side in (gold, pred)]
    found = dict.fromkeys(("causal_tp", "causal_fp", "causal_fn", "causal_tn"), 0)
    causal = {(1, 1): "tp", (0, 1): "fp", (1, 0): "fn", (0, 0): "tn"}
    found["causal_" + causal[bool(sides[0]), bool(sides[1])]] = 1
    for k, role in enumerate(roles):
        g, p = ([*{r.sets[k] for r in side if r.sets[k]}] for side in sides)
        matching = best_matching(len(g), len(p), lambda i, j, g=g, p=p: meet(g[i], p[j]))
        found |= {
            f"spans_{role}_tp": len(matching),
            f"spans_{role}_predicted": len(p),
            f"spans_{role}_gold": len(g),
        }

    whole = [sorted((r for r in side if r.a and r.b), key=lambda r: r.order) for side in sides]

    def linked(x: Whole, y: Whole) -> bool:
        return meet(x.a, y.a) and meet(x.b, y.b)

    g, p = whole
    right = best_matching(
        len(g),
        len(p),
        lambda i, j: linked(g[i], p[j]) and (not typed or g[i].type == p[j].type),
    )
    found["right"] = len(right)
    names = dict(zip(LINES, LINES, strict=True)) | dict(
        zip(("first", "second"), arguments, strict=True)
    )
    matched = {*right}, {*right.values()}
    for side, name in enumerate(("gold", "predicted")):
        lines = Counter(
            line_of(r, sides[1 - side], whole[1 - side], meet, linked, typed)
            for k, r in enumerate(whole[side])
            if k not in matched[side]
        )
        found |= {f"account_{name}_{names[line]}": lines[line] for line in LINES[1:]}
        found[f"account_{name}_partial"] = len(sides[side]) - len(whole[side])
    return found


def line_of(
    r: Whole,
    others: list[Whole],
    whole: list[Whole],
    meet: Meets,
    linked: Callable[[Whole, Whole], bool],
    typed: bool,
) -> str:
    """The line of a relation without partner."""
    if not others:
        return "not_causal"
    a, b = (any(meet(x, y) for o in others for y in (o.a, o.b)) for x in (r.a, r.b))
    if not a or not b:
        return "second" if a else "first" if b else "both"
    if typed and any(o.type != r.type and linked(r, o) for o in whole):
        return "mistyped"
    return "turned" if any(meet(o.a, r.b) and meet(o.b, r.a) for o in whole) else "unlinked"


def ratio(a: int, b: int) -> float | None:
    return a / b if b else None


def scores(tp: int, predicted: int, gold: int) -> dict[str, Any]:
    figures = {
        "precision": ratio(tp, predicted),
        "recall": ratio(tp, gold),
        "f1": ratio(2 * tp, predicted + gold),
    }
    return figures | {"tp": tp, "predicted": predicted, "gold": gold}


def depths_report(counts: Counter[str], roles: Any, arguments: Any) -> dict[str, Any]:
    """Scores, account and steps from the summed counts, named as in JSON."""
    tp, fp, fn, tn = (counts[f"causal_{n}"] for n in ("tp", "fp", "fn", "tn"))
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    causal = {
        "precision": ratio(tp, tp + fp),
        "recall": ratio(tp, tp + fn),
        "f1": ratio(2 * tp, 2 * tp + fp + fn),
        "accuracy": ratio(tp + tn, tp + fp + fn + tn),
        "mcc": (tp * tn - fp * fn) / sqrt(margins) if margins else None,
        **{"tp": tp, "fp": fp, "fn": fn, "tn": tn},
    }
    spans = {
        role: scores(*(counts[f"spans_{role}_{n}"] for n in ("tp", "predicted", "gold")))
        for role in roles
    }
    spans["overall"] = scores(
        *(sum(s[n] for s in spans.values()) for n in ("tp", "predicted", "gold"))
    )
    account, linkable = {}, {}
    for side in ("gold", "predicted"):
        lines = {"right": counts["right"]} | {
            line: counts[f"account_{side}_{line}"]
            for line in ("not_causal", "both", *arguments, "mistyped", "turned", "unlinked")
        }
        linkable[side] = sum(lines[n] for n in ("right", "mistyped", "turned", "unlinked"))
        partial = counts[f"account_{side}_partial"]
        account[side] = {"relations": sum(lines.values()), **lines, "partial": partial}
    g, right = account["gold"], counts["right"]
    seen = g["relations"] - g["not_causal"]
    links = scores(right, linkable["predicted"], linkable["gold"])
    return {
        "scores": {
            "causal": causal,
            "spans": spans,
            "links": {n: links[n] for n in ("precision", "recall", "f1")}
            | {"right": right, **{f"linkable_{side}": linkable[side] for side in linkable}},
        },
        "account": account,
        "steps": {
            "seen": ratio(seen, g["relations"]),
            "found": ratio(linkable["gold"], seen),
            "linked": ratio(right, linkable["gold"]),
        },
    }

"""Protocol "relations" in plain Python: csrc/tasks/whole.hpp by sets, one example at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from fastcausal.engine.kernel import Int64
from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference.depths import Related, Tokens, least_matching, relations_of
from fastcausal.rows import Rows

CRITERIA = ("exact", "signal", "strict", "undirected", "boundary", "overlap", "iou")
ArgumentTokens = tuple[Tokens, Tokens]


class WholeRules(NamedTuple):
    """Rules of one run: roles by number, and the least common / union of ``iou``."""

    n_roles: int
    arguments: tuple[int, int]  # -1 for none
    numerator: int
    denominator: int

    @property
    def n_fields(self) -> int:
        """Number of counts of an example."""
        return 2 + len(CRITERIA)


def _both(
    holds: Callable[[set[int], set[int]], bool], g: ArgumentTokens, p: ArgumentTokens
) -> bool:
    """Return True if a criterion holds for both arguments, or both sides lack the argument."""
    return all(holds({*a}, {*b}) if a and b else a == b for a, b in zip(g, p, strict=True))


def criteria_of(rules: WholeRules, gold: Related, pred: Related) -> Mapping[str, bool]:
    """Return the criteria by which two relations may be paired."""
    g, p = arguments_of(rules, gold), arguments_of(rules, pred)
    if not any(g) or not any(p):
        return dict.fromkeys(CRITERIA, False)
    return {
        "exact": g == p,
        "signal": gold.roles == pred.roles,
        "strict": g == p and gold.type == pred.type,
        "undirected": g in (p, p[::-1]),
        "boundary": _both(lambda a, b: min(a) == min(b) or max(a) == max(b), g, p),
        "overlap": _both(lambda a, b: bool(a & b), g, p),
        "iou": _both(
            lambda a, b: rules.denominator * len(a & b) >= rules.numerator * len(a | b), g, p
        ),
    }


def arguments_of(rules: WholeRules, relation: Related) -> ArgumentTokens:
    """Return the tokens of both arguments."""
    first, second = (relation.roles[role] if role >= 0 else () for role in rules.arguments)
    return first, second


def run(
    rules: WholeRules,
    gold: Rows,
    pred: Rows,
    types: tuple[Int64, Int64] | None,  # of the relations of both sides
    groups: CountGroups,
    counts: Int64,  # [groups.n_rows, n_fields], to add to
    partner: Int64 | None = None,  # of each gold relation, to fill
) -> None:
    """Count all examples, and pair relations that are equal, then those of common tokens."""
    for example in range(gold.n_examples):
        golds, preds = (
            relations_of(rows, example, rules.n_roles, None if types is None else types[k])
            for k, rows in enumerate((gold, pred))
        )
        held = [[criteria_of(rules, g, p) for p in preds] for g in golds]
        n_gold = int(gold.relation_offsets[example + 1] - gold.relation_offsets[example])
        matched = [len(_match(held, name, set(), set())) for name in CRITERIA]
        counts[groups.row(example, n_gold)] += [len(golds), len(preds), *matched]
        if partner is None:
            continue
        partner[gold.relation_offsets[example] : gold.relation_offsets[example + 1]] = -1
        pairs = _match(held, "exact", set(), set())
        pairs |= _match(held, "overlap", {*pairs}, {*pairs.values()})
        for g, p in pairs.items():
            partner[golds[g].place] = preds[p].place


def _match(
    held: Sequence[Sequence[Mapping[str, bool]]], name: str, golds: set[int], preds: set[int]
) -> dict[int, int]:
    """Find a maximum matching by a criterion, without the gold and predicted relations given."""
    n_preds = len(held[0]) if held else 0
    return least_matching(
        range(len(held)),
        range(n_preds),
        lambda g, p: g not in golds and p not in preds and held[g][p][name],
    )

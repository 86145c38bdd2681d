"""The reward of one completion by trying all pairings, in exact fractions.

A relation is a dict from role to the places of its spans, as examples have it. An answer that
cannot be read is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from tests.oracles.fair import ERRORS, fair_counts, overall
from tests.oracles.whole import count_relations

Relation = dict[str, list[tuple[int, int]]]
Counts = Counter[tuple[int, str]]
ROLES = ("cause", "effect", "signal")


def reward(
    gold: list[Relation],
    answer: list[Relation] | None,
    share: Callable[[list[Relation], list[Relation]], Fraction],
    unparsed: float = 0.0,
    none: float = 1.0,
) -> float:
    if answer is None:
        return unparsed
    if not gold and not answer:
        return none
    return float(share(gold, answer)) if gold and answer else 0.0


def recess_f1(gold: list[Relation], answer: list[Relation]) -> Fraction:
    """2tp / (2tp + errors) of the pairing that makes it largest."""
    return max(map(f1_of_counts, map(overall, all_counts(gold, answer))))


def all_counts(gold: list[Relation], answer: list[Relation]) -> Iterator[Counts]:
    golds, answers = ([spans_of(relation) for relation in side] for side in (gold, answer))
    for partners in all_partners(len(golds), range(len(answers))):
        pairs = [(g, answers[p] if p >= 0 else []) for g, p in zip(golds, partners, strict=True)]
        pairs += [([], p) for k, p in enumerate(answers) if k not in partners]
        counts: Counts = Counter()
        for pair in pairs:
            counts += fair_counts(*pair)
        yield counts


def all_partners(n: int, free: Sequence[int]) -> Iterator[list[int]]:
    """The partner of each of n relations, -1 for none, in every way."""
    if not n:
        yield []
        return
    for chosen in (-1, *free):
        rest = [k for k in free if k != chosen]
        yield from ([chosen, *others] for others in all_partners(n - 1, rest))


def f1_of_counts(counts: Counter[str]) -> Fraction:
    hits = 2 * counts["tp"]
    return Fraction(hits, hits + sum(counts[error] for error in ERRORS))


def spans_of(relation: Relation) -> list[tuple[int, int, int]]:
    return [(k, *span) for k, role in enumerate(ROLES) for span in relation.get(role, ())]


def relations_f1(criterion: str) -> Callable[[list[Relation], list[Relation]], Fraction]:
    """F1 of relations that are alike by a criterion."""

    def share(gold: list[Relation], answer: list[Relation]) -> Fraction:
        counts = count_relations(gold, answer, ROLES, ROLES[:2], Fraction(1, 2))
        return Fraction(2 * counts[f"{criterion}_tp"], counts["gold"] + counts["predicted"])

    return share


def quoted(texts: list[str], text: str) -> float:
    """The share of texts that stand in the text word for word."""
    words = text.split()
    runs = {tuple(words[i:j]) for i in range(len(words)) for j in range(i + 1, len(words) + 1)}
    return float(Fraction(sum(tuple(t.split()) in runs for t in texts), len(texts)))


def weighted(parts: dict[str, float], weights: dict[str, float]) -> Any:
    exact = sum(Fraction(weights[name]) * Fraction(parts[name]) for name in weights)
    return exact / sum(map(Fraction, weights.values()))

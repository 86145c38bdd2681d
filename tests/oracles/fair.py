"""Fair span counts by the book: every span holds the set of its tokens.

Written from the description of the algorithm alone, sharing nothing with the package. Spans come in
the order (start, stop, role), which decides between equals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.support.strategies import TRACKS, Relation

ERRORS = ("fp", "fn", "le", "be", "lbe")


class Piece:
    """A span and the tokens of it that no partner has taken yet."""

    def __init__(self, role: int, start: int, stop: int) -> None:
        self.role, self.bounds = role, (start, stop)
        self.tokens = set(range(start, stop))
        self.every_token = frozenset(self.tokens)


def fair_counts(
    gold: Relation, pred: Relation, tracks: Sequence[Sequence[int]] = TRACKS
) -> Counter[tuple[int, str]]:
    """Counts by (role, error)."""
    counts: Counter[tuple[int, str]] = Counter()
    for track in tracks:
        _count_sequence(
            *([Piece(*s) for s in sorted(side, key=lambda s: (*s[1:], s[0])) if s[0] in track]
              for side in (gold, pred)),
            counts,
        )  # fmt: skip
    return counts


def _count_sequence(gold: list[Piece], pred: list[Piece], counts: Counter[tuple[int, str]]) -> None:
    for error, same in (("tp", True), ("le", False)):
        for t in [*gold]:
            twins = [s for s in pred if s.bounds == t.bounds and (s.role == t.role) == same]
            if twins:
                counts[t.role, error] += 1
                gold.remove(t)
                pred.remove(twins[0])
    gold.sort(key=lambda t: len(t.every_token))
    pred.sort(key=lambda s: len(s.every_token))
    gold_met: list[Piece] = []
    pred_met: list[Piece] = []
    for error, same in (("be", True), ("lbe", False)):
        for t in [*gold]:
            if s := _closest(t, pred, same):
                _take(t, s, error, counts)
                gold.remove(t)
                pred.remove(s)
                gold_met.append(t)
                pred_met.append(s)
        for t in [*gold]:
            if s := _closest(t, pred_met, same):
                _take(t, s, error, counts)
                gold.remove(t)
                gold_met.append(t)
        for s in [*pred]:
            if t := _closest(s, gold_met, same):
                _take(t, s, error, counts)
                pred.remove(s)
                pred_met.append(s)
    counts.update((t.role, "fn") for t in gold)
    counts.update((s.role, "fp") for s in pred)


def _closest(one: Piece, others: list[Piece], same: bool) -> Piece | None:
    fitting = [
        other
        for other in others
        if (one.role == other.role) == same
        and one.bounds != other.bounds
        and one.tokens & other.tokens
    ]
    return min(
        fitting,
        key=lambda other: (
            -len(one.tokens & other.tokens),
            len(one.tokens - other.tokens),
            len(other.tokens - one.tokens),
            len(other.every_token),
        ),
        default=None,
    )


def _take(t: Piece, s: Piece, error: str, counts: Counter[tuple[int, str]]) -> None:
    shared = t.tokens & s.tokens
    t.tokens -= shared
    s.tokens -= shared
    counts[t.role, error] += 1
    if error == "be":
        inside, around = s.every_token < t.every_token, s.every_token > t.every_token
        counts[t.role, "bes" if inside else "bel" if around else "beo"] += 1


def official_f1(counts: Counter[str]) -> float:
    """Fair F1 in the official order of float operations."""
    half = (counts["le"] + counts["be"] + counts["lbe"]) / 2
    predicted, wanted = counts["tp"] + counts["fp"] + half, counts["tp"] + counts["fn"] + half
    precision = counts["tp"] / predicted if predicted else 0.0
    recall = counts["tp"] / wanted if wanted else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def overall(counts: Counter[tuple[int, str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for (_, error), n in counts.items():
        total[error] += n
    return total

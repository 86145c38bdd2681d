"""The official scoring of the CNC task in plain Python, as a user would run it today.

This is the published program without reading files and loading the metric: tags are in memory,
every permutation of the gold relations is tried, and every pair in it is compared anew, span by
span, as sets of tokens. ``score`` can leave out two of these burdens, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise, permutations
from typing import NamedTuple

from fastcausal.rows import Rows

ROLES = ("cause", "effect", "signal")
TRACKS = (("cause", "effect"), ("signal",))
ERRORS = ("tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo")

Spans = list[tuple[str, int, int]]  # (role, start, stop) by start
Tags = list[str]
Relation = Sequence[Spans] | Sequence[Tags]  # one sequence for each track
Relations = Sequence[Sequence[Relation]]  # relations by example
Counts = dict[str, dict[str, int]]  # by role, or "overall", and by error


class Span(NamedTuple):
    role: str
    start: int
    stop: int
    tokens: set[int]  # tokens not yet taken by a partner


def spans_of(rows: Rows) -> Relations:
    """Convert rows to Python lists of spans."""
    values = [(ROLES[role], start, stop) for role, start, stop in rows.values.tolist()]
    row, relation = rows.row_offsets.tolist(), rows.relation_offsets.tolist()
    relations = [
        [[s for s in values[a:b] if s[0] in track] for track in TRACKS] for a, b in pairwise(row)
    ]
    return [relations[a:b] for a, b in pairwise(relation)]


def tags_of(rows: Rows) -> Relations:
    """Convert rows to Python lists of IOB2 tags."""
    return [
        [[write_tags(spans, length) for spans in relation] for relation in relations]
        for relations, length in zip(spans_of(rows), rows.lengths.tolist(), strict=True)
    ]


def write_tags(spans: Spans, length: int) -> Tags:
    tags = ["O"] * length
    for role, start, stop in spans:
        tags[start:stop] = [f"B-{role}"] + [f"I-{role}"] * (stop - start - 1)
    return tags


def read_tags(tags: Tags) -> Spans:
    """Read the spans of strict IOB2 tags: B-x, then I-x of the same x."""
    spans: Spans = []
    role, start = "", 0
    for k, tag in enumerate([*tags, "O"]):
        if role and tag != f"I-{role}":
            spans.append((role, start, k))
            role = ""
        if tag.startswith("B-"):
            role, start = tag[2:], k
    return spans


def score(
    gold: Relations, pred: Relations, tags: bool = True, cached: bool = False
) -> dict[str, dict[str, dict[str, float]]]:
    """Compute scores and counts of each role and overall, over all examples and over examples with
    several gold relations.

    With ``tags`` both sides are tags, which the official program turns into spans in every
    comparison; else they are spans. ``cached`` compares each gold relation with each prediction of
    an example once, not anew in every permutation.
    """
    subsets = {"all": no_counts(), "multi_relation": no_counts()}
    for golds, preds in zip(gold, pred, strict=True):
        if not golds:
            continue
        nothing = [["O"] * len(track) if tags else [] for track in golds[0]]
        preds = [*preds[: len(golds)], *[nothing] * (len(golds) - len(preds))]
        found = best_of_permutations(golds, preds, tags, cached)
        add(subsets["all"], found)
        if len(golds) > 1:
            add(subsets["multi_relation"], found)
    return {
        subset: {role: scores_of(counts) | counts for role, counts in by_role.items()}
        for subset, by_role in subsets.items()
    }


def best_of_permutations(
    golds: Sequence[Relation], preds: Sequence[Relation], tags: bool, cached: bool
) -> Counts:
    """Return the counts of the first permutation of gold with the highest overall F1."""

    def compared(g: int, p: int) -> Counts:
        return compare(golds[g], preds[p], tags)

    pair: Callable[[int, int], Counts] = cache(compared) if cached else compared
    best, chosen = -1.0, no_counts()
    for order in permutations(range(len(golds))):
        counts = no_counts()
        for p, g in enumerate(order):
            add(counts, pair(g, p))
        f1 = scores_of(counts["overall"])["f1"]
        if f1 > best:
            best, chosen = f1, counts
    return chosen


def no_counts() -> Counts:
    return {role: dict.fromkeys(ERRORS, 0) for role in ("overall", *ROLES)}


def add(total: Counts, counts: Counts) -> None:
    for role, by_error in counts.items():
        of_role = total[role]
        for error, n in by_error.items():
            of_role[error] += n


def scores_of(counts: dict[str, int]) -> dict[str, float]:
    """Compute fair precision, recall and F1 (Ortmann 2022)."""
    tp = counts["tp"]
    half = (counts["le"] + counts["be"] + counts["lbe"]) / 2
    predicted, wanted = tp + counts["fp"] + half, tp + counts["fn"] + half
    precision = tp / predicted if predicted else 0.0
    recall = tp / wanted if wanted else 0.0
    both = precision + recall
    f1 = 2 * (precision * recall) / both if both else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def compare(gold: Relation, pred: Relation, tags: bool) -> Counts:
    """Return the fair span counts of one gold relation and one prediction."""
    counts = no_counts()
    for target, system in zip(gold, pred, strict=True):
        if tags:
            target, system = read_tags(target), read_tags(system)
        compare_track(
            [Span(*s, set(range(*s[1:]))) for s in target],
            [Span(*s, set(range(*s[1:]))) for s in system],
            counts,
        )
    return counts


def compare_track(gold: list[Span], pred: list[Span], counts: Counts) -> None:
    def charge(role: str, error: str) -> None:
        counts[role][error] += 1
        counts["overall"][error] += 1

    def charge_overlap(t: Span, s: Span, error: str) -> None:
        charge(t.role, error)
        if error == "be":
            inside = t.start <= s.start and s.stop <= t.stop
            around = s.start <= t.start and t.stop <= s.stop
            charge(t.role, "bes" if inside else "bel" if around else "beo")
        shared = t.tokens & s.tokens
        t.tokens.difference_update(shared)
        s.tokens.difference_update(shared)

    for error, same in (("tp", True), ("le", False)):
        for t in list(gold):
            for s in pred:
                if t[1:3] == s[1:3] and (t.role == s.role) == same:
                    charge(t.role, error)
                    gold.remove(t)
                    pred.remove(s)
                    break
    gold.sort(key=lambda t: t.stop - t.start)
    pred.sort(key=lambda s: s.stop - s.start)
    met_gold: list[Span] = []
    met_pred: list[Span] = []
    for error, same in (("be", True), ("lbe", False)):
        for t in list(gold):
            if s := partner(t, pred, same):
                charge_overlap(t, s, error)
                gold.remove(t)
                pred.remove(s)
                met_gold.append(t)
                met_pred.append(s)
        for t in list(gold):
            if s := partner(t, met_pred, same):
                charge_overlap(t, s, error)
                gold.remove(t)
                met_gold.append(t)
        for s in list(pred):
            if t := partner(s, met_gold, same):
                charge_overlap(t, s, error)
                pred.remove(s)
                met_pred.append(s)
    for t in gold:
        charge(t.role, "fn")
    for s in pred:
        charge(s.role, "fp")


def partner(one: Span, others: list[Span], same: bool) -> Span | None:
    """Return the span with most shared tokens, then fewest tokens left over, then the shortest."""
    best, best_key = None, (0, 0, 0, 0)
    for other in others:
        if (one.role == other.role) != same or one[1:3] == other[1:3]:
            continue
        shared = len(one.tokens & other.tokens)
        if not shared:
            continue
        key = (
            -shared,
            len(one.tokens) - shared,
            len(other.tokens) - shared,
            other.stop - other.start,
        )
        if best is None or key < best_key:
            best, best_key = other, key
    return best

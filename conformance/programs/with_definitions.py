"""Answers by the definitions in plain Python: tests/oracles, which share nothing with fastcausal.

Relations are paired by trying every pairing, and scores are fractions.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from answering import (
    ROLES,
    Case,
    RefusedError,
    UnknownError,
    Values,
    answer_lines,
    flat,
    ratio,
    spans_of,
    tagged_text,
)
from defined_tasks import OTHERS

from tests.oracles import agreement, depths, fair, markup, unitized

Span = tuple[int, int, int]
Relation = list[Span]
Counts = Counter[tuple[int, str]]  # by role and error
DEFAULTS: dict[str, Any] = {
    "kernel": "fair_spans",
    "tags": "strict",
    "ties": "content",
    "surplus": "charge",
    "non_causal": "charge",
    "tracks": [["cause", "effect"], ["signal"]],
    "undefined": None,
}
CNC = {"ties": "first", "surplus": "truncate", "non_causal": "ignore", "undefined": 0}
NAMED: dict[str, dict[str, Any]] = {"recess": {}, "cnc-2023": {"tags": "cnc-2023", **CNC}}
HALVES = ("le", "be", "lbe")


def settings_of(case: Case) -> dict[str, Any]:
    given = case["protocol"]
    if not isinstance(given, dict):
        if given not in NAMED:
            raise UnknownError(f"no protocol {given}")
        given = NAMED[given]
    settings = {**DEFAULTS, **given}
    if settings["kernel"] == "partial_spans":
        raise UnknownError(f"no counts of {settings['kernel']}")
    return settings


# --------------------------------------------------------------------------- counts and pairing


def counts_of(gold: Relation, pred: Relation, settings: dict[str, Any]) -> Counts:
    if settings["kernel"] == "exact_spans":
        hits = Counter(gold) & Counter(pred)
        counts: Counts = Counter()
        for name, found in (
            ("tp", hits), ("fn", Counter(gold) - hits), ("fp", Counter(pred) - hits),
        ):  # fmt: skip
            for (role, *_), n in found.items():
                counts[role, name] += n
        return counts
    tracks = [[ROLES.index(role) for role in track] for track in settings["tracks"]]
    return fair.fair_counts(gold, pred, tracks)


def f1_of(counts: Counts) -> Fraction:
    total = fair.overall(counts)
    wrong = sum(total[name] for name in ("fp", "fn", *HALVES))
    return ratio(2 * total["tp"], 2 * total["tp"] + wrong) or Fraction(0)


def shared(gold: Relation, pred: Relation) -> int:
    """Count tokens of the same role."""
    sides = [{(r, t) for r, a, b in side for t in range(a, b)} for side in (gold, pred)]
    return len(sides[0] & sides[1])


def meets(gold: Relation, pred: Relation) -> bool:
    sides = [{t for _, a, b in side for t in range(a, b)} for side in (gold, pred)]
    return bool(sides[0] & sides[1])


def pairings(n_rows: int, n_columns: int, taken: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yield every pairing in lexicographic order; n_columns means none, and comes last."""
    if len(taken) == n_rows:
        yield taken
        return
    for j in range(n_columns + 1):
        if j == n_columns or j not in taken:
            yield from pairings(n_rows, n_columns, (*taken, j))


def paired(
    golds: list[Relation], preds: list[Relation], settings: dict[str, Any]
) -> list[int | None]:
    """Return the partner of each gold relation."""
    if settings["ties"] == "first":
        return in_file_order(golds, preds, settings)

    def place(side: list[Relation]) -> list[int]:
        return sorted(range(len(side)), key=lambda k: [list(span) for span in side[k]])

    order = place(golds), place(preds)
    gold_leads = [golds[k] for k in order[0]] <= [preds[k] for k in order[1]]
    rows, columns = order if gold_leads else order[::-1]
    best: tuple[Any, list[tuple[int, int]]] | None = None
    for pairing in pairings(len(rows), len(columns)):
        both = [(rows[i], columns[j]) for i, j in enumerate(pairing) if j < len(columns)]
        pairs = both if gold_leads else [(g, p) for p, g in both]
        if not all(meets(golds[g], preds[p]) for g, p in pairs):
            continue
        total = sum_of(golds, preds, pairs, settings)
        worth = f1_of(total), sum(shared(golds[g], preds[p]) for g, p in pairs)
        if best is None or worth > best[0]:
            best = worth, pairs
    assert best is not None
    partners = dict(best[1])
    return [partners.get(g) for g in range(len(golds))]


def in_file_order(
    golds: list[Relation], preds: list[Relation], settings: dict[str, Any]
) -> list[int | None]:
    """Search as the official program: the first order of gold with the best F1, in floats."""
    if len(preds) > len(golds):
        raise UnknownError("the official search has no more predictions than gold relations")
    best, chosen = -1.0, ()
    for order in permutations(range(len(golds))):
        pairs = [(g, p) for p, g in enumerate(order) if p < len(preds)]
        f1 = fair.official_f1(fair.overall(sum_of(golds, preds, pairs, settings)))
        if f1 > best:
            best, chosen = f1, order
    partners = {g: p for p, g in enumerate(chosen) if p < len(preds)}
    return [partners.get(g) for g in range(len(golds))]


def sum_of(
    golds: list[Relation], preds: list[Relation], pairs: list[tuple[int, int]], settings: Any
) -> Counts:
    """Add the counts of pairs and of what has no partner."""
    total: Counts = Counter()
    for g, p in pairs:
        total.update(counts_of(golds[g], preds[p], settings))
    for g in {*range(len(golds))} - {g for g, _ in pairs}:
        total.update(counts_of(golds[g], [], settings))
    for p in {*range(len(preds))} - {p for _, p in pairs}:
        total.update(counts_of([], preds[p], settings))
    return total


# ------------------------------------------------------------------------------------- examples


def as_tagged(relation: Any, length: int) -> Relation:
    """Write a relation with tags and read these as the program of 2023 does."""
    text = tagged_text(relation, length)
    if text is None:
        return spans_of(relation)
    spans = [span for track in markup.official_tags(text) for span in markup.strict_iob2(track)]
    return ordered([("CES".index(name), start, stop) for name, start, stop in spans])


def ordered(relation: Relation) -> Relation:
    return sorted(relation, key=lambda span: (*span[1:], span[0]))


def sides_of(case: Case) -> Iterator[tuple[list[Any], list[Any], int]]:
    """Yield gold and predicted relations of every example that counts."""
    for example in case["examples"]:
        sides = []
        for side in ("gold", "pred"):
            if side not in example and case.get("unmatched", "error") == "error":
                raise RefusedError(f"{example['id']} lacks {side}")
            relations = example.get(side, [])
            sides.append([None] if relations is None else relations)
        if not ({"gold", "pred"} <= {*example}) and case["unmatched"] == "skip":
            continue
        if any(None in side for side in sides):
            if case.get("unparsed", "error") == "error":
                raise RefusedError(f"{example['id']} is unread")
            if case["unparsed"] == "skip":
                continue
        yield sides[0], sides[1], example["length"]


def without_kernel(case: Case) -> Values:
    """Return counts and scores of whole relations, or of where they are lost."""
    examples = []
    for example in case["examples"]:
        sides = [
            [
                (
                    {role: frozenset(t for a, b in r.get(role, ()) for t in range(a, b))
                     for role in ROLES},
                    r.get("type"),
                )
                for r in example[side]
            ]
            for side in ("gold", "pred")
        ]  # fmt: skip
        examples.append(sides)
    if case["protocol"] == "relations":
        counts = depths.whole(examples)
        values: Values = {}
        for name in counts:
            if name.endswith("_tp"):
                tp, predicted, gold = counts[name], counts["predicted"], counts["gold"]
                values |= flat(shares_of(tp, predicted, gold), f"{name.removesuffix('_tp')}.")
        return values
    found = depths.depths(examples, "exact", typed=False)
    values = {}
    for name in ("causal", *ROLES):
        group = "causal" if name == "causal" else f"spans.{name}"
        values |= flat({k: found[name][k] for k in ("tp", "predicted", "gold", "fp", "fn", "tn")},
                       f"{group}.")  # fmt: skip
    for name in ("gold", "predicted"):
        lines = ("relations", "right", *depths.LOST, "partial")
        values |= flat({k: found[name][k] for k in lines}, f"account.{name}.")
    linkable = [
        sum(found[name][k] for k in ("right", "mistyped", "turned", "unlinked"))
        for name in ("gold", "predicted")
    ]
    of = found["gold"]
    seen = of["relations"] - of["not_causal"]
    values |= {
        **flat(shares_of(of["right"], linkable[1], linkable[0]), "links."),
        "links.linkable_gold": linkable[0],
        "links.linkable_predicted": linkable[1],
        "steps.seen": ratio(seen, of["relations"]),
        "steps.found": ratio(linkable[0], seen),
        "steps.linked": ratio(of["right"], linkable[0]),
    }
    return values


def shares_of(tp: int, predicted: int, gold: int) -> Values:
    return {
        "tp": tp,
        "right": tp,
        "predicted": predicted,
        "gold": gold,
        "precision": ratio(tp, predicted),
        "recall": ratio(tp, gold),
        "f1": ratio(2 * tp, predicted + gold),
    }


def score(case: Case) -> Values:
    if case["protocol"] in ("relations", "depths"):
        return without_kernel(case)
    settings = settings_of(case)
    if settings["kernel"] == "span_overlap":
        return overlap(case)
    sums: dict[str, Counts] = {"": Counter(), "multi_relation.": Counter()}
    partners = []
    n_examples = 0
    for *sides, length in sides_of(case):
        n_examples += 1
        golds, preds = (
            [as_tagged(r, length) if settings["tags"] == "cnc-2023" else spans_of(r) for r in side]
            for side in sides
        )
        if settings["surplus"] == "truncate" and golds:
            preds = preds[: len(golds)]
        if settings["non_causal"] == "ignore" and not golds:
            preds = []
        found = paired(golds, preds, settings)
        partners.append(found)
        pairs = [(g, p) for g, p in enumerate(found) if p is not None]
        counts = sum_of(golds, preds, pairs, settings)
        sums[""].update(counts)
        if len(golds) > 1:
            sums["multi_relation."].update(counts)
    values: Values = {"partners": partners, "n_examples": n_examples}
    for subset, total in sums.items():
        for k, role in enumerate((*ROLES, "overall")):
            of = Counter({error: n for (r, error), n in total.items() if r == k})
            of = fair.overall(total) if role == "overall" else of
            values |= flat(scores_of(of, settings["undefined"]), f"{subset}{role}.")
    return values


def scores_of(counts: Counter[str], undefined: Any) -> Values:
    half = Fraction(sum(counts[name] for name in HALVES), 2)
    tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
    if undefined is not None:
        undefined = Fraction(undefined)
    return {
        **{name: counts[name] for name in ("tp", "fp", "fn", *HALVES, "bes", "bel", "beo")},
        "precision": ratio(tp, tp + fp + half, undefined),
        "recall": ratio(tp, tp + fn + half, undefined),
        "f1": ratio(2 * tp, 2 * tp + fp + fn + 2 * half, undefined),
    }


def overlap(case: Case) -> Values:
    """Return measures of span_overlap, of the best match of relations."""
    pairs: list[tuple[Any, Any, int]] = []
    partners = []
    for gold, pred, length in sides_of(case):
        golds, preds = ([spans_of(r) for r in side] for side in (gold, pred))
        n = max(len(golds), len(preds))
        sides = [side + [None] * (n - len(side)) for side in (golds, preds)]
        orders = ([*zip(sides[0], order, strict=True)] for order in permutations(sides[1]))
        best = max(orders, key=agreement.worth)
        pairs += [(x, y, length) for x, y in best]
        partners.append([None if y is None else preds.index(y) for x, y in best if x is not None])
    values: Values = {"partners": partners}
    sums: Counter[str] = Counter()
    for k, role in enumerate((*ROLES, "overall")):
        group = "total" if role == "overall" else role
        for i, name in enumerate(("em", "osb", "to")):
            hits = sum(agreement.measured(x, y)[group][i] for x, y, _ in pairs)
            values[f"{role}.{name}"] = ratio(hits, len(pairs))
        values[f"{role}.pairs"] = len(pairs)
        if role != "overall":
            of: Counter[str] = Counter()
            for x, y, length in pairs:
                masks = [agreement.mask(side, k, length) for side in (x, y)]
                of.update({"tp": sum(a and b for a, b in zip(*masks, strict=True)),
                           "n": 2 * length, "n1": sum(map(sum, masks)),
                           "fp": sum(masks[1]), "fn": sum(masks[0])})  # fmt: skip
            of.update({"fp": -of["tp"], "fn": -of["tp"]})
            sums.update(of)
        values |= flat(token_scores(sums if role == "overall" else of), f"{role}.")
    return values


def token_scores(of: Counter[str]) -> Values:
    wrong = of["fp"] + of["fn"]
    rest = (of["n"] - of["n1"]) * of["n1"]
    return {
        **{name: of[name] for name in ("tp", "fp", "fn")},
        "token_precision": ratio(of["tp"], of["tp"] + of["fp"]),
        "token_recall": ratio(of["tp"], of["tp"] + of["fn"]),
        "token_f1": ratio(2 * of["tp"], 2 * of["tp"] + wrong),
        "alpha": 1 - Fraction((of["n"] - 1) * wrong, rest) if rest else None,
    }


def tags(case: Case) -> Values:
    reading = case["protocol"]
    if reading == "aligned":
        raise UnknownError("no aligned reading")
    if reading == "strict":
        read = markup.strict_reading(case["tagged"])
        if read is None:
            raise RefusedError("unreadable")
        length, spans = read
    else:
        sequences = markup.official_tags(case["tagged"])
        if reading == "cnc-2022":
            from seqeval.metrics.sequence_labeling import get_entities

            found = [(n, a, b + 1) for track in sequences for n, a, b in get_entities(track)]
        else:
            found = [span for track in sequences for span in markup.strict_iob2(track)]
        length = len(sequences[0])
        spans = [("CES".index(name), start, stop) for name, start, stop in found]
    return {"length": length, "reads": [[ROLES[r], a, b] for r, a, b in ordered(spans)]}


def agree(case: Case) -> Values:
    sides = [
        {e["id"]: [spans_of(r) for r in e["relations"]] for e in annotator}
        for annotator in case["annotators"]
    ]
    pairs = [(a, b) for k, a in enumerate(sides) for b in sides[k + 1 :]]
    length = case["annotators"][0][0]["length"]
    if case["protocol"] == "recess":
        average = case.get("average", "example")
        found = [agreement.textbook(a, b, average, length) for a, b in pairs]
    else:
        found = [published_agreement(a, b, length) for a, b in pairs]
    means = agreement.mean_where_defined(found)
    return {name.replace(" ", "."): value for name, value in means.items()}


def published_agreement(a: agreement.Examples, b: agreement.Examples, length: int) -> Any:
    """Measures of two annotators by the rules of the published program."""
    values: dict[str, list[Any]] = {}
    for name in a:
        for i, j in unitized.published_pairs(a[name], b[name]):
            x, y = (s[k] if k is not None else None for s, k in ((a[name], i), (b[name], j)))
            for group, three in agreement.measured(x, y).items():
                for measure, value in zip(("em", "osb", "to"), three, strict=True):
                    values.setdefault(f"{group} {measure}", []).append(value)
            for role, group in enumerate(ROLES):
                spans = [[s[1:] for s in side or [] if s[0] == role] for side in (x, y)]
                if any(spans):
                    of = values.setdefault(f"{group} alpha_unitized", [])
                    of.append(unitized.alpha_by_sets(*spans, length))
    return {name: weighted(of) for name, of in values.items()}


def weighted(values: list[Any]) -> float:
    """Return the mean of values, or of (value, weight)."""
    pairs = [value if isinstance(value, tuple) else (value, 1) for value in values]
    return sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)


if __name__ == "__main__":
    answer_lines({"score": score, "tags": tags, "agree": agree, **OTHERS})

"""From the published scores of labels of words to spans, one change at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fastcausal._version import __version__
from fastcausal.counts.task import resolve
from fastcausal.formats.fincausal import Int64, SectionRows, TextSlices
from fastcausal.formats.spans import located
from fastcausal.marking import WordRule
from fastcausal.relations import Relations
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.report.steps import Step, present_steps
from fastcausal.tasks.fincausal.count import PROTOCOL, fincausal
from fastcausal.tasks.fincausal.files import SidesByRow, read_side, side_by_side
from fastcausal.tasks.fincausal.formula import FIELDS, WordFormula
from fastcausal.tasks.fincausal.labels import WordBits, WordLabels, label_words
from fastcausal.tasks.fincausal.sections import count_sections
from fastcausal.tasks.fincausal.stops import Stops
from fastcausal.tasks.fincausal.words import cutting

QUIRKS = {
    "none": "words of no span are a class, and have weight",
    "weighted": "classes are weighted by their words in gold",
    "greedy": "rows of a section are paired greedily, in gold's order",
    "by_place": "rows match exactly by their place in the file",
    "words": "texts and spans are cut into words and marks, each for itself",
    "chains": "spans are found again by their words",
    "overlay": "the effect lies over the cause",
    "spans": "words are counted, not spans",
}
FOUND = ("cause", "effect")


COLUMNS = {"F1": "f1", "change": "change", "exact match": "exact_match"}


class PlacedSpans(NamedTuple):
    """Spans of rows by their places: relations of each row, and labels of its words."""

    relations: tuple[Relations, Relations]
    labels: WordLabels


def explain_words(gold: Any, pred: Any, words: WordRule = "fincausal") -> Report:
    """Attribute the difference between ``fincausal-2020`` and ``recess`` to its quirks."""
    # gold, pred, words: as in `fastcausal.tasks.fincausal.count.fincausal`.
    sides = side_by_side(read_side(gold, "gold"), read_side(pred, "pred"), Stops(lenient=False))
    predicted = replace(sides.gold, cause=sides.cause, effect=sides.effect)
    official = fincausal(sides.gold, predicted, words=words)
    quirks = []
    before, exact = official["official"].f1, official["official"].exact_match
    for field, (f1, share) in zip(QUIRKS, _steps(sides, official, words), strict=True):
        exact = exact if share is None else share
        values = {"f1": f1, "change": f1 - before, "exact_match": exact}
        quirks.append(Step(field=field, meaning=QUIRKS[field], **values))
        before = f1
    scores = {PROTOCOL: official["official"], "recess": Scores({"f1": before})}
    title = f"from {PROTOCOL} to recess: {official.title.partition(': ')[2]}"
    return present_steps(
        title,
        f"fastcausal|{__version__}|explain|{PROTOCOL}:to:recess|{official.signature.split('|')[3]}",
        scores,
        quirks,
        COLUMNS,
        warnings=official.warnings,
    )


def _steps(
    sides: SidesByRow, official: Report, words: WordRule
) -> Iterator[tuple[float, float | None]]:
    """Yield F1 and exact match after each step; None for an unchanged exact match."""
    yield official["spans"].f1, None
    yield _micro(official.statistics.rows), None
    section, names = sides.gold.sections(by_text=True)
    n = len(names)
    columns = (sides.gold.cause, sides.gold.effect), (sides.cause, sides.effect)
    rows = count_sections(
        label_words(sides.gold.text, *columns, cutting(words)), section, n, best=True
    )
    yield _micro(rows), None
    yield _micro(rows), _exact(rows)
    blank = label_words(sides.gold.text, *columns, cutting("blank"))
    rows = count_sections(blank, section, n, best=True)
    yield _micro(rows), _exact(rows)
    placed = _placed(sides, blank.sizes)
    for both in (False, True):
        rows = count_sections(placed.labels, section, n, best=True, both=both)
        yield _micro(rows), _exact(rows)
    score = resolve("fastcausal.tasks.extraction.score:score")
    gold, pred = (_gathered(side, section, n) for side in placed.relations)
    yield score(gold, pred, unparsed="empty")["overall"].f1, float("nan")


def _micro(rows: Int64) -> float:
    """Return F1 of all words of causes and effects."""
    of = dict(zip(FIELDS, rows.sum(axis=0).tolist(), strict=True))
    hits, *both = (
        sum(of[f"{role}_{name}"] for role in FOUND) for name in ("hits", "predicted", "gold")
    )
    return 2 * hits / sum(both) if sum(both) else 0.0


def _exact(rows: Int64) -> float:
    return float(
        WordFormula().scores(rows, np.ones((1, len(rows)), np.int64))["pairs_exact_match"][0]
    )


def _placed(sides: SidesByRow, sizes: Int64) -> PlacedSpans:
    """Find the spans of both sides in their texts."""
    texts = sides.gold.text.texts()
    columns = (sides.gold.cause, sides.gold.effect), (sides.cause, sides.effect)
    relations = [_located(sides.gold, texts, *spans) for spans in columns]
    gold, pred = (_mark_words(side) for side in relations)
    facts = np.zeros((len(sizes), 2, 2), np.int64)
    return PlacedSpans((relations[0], relations[1]), WordLabels(sizes, gold, pred, facts))


def _located(
    rows: SectionRows, texts: list[str], cause: TextSlices, effect: TextSlices
) -> Relations:
    spans = zip(texts, cause.texts(), effect.texts(), strict=True)
    examples = [
        {"text": text, "relations": [dict(zip(FOUND, of, strict=True))] if any(of) else []}
        for text, *of in spans
    ]
    return located(rows.name, examples, None, "gap", [rows.name] * len(texts))


def _mark_words(relations: Relations) -> list[WordBits]:
    """Return the labels of each example's words by the places of spans."""
    labels = []
    for example in relations.to_examples():
        marks = [0, 0]
        for relation in filter(None, example["relations"]):
            for k, role in enumerate(FOUND):
                for start, stop in relation.get(role, ()):
                    marks[k] |= (1 << stop) - (1 << start)
        labels.append((marks[0], marks[1]))
    return labels


def _gathered(rows: Relations, section: Int64, n: int) -> Relations:
    """Group the relations of rows by section."""
    examples: list[dict[str, Any]] = [{"relations": []} for _ in range(n)]
    for k, row in zip(section.tolist(), rows.to_examples(), strict=True):
        examples[k]["text"] = row["text"]
        examples[k]["relations"] += [*filter(None, row["relations"])]
    return Relations.from_examples(examples)

"""The page of items: the values of each run, what changed, and texts where a source has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastcausal.report.page import Card, Page
from fastcausal.report.page.page import items_part
from fastcausal.report.report import Report, describe_settings
from fastcausal.tasks.values.answers import ValueAnswers

Item = Mapping[str, Any]

MOST = 20_000  # items of a page
MAX_LETTERS = 4_000  # of a text
MAX_ANSWERS = 20  # of an item in a run
MAX_TEXTS = 30_000_000  # letters of all texts
SAME = (None, "same")  # changes of an item that is the same in both runs, or in one run


def page_of(
    report: Report,
    items: Sequence[Item],
    answers: Mapping[str, ValueAnswers],  # By run
    score: str,
    lower: bool = False,
    n_examples: int = MOST,
) -> Page:
    """Make the page of the items of runs."""
    runs = [*answers]
    shown = choose(items, n_examples)
    columns = columns_of([items[k] for k in shown], answers, score)
    n_left_out = len(items) - len(shown)
    warnings = [f"warning: {warning}" for warning in report.warnings]
    if n_left_out:
        warnings.append(
            f"{n_left_out} of {len(items)} items are left out, those that are right and the same "
            "in all runs before others; the table has them all"
        )
    if columns.pop("is_cut"):
        warnings.append("texts beyond 30 million letters are left out")
    counts = {
        name: report.facts[f"n_{name}"]
        for name in ("items", "up", "down", "flaky", "crashed")
        if report.facts.get(f"n_{name}") is not None
    }
    facts = [(name, str(n)) for name, n in counts.items()]
    cards = [card for run in runs if (card := _card(run, items, score)) is not None]
    part = items_part({**columns, "lower": lower})
    return Page(report.title, [describe_settings(report)], part, cards, facts, warnings)


def choose(items: Sequence[Item], most: int) -> list[int]:
    """Return at most so many items in order; those that are right and the same go first."""
    plain = [
        all(each["n"] and each["right"] == each["n"] for each in item["values"].values())
        and item.get("change") in SAME
        and not any(each["crashed"] for each in item["values"].values())
        for item in items
    ]
    return sorted(sorted(range(len(items)), key=plain.__getitem__)[:most])


def columns_of(
    items: Sequence[Item], answers: Mapping[str, ValueAnswers], score: str
) -> dict[str, Any]:
    """Return the columns of docs/pages.md for these items."""
    place = {item["id"]: k for k, item in enumerate(items)}
    inputs: list[str] = [""] * len(items)
    targets: list[str] = [""] * len(items)
    left = MAX_TEXTS
    runs = []
    for name, of_run in answers.items():
        said: list[list[list[Any]] | None] = [None] * len(items)
        values = _values_of(of_run, score) if of_run.texts is not None else {}
        for text in of_run.texts(place.keys()) if of_run.texts is not None else ():
            k = place[text.id]
            cut = [None if each is None else each[:MAX_LETTERS] for each in text[2:]]
            left -= sum(len(each) for each in cut if each)
            if left < 0:
                break
            inputs[k] = inputs[k] or cut[0] or ""
            targets[k] = targets[k] or cut[1] or ""
            row = said[k] = said[k] or []
            if len(row) < MAX_ANSWERS:
                row.append([values.get((text.id, text.epoch)), cut[2]])
        own = [item["values"][name] for item in items]
        numbers = {
            key: [each.get(key) for each in own]
            for key in ("value", "n", "right", "crashed", "low", "high")
        }
        runs.append({"name": name, **numbers, "answers": said})
    clusters = [item.get("cluster") for item in items]
    return {
        "ids": [item["id"] for item in items],
        "texts": inputs,
        "targets": targets,
        "strata": [] if all(each is None for each in clusters) else [_stratum(clusters)],
        "changes": [item["change"] for item in items] if items and "change" in items[0] else None,
        "runs": runs,
        "is_cut": left < 0,
    }


def _values_of(answers: ValueAnswers, score: str) -> dict[tuple[str, Any], float]:
    """Return the value of each answer that has one, by id and repeat."""
    tops, bottoms = answers.scores[score]
    with_value = ~np.isnan(tops)
    if bottoms is not None:
        with_value &= bottoms > 0
    values = tops if bottoms is None else tops / np.where(bottoms > 0, bottoms, 1)
    repeats = [None] * len(values) if answers.epochs is None else answers.epochs.to_pylist()
    rows = zip(answers.ids.to_pylist(), repeats, values.tolist(), with_value, strict=True)
    return {(id, repeat): value for id, repeat, value, has_value in rows if has_value}


def _stratum(clusters: Sequence[Any]) -> dict[str, Any]:
    values = sorted({each for each in clusters if each is not None}, key=str)
    place = {each: k for k, each in enumerate(values)}
    codes = [place.get(each, len(values)) for each in clusters]
    return {"name": "cluster", "values": [*map(str, values), None], "codes": codes}


def _card(run: str, items: Sequence[Item], score: str) -> Card | None:
    """Return the card of a run whose values are shares: their mean over all items with one."""
    own = [item["values"][run] for item in items]
    values = [each["value"] for each in own if each["value"] is not None]
    if not values or not all(0 <= value <= 1 for value in values):
        return None
    flaky = sum(0 < each["right"] < each["n"] for each in own)
    crashed = sum(each["crashed"] > 0 for each in own)
    notes = [
        f"{n} {word}" for n, word in ((flaky, "flaky"), (crashed, "with crashed answers")) if n
    ]
    of = "" if len(values) == len(items) else f" of {len(values)} items"
    return Card(run, score + of, sum(values) / len(values), note=", ".join(notes))

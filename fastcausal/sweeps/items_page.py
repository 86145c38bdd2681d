"""The page of items: the values of each run, what changed, and texts where a source has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays import arrow
from fastcausal.report.page import Card, Page
from fastcausal.report.page.page import items_part
from fastcausal.report.report import Report, describe_settings, plain
from fastcausal.significance.sums import Int64
from fastcausal.tasks.values.answers import ValueAnswers

MOST = 20_000  # items of a page
MAX_LETTERS = 4_000  # of a text
MAX_ANSWERS = 20  # of an item in a run
MAX_TEXTS = 30_000_000  # letters of all texts
COUNTED = ("items", "up", "down", "flaky", "crashed")


def page_of(report: Report, answers: Mapping[str, ValueAnswers], most: int = MOST) -> Page:
    """Make the page of the items of a report, with the texts in the answers of each run."""
    items = report.tables["items"]
    rows = choose(items, most)
    columns = columns_of(items.take(arrow.numbers(rows)), answers)
    warnings = [f"warning: {warning}" for warning in report.warnings]
    if n := len(items) - len(rows):
        warnings.append(
            f"{n} of {len(items)} items are left out, those that are right and the same in all "
            "runs first; .csv and .parquet have them all"
        )
    if columns.pop("is_cut"):
        warnings.append(f"texts beyond {MAX_TEXTS // 10**6} million letters are left out")
    counts = {name: report.facts.get(f"n_{name}") for name in COUNTED}
    facts = [(name, str(n)) for name, n in counts.items() if n is not None]
    cards = [card for run, own in answers.items() if (card := _card(run, own, items)) is not None]
    part = items_part(columns)
    return Page(report.title, [describe_settings(report)], part, cards, facts, warnings)


def choose(items: pa.Table, most: int) -> Int64:
    """Return the rows of at most so many items; those right and the same in all runs go first."""
    is_plain = np.ones(len(items), bool)
    for own in _runs_of(items).values():
        is_plain &= (own["n"] > 0) & (own["right"] == own["n"]) & (own["crashed"] == 0)
    if "change" in items.column_names:
        is_plain &= pc.equal(arrow.joined(items["change"]), "same").to_numpy(False)
    return np.sort(np.argsort(is_plain, kind="stable")[:most])


def _runs_of(items: pa.Table) -> dict[str, dict[str, Any]]:
    """Return the numbers of each run, by name; a missing value is NaN."""
    values = arrow.joined(items["values"])
    return {
        run.name: {
            field.name: arrow.values_of(column, np.nan)
            for field, column in zip(run.type, of.flatten(), strict=True)
        }
        for run, of in zip(values.type, values.flatten(), strict=True)
    }


def columns_of(items: pa.Table, answers: Mapping[str, ValueAnswers]) -> dict[str, Any]:
    """Return the columns of docs/pages.md for items."""
    ids = items["id"].to_pylist()
    place = {id: k for k, id in enumerate(ids)}
    inputs, targets = [""] * len(ids), [""] * len(ids)
    left = MAX_TEXTS
    runs = []
    for name, numbers in _runs_of(items).items():
        said: list[list[Any] | None] = [None] * len(ids)
        own = answers[name]
        values = _values_of(own)
        for text in () if own.texts is None else own.texts(place.keys()):
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
        runs.append({"name": name, **plain(numbers), "answers": said})
    clusters = arrow.joined(items["cluster"])
    return {
        "ids": ids,
        "texts": inputs,
        "targets": targets,
        "strata": [] if clusters.null_count == len(ids) else [_stratum(clusters)],
        "changes": items["change"].to_pylist() if "change" in items.column_names else None,
        "lower": any(own.lower for own in answers.values()),
        "runs": runs,
        "is_cut": left < 0,
    }


def _values_of(answers: ValueAnswers) -> dict[tuple[str, Any], float]:
    """Return the value of each answer that has one, by id and repeat."""
    [(tops, bottoms)] = answers.scores.values()
    with np.errstate(divide="ignore", invalid="ignore"):
        values = tops if bottoms is None else tops / bottoms
    repeats = [None] * len(values) if answers.epochs is None else answers.epochs.to_pylist()
    rows = zip(answers.ids.to_pylist(), repeats, values.tolist(), strict=True)
    return {(id, repeat): value for id, repeat, value in rows if math.isfinite(value)}


def _stratum(clusters: pa.Array) -> dict[str, Any]:
    names = sorted(clusters.unique().drop_null().to_pylist())
    place = {name: k for k, name in enumerate(names)}
    codes = [place.get(each, len(names)) for each in clusters.to_pylist()]
    return {"name": "cluster", "values": [*names, *[None] * bool(clusters.null_count)],
            "codes": codes}  # fmt: skip


def _card(run: str, answers: ValueAnswers, items: pa.Table) -> Card | None:
    """Return the card of a run whose values are shares: their mean over the items."""
    own = _runs_of(items)[run]
    values = own["value"][~np.isnan(own["value"])]
    [(score, (_, bottoms))] = answers.scores.items()
    if bottoms is not None or not len(values) or values.min() < 0 or values.max() > 1:
        return None
    flaky = int(((own["right"] > 0) & (own["right"] < own["n"])).sum())
    crashed = int((own["crashed"] > 0).sum())
    notes = [
        f"{n} {word}" for n, word in ((flaky, "flaky"), (crashed, "with crashed answers")) if n
    ]
    of = "" if len(values) == len(items) else f", {len(values)} of {len(items)} items"
    return Card(run, score + of, float(values.mean()), note=", ".join(notes))

"""The page of items: the values of each run, what changed, and texts where a source has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.report.page import Card, Page
from fastcausal.report.page.page import items_part
from fastcausal.report.report import Report, describe_settings, plain
from fastcausal.significance.sums import Int64
from fastcausal.tasks.values.answers import ValueAnswers

MOST = 20_000  # items of a page
MAX_LETTERS, FEWEST_LETTERS = 4_000, 100  # to which a text is cut
MAX_ANSWERS = 20  # of an item in a run
MAX_TEXTS = 40_000_000  # letters of all texts, about


class ItemsAsTexts(NamedTuple):
    """The texts of items, for people to read."""

    inputs: list[str]
    targets: list[str]
    answers: dict[str, list[list[Any] | None]]  # By run: value and text of each answer
    cut: int | None  # Letters to which longer texts are cut; None if none is longer


def page_of(
    report: Report,  # `Items`
    most: int = MOST,
    items: pa.Table | None = None,  # By default those of the report
) -> Page:
    """Make the page of items, with the texts in the answers of each run."""
    items = report.tables["items"] if items is None else items
    answers: Mapping[str, ValueAnswers] = report.facts["answers"]
    rows = choose(items, most)
    kept = items.take(arrow.numbers(rows))
    texts = read_texts(kept["id"].to_pylist(), answers)
    columns = columns_of(kept, texts) | {"lower": any(own.lower for own in answers.values())}
    warnings = [f"warning: {warning}" for warning in report.warnings]
    if n := len(items) - len(rows):
        warnings.append(
            f"{n} of {len(items)} items are left out, those that all runs have right first, then "
            "those that all have wrong; .csv and .parquet have them all"
        )
    if texts.cut is not None:
        warnings.append(f"texts are cut to {texts.cut} letters: fewer items have longer ones")
    cards = [card for run, own in answers.items() if (card := _card(run, own, items)) is not None]
    part = items_part(columns)
    return Page(report.title, [describe_settings(report)], part, cards, warnings=warnings)


def choose(items: pa.Table, most: int) -> Int64:
    """Return the rows of at most so many items; those right or wrong in all runs leave first."""
    runs = [*numbers_of(items).values()]
    values = np.array([own["value"] for own in runs])
    is_shared = (values == values[0]).all(axis=0)  # by all runs; a missing value equals none
    is_right = np.ones(len(items), bool)
    for own in runs:
        is_shared &= (own["crashed"] == 0) & ((own["right"] == 0) | (own["right"] == own["n"]))
        is_right &= own["right"] == own["n"]
    rank = np.where(is_shared, 1 + is_right, 0)
    return np.sort(np.argsort(rank, kind="stable")[:most])


def numbers_of(items: pa.Table) -> dict[str, dict[str, Any]]:
    """Return the numbers of each run, by name; a missing value is NaN."""
    values = arrow.joined(items["values"])
    return {
        run.name: {
            field.name: arrow.values_of(column, np.nan)
            for field, column in zip(run.type, of.flatten(), strict=True)
        }
        for run, of in zip(values.type, values.flatten(), strict=True)
    }


def read_texts(
    ids: list[str],
    answers: Mapping[str, ValueAnswers],
    for_page: bool = True,  # True cuts texts so that a page holds them
) -> ItemsAsTexts:
    """Read the texts of these items from the source of each run."""
    place = {id: k for k, id in enumerate(ids)}
    said: dict[str, list[list[Any] | None]] = {run: [None] * len(ids) for run in answers}
    inputs, targets = [""] * len(ids), [""] * len(ids)
    held = [own for own in answers.values() if own.texts is not None]
    n_texts = 2 * len(ids) + sum(min(len(own.ids), MAX_ANSWERS * len(ids)) for own in held)
    letters = max(FEWEST_LETTERS, min(MAX_LETTERS, MAX_TEXTS // max(n_texts, 1)))
    most = letters if for_page else None
    longest = 0
    for run, own in answers.items():
        values = _values_of(own, ids) if own.texts is not None else {}
        for text in () if own.texts is None else own.texts(place.keys()):
            k = place[text.id]
            longest = max(longest, *(len(each) for each in text[2:] if each), 0)
            asked, target, answer = (None if t is None else t[:most] for t in text[2:])
            inputs[k] = inputs[k] or asked or ""
            targets[k] = targets[k] or target or ""
            row = said[run][k] = said[run][k] or []
            if len(row) < MAX_ANSWERS or not for_page:
                row.append([values.get((text.id, text.epoch)), answer])
    return ItemsAsTexts(inputs, targets, said, letters if longest > letters else None)


def columns_of(items: pa.Table, texts: ItemsAsTexts) -> dict[str, Any]:
    """Return the columns of docs/pages.md for items."""
    clusters = arrow.joined(items["cluster"])
    return {
        "ids": items["id"].to_pylist(),
        "texts": texts.inputs,
        "targets": texts.targets,
        "strata": [] if clusters.null_count == len(items) else [_stratum(clusters)],
        "changes": items["change"].to_pylist() if "change" in items.column_names else None,
        "runs": [
            {"name": run, **plain(numbers), "answers": texts.answers[run]}
            for run, numbers in numbers_of(items).items()
        ],
    }


def _values_of(answers: ValueAnswers, ids: list[str]) -> dict[tuple[str, Any], float]:
    """Return the value of each answer to these items that has one, by id and repeat."""
    [(tops, bottoms)] = answers.scores.values()
    with np.errstate(divide="ignore", invalid="ignore"):
        values = tops if bottoms is None else tops / bottoms
    shown = pc.is_in(answers.ids, pa.array(ids, pa.string())).to_numpy(zero_copy_only=False)
    rows = arrow.numbers(np.flatnonzero(shown & np.isfinite(values)))
    repeats = pa.nulls(len(tops)) if answers.epochs is None else answers.epochs
    places = zip(answers.ids.take(rows).to_pylist(), repeats.take(rows).to_pylist(), strict=True)
    return dict(zip(places, values[rows].tolist(), strict=True))


def _stratum(clusters: pa.Array) -> dict[str, Any]:
    names = sorted(clusters.unique().drop_null().to_pylist())
    place = {name: k for k, name in enumerate(names)}
    codes = [place.get(each, len(names)) for each in clusters.to_pylist()]
    return {"name": "cluster", "values": [*names, *[None] * bool(clusters.null_count)],
            "codes": codes}  # fmt: skip


def _card(run: str, answers: ValueAnswers, items: pa.Table) -> Card | None:
    """Return the card of a run whose values are shares: their mean over the items."""
    own = numbers_of(items)[run]
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

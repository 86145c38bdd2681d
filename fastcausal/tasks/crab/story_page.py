"""The page of judged pairs: the graph of each story, tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fastcausal.arrays import arrow
from fastcausal.files.keys import encode
from fastcausal.options import Border, GoldFrom
from fastcausal.report.grid import Grid
from fastcausal.report.page import ABOUT, Drawn, Page, Scripted, Section
from fastcausal.report.report import Report
from fastcausal.significance.sums import Int64
from fastcausal.tasks.crab.files import CLASSES, Int8, JudgedPairs
from fastcausal.tasks.crab.frames import FrameReport, frames

FOLDER = Path(__file__).parent / "page"
TEXTS = ("event_a", "event_b")


@dataclass(frozen=True, eq=False)
class Stories:
    """Judged pairs with their classes, and the rule for edges."""

    pairs: JudgedPairs
    codes: Int8  # int8[n_pairs]: Codes of their classes
    threshold: float  # The least score of an edge when the page is opened
    border: Border  # {"up", "text", "down"}: The rule for scores equal to it
    gold_from: GoldFrom  # {"class", "score"}

    @cached_property
    def frames(self) -> FrameReport:
        """Causal frames by type, with the rule ``"figure"``."""
        return frames(self.pairs, border=self.border, gold_from=self.gold_from)

    def part(self) -> Scripted:
        """Return the part of a page that draws the stories, see docs/pages.md."""
        data = {
            "threshold": self.threshold,
            "border": self.border,
            "stories": [*self._stories()],
        }
        return Scripted.read_folder(FOLDER, "stories", "Graph of a story", ("stories",), data)

    def _stories(self) -> Iterator[dict[str, Any]]:
        pairs = self.pairs
        texts = self._texts()
        letters = np.array(CLASSES)[self.codes]
        for k, name in enumerate(map(str, pairs.topics.to_pylist())):
            each = slice(pairs.starts[k], pairs.starts[k + 1])
            a, b = pairs.a[each], pairs.b[each]
            orders, places = np.unique(np.append(a, b), return_inverse=True)
            yield {
                "name": name,
                "orders": orders.tolist(),
                "texts": None if texts is None else _first(places, np.append(*texts[:, each])),
                "a": places[: len(a)].tolist(),
                "b": places[len(a) :].tolist(),
                "scores": [*map(_plain, pairs.score[each].tolist())],
                "classes": letters[each].tolist(),
            }

    def _texts(self) -> Any:
        """Return the texts of both events of each pair, object[2, n]; None without texts."""
        records = self.pairs.records
        if not all(name in records for name in TEXTS):
            return None
        rows = arrow.numbers(self.pairs.rows)
        return np.array([records.texts(name).take(rows).to_pylist() for name in TEXTS], object)

    def count_by_distance(self) -> dict[str, dict[str, int]]:
        """Count pairs of each class by the distance of their events in the timeline."""
        distances, counts = count_by_distance(self.pairs.b - self.pairs.a, self.codes)
        return {
            str(distance): dict(zip(CLASSES, row, strict=True))
            for distance, row in zip(distances.tolist(), counts.tolist(), strict=True)
        }


def count_by_distance(
    distances: Int64,  # [n]
    codes: Int8,  # [n]
) -> tuple[Int64, Int64]:
    """Return the different distances, ascending, and the number of pairs of each class.

    >>> count_by_distance(np.array([1, 2, 1]), np.array([0, 3, 0]))
    (array([1, 2]), array([[2, 0, 0, 0], [0, 0, 0, 1]]))
    """
    width = len(CLASSES)
    if int(distances.max()) > len(distances):
        places, names = encode(arrow.numbers(distances))
        different = arrow.values_of(names)
    else:
        places, different = distances, np.arange(int(distances.max()) + 1)
    counts = np.bincount(places * width + codes, minlength=width * len(different))
    counts = counts.reshape(-1, width)
    is_used = counts.any(axis=1)
    return different[is_used], counts[is_used]


def page_of(report: Report, stories: Stories, classes: Mapping[str, Any], topics: Any) -> Page:
    """Make the page of a report: graph, tables, and pairs by class as bars."""
    bars = [
        _stacks("Pairs by class", _counts(classes)),
        _stacks("Pairs of each distance in the timeline", stories.count_by_distance()),
        _stacks(
            "Pairs of each story", _counts({name: row["classes"] for name, row in topics.items()})
        ),
    ]
    warnings = [f"warning: {warning}" for warning in report.warnings]
    sections = [
        Section("", bars, tab="Pairs"),
        Section("", report.to_tables(), tab="Tables"),
        Section("", lines=[*report.legend, report.signature], tab=ABOUT),
    ]
    return Page(report.title, sections, stories.part(), warnings=warnings)


def _stacks(title: str, rows: Mapping[str, Mapping[str, int]]) -> Drawn:
    parts = {"": {name: [*row.values()] for name, row in rows.items()}}
    return Drawn(Grid(title, CLASSES, parts=parts), stacked=CLASSES)


def _counts(rows: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    return {name: {letter: row[letter]["n"] for letter in CLASSES} for name, row in rows.items()}


def _first(places: Int64, texts: Any) -> list[str | None]:
    """Return the first text at each place that is not None."""
    first: list[str | None] = [None] * (int(places.max()) + 1)
    for place, text in zip(places.tolist(), texts.tolist(), strict=True):
        if first[place] is None:
            first[place] = text
    return first


def _plain(score: float) -> float | None:
    """Convert a whole score to an integer, and NaN to None."""
    if math.isnan(score):
        return None
    return int(score) if score == int(score) else score

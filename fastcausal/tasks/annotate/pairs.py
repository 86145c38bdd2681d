"""The form of pairs of events: how strongly one caused the other (CRAB, appendix A.3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import Any

import pyarrow as pa

from fastcausal.errors import Problems
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.lines import first_object
from fastcausal.files.packed import stem_of
from fastcausal.files.records import Records, read_records
from fastcausal.tasks.annotate.collected import Collected, RaterLabel, require_once
from fastcausal.tasks.annotate.page import Sheet
from fastcausal.tasks.annotate.slots import cut_lines
from fastcausal.tasks.claims.reading import rater_of
from fastcausal.tasks.crab.files import KEY, ids_of, names_of, orders_of, scores_of
from fastcausal.tasks.crab.humans import second_answers
from fastcausal.tasks.crab.prompts import texts_of_pairs

SECOND = "without"  # Would event B have happened without event A?
_RATING = [
    *(pa.field(name, pa.int64()) for name in KEY[1:]),
    pa.field("rater", pa.string()), pa.field("score", pa.float64()), pa.field(SECOND, pa.string()),
]  # fmt: skip
ON_SCREEN = {1: 3, 2: 5}  # pairs at a time, by the number of their news pieces


def sheet_of_pairs(source: Any, articles: Any = None, rater: str | None = None) -> Sheet:
    """Make the sheet of pairs of events, on screens of the same news pieces."""
    file = Source.open(source)
    records = read_records(file, "pairs")
    problems = Problems()
    keys, ids = _keys(records, problems)
    events, told = texts_of_pairs(records, articles, problems)
    problems.raise_if_any()
    require_unique(ids, records.locate, lambda row: f'pair "{ids[row]}"')
    pieces = {text: place for place, text in enumerate(dict.fromkeys(chain.from_iterable(told)))}
    shown = [tuple(pieces[text] for text in dict.fromkeys(each)) for each in told]
    order = [*_screens(shown)]
    items = [
        {
            "id": ids[row].as_py(),
            "screen": screen,
            "articles": shown[row],
            "event_a": events[row][0],
            "event_b": events[row][1],
        }
        for screen, row in order
    ]
    return Sheet(
        "pairs",
        "pairs" if file.name == "<stdin>" else stem_of(file.name),
        rater or "",
        [*cut_lines(keys[row] for _, row in order)],
        [None] * len(items),
        items,
        {"articles": [*pieces]},
        ".jsonl",
    )


def _keys(records: Records, problems: Problems) -> tuple[list[dict[str, Any]], pa.Array]:
    """Return the key and the id of every pair."""
    a, b = orders_of(records, problems)
    story, names = names_of(records, KEY[0])
    topics = names.take(pa.array(story))
    rows = zip(topics.to_pylist(), a.tolist(), b.tolist(), strict=True)
    keys = [dict(zip(KEY, row, strict=True)) for row in rows]
    return keys, ids_of(topics.cast(pa.string()), a, b)


def _screens(shown: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Yield screen and row of every pair: pairs of the same news pieces stand together."""
    rows: dict[tuple[int, ...], list[int]] = {}
    for row, places in enumerate(shown):
        rows.setdefault(tuple(sorted(places)), []).append(row)
    numbers = count()
    for places, together in rows.items():
        for first in range(0, len(together), ON_SCREEN[len(places)]):
            screen = next(numbers)
            yield from ((screen, row) for row in together[first : first + ON_SCREEN[len(places)]])


def has_scores(file: Source) -> bool:
    """Return True for a file of objects with a pair of events."""
    return KEY[1] in first_object(file)


def collect_pairs(files: Sequence[Source], name: str | None) -> Collected:
    """Collect the scores of all raters, and their second answers."""
    labels: list[RaterLabel] = []
    rows: list[dict[str, Any]] = []
    for file in files:
        records = read_records(file, "ratings")
        problems = Problems()
        keys, ids = _keys(records, problems)
        scores = scores_of(records, problems)
        problems.raise_if_any()
        happens = second_answers(records, SECOND)
        given = rater_of(file.name, name)
        raters = records.keys("rater").to_pylist() if given is None else [given] * len(keys)
        said = zip(keys, ids.to_pylist(), raters, scores.tolist(), happens.tolist(), strict=True)
        for key, pair, rater, score, answer in said:
            is_missing = math.isnan(score + answer)
            labels.append(RaterLabel(None, pair, rater, None if is_missing else score))
            second = None if math.isnan(answer) else ("no", "yes")[int(answer)]
            if not math.isnan(score):
                rows.append(key | {"rater": rater, "score": score, SECOND: second})
    require_once(labels, "pair")
    labels.sort(key=lambda label: (label.rater, label.item))
    is_text = any(isinstance(row[KEY[0]], str) for row in rows)
    topic = pa.field(KEY[0], pa.string() if is_text else pa.int64())
    rows = [row | {KEY[0]: str(row[KEY[0]])} for row in rows] if is_text else rows
    return Collected(labels, rows=pa.Table.from_pylist(rows, pa.schema([topic, *_RATING])))

"""Rows of both sides, paired as in the published program."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from typing import Any, NamedTuple

import numpy as np

from fastcausal.arrays.arrow import joined
from fastcausal.errors import Warnings
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.records import Records, read_records
from fastcausal.formats.fincausal import MIN_FIELDS, Int64, SectionRows, TextSlices, read_rows
from fastcausal.tasks.fincausal.stops import Stops, ends_with

COLUMNS = ("text", "cause", "effect")
NO_ROW = TextSlices(b"", np.zeros(1, np.int64), np.zeros(1, np.int64))


class SidesByRow(NamedTuple):
    """Gold, and the cause and the effect predicted for each of its rows."""

    gold: SectionRows
    cause: TextSlices
    effect: TextSlices
    warnings: Warnings


def read_side(
    source: Any,
    name: str,
    lenient: bool = False,  # True skips blank lines and makes missing fields empty
) -> SectionRows:
    """Read FinCausal's rows with ``;``, or columns ``index`` or ``id``, text, cause and effect."""
    if isinstance(source, SectionRows):
        return source
    if not isinstance(source, str | os.PathLike | Source):
        return _make_rows(read_records(source, name))
    file = Source.open(source)
    if binary.sniff(file.data) is not None or file.is_json or _is_table(file):
        return _make_rows(read_records(file))
    return read_rows(file, 1 if lenient else MIN_FIELDS, remark=ends_with("ValueError"))


def _is_table(file: Source) -> bool:
    header = file.data[:1000].partition(b"\n")[0].decode(errors="replace")
    return {*COLUMNS} <= {cell.strip('" \r\t') for cell in header.split(",")}


def _make_rows(records: Records) -> SectionRows:
    index = records.keys(records.require("index", "id"))
    columns = [records.texts(records.require(name)) for name in COLUMNS]
    slices = [
        TextSlices.join([(t or "").lstrip() for t in column.to_pylist()]) for column in columns
    ]
    lines = None if records.lines is None else np.asarray(records.lines, np.int64)
    text, cause, effect = slices
    return SectionRows(records.name, joined(index), text, cause, effect, lines)


def read_gold(gold: Any, **options: Any) -> tuple[SectionRows, SectionRows]:
    """Read gold for many runs; return it as gold and as predictions."""
    rows = read_side(gold, "gold", bool(options.get("lenient")))
    return rows, rows


def public(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows with the first word as cause and the last one as effect, twice.

    >>> rows = [{"index": "1", "text": "Rain fell", "cause": "Rain", "effect": "fell"}]
    >>> public(rows)[0]
    [{'index': '1', 'text': 'Rain fell', 'cause': 'Rain', 'effect': 'fell'}]
    """
    rows = read_side(gold, "gold", bool(options.get("lenient")))
    pairs = zip(rows.index.to_pylist(), rows.text.texts(), strict=True)
    ends = [(k, text, text.split()) for k, text in pairs]
    open_rows = [
        {"index": k, "text": text, "cause": "".join(words[:1]), "effect": "".join(words[-1:])}
        for k, text, words in ends
    ]
    return open_rows, open_rows


def side_by_side(gold: SectionRows, pred: SectionRows, stops: Stops) -> SidesByRow:
    """Pair rows by their place; by their text if the program would end on them."""
    warnings: Warnings = {}
    for rows in (gold, pred):
        for note, n in rows.notes.items():
            warnings[f"{rows.name}: {note}, ", " times"] = (n,)
    if not len(gold):
        stops.always(f"{gold.name}: no rows", "ValueError")
    both = gold.text.texts(), pred.text.texts()
    if len(gold) != len(pred):
        got = f"{pred.name}: {len(pred)} rows, expected {len(gold)} as in {gold.name}"
        stops.add(got, "AssertionError")
    elif both[0] != both[1]:
        row = next(k for k, (a, b) in enumerate(zip(*both, strict=True)) if a != b)
        got = f"{pred.locate(row)}: another text than {gold.locate(row)}"
        stops.add(got, "AssertionError")
    else:
        return SidesByRow(gold, pred.cause, pred.effect, warnings)
    at = _match_texts(*both)
    n_missing = int((at < 0).sum())
    n_surplus = len(pred) - len(gold) + n_missing
    texts = ("rows are paired by text: ", " of gold have no row, ", " of the submission no gold")
    warnings[texts] = (n_missing, n_surplus)
    cause, effect = (_or_empty(column, at) for column in (pred.cause, pred.effect))
    return SidesByRow(gold, cause, effect, warnings)


def _match_texts(gold: list[str], pred: list[str]) -> Int64:
    """Return the next row with the same text for each row of gold; -1 if missing."""
    left: defaultdict[str, deque[int]] = defaultdict(deque)
    for row, text in enumerate(pred):
        left[text].append(row)
    return np.array([left[text].popleft() if left[text] else -1 for text in gold], np.int64)


def _or_empty(column: TextSlices, rows: Int64) -> TextSlices:
    taken = (
        column.take(np.maximum(rows, 0))
        if len(column.starts)
        else TextSlices.join([""] * len(rows))
    )
    stops = np.where(rows < 0, taken.starts, taken.stops)
    return TextSlices(taken.data, taken.starts, stops)

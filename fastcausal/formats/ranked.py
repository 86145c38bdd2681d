"""Predictions of several systems in one file, and several answers to an item.

::

    file ── column of systems ──▶ a part for each system
    part ── column of samples, epochs, choices ──▶ the first answers, the second ones, ...
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import follow_path
from fastcausal.formats.logs.replies import ids_in, log_of
from fastcausal.formats.model_output.sources import may_be_log, rows_of_log

# Columns that name an item together; the first that are full count
IDS = (
    ("id",), ("custom_id",), ("topic_id", "event_order_a", "event_order_b"), ("doc_id",),
    ("index",),
)  # fmt: skip
BODIES = ("response.body", "result.message", "output")  # of a log: places of ``model``
Int64 = npt.NDArray[np.int64]


class Ranked(NamedTuple):
    """The answers of one system, by their ranks: the first of each item, the second ones, ..."""

    # An item with fewer answers is in all, with its first one, so that each joins all of gold.
    sources: tuple[Any, ...]
    # The items that have an answer of rank 1, 2, 3, ...; None: all
    ids: tuple[pa.Array | None, ...] = (None,)


class FileRows:
    """The rows of a file, any of which are a source for the same readers."""

    def __init__(self, source: Any) -> None:
        self._file: Source | None = None
        # Of a log: the number of the epoch and choice of each row
        log = rows_of_log(source) if isinstance(source, str | os.PathLike) else None
        self.samples = None if log is None else _encode(log[1])
        if log is None and isinstance(source, str | os.PathLike | Source):
            source = Source.open(source)
        self.records: Records = read_records(source) if log is None else log[0]
        if isinstance(source, Source) and _has_lines(source, self.records.lines):
            self._file = source

    def take(self, numbers: Int64) -> Source | Records:
        """Return rows of ascending numbers; of a file of lines, all others are blank."""
        if self._file is None:
            return self.records.take(numbers)
        lines, starts = self._lines
        row_of = np.full(len(lines), -1)
        row_of[starts] = np.arange(len(starts))
        row_of = np.maximum.accumulate(row_of)  # a row of CSV may have several lines
        kept = np.zeros(len(starts) + 1, bool)
        kept[numbers] = kept[-1] = True  # -1: the header
        pairs = zip(lines, kept[row_of].tolist(), strict=True)
        return Source(self._file.name, b"\n".join(line if keep else b"" for line, keep in pairs))

    @property
    def is_log(self) -> bool:
        """True for the rows of a log."""
        return self.samples is not None

    @cached_property
    def _lines(self) -> tuple[list[bytes], Int64]:
        file, numbers = self._file, self.records.lines
        assert file is not None
        assert numbers is not None
        return file.data.split(b"\n"), np.array([*numbers], np.int64) - file.first

    def codes(self, *columns: str) -> tuple[pa.Array, Int64]:
        """Return the different texts in columns, or at a path, and the place of each row's."""
        parts = [self._keys(column) for column in columns]
        keys = parts[0] if len(parts) == 1 else pc.binary_join_element_wise(*parts, "/")
        coded = keys.dictionary_encode()
        return coded.dictionary, arrow.values_of(coded.indices).astype(np.int64)

    def _keys(self, column: str) -> pa.Array:
        records = self.records
        if column not in records and self.is_log:
            paths = (column, *(f"{place}.{column}" for place in BODIES))
            cells = [
                {column: next((v for p in paths if (v := follow_path(row, p)) is not None), None)}
                for row in records.objects()
            ]
            places = [*map(records.locate, range(len(records)))]
            records = Records(records.name, cells, places=places)
        return records.keys(column)

    def find_ids(self) -> tuple[str, ...]:
        """Return the columns, or the path, of ids."""
        if self.is_log:
            rows = self.records.objects()
            log = log_of(rows[0])
            path = None if log is None else ids_in(rows, log)
            if path is None:
                raise InputError(f"{self.records.name}: no ids, expected one for each answer")
            return (path,)
        records = self.records
        for names in IDS:
            if all(n in records and not records.column(n).null_count for n in names):
                return names
        return (records.require(*(names[0] for names in IDS)),)


def _has_lines(file: Source, numbers: Sequence[int] | None) -> bool:
    """Return True if rows have numbers of lines that end in line feeds alone."""
    # CSV also counts a carriage return of its own as the end of a line.
    data = file.data
    if numbers is None or data.count(b"\r") != data.count(b"\r\n"):
        return False
    return not len(numbers) or max(numbers) - file.first <= data.count(b"\n")


def _encode(values: list[Any]) -> Int64:
    """Return the number of each value among the different ones."""
    numbers = {value: k for k, value in enumerate(dict.fromkeys(values))}
    return np.array([numbers[value] for value in values], np.int64)


def split_file(
    source: Any,
    system: str | None = None,  # The column that names the system of each row
    sample: str | None = None,  # The column that tells answers to one item
    id: str | None = None,  # The column of items; by default one of `IDS`, or that of the log
) -> dict[str, Ranked]:
    """Return the answers of each system of a file, by name; the only one is called ""."""
    if system is None and sample is None and not may_be_log(source):
        return {"": Ranked((source,))}
    rows = FileRows(source)
    if system is None and sample is None and not rows.is_log:
        return {"": Ranked((source,))}
    every = np.arange(len(rows.records))
    parts = {"": every}
    if system is not None:
        names, of_row = rows.codes(system)
        parts = {name: every[of_row == k] for k, name in enumerate(names.to_pylist())}
    if sample is None and not rows.is_log:
        return {name: Ranked((rows.take(numbers),)) for name, numbers in parts.items()}
    ids, items = rows.codes(*((id,) if id else rows.find_ids()))
    samples = rows.samples if sample is None else rows.codes(sample)[1]
    assert samples is not None
    found = {n: _rank(rows, part, (ids, items), samples) for n, part in parts.items()}
    if system is None and len(found[""].sources) == 1:
        return {"": Ranked((source,))}
    return found


def _rank(rows: FileRows, numbers: Int64, items: tuple[pa.Array, Int64], samples: Int64) -> Ranked:
    """Return the first answers of the items in some rows, the second ones, and so on."""
    ids, item_of = items
    item, sample = item_of[numbers], samples[numbers]
    # An answer has several rows if a row is a relation.
    _, first, answer_of = np.unique(
        np.stack([item, sample]), axis=1, return_index=True, return_inverse=True
    )
    answer_of = answer_of.reshape(-1)
    order = np.lexsort((first, item[first]))
    of_answer = item[first][order]
    starts = np.flatnonzero(np.diff(of_answer, prepend=-1))
    sizes = np.diff([*starts, len(order)])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    rank = ranks[answer_of]
    n_of_item = np.zeros(len(ids), np.int64)
    n_of_item[of_answer[starts]] = sizes
    sources, having = [], []
    for k in range(int(sizes.max())):
        chosen = (rank == k) | ((rank == 0) & (n_of_item[item] <= k))
        sources.append(rows.take(numbers[chosen]))
        full = (sizes > k).all()
        having.append(None if full else ids.take(pa.array(np.flatnonzero(n_of_item > k))))
    return Ranked(tuple(sources), tuple(having))

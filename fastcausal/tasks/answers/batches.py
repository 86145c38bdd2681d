"""Source, reference and answer of items, which can be read batch by batch and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import numbers
from fastcausal.errors import InputError
from fastcausal.files.columns import is_text
from fastcausal.files.records import Batches, Records
from fastcausal.files.values import kind

Int64 = npt.NDArray[np.int64]
NAMES = ("source", "reference", "answer")


@dataclass(frozen=True)
class ItemTexts:
    """The texts of items, in memory or in a large file.

    >>> texts = ItemTexts.hold(["rain", None], ["a", "b"], ["c", "d"]).reorder(np.array([1, 0]))
    >>> texts["source"].to_pylist(), texts.select("answer", np.array([0]))
    ([None, 'rain'], ['d'])
    """

    # Yields tables from the first row on, with the string columns `NAMES`. A source may be
    # null.
    read: Batches
    rows: Int64 | None = None  # int64[n], optional: The row of each item; None if row k has item k

    @classmethod
    def hold(cls, *columns: Any) -> ItemTexts:
        """Hold texts in memory: source, reference and answer."""
        return cls(partial(_once, pa.table(list(columns), list(NAMES))))

    def reorder(self, rows: Int64) -> ItemTexts:
        """Return the same texts with item k in row ``rows[k]``."""
        is_same = np.array_equal(rows, np.arange(len(rows)))
        return ItemTexts(self.read, None if is_same else rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the texts in the order of rows."""
        for table in self.read():
            yield from table.to_batches()

    def __getitem__(self, name: str) -> pa.ChunkedArray:
        """Return a whole column in the order of items."""
        return self.order_by_item(pa.chunked_array([b[name] for b in self.batches()], pa.string()))

    def select(self, name: str, items: Int64) -> list[str]:
        """Return the texts of some items."""
        rows = items if self.rows is None else self.rows[items]
        texts, start = {}, 0
        for batch in self.batches():
            stop = start + len(batch)
            for row in rows[(rows >= start) & (rows < stop)].tolist():
                texts[row] = batch[name][row - start].as_py()
            start = stop
        return [texts[row] for row in rows.tolist()]

    def order_by_item(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Reorder a column from rows to items."""
        return column if self.rows is None else column.take(numbers(self.rows))

    def row_items(self) -> Int64 | None:
        """Return the item of each row; None if item k is in row k."""
        return None if self.rows is None else np.argsort(self.rows)


def texts_of(records: Records, source: str | None, reference: str, answer: str) -> ItemTexts:
    """Return the texts in columns of records, which may stay in a large file."""
    filled = (reference, answer)
    in_file = records.open_batches(*filled, *([source] if source else []), filled=filled)
    if in_file is not None:
        return ItemTexts(partial(_batches, records, in_file, filled))
    columns = [_filled(records, column) for column in filled]
    if source is None:
        return ItemTexts.hold(pa.nulls(len(records), pa.string()), *columns)
    stored = records.stored(source)
    return ItemTexts.hold(records.texts(source) if stored is None else stored, *columns)


def _batches(records: Records, in_file: Batches, filled: Sequence[str]) -> Iterator[pa.Table]:
    """Yield texts from a file; sources are null if the file has no column of them."""
    start = 0
    for table in in_file():
        columns = [column.cast(pa.string()) for column in table.columns]
        for column, texts in zip(filled, columns, strict=False):
            if texts.null_count:  # the file's metadata wrongly promise none
                row = start + pc.index(pc.is_null(texts), True).as_py()
                raise InputError(f'{records.locate(row)}: "{column}" is missing, expected text')
        start += len(table)
        reference, answer, *source = columns
        sources = source or [pa.nulls(len(table), pa.string())]
        yield pa.table([*sources, reference, answer], [*NAMES])


def _filled(records: Records, column: str) -> pa.Array | pa.ChunkedArray:
    """Return a column with a text in every row."""
    stored = records.stored(column)
    if stored is not None and not stored.null_count:
        return stored
    texts = records.column(column)
    if is_text(texts.type) and not texts.null_count and not records.is_mixed(column):
        return texts.cast(pa.string())
    for row, value in enumerate(records.values(column)):
        if not isinstance(value, str):
            got = "missing" if value is None else kind(value)
            raise InputError(f'{records.locate(row)}: "{column}" is {got}, expected text')
    return records.texts(column)


def _once(table: pa.Table) -> Iterator[pa.Table]:
    return iter([table])

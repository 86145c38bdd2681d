"""Rows of JSON lines and CSV, a block of an Arrow table at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import is_valid, joined, strings, texts_of
from fastcausal.files import _writing
from fastcausal.files.values import JsonTexts

ROWS = 1 << 12  # of a block: Python objects take 100 times the memory
BYTES = 1 << 22  # of a block, unless a row has more
PLAIN, JSON, CSV = 0, 1, 2  # numbers of `Style` in csrc/text/written.hpp
TEXTS = (pa.string(), pa.large_string())


class Strings(NamedTuple):
    """Strings as native code takes them."""

    data: Any  # UTF-8
    # int64[n + 1]: The start of each string, then the end of the last one
    places: npt.NDArray[np.int64]
    # int8[n] or None: 0 for a null string; None without nulls
    valid: npt.NDArray[np.int8] | None = None

    @classmethod
    def take(cls, column: pa.Array) -> Strings:
        """Take an array of strings."""
        data, places = texts_of(column)
        valid = is_valid(column).astype(np.int8) if column.null_count else None
        return cls(data, places.astype(np.int64, copy=False), valid)

    @classmethod
    def wrap(cls, data: bytes, places: bytes) -> Strings:
        """Take the output of native code."""
        return cls(data, np.frombuffer(places, np.int64))


class WrittenColumn(NamedTuple):
    """The cells of a column."""

    texts: Strings
    style: int = PLAIN  # `PLAIN` for finished cells, `JSON` or `CSV` for texts to put in quotes
    null: bytes | None = b""  # A null cell; None leaves it out of its row, with its name


def blocks(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """Yield the first row and the rows of each block."""
    row = table.nbytes // max(len(table), 1)
    n = min(max(BYTES // max(row, 1), 1), ROWS)
    for first in range(0, len(table), n):
        yield first, table.slice(first, n)


def json_cells(column: pa.ChunkedArray | pa.Array, written: JsonTexts) -> WrittenColumn:
    r"""Return values as JSON.

    >>> cells = json_cells(pa.array([1.5, None]), JsonTexts())
    >>> json_lines({"x": cells}, 2)
    b'{"x": 1.5}\n{"x": null}\n'
    """
    values = plain(column)
    if values.type in TEXTS:
        return WrittenColumn(Strings.take(values), JSON, b"null")
    return WrittenColumn(Strings.take(json_texts(values, written)), null=b"null")


def json_texts(values: pa.Array, written: JsonTexts) -> pa.Array:
    """Return values other than texts as JSON, null for null.

    >>> json_texts(pa.array([[1], None]), JsonTexts()).to_pylist()
    ['[1]', None]
    """
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return pc.cast(values, pa.string())
    rows = values.to_pylist()
    if rows and (pa.types.is_float32(kind) or pa.types.is_float64(kind)):
        texts = json.dumps(rows)[1:-1].split(", ")
        return strings([None if text == "null" else text for text in texts])
    return strings([None if row is None else written.json(row) for row in rows])


def plain(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column of a block as one array, a dictionary as its values."""
    values = joined(column)
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values


def lists_of(texts: Strings, lists: Any, as_literals: bool) -> Strings:
    """Return lists of strings as cells, of Python literals or of JSON.

    >>> bytes(lists_of(Strings.take(pa.array(["a", "b"])), np.array([0, 2]), as_literals=True).data)
    b"['a', 'b']"
    """
    return Strings.wrap(*_writing.write_lists(texts, lists, as_literals))


def json_lines(columns: Mapping[str, WrittenColumn], n: int) -> bytes:
    """Return n rows as JSON lines, with these names."""
    rows = [
        (f"{json.dumps(name, ensure_ascii=False)}: ".encode(), style, texts, null)
        for name, (texts, style, null) in columns.items()
    ]
    return _writing.write_rows(rows, n, b"{", b", ", b"}\n")


def csv_rows(columns: Iterable[WrittenColumn], n: int) -> bytes:
    """Return n rows of CSV, with the line ends of `csv.writer`."""
    rows = [(b"", style, texts, null) for texts, style, null in columns]
    return _writing.write_rows(rows, n, b"", b",", b"\r\n")

"""The cells of CSV files as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import is_utf8, joined, string_columns, strings, texts_of
from fastcausal.errors import InputError, notify
from fastcausal.files import _native
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.packed import suffix_of

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "vertical bars"}
CELLS = 1 << 22  # cells that are split at a time, into a chunk of every column
_HEADER = re.compile(rb'[^"\r\n]+(?=[\r\n])')


class Cells(NamedTuple):
    """The rows of a CSV file."""

    table: pa.Table  # Columns of strings by the names in the header
    lines: Sequence[int]  # The line of each row
    header: str  # The file and the line of the header, for messages


def cells(source: Source, delimiter: str = ",") -> Cells:
    """Read the cells of a CSV file as text."""
    table = _plain(source) if delimiter == "," else None
    if table is not None:
        lines = LineNumbers(lambda: (line for line, _ in source.rows()[1:]))
        return Cells(table, lines, f"{source.name}:{source.first}")
    (line, names), *rows = source.rows(delimiter)
    columns = {name: strings([row[at] for _, row in rows]) for at, name in enumerate(names)}
    return Cells(pa.table(columns), [line for line, _ in rows], f"{source.name}:{line}")


def delimiter_of(source: Source) -> str:
    r"""Return the separator of cells: by the suffix .tsv, or the most frequent in the header.

    >>> delimiter_of(Source("x.tsv", b"a")), delimiter_of(Source("x.csv", b"a,b"))
    ('\t', ',')
    """
    # A notice names a separator that the file's name does not suggest.
    if suffix_of(source.name) == ".tsv":
        return "\t"
    header = header_of(source)
    if header.startswith("|"):
        raise InputError(
            f"{source.name}: a table of Markdown, which is not read: save it as CSV in UTF-8, "
            "without bars at the ends of lines"
        )
    found = separator_of(header)
    if found != ",":
        notify(f"{source.name}: cells separated by {SEPARATORS[found]}")
    return found


def header_of(source: Source) -> str:
    r"""Return the first line with text, or its first characters.

    >>> header_of(Source("x.csv", b"\na,b\n1,2"))
    'a,b'
    """
    return source.data.lstrip()[:1000].partition(b"\n")[0].decode(errors="replace")


def separator_of(header: str) -> str:
    r"""Return the most frequent separator of a header, a comma if it has none.

    >>> [separator_of(header) for header in ("a; b", "a\tb", "a", "a;b,c", "a|b")]
    [';', '\t', ',', ',', '|']
    """
    return max(SEPARATORS, key=header.count)


def _plain(source: Source) -> pa.Table | None:
    """Return the cells as text by native code; None if Python has to split or refuse them."""
    header = _HEADER.match(source.data)
    if header is None or b"\0" in source.data or not is_utf8(source.data):
        return None
    names = header[0].decode().split(",")
    chunks: list[list[pa.Array]] = [[] for _ in names]
    at = header.end()
    while at < len(source.data):
        rows = _native.split_rows(source.data, at, max(1, CELLS // len(names)), len(names))
        if rows is None:
            return None
        at, columns = rows
        for made, column in zip(chunks, string_columns(columns), strict=False):
            made.append(column)
    if not chunks[0] or len(set(names)) < len(names):
        return None
    return pa.table([pa.chunked_array(made) for made in chunks], names)


def filled(column: pa.Array) -> pa.Array:
    """Return a column of text with null in place of empty texts.

    >>> filled(pa.array(["a", ""])).to_pylist()
    ['a', None]
    """
    _, starts = texts_of(column)
    if np.diff(starts).all():
        return column
    isfilled = pc.binary_length(column).cast(pa.bool_())
    return pc.if_else(isfilled, column, pa.nulls(len(column), column.type))


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, pa.Array]:
    """Return `column_of` the values for each key of JSON objects.

    >>> columns = columns_of([{"a": 1, "b": 2}, {"b": ""}])
    >>> str(columns["a"].type), columns["b"].to_pylist()
    ('int64', ['2', '""'])
    """
    keys = dict.fromkeys(key for row in rows for key in row)
    return {encodable(key): column_of([row.get(key) for row in rows])[0] for key in keys}


def column_of(values: Sequence[Any]) -> tuple[pa.Array, bool]:
    """Return JSON values as a column, and True if mixed kinds were written as JSON again.

    >>> column, is_mixed = column_of([2, "", None])
    >>> column.to_pylist(), is_mixed
    (['2', '""', 'null'], True)
    """
    try:
        return joined(pa.array(values)), False
    except (pa.ArrowException, OverflowError, UnicodeError):
        if all(isinstance(value, str | None) for value in values):
            return strings([text and encodable(text) for text in values]), False
        return pa.array(map(json.dumps, values), pa.string()), True


def encodable(text: str) -> str:
    """Replace half surrogates, which cannot be encoded, by escapes."""
    return text.encode(errors="backslashreplace").decode()

"""The cells of CSV files as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import copy_to_arrow, joined, strings, texts_of
from fastcausal.errors import notify
from fastcausal.files import _native
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.packed import suffix_of

SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}
BLOCK = 1 << 20  # bytes that a thread parses at a time


class Cells(NamedTuple):
    """The rows of a CSV file.

    Attributes
    ----------
    table : pyarrow.Table
        Columns of strings by the names in the header.
    lines : sequence of int
        The line of each row.
    header : str
        The file and the line of the header, for messages.
    """

    table: pa.Table
    lines: Sequence[int]
    header: str


def cells(source: Source, delimiter: str = ",") -> Cells:
    r"""Read the cells of a CSV file as text.

    Parameters
    ----------
    source : Source
    delimiter : str
        The separator of cells.

    Raises
    ------
    InputError
        The file is not CSV of one width, not UTF-8, or has two columns of one name.

    Examples
    --------
    >>> rows = cells(Source("x.csv", b"unit,label\n001,a\n\n01,b\n"))
    >>> rows.table.to_pydict(), list(rows.lines), rows.header
    ({'unit': ['001', '01'], 'label': ['a', 'b']}, [2, 4], 'x.csv:1')
    """
    table = _plain(source) if delimiter == "," else None
    if table is not None:
        lines = LineNumbers(lambda: (line for line, _ in source.rows()[1:]))
        return Cells(table, lines, f"{source.name}:{source.first}")
    (line, names), *rows = source.rows(delimiter)
    columns = {name: strings([row[at] for _, row in rows]) for at, name in enumerate(names)}
    return Cells(pa.table(columns), [line for line, _ in rows], f"{source.name}:{line}")


def delimiter_of(source: Source) -> str:
    r"""Return the separator of cells: by the suffix .tsv, or the most frequent in the header.

    A notice says so where the name does not lead to expect it.

    Examples
    --------
    >>> delimiter_of(Source("x.tsv", b"a")), delimiter_of(Source("x.csv", b"a,b"))
    ('\t', ',')
    """
    if suffix_of(source.name) == ".tsv":
        return "\t"
    found = separator_of(header_of(source))
    if found != ",":
        notify(f"{source.name}: cells separated by {SEPARATORS[found]}")
    return found


def header_of(source: Source) -> str:
    r"""Return the first line with text, or its first characters.

    Examples
    --------
    >>> header_of(Source("x.csv", b"\na,b\n1,2"))
    'a,b'
    """
    return source.data.lstrip()[:1000].partition(b"\n")[0].decode(errors="replace")


def separator_of(header: str) -> str:
    r"""Return the most frequent separator of a header, a comma if it has none.

    Examples
    --------
    >>> [separator_of(header) for header in ("a; b", "a\tb", "a", "a;b,c")]
    [';', '\t', ',', ',']
    """
    return max(SEPARATORS, key=header.count)


def _plain(source: Source) -> pa.Table | None:
    """Return the cells as text; None if pyarrow and Python might split them differently."""
    import pyarrow.csv as pc_csv

    n = _native.csv_rows(source.data)
    header = re.match(rb'[^"\r\n]+(?=[\r\n])', source.data)
    if n < 2 or b"\0" in source.data or header is None:
        return None
    try:
        names = header[0].decode().split(",")
        table = pc_csv.read_csv(
            pa.BufferReader(copy_to_arrow(source.data)),
            pc_csv.ReadOptions(block_size=BLOCK),
            pc_csv.ParseOptions(newlines_in_values=True),
            pc_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    same = table.column_names == names and len(set(names)) == len(names)
    return table if same and len(table) == n - 1 else None


def filled(column: pa.Array) -> pa.Array:
    """Return a column of text, null where it is empty.

    Examples
    --------
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

    Examples
    --------
    >>> columns = columns_of([{"a": 1, "b": 2}, {"b": ""}])
    >>> str(columns["a"].type), columns["b"].to_pylist()
    ('int64', ['2', '""'])
    """
    keys = dict.fromkeys(key for row in rows for key in row)
    return {encodable(key): column_of([row.get(key) for row in rows])[0] for key in keys}


def column_of(values: Sequence[Any]) -> tuple[pa.Array, bool]:
    """Return JSON values as a column, and True if mixed kinds were written as JSON again.

    Examples
    --------
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

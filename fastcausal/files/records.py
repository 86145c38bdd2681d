"""Records: the rows of any flat table, as one Arrow table with places for messages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Problems, invalid_json
from fastcausal.files import binary
from fastcausal.files.cells import cells, columns_of, encodable
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.lines import first_object, objects
from fastcausal.files.values import JSON, kind, most_common, shown

KINDS = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


@dataclass(frozen=True)
class Records:
    """Rows of a table with their places.

    Attributes
    ----------
    name : str
        The source, for messages.
    table : pyarrow.Table
        Its columns; of CSV all are text, and empty text is null.
    lines : sequence of int, optional
        The line of each row, if the source has lines.
    typed : bool
        False if the file can hold only text (CSV).
    mixed : set of str
        Columns with values of several kinds, stored as JSON.
        Columns whose values are of several kinds, and so are JSON.
    """

    name: str
    table: pa.Table
    lines: Sequence[int] | None = None
    typed: bool = True
    mixed: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.table)

    def __contains__(self, column: str) -> bool:
        return column in self.table.column_names

    def where(self, row: int) -> str:
        """Return the place of a row for messages: file and line, or its number from 0."""
        return f"{self.name}: row {row}" if self.lines is None else f"{self.name}:{self.lines[row]}"

    def column(self, name: str) -> pa.Array:
        """Return a column in one piece, dictionaries decoded.

        Raises
        ------
        InputError
            The column is missing; the message lists the columns.
        """
        if name not in self:
            present = ", ".join(self.table.column_names)
            raise InputError(f'{self.name}: no column "{name}": found {present[:200]}')
        column = arrow.joined(self.table[name])
        if column.null_count == len(column):
            return pa.nulls(len(column), pa.string())  # an all-null column fits any type
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column

    def answers(self, name: str) -> pa.Array:
        """Return a column of any kind; mixed values as text, NaN as null.

        Raises
        ------
        InputError
            The column is missing.
        """
        if name not in self.mixed:
            return self.column(name)
        values = [None if value != value else value for value in self.values(name)]  # NaN
        texts = [v if isinstance(v, str | None) else json.dumps(v) for v in values]
        return arrow.strings([text and encodable(text) for text in texts])

    def texts(self, name: str) -> pa.Array:
        """Return a column as text: string[n] with nulls; integers as written, 1.0 as 1.

        Raises
        ------
        InputError
            The column is missing, or has other values.
        """
        kinds = self.column(name).type
        if pa.types.is_floating(kinds):
            return self._whole(name, "text").cast(pa.string())
        if name in self.mixed or not (_is_text(kinds) or pa.types.is_integer(kinds)):
            self._require_none(name, "text")
        return self.answers(name).cast(pa.string())

    def values(self, name: str) -> list[Any]:
        """Return a column as Python values; None for null.

        Raises
        ------
        InputError
            The column is missing.
        """
        values = self.column(name).to_pylist()
        return [*map(json.loads, values)] if name in self.mixed else values

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """Return a column as float64[n]; NaN for missing values.

        Raises
        ------
        InputError
            The column is missing, or a value is not a number.
        """
        column = self.column(name)
        if not self.typed:
            column = self._parsed(name, column, pa.float64())
        elif not _is_number(column.type):
            self._require_none(name, "a number")
        return arrow.values_of(column.cast(pa.float64(), safe=False), np.nan)

    def integers(self, name: str) -> npt.NDArray[np.int64]:
        """Return a column as int64[n]; whole numbers may be written as 1.0.

        Raises
        ------
        InputError
            The column is missing, or a value is missing or not an integer.
        """
        column = self.column(name)
        if column.null_count:
            row = pc.index(pc.is_null(column), True).as_py()
            raise InputError(f'{self.where(row)}: "{name}" is missing, expected an integer')
        if not self.typed:
            column = self._parsed(name, column, pa.int64())
        elif pa.types.is_floating(column.type):
            column = self._whole(name, "an integer")
        elif not pa.types.is_integer(column.type):
            self._require_none(name, "an integer")
        try:
            return np.asarray(column.cast(pa.int64()).to_numpy(zero_copy_only=False))
        except pa.ArrowException as error:
            raise InputError(f'{self.name}: column "{name}": {error}') from error

    def _parsed(self, name: str, column: pa.Array, wanted: pa.DataType) -> pa.Array:
        """Parse the numbers of a CSV column; the message names the first other cell."""
        try:
            return column.cast(wanted)
        except pa.ArrowException:
            expected = "an integer" if pa.types.is_integer(wanted) else "a number"
        row = next(k for k, cell in enumerate(column) if not _is_written(cell, wanted))
        raise self._expected(name, row, column[row].as_py(), expected)

    def _require_none(self, name: str, expected: str) -> None:
        """Raise InputError for the first value of another kind in a mixed column."""
        allowed: tuple[type, ...] = ()
        if name in self.mixed:
            allowed = (str, int) if expected == "text" else (int, float)
        for row, value in enumerate(self.values(name)):
            if value is not None and type(value) not in allowed:
                raise self._expected(name, row, value, expected)

    def _whole(self, name: str, expected: str) -> pa.Array:
        """Convert a column of float64 to integers; the message names the first other number."""
        column = self.column(name).cast(pa.float64())
        values = np.asarray(pc.fill_null(column, 0))
        odd = (values != np.trunc(values)) | (np.abs(values) > 2**53)
        if odd.any():
            row = int(odd.argmax())
            raise self._expected(name, row, column[row].as_py(), expected)
        return column.cast(pa.int64())

    def _expected(self, name: str, row: int, value: Any, expected: str) -> InputError:
        got = shown(value) if isinstance(value, str | int | float) else kind(value)
        return InputError(f'{self.where(row)}: "{name}" is {got}, expected {expected}')


def read_records(source: Any, name: str = "rows") -> Records:
    r"""Read the rows of a flat table.

    Parameters
    ----------
    source : path, table or list of mappings
        A file: CSV with a header, JSON lines, a JSON list of objects, Parquet or Arrow IPC; ``"-"``
        for standard input. Or any Arrow table (of pandas, polars, ...), a mapping of columns, or an
        iterable of mappings.
    name : str
        The name for messages of a source that is not a file.

    Raises
    ------
    InputError
        The source cannot be read, has no rows, or has two columns of one name.

    Examples
    --------
    >>> rows = read_records(Source("a.jsonl", b'{"id": "x", "score": 3}\n\n{"id": "y"}\n'))
    >>> rows.numbers("score"), rows.texts("id").to_pylist(), rows.where(1)
    (array([ 3., nan]), ['x', 'y'], 'a.jsonl:3')
    """
    if isinstance(source, Records):
        return source
    if isinstance(source, str | os.PathLike | Source):
        records = _of_file(Source.open(source))
    elif isinstance(source, Mapping) or hasattr(source, "__arrow_c_stream__"):
        records = _of_table(source, name)
    elif isinstance(source, Iterable):
        records = _of_objects(list(source), name)
    else:
        raise InputError(f"{name} is {kind(source)}, expected a table or a list of objects")
    if again := most_common(records.table.column_names):
        raise InputError(f'{records.name}: column "{again[0]}" occurs {again[1]} times')
    if not len(records):
        raise InputError(f"{records.name} has no rows")
    return records


def _of_file(file: Source) -> Records:
    if binary.sniff(file.data) is not None:
        return Records(file.name, arrow.without_views(binary.load(file)))
    if file.data.lstrip()[:1] == b"[":
        return _of_objects(_document(file), file.name)
    if file.is_json:
        return _of_lines(file)
    rows, lines, _ = cells(file)
    filled = [_filled(column) for column in rows.columns]
    return Records(file.name, pa.table(filled, rows.column_names), lines, typed=False)


def _filled(column: pa.ChunkedArray) -> pa.Array:
    """Return a column of text with null for empty text."""
    texts = arrow.joined(column)
    return pc.if_else(
        pc.binary_length(texts).cast(pa.bool_()), texts, pa.nulls(len(texts), texts.type)
    )


def _document(file: Source) -> Any:
    try:
        return JSON.decode(file.text)
    except InputError as error:
        raise InputError(f"{file.name}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(file.name, error)) from error


def _of_lines(file: Source) -> Records:
    if (plain := _plain(file)) is not None:
        return Records(
            file.name, plain, LineNumbers(lambda: (line for line, _ in file.filled_lines()))
        )
    problems = Problems()
    numbered = list(file.objects(problems))
    problems.raise_if_any()
    mixed: set[str] = set()
    table = pa.table(columns_of([row for _, row in numbered], mixed))
    lines = [line for line, _ in numbered]
    return Records(file.name, table, lines, mixed=frozenset(mixed))


def _plain(file: Source) -> pa.Table | None:
    """Return the table of objects with the fields of the first; None if Python must read them."""
    kinds = {name: KINDS.get(type(value)) for name, value in first_object(file).items()}
    if not kinds or None in kinds.values():
        return None
    table = objects(file, kinds)
    if table is None or not all(map(_is_exact, table.columns)):
        return None
    return pa.table([*map(arrow.joined, table.columns)], table.column_names)


def _is_exact(column: pa.ChunkedArray) -> bool:
    """Return True if a column is not numeric, or its numbers survive a cast to float64."""
    if not pa.types.is_floating(column.type):
        return True
    values = column.drop_null().to_numpy()
    odd = (values == 0) & np.signbit(values)  # -0 would become the integer 0
    return bool((np.abs(values) < 2**53).all() and not odd.any())


def _of_objects(rows: Any, name: str) -> Records:
    if not isinstance(rows, list):
        raise InputError(f"{name} is {kind(rows)}, expected a list of objects")
    for k, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"{name}: row {k} is {kind(row)}, expected an object")
    mixed: set[str] = set()
    return Records(name, pa.table(columns_of(rows, mixed)), mixed=frozenset(mixed))


def _of_table(source: Any, name: str) -> Records:
    try:
        return Records(name, _of_columns(source, name))
    except InputError:
        if not hasattr(source, "notna"):
            raise
    # Columns of pandas may have mixed values; columns of Arrow cannot.
    rows = source.astype(object).where(source.notna(), None).to_dict("records")
    return _of_objects(rows, name)


def _of_columns(source: Any, name: str) -> pa.Table:
    try:
        table = pa.table(source)
        arrow.validate(table)
        table = arrow.without_views(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{name}: the table cannot be read: {error}") from error
    return table


def _is_text(wanted: pa.DataType) -> bool:
    return str(wanted) in ("string", "large_string", "string_view")


def _is_number(wanted: pa.DataType) -> bool:
    types = pa.types
    return any(t(wanted) for t in (types.is_integer, types.is_floating, types.is_decimal))


def _is_written(cell: pa.Scalar, wanted: pa.DataType) -> bool:
    try:
        return bool(cell.cast(wanted).is_valid or not cell.is_valid)
    except pa.ArrowException:
        return False

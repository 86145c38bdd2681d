"""Records: the rows of any flat table, with places for messages.

::

    CSV, TSV, ";", JSON lines, a JSON list, Parquet, Arrow, frames, mappings
        │ read_records
        ▼
    Records ──▶ keys, labels, texts, numbers, integers, values of a column; where(row)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.tensors import view_on_host
from fastcausal.arrays.validation import validate
from fastcausal.errors import InputError, Problems
from fastcausal.files import binary
from fastcausal.files.cells import cells, column_of, delimiter_of, encodable, filled
from fastcausal.files.columns import Column, is_text
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.lines import plain_objects
from fastcausal.files.on_disk import OnDisk, open_on_disk
from fastcausal.files.packed import local, name_of
from fastcausal.files.spelling import spelled
from fastcausal.files.values import find_most_common, kind, pause_gc

COLUMNS = (pa.Table, OnDisk)
Batches = Callable[[], Iterator[pa.Table]]
T = TypeVar("T")


class Taken(Sequence[T]):
    """What a sequence has at some places, looked up at the first use in a message."""

    # Pickled, it is a list.

    def __init__(self, find: Callable[[int], T], rows: npt.NDArray[np.int64]) -> None:
        self._find = find
        self._rows = rows

    def __getitem__(self, row: Any) -> Any:
        return self._find(int(self._rows[row]))

    def __len__(self) -> int:
        return len(self._rows)

    def __reduce__(self) -> tuple[type, tuple[list[T]]]:
        return list, ([*self],)


class Records:
    """Rows of a table, with columns read by name and kind."""

    # Every access to a column raises InputError if it is missing, or for its first value of another
    # kind, with the place. Names are matched in any letter case; from then on, a column has the
    # name by which it was found.

    def __init__(
        self,
        name: str,
        # Columns, in memory or in their file; or objects of JSON, whose columns are made at the
        # first access
        rows: pa.Table | OnDisk | Sequence[Mapping[str, Any]],
        *,
        lines: Sequence[int] | None = None,  # The line of each row, if the source has lines
        # The place of each row in messages, if rows have neither lines nor numbers
        places: Sequence[str] | None = None,
        header: str | None = None,  # The place of column names in messages; by default the source
        # False if the file can hold only text (CSV); then empty text is missing
        typed: bool = True,
    ) -> None:
        self.name = name
        self.lines = lines
        self.header: str = name if header is None else header
        self.typed = typed
        self._rows = rows
        self._places = places
        self._arrays: dict[str, tuple[pa.Array, bool]] = {}
        self._columns: dict[str, Column] = {}
        if isinstance(rows, COLUMNS) and (again := find_most_common(rows.column_names)):
            raise InputError(f'{self.header}: column "{again[0]}" occurs {again[1]} times')

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, column: str) -> bool:
        return self.find(column) is not None

    @property
    def is_table(self) -> bool:
        """True if rows are columns, False if they are objects of JSON."""
        return isinstance(self._rows, COLUMNS)

    @cached_property
    def _names(self) -> dict[str, str]:
        """Names of columns, each with its name in the source."""
        if isinstance(self._rows, COLUMNS):
            return {name: name for name in self._rows.column_names}
        keys = dict.fromkeys(chain.from_iterable(self._rows))
        return {encodable(key): key for key in keys}

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self._names)

    @cached_property
    def table(self) -> pa.Table:
        """All columns; for CSV as text, with null for empty text."""
        if isinstance(self._rows, COLUMNS) and self.typed:
            return self._renamed()
        return pa.table({name: self._array(name)[0] for name in self._names})

    @property
    def cells(self) -> pa.Table:
        """All columns, for CSV as written: empty text stays empty."""
        return self.table if self.typed else self._renamed()

    def _renamed(self) -> Any:
        rows: Any = self._rows
        if isinstance(rows, OnDisk):
            rows = rows.select(rows.column_names)
        return rows if rows.column_names == self.names else rows.rename_columns(self.names)

    def drop(self, *names: str | None) -> pa.Table:
        """Return all columns except some, which are not read from a file; ignore unknown names."""
        if isinstance(self._rows, OnDisk):
            kept = {name: key for name, key in self._names.items() if name not in names}
            return self._rows.select([*kept.values()]).rename_columns([*kept])
        return arrow.drop_columns(self.table, {name or "" for name in names})

    def open_batches(self, *columns: str, filled: Collection[str] = ()) -> Batches | None:
        """Return a function that reads columns of text from their file, batch by batch."""
        # It can be called again. None if a column is in memory or not text, or if a column in
        # ``filled`` may have nulls.
        rows, keys = self._rows, [self._names[name] for name in columns]
        if not isinstance(rows, OnDisk):
            return None
        are_texts = all(is_text(rows.schema.field(key).type) for key in keys)
        if are_texts and all(rows.lacks_null(self._names[name]) for name in filled):
            return partial(rows.batches, keys)
        return None

    def objects(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows as objects of JSON."""
        if isinstance(self._rows, COLUMNS):
            rows: list[dict[str, Any]] = self.table.to_pylist()
            return rows
        new = {key: name for name, key in self._names.items() if name != key}
        return [{new.get(k, k): v for k, v in r.items()} for r in self._rows] if new else self._rows

    def locate(self, row: int) -> str:
        """Return the place of a row: file and line, or its number from 0."""
        return _place(self.name, self.lines, self._places, row)

    def find(self, *names: str) -> str | None:
        """Return the first of these columns that exists, else the first in any letter case."""
        ways = (self._names.__contains__, self.spell)
        return next((name for exists in ways for name in names if exists(name)), None)

    def spell(self, known: str | tuple[str, ...]) -> bool:
        """Give a column a known name, see `fastcausal.files.spelling`; return False without it."""
        found = spelled(self._names, [known])
        if found:
            self._names = {found.get(name, name): key for name, key in self._names.items()}
            self.__dict__.pop("table", None)  # it has the old name
        return bool(found)

    def renamed(self, column: str, name: str) -> Records:
        """Return the same rows, with this name for a column, and without another of that name."""
        found = self.require(column)
        names = (
            self._names if found == name else {n: self._names[n] for n in self.names if n != name}
        )
        return self._choose({name if n == found else n: key for n, key in names.items()})

    def without(self, *columns: str) -> Records:
        """Return the same rows without some columns."""
        left_out = {self.require(column) for column in columns}
        return self._choose({n: key for n, key in self._names.items() if n not in left_out})

    def split(self, column: str, by: str | None = None) -> dict[str, Records]:
        """Return the rows of each value of a column, in order of their first appearance."""
        # ``by`` is a column of keys that sort the rows of each value.
        names, codes = self._coded(column)
        order = np.arange(len(codes)) if by is None else _order_of(*self._coded(by))
        order = order[_argsort(codes[order])]
        sizes = np.bincount(codes)
        present = np.flatnonzero(sizes)
        highs = np.cumsum(sizes)[present]
        lows = highs - sizes[present]
        rows = self._rows_at(order)  # once, not for each value
        parts = {}
        for k in np.argsort(np.minimum.reduceat(order, lows)).tolist():
            low, high = int(lows[k]), int(highs[k])
            parts[names[int(present[k])].as_py()] = self._part(rows[low:high], order[low:high])
        return parts

    def _coded(self, column: str) -> tuple[pa.Array, npt.NDArray[Any]]:
        """Return the different keys in a column, and the place of each row's among them."""
        stored = self.dictionary(column)
        if stored is None or stored.null_count:
            coded = self.keys(column).dictionary_encode()
        else:
            coded = stored.unify_dictionaries().combine_chunks()
        return coded.dictionary, arrow.values_of(coded.indices)

    def take(self, numbers: npt.NDArray[np.int64]) -> Records:
        """Return the rows of these numbers, which have their places in messages."""
        return self._part(self._rows_at(numbers), numbers)

    def _rows_at(self, numbers: npt.NDArray[np.int64]) -> Any:
        rows: Any = self._rows
        if not isinstance(rows, COLUMNS):
            return [rows[row] for row in numbers.tolist()]
        rows = rows.select(rows.column_names) if isinstance(rows, OnDisk) else rows
        return rows.take(pa.array(numbers))

    def _part(self, rows: Any, numbers: npt.NDArray[np.int64]) -> Records:
        of, lines, places = self.lines, None, None
        if of is None:
            places = Taken(partial(_place, self.name, None, self._places), numbers)
        else:
            lines = Taken(of.__getitem__, numbers)
        part = Records(
            self.name, rows, lines=lines, places=places, header=self.header, typed=self.typed
        )
        part._names = dict(self._names)
        return part

    def _choose(self, keys: Mapping[str, str]) -> Records:
        """Return the same rows with these columns alone, by their new names."""
        rows: Any = self._rows
        if isinstance(rows, COLUMNS):
            rows = rows.select([*keys.values()]).rename_columns([*keys])
        else:
            rows = [{n: row[key] for n, key in keys.items() if key in row} for row in rows]
        lines, places, header = self.lines, self._places, self.header
        return Records(self.name, rows, lines=lines, places=places, header=header, typed=self.typed)

    def require(self, *names: str) -> str:
        """Return the first of these columns that exists."""
        if (name := self.find(*names)) is None:
            wanted = " or ".join(f'"{name}"' for name in names)
            raise InputError(
                f"{self.header}: no column {wanted}: found {', '.join(self.names)[:200]}"
            )
        return name

    def has(self, name: str) -> bool:
        """Return True if a column exists and has a value."""
        return name in self and self.column(name).null_count < len(self)

    def is_mixed(self, name: str) -> bool:
        """Return True if a column has values of several kinds; `column` gives them as JSON."""
        return self._column(name).is_mixed

    def column(self, name: str) -> pa.Array:
        """Return a column as one array, dictionaries decoded; an all-null column as text."""
        return self._column(name).array

    def keys(self, *names: str) -> pa.Array:
        """Return the first of these columns that exists, as text without gaps: string[n]."""
        # Integers are as written; 1.0 becomes 1.
        return self._column(*names).keys()

    def texts(self, name: str) -> pa.Array:
        """Return a column as text, string[n] with nulls; 1.0 becomes 1."""
        return self._column(name).texts()

    def encoded(self, name: str) -> pa.ChunkedArray:
        """Return a column as text in the chunks and dictionaries that the table has."""
        for column in (self.stored(name), self.dictionary(name)):
            if column is not None:
                return column
        return pa.chunked_array([self.texts(name)])

    def stored(self, name: str) -> pa.ChunkedArray | None:
        """Return a column in the chunks of its table; None unless its type is string."""
        column = self.chunks(name)
        return column if column is not None and column.type == pa.string() else None

    def chunks(self, name: str) -> pa.ChunkedArray | None:
        """Return a column in the chunks of its table; None if rows come from CSV or are objects."""
        name, rows = self.require(name), self._rows
        if not (self.typed and isinstance(rows, COLUMNS)):
            return None
        return rows[self._names[name]]

    def dictionary(self, name: str) -> pa.ChunkedArray | None:
        """Return a column of text in the dictionaries of its table; None for other columns."""
        column = self.chunks(name)
        if column is None or not pa.types.is_dictionary(column.type):
            return None
        has_null = any(chunk.dictionary.null_count for chunk in column.chunks)
        return None if has_null or column.type.value_type != pa.string() else column

    def answers(self, name: str) -> pa.ChunkedArray:
        """Return a column of any type; values of several kinds become text, NaN becomes null."""
        # Text in dictionaries stays in them.
        stored = self.dictionary(name)
        return pa.chunked_array([self._column(name).answers()]) if stored is None else stored

    def labels(
        self,
        name: str,
        # True allows only integers and text: int64 or string[n]; text stays text, and booleans are
        # ``true`` and ``false``
        whole: bool = False,
    ) -> pa.Array:
        """Return a column of labels, all numbers or all text: float64 or string[n], with nulls."""
        # Text is numbers if all of it is numbers or missing, in CSV as in any other source.
        # Booleans, also written as True, are 1 and 0. Text loses the blanks around it, and 1.0
        # becomes 1. An integer that float64 cannot hold is a fault.
        return self._column(name).labels(whole)

    def codes(self, name: str) -> pa.DictionaryArray:
        """Return a column of text as places among the distinct ones."""
        return self._column(name).codes

    def values(self, name: str) -> list[Any]:
        """Return a column as Python values; None for null."""
        return self._column(name).values

    def numbers(self, name: str) -> npt.NDArray[np.float64]:
        """Return a column as float64[n]; NaN for missing values."""
        return self._column(name).numbers()

    def integers(self, name: str) -> npt.NDArray[np.int64]:
        """Return a column as int64[n] without gaps; whole numbers may be written as 1.0."""
        return self._column(name).integers()

    def _column(self, *names: str) -> Column:
        name = self.require(*names)
        if name not in self._columns:
            array, is_mixed = self._array(name)
            if array.null_count == len(array):
                array = pa.nulls(len(array), pa.string())  # an all-null column fits any type
            elif pa.types.is_dictionary(array.type):
                array = array.dictionary_decode()
            # Not the method `where`: the reference cycle would wait for the garbage collector.
            where = partial(_place, self.name, self.lines, self._places)
            self._columns[name] = Column(name, array, is_mixed, self.typed, where)
        return self._columns[name]

    def _array(self, name: str) -> tuple[pa.Array, bool]:
        if name not in self._arrays:
            if isinstance(self._rows, COLUMNS):
                column = arrow.joined(self._rows[self._names[name]])
                self._arrays[name] = (column if self.typed else filled(column)), False
            else:
                key = self._names[name]
                try:
                    self._arrays[name] = column_of([row.get(key) for row in self._rows])
                except TypeError as error:  # JSON cannot store a value
                    message = f'{self.name}: column "{name}" cannot be read: {error}'
                    raise InputError(message) from error
        return self._arrays[name]


def _order_of(keys: pa.Array, codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the rows in the order of their keys, equal ones as they come."""
    from fastcausal.arrays import compute as pc

    ranks = np.empty(len(keys), np.int64)
    ranks[arrow.values_of(pc.sort_indices(keys))] = np.arange(len(ranks))
    return _argsort(ranks[codes])


def _argsort(codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Sort small numbers, equal ones in their order; of 16 bits or fewer in linear time."""
    small = codes.astype(np.min_scalar_type(int(codes.max(initial=0))))
    return np.argsort(small, kind="stable")


def _place(name: str, lines: Sequence[int] | None, places: Sequence[str] | None, row: int) -> str:
    """Return the place of a row: file and line, or its number from 0."""
    if places is not None:
        return places[row]
    return f"{name}: row {row}" if lines is None else f"{name}:{lines[row]}"


def read_records(
    # A file: CSV with a header, JSON lines, a JSON list of objects, Parquet or Arrow IPC; ``"-"``
    # for standard input. Or any Arrow table (of pandas, polars, ...), a mapping of columns, or an
    # iterable of mappings.
    source: Any,
    name: str = "rows",  # The name for messages of a source that is not a file
    # The character between two cells; by default a tab in ``.tsv``, ``;`` if the header has it and
    # no comma, else a comma
    delimiter: str | None = None,
    # The name of the only column, for a list of plain values, an array or a column; a JSON object
    # with it is a row, and no row for each of its keys
    column: str | None = None,
    may_be_empty: bool = False,  # True allows a table without rows
    encoded: bool = False,  # True keeps text of Parquet in dictionaries until a column is read
    # True reads the columns of a large Parquet file only when they are needed
    in_file: bool = False,
) -> Records:
    """Read the rows of a flat table."""
    if isinstance(source, Records):
        return source
    if isinstance(source, str | os.PathLike | Source):
        table = (
            None if isinstance(source, Source) else _open_on_disk(local(source), encoded, in_file)
        )
        records = (
            _read_file(Source.open(source), delimiter, column, encoded) if table is None else table
        )
    elif column is not None and (single := _read_values(source, column, name)) is not None:
        records = single
    elif isinstance(source, Mapping) or hasattr(source, "__arrow_c_stream__"):
        records = _read_table(source, name)
    elif isinstance(source, Iterable):
        records = _read_objects(list(source), name)
    else:
        raise InputError(f"{name} is {kind(source)}, expected a table or a list of objects")
    if not (len(records) or may_be_empty):
        raise InputError(f"{records.name} has no rows")
    return records


def _open_on_disk(path: str | os.PathLike[str], encoded: bool, in_file: bool) -> Records | None:
    """Read a binary table on disk; None for any other file."""
    if binary.format_of(path) is None:
        return None
    rows = open_on_disk(path) if in_file else None
    return Records(name_of(path), binary.load(path, encoded=encoded) if rows is None else rows)


def _read_file(file: Source, delimiter: str | None, column: str | None, encoded: bool) -> Records:
    if binary.sniff(file.data) is not None:
        return Records(file.name, binary.load(file, encoded=encoded))
    if file.data.lstrip()[:1] == b"[":
        return _read_objects(file.document(), file.name)
    if file.is_json:
        return _read_lines(file.lines_of_keys(column))
    rows, lines, header = cells(file, delimiter or delimiter_of(file))
    return Records(file.name, rows, lines=lines, header=header, typed=False)


def _read_lines(file: Source) -> Records:
    lines = LineNumbers(lambda: (line for line, _ in file.filled_lines()))
    if (plain := plain_objects(file)) is not None:
        return Records(file.name, plain, lines=lines)
    problems = Problems()
    with pause_gc():
        rows = [row for _, row in file.objects(problems)]
    problems.raise_if_any()
    return Records(file.name, rows, lines=lines)


def _read_objects(rows: Any, name: str) -> Records:
    if not isinstance(rows, list):
        raise InputError(f"{name} is {kind(rows)}, expected a list of objects")
    for k, row in enumerate(rows if {*map(type, rows)} != {dict} else ()):
        if not isinstance(row, Mapping):
            raise InputError(f"{name}: row {k} is {kind(row)}, expected an object")
    return Records(name, rows)


def _read_values(source: Any, column: str, name: str) -> Records | None:
    """Read plain values as one column; None for a source with columns."""
    if hasattr(source, "detach"):  # a tensor, perhaps with a gradient
        source = view_on_host(name, source)
    if isinstance(source, Mapping | pa.Table | pa.RecordBatch):
        return None
    if isinstance(source, Sequence):
        if any(isinstance(row, Mapping) for row in source):
            return None
    elif hasattr(source, "__arrow_c_stream__"):
        try:
            values = pa.chunked_array(source)
        except (pa.ArrowException, TypeError, ValueError):  # values of several kinds
            values = source
        if isinstance(values, pa.ChunkedArray):
            is_table = pa.types.is_struct(values.type)
            return None if is_table else Records(name, _read_columns({column: values}, name))
        if not hasattr(source, "tolist"):  # a frame
            return None
    elif not hasattr(source, "tolist"):
        return None
    try:
        values = source if isinstance(source, pa.Array) else pa.array(source, from_pandas=True)
        return Records(name, _read_columns({column: values}, name))
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        values = source.tolist() if hasattr(source, "tolist") else source
        return Records(name, [{column: value} for value in values])


def _read_table(source: Any, name: str) -> Records:
    try:
        return Records(name, _read_columns(source, name))
    except InputError:
        if not hasattr(source, "notna"):
            raise
    # Columns of pandas may have mixed values; columns of Arrow cannot.
    rows = source.astype(object).where(source.notna(), None).to_dict("records")
    return _read_objects(rows, name)


def _read_columns(source: Any, name: str) -> pa.Table:
    try:
        table = pa.table(source)
        validate(table)
        table = arrow.cast_to_plain(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{name}: the table cannot be read: {error}") from error
    return table

"""JSON lines through pyarrow's reader, if it reads them exactly as Python does.

::

    path, stdin ── Lines.take(n) ──▶ Source ── objects ──▶ table, or None: read it line by line
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from io import FileIO
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import copy_to_arrow, joined
from fastcausal.errors import InputError
from fastcausal.files import _native
from fastcausal.files.files import UTF8_MARK, Source
from fastcausal.files.packed import name_of, stdin
from fastcausal.files.values import JSON

BLOCK = 1 << 20  # bytes that a thread parses at a time
_FILLED_LINE = re.compile(rb"\S[^\n]*")
FEW = 50  # lines searched for the kind of a field that is null in the first line
TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
LISTS = {str: pa.list_(pa.string()), int: pa.list_(pa.int64())}
TEXTS = LISTS[str]
READ = 1 << 22  # bytes read at a time: memory of that size is used again


def first_object(source: Source) -> Mapping[str, Any]:
    """Return the object in the first non-blank line or of a list, {} if there is none."""
    line = _FILLED_LINE.search(source.data)
    try:
        if source.is_list:
            _, value = next(source.items())
        else:
            value = json.loads(line[0] if line else b"")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def objects(
    source: Source,
    kinds: Mapping[str, pa.DataType],  # The fields. A missing field is null.
) -> pa.Table | None:
    """Read JSON objects, one in each non-blank line, as a table."""
    # None if a line is not a JSON object with exactly these fields, or if pyarrow might accept a
    # line that Python refuses.
    import pyarrow.json as pj

    n, longest = _native.object_lines(source.data)
    if n < 0 or b"\0" in source.data:
        return None
    try:
        table = pj.read_json(
            pa.BufferReader(copy_to_arrow(source.data)),
            pj.ReadOptions(block_size=max(BLOCK, longest + 2)),
            pj.ParseOptions(explicit_schema=pa.schema(kinds), unexpected_field_behavior="error"),
        )
        table.validate(full=True)  # pyarrow takes any bytes for UTF-8
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):  # half a surrogate in a name
        return None
    return table if len(table) == n else None


def plain_objects(file: Source) -> pa.Table | None:
    """Read objects with the fields of the first as a table; None if Python has to read them."""
    kinds = _kinds(file)
    table = objects(file, kinds) if kinds else None
    if table is None or not all(map(_is_exact, table.columns)):
        return None
    if any(map(_is_nested, table.schema.types)) and any(map(_has_null, table.columns)):
        return None  # readers of lists and objects distinguish a missing key from null
    return pa.table([*map(joined, table.columns)], table.column_names)


def _kinds(file: Source) -> dict[str, pa.DataType]:
    """Return the types of the fields by their first values; empty if one has no Arrow type."""
    first = first_object(file)
    for _, line in islice(file.filled_lines(), 1, FEW) if None in first.values() else ():
        try:
            row = JSON.decode(line)
        except (ValueError, RecursionError):
            return {}
        if isinstance(row, dict):
            first = {name: row.get(name) if v is None else v for name, v in first.items()}
    kinds = {name: _kind(value) for name, value in first.items()}
    return kinds if None not in kinds.values() else {}


def _kind(value: Any) -> pa.DataType | None:
    """Return the type of a value; None for most objects and lists."""
    # Lists may hold texts; objects may hold texts, and lists of texts or of integers.
    if isinstance(value, dict):
        kinds = [(name, _kind_of_list(v) or TYPES.get(type(v))) for name, v in value.items()]
        allowed = (pa.string(), *LISTS.values())
        return pa.struct(kinds) if kinds and all(kind in allowed for _, kind in kinds) else None
    kind = _kind_of_list(value)
    return TYPES.get(type(value)) if kind is None else kind if kind == TEXTS else None


def _kind_of_list(value: Any) -> pa.DataType | None:
    """Return the type of a list of texts or of integers; None for any other value."""
    held = {*map(type, value)} if isinstance(value, list) else ()
    return LISTS.get(held.pop()) if len(held) == 1 else None


def _is_nested(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_struct(kind))


def _has_null(column: pa.ChunkedArray) -> bool:
    """Return True if a row is null, or a field of an object."""
    parts = column.flatten() if pa.types.is_struct(column.type) else []
    return any(part.null_count for part in (column, *parts))


def _is_exact(column: pa.ChunkedArray) -> bool:
    """Return True if a column is not numeric, or its numbers survive a cast to float64."""
    if not pa.types.is_floating(column.type):
        return True
    values = column.drop_null().to_numpy()
    odd = (values == 0) & np.signbit(values)  # -0 would become the integer 0
    return bool((np.abs(values) < 2**53).all() and not odd.any())


class Lines:
    r"""The lines of a file or of standard input, in batches.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x")
    ...     with open(path, "wb") as file:
    ...         n = file.write(b"a\n\nb\nc")
    ...     lines = Lines(path)
    ...     parts = lines.take(2), lines.take(2), lines.take(2)
    ...     lines.close()
    >>> [part and (part.data, part.first) for part in parts]
    [(b'a\n\nb\n', 1), (b'c', 4), None]
    """

    def __init__(
        self,
        source: str | os.PathLike[str],  # ``"-"`` is standard input
    ) -> None:
        self.name: str = name_of(source)
        self._line = 1
        self._header = b""  # before the lines of each batch
        # One buffer for all batches; bytes from start to stop are read and not yet taken.
        self._held = bytearray(2 * READ)
        self._start = self._stop = 0
        try:
            self._file: Any = stdin() if source == "-" else FileIO(source)
            self._read()
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise InputError(f"{self.name}: {getattr(error, 'strerror', None) or error}") from error
        if self._held.startswith(UTF8_MARK):
            self._start = len(UTF8_MARK)

    def close(self) -> None:
        """Close the file."""
        if isinstance(self._file, FileIO):  # not standard input
            self._file.close()

    def take(self, n: int) -> Source | None:
        """Return the next n non-blank lines, fewer at the end, then None."""
        first, size, left = self._line, 0, n
        while True:
            data = memoryview(self._held)[self._start + size : self._stop]
            more, n_taken, n_lines = self._end(data, left)
            left -= n_taken
            size += more
            self._line += n_lines
            if not left:
                break
            if not self._read():
                size = self._stop - self._start
                break
        lines = memoryview(self._held)[self._start : self._start + size]
        self._start += size
        if left == n and not bytes(lines).strip():
            return None
        return Source(self.name, b"".join((self._header, lines)), first)

    def _end(self, data: memoryview, n: int) -> tuple[int, int, int]:
        """Return the end of n non-blank lines, their number, and the number of all lines passed."""
        return _native.end_of_lines(data, n)

    def _read(self) -> bool:
        """Read more bytes into the buffer; return False at the end of the file."""
        if self._stop + READ > len(self._held):
            left = memoryview(self._held)[self._start : self._stop]
            if 2 * len(left) > len(self._held):
                self._held = bytearray(4 * len(left))
            memoryview(self._held)[: len(left)] = left
            self._start, self._stop = 0, len(left)
        n = self._file.readinto(memoryview(self._held)[self._stop :])
        self._stop += n
        return bool(n)


class CsvRows(Lines):
    r"""The rows of a CSV file, in batches behind its header; lines within cells are not counted.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x")
    ...     with open(path, "wb") as file:
    ...         n = file.write(b'a,b\n1,"x\ny"\n\n2,z')
    ...     rows = CsvRows(path)
    ...     parts = rows.take(1), rows.take(1), rows.take(1)
    ...     rows.close()
    >>> [part and part.data for part in parts]
    [b'a,b\n1,"x\ny"\n', b'a,b\n\n2,z', None]
    """

    # A row with an unusual quote comes with all that follows it.

    def __init__(self, source: str | os.PathLike[str]) -> None:
        super().__init__(source)
        header = self.take(1)
        self._header = b"" if header is None else header.data

    def _end(self, data: memoryview, n: int) -> tuple[int, int, int]:
        return *_native.end_of_rows(data, n), 0

"""Conversion between NumPy and Arrow, without a copy if possible.

``pa.array``, ``pa.scalar``, ``fill_null`` and ``to_numpy`` import pandas if it is installed, which
takes longer than reading and scoring a corpus. The functions here use buffers and avoid that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError

SHORT = 16  # bytes of texts that are sorted as integers
Booleans = np.ndarray[Any, np.dtype[np.bool_]]


class ArrowStreamExportable(Protocol):
    """A table of pyarrow, pandas, polars, DuckDB or another library with Arrow capsules."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the table as a capsule of an ArrowArrayStream."""
        ...


def numbers(values: Any, valid: Booleans | None = None) -> pa.Array:
    """Convert a NumPy array of numbers or booleans; values that are not ``valid`` become null."""
    data = _bits(values) if values.dtype == bool else pa.py_buffer(np.ascontiguousarray(values))
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [_bits(valid), data])


def strings(values: Sequence[str | None]) -> pa.Array:
    """Convert strings; None becomes null, 2 GiB or more become ``large_string``."""
    try:
        encoded = [b"" if value is None else value.encode() for value in values]
    except UnicodeEncodeError as error:
        text = error.object[:60].encode(errors="backslashreplace").decode()
        raise InputError(
            f'"{text}" holds half of a surrogate pair, expected whole characters'
        ) from error
    places = offsets(map(len, encoded))
    small = places[-1] < 2**31
    valid = np.array([value is not None for value in values], bool) if None in values else None
    return pa.Array.from_buffers(
        pa.string() if small else pa.large_string(),
        len(values),
        [
            _bits(valid),
            pa.py_buffer(places.astype(np.int32) if small else places),
            pa.py_buffer(b"".join(encoded)),
        ],
    )


class GrowingStrings:
    """Strings that grow in one piece of memory: arrays of some rows each take twice as much.

    >>> column = GrowingStrings()
    >>> column.extend(["a", "bc"])
    >>> column.release().to_pylist(), column.release().to_pylist()
    (['a', 'bc'], [])
    """

    def __init__(self) -> None:
        self._data, self._places = bytearray(), bytearray(8)

    def extend(self, values: Sequence[str]) -> None:
        """Add strings."""
        data, places = texts_of(strings(values))
        self._places += (places[1:].astype(np.int64) + len(self._data)).tobytes()
        self._data += data

    def release(self) -> pa.Array:
        """Return all strings, without a copy, and let them go."""
        data, self._data = self._data, bytearray()
        places, self._places = self._places, bytearray(8)
        return compact(strings_at(data, places, large=True))


def strings_at(
    data: bytes | bytearray,  # UTF-8, unchecked; bytes after the last string are ignored
    # int32[n + 1], or int64 of ``large`` strings: the start of each string, then the end of the
    # last one
    places: bytes | bytearray,
    valid: Booleans | None = None,
    *,
    large: bool = False,
) -> pa.Array:
    """Build strings from bytes that native code wrote; strings that are not ``valid`` are null."""
    kind, width = (pa.large_string(), 8) if large else (pa.string(), 4)
    buffers = [_bits(valid), pa.py_buffer(places), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(places) // width - 1, buffers)


def string_columns(columns: Iterable[tuple[bytes, bytes]]) -> list[pa.Array]:
    """Build columns of strings, each of data and places as in `strings_at`."""
    return [strings_at(data, places) for data, places in columns]


def is_utf8(data: Any) -> bool:
    r"""Return True if bytes, or the items of a uint8 array, are UTF-8, without decoding them.

    >>> is_utf8("caf\u00e9".encode()), is_utf8(b"caf\xe9")
    (True, False)
    """
    if isinstance(data, bytes) and data.isascii():  # much faster than the full check
        return True
    places = np.array([0, len(data)], np.int64).tobytes()
    try:
        strings_at(data, places, large=True).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def compact(texts: pa.Array) -> pa.Array:
    """Cast strings to type ``string`` if they have less than 2 GiB, as `strings` does.

    >>> str(compact(pa.array(["a"], pa.large_string())).type)
    'string'
    """
    data = texts.buffers()[2]
    return texts.cast(pa.string()) if data is None or data.size < 2**31 else texts


def strings_between(
    data: Any,  # bytes: UTF-8, which is not checked
    # int64[n]: Places in the bytes; each string begins at or after the end of the string before
    starts: Any,
    stops: Any,
) -> pa.Array:
    """Copy strings out of bytes; 2 GiB or more become ``large_string``.

    >>> strings_between(b"a;bc;d", np.array([0, 5]), np.array([1, 6])).to_pylist()
    ['a', 'd']
    """
    n = len(starts)
    if not n:
        return strings([])
    places = np.column_stack([starts, stops]).astype(np.int64).reshape(-1)
    buffers = [None, pa.py_buffer(places), pa.py_buffer(data)]
    with_gaps = pa.Array.from_buffers(pa.large_string(), 2 * n - 1, buffers)
    taken = with_gaps.take(numbers(np.arange(0, 2 * n, 2)))
    return taken if taken.nbytes >= 2**31 else taken.cast(pa.string())


def lists(widths: Iterable[int], values: pa.Array, valid: Booleans | None = None) -> pa.ListArray:
    """Build lists of the given lengths over flat values; lists that are not ``valid`` are null."""
    places = offsets(widths)
    if places[-1] >= 2**31:
        raise OverflowError(f"{places[-1]} list items, expected fewer than {2**31}")
    buffers = [_bits(valid), pa.py_buffer(places.astype(np.int32))]
    kind = pa.list_(values.type)
    return pa.Array.from_buffers(kind, len(places) - 1, buffers, children=[values])


def string_lists(widths: Iterable[int], data: bytes, places: bytes) -> pa.ListArray:
    """Build lists of the given lengths over strings that native code wrote, see `strings_at`.

    >>> string_lists([0, 2], b"abc", np.array([0, 1, 3], np.int32).tobytes()).to_pylist()
    [[], ['a', 'bc']]
    """
    return lists(widths, strings_at(data, places))


def flattened(
    column: pa.ListArray | pa.ChunkedArray,
) -> tuple[pa.Array, np.ndarray[Any, np.dtype[np.int64]]]:
    """Return the concatenated values of lists, and the offsets of the lists in them.

    >>> values, places = flattened(pa.array([[9], [1, 2], [3]]).slice(1))
    >>> values.to_pylist(), places
    ([1, 2, 3], array([0, 2, 3]))
    """
    # Unless a null list has values, this is a slice without Arrow's own `flatten`, which imports
    # `pyarrow.compute`.
    lists = joined(column)
    if not len(lists):
        return lists.values.slice(0, 0), offsets_of(lists)
    stored = np.frombuffer(lists.buffers()[1], np.int32, len(lists) + 1, 4 * lists.offset)
    first, last = int(stored[0]), int(stored[-1])
    places = offsets_of(lists)
    if places[-1] != last - first:  # null lists have values
        return lists.flatten(), places
    return lists.values.slice(first, last - first), places


def copy_to_arrow(data: bytes) -> pa.Buffer:
    """Copy bytes to memory that Arrow owns, for readers with threads."""
    # Such a thread may release the buffer last, while the interpreter shuts down. If Python owned
    # the memory, the process would crash.
    buffer = pa.allocate_buffer(len(data))
    if data:
        np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8)
    return buffer


def offsets(widths: Iterable[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the offsets of consecutive pieces of these sizes, ending with the total."""
    sizes = widths if isinstance(widths, np.ndarray) else np.fromiter(widths, np.int64)
    places = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=places[1:])
    return places


def values_of(
    column: pa.Array | pa.ChunkedArray, null: float = 0
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the values of an array of numbers, with ``null`` in place of nulls.

    >>> values_of(pa.array([1, None, 3], pa.int32()), -1)
    array([ 1, -1,  3], dtype=int32)
    """
    array = joined(column)
    dtype = np.dtype(str(array.type))
    data = array.buffers()[1]
    if data is None:
        return np.full(len(array), null, dtype)
    values = np.frombuffer(data, dtype, len(array), array.offset * dtype.itemsize)
    return np.where(is_valid(array), values, dtype.type(null)) if array.null_count else values


def values_of_fields(structs: pa.StructArray) -> list[np.ndarray[Any, np.dtype[Any]]]:
    """Return the values of each field of structs of numbers, with 0 in place of nulls."""
    return [values_of(structs.field(k)) for k in range(structs.type.num_fields)]


def structs(columns: Iterable[Any], kind: pa.StructType) -> pa.StructArray:
    """Build structs of a type from NumPy arrays of numbers, one per field."""
    return pa.StructArray.from_arrays([*map(numbers, columns)], fields=list(kind))


def texts_of(strings: pa.Array) -> tuple[Any, np.ndarray[Any, np.dtype[Any]]]:
    """Return the bytes of an array of strings, and their offsets: int32 or int64[n + 1].

    >>> data, places = texts_of(strings(["a", "bc"]).slice(1))
    >>> bytes(data), places
    (b'abc', array([1, 3], dtype=int32))
    """
    dtype = np.dtype(np.int64 if strings.type == pa.large_string() else np.int32)
    _, places, data = strings.buffers()
    if places is None or not len(strings):
        return b"", np.zeros(1, dtype)
    starts = np.frombuffer(places, dtype, len(strings) + 1, strings.offset * dtype.itemsize)
    return b"" if data is None else data, starts


def order_of_texts(texts: pa.Array) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the places of texts in the order of their characters; equal ones stay in order.

    >>> order_of_texts(strings(["b", "ab", "a", "b"]))
    array([2, 1, 0, 3])
    """
    # Bytes of UTF-8 are ordered as characters are. Short texts are compared as integers of 8 bytes,
    # filled up with zeros, in a quarter of the time.
    data, places = texts_of(texts)
    widths = np.diff(places)
    letters = np.frombuffer(data, np.uint8)[places[0] : places[-1]]
    size = 8 * max(1, -(-int(widths.max(initial=0)) // 8))
    if size > SHORT or texts.null_count or not letters.all():
        return values_of(pc.array_sort_indices(texts)).astype(np.int64)
    cells = np.zeros((len(texts), size), np.uint8)
    cells[np.arange(size) < widths[:, None]] = letters
    return np.lexsort(cells.view(">u8").astype(np.uint64).T[::-1])


def text_lists(lists: pa.ListArray) -> tuple[Any, Any, Any]:
    """Return the offsets of lists of strings, then the bytes and offsets of the strings.

    >>> places, data, starts = text_lists(pa.array([["a"], [], ["bc", "d"]]))
    >>> places, bytes(data), starts
    (array([0, 1, 1, 3]), b'abcd', array([0, 1, 3, 4], dtype=int32))
    """
    texts, places = flattened(lists)
    return places, *texts_of(texts)


def is_valid(array: pa.Array) -> Booleans:
    """Return a mask of the values that are not null."""
    bits = array.buffers()[0]
    if bits is None or not array.null_count:
        return np.full(len(array), not array.null_count)
    first, at = divmod(array.offset, 8)  # a slice starts within the bits of its whole array
    packed = np.frombuffer(bits, np.uint8, (at + len(array) + 7) // 8, first)
    return np.unpackbits(packed, bitorder="little")[at : at + len(array)].astype(bool)


def offsets_of(lists: pa.ListArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the offsets of lists into their flattened values: int64[n + 1], starting at 0.

    >>> offsets_of(pa.array([[1, 2], None, [3]]).slice(1))
    array([0, 0, 1])
    """
    # Unlike Arrow's own offsets, they skip values outside of a slice and values of null lists.
    data = lists.buffers()[1]
    if data is None or not len(lists):
        return np.zeros(len(lists) + 1, np.int64)
    stored: Any = np.frombuffer(data, np.int32, len(lists) + 1, 4 * lists.offset)
    if not lists.null_count:
        return np.asarray(np.subtract(stored, stored[0], dtype=np.int64))
    return offsets(np.where(is_valid(lists), np.diff(stored), 0))


def joined(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column as one array; copy only if it has several chunks."""
    if isinstance(column, pa.Array):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.nulls(0, column.type)


def drop_columns(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """Drop columns from a table; unknown names are ignored."""
    return table.drop_columns([name for name in names if name in table.column_names])


def no_rows(schema: pa.Schema) -> pa.Table:
    """Return a table without rows; `pyarrow.Schema.empty_table` imports pandas.

    >>> len(no_rows(pa.schema([("id", pa.string())])))
    0
    """
    return pa.Table.from_batches([], schema)


def cast_to_plain(table: pa.Table) -> pa.Table:
    """Cast views and run-end encoded columns to plain types, which all of pyarrow takes."""
    for n, field in enumerate(table.schema):
        if pa.types.is_run_end_encoded(field.type):
            column = pc.run_end_decode(table.column(n))
            table = table.set_column(n, field.name, column)
            continue
        kind = str(field.type).removeprefix("dictionary<values=")
        if kind.startswith(("string_view", "binary_view")):
            plain = pa.string() if kind.startswith("string") else pa.binary()
            table = table.set_column(n, field.name, table.column(n).cast(plain))
    return table


def _bits(values: Booleans | None) -> pa.Buffer | None:
    return None if values is None else pa.py_buffer(np.packbits(values, bitorder="little"))

"""Distinct rows of a table of numbers, and distinct texts of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import _distinct, arrow
from fastcausal.arrays._distinct import distinct_rows

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]
AnyRows = npt.NDArray[Any]


def distinct(
    rows: AnyRows,  # int64 or float64[n_rows, n_fields]
) -> tuple[AnyRows, Int64]:
    """Return the distinct rows, sorted by content, and the index of each row among them."""
    # Returns rows, int64 or float64[n_distinct, n_fields]: ascending; -0 becomes 0; row_of,
    # int64[n_rows].
    rows = np.ascontiguousarray(rows)
    if rows.dtype.kind == "f":
        rows = rows + 0.0  # no -0
    first, row_of = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    n = distinct_rows(_ordered(rows), first, row_of)
    return rows[first[:n]], row_of


def _ordered(rows: AnyRows) -> Int64:
    """Map numbers to integers of the same order; for floats, bits with negatives flipped."""
    if rows.dtype.kind != "f":
        return rows
    bits = rows.view(np.int64)
    return np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)


def number_texts(
    # string[n] each, perhaps in dictionaries. Runs of equal texts cost least.
    columns: Sequence[pa.Array | pa.ChunkedArray],
) -> tuple[list[Int32], pa.Array]:
    """Number the texts of several columns in order of first occurrence; null is the empty text.

    >>> (a, b), names = number_texts([pa.array(["x", "x", "y"]), pa.array(["y", "z"])])
    >>> a, b, names.to_pylist()
    (array([0, 0, 1], dtype=int32), array([1, 2], dtype=int32), ['x', 'y', 'z'])
    """
    # Returns numbers, list of int32[n]; names, pyarrow.Array: the different texts.
    numbers = [np.empty(len(column), np.int32) for column in columns]
    parts: list[tuple[pa.Array, Int32]] = []
    for column, out in zip(columns, numbers, strict=True):
        start = 0
        for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
            parts.append((_plain(chunk), out[start : start + len(chunk)]))
            start += len(chunk)
    coded = [pa.types.is_dictionary(part.type) for part, _ in parts]
    texts = [p.dictionary if c else p for (p, _), c in zip(parts, coded, strict=True)]
    own = [
        np.empty(len(text), np.int32) if is_coded else out
        for text, is_coded, (_, out) in zip(texts, coded, parts, strict=True)
    ]
    places = _distinct.number_texts([arrow.texts_of(text) for text in texts], own)
    for (part, out), of_text, is_coded in zip(parts, own, coded, strict=True):
        if is_coded:
            np.take(of_text, arrow.values_of(part.indices), out=out, mode="clip")
    names = [
        text.take(arrow.numbers(np.array(first, np.int64)))
        for text, first in zip(texts, places, strict=True)
    ]
    return numbers, pa.concat_arrays([arrow.strings([]), *names])


def code_texts(texts: pa.Array) -> pa.DictionaryArray:
    """Return texts as places among the distinct ones, in order of first occurrence.

    >>> code_texts(pa.array(["x", None, "x"])).indices.to_pylist()
    [0, None, 0]
    """
    if texts.null_count or not pa.types.is_string(texts.type):
        return texts.dictionary_encode()
    [places], names = number_texts([texts])  # in half the time
    return pa.DictionaryArray.from_arrays(arrow.numbers(places), names, safe=False)


def _plain(chunk: pa.Array) -> pa.Array:
    """Return texts without their dictionary, if a row is null or the dictionary is long."""
    is_dictionary = pa.types.is_dictionary(chunk.type)
    if is_dictionary and (chunk.null_count or len(chunk.dictionary) > len(chunk)):
        return chunk.dictionary_decode()
    return chunk

"""The columns ``relations`` and ``types`` of an Arrow table, and their content as flat arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import (
    flattened,
    lists,
    numbers,
    structs,
    values_of,
    values_of_fields,
)

SPAN = pa.struct([("role", pa.int8()), ("start", pa.int32()), ("stop", pa.int32())])
RELATIONS = pa.list_(pa.list_(SPAN))
TYPES = pa.list_(pa.string())


def span_lists(
    spans: Any,  # three arrays of integers, [n_spans] each: Role, start and stop
    # int[n_relations]: Number of spans of each relation, -1 for an unreadable relation
    widths: Any,
    counts: Any,  # int[n_examples]: Number of relations of each example
) -> pa.ListArray:
    """Build the column ``relations``."""
    kinds = (np.int8, np.int32, np.int32)
    columns = [s.astype(t, copy=False) for s, t in zip(spans, kinds, strict=True)]
    flat = structs(columns, SPAN)
    read = widths >= 0
    if read.all():
        return lists(counts, lists(widths, flat))
    return lists(counts, lists(np.maximum(widths, 0), flat, read))


def relation_columns(
    spans: Any,  # See `span_lists`
    widths: Any,
    counts: Any,
    lengths: Any,  # int32[n_examples]: Number of tokens in each example, negative if unknown
) -> dict[str, pa.Array]:
    """Return the columns ``length`` and ``relations``."""
    return {
        "length": numbers(lengths, lengths >= 0),
        "relations": span_lists(spans, widths, counts),
    }


class SpanArrays(NamedTuple):
    """A column of relations as read-only flat arrays, sharing its memory if possible."""

    # int8[n_spans], int32[n_spans], int32[n_spans]
    role: np.ndarray[Any, np.dtype[np.int8]]
    start: np.ndarray[Any, np.dtype[np.int32]]
    stop: np.ndarray[Any, np.dtype[np.int32]]
    # int64[n_relations + 1]: The first span of each relation, then the number of spans; a
    # null relation has no spans
    row_offsets: np.ndarray[Any, np.dtype[np.int64]]
    # int64[n_examples + 1]: The first relation of each example, then the number of relations
    relation_offsets: np.ndarray[Any, np.dtype[np.int64]]
    # int32[n_examples]: Number of tokens in each example, -1 if unknown
    lengths: np.ndarray[Any, np.dtype[np.int32]]
    n_null: int  # Number of null relations
    is_complete: bool  # True if no span, role, start or stop is null


def span_arrays(relations: pa.ChunkedArray, lengths: pa.ChunkedArray) -> SpanArrays:
    """Convert a column of type `RELATIONS` and its lengths to flat arrays, as before `span_lists`.

    >>> column = pa.chunked_array([[[[{"role": 0, "start": 0, "stop": 2}], None]]], RELATIONS)
    >>> arrays = span_arrays(column, pa.chunked_array([[None]], pa.int32()))
    >>> arrays.stop, arrays.row_offsets, arrays.lengths, arrays.n_null
    (array([2], dtype=int32), array([0, 1, 1]), array([-1], dtype=int32), 1)
    """
    inner, relation_offsets = flattened(relations)
    spans, row_offsets = flattened(inner)
    role, start, stop = values_of_fields(spans)
    made = SpanArrays(
        role,
        start,
        stop,
        row_offsets,
        relation_offsets,
        values_of(lengths, -1),
        inner.null_count,
        not spans.null_count and not any(spans.field(k).null_count for k in range(3)),
    )
    for array in made[:6]:
        array.flags.writeable = False
    return made

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Spans in columns and in rows: checks, and conversions from columns to rows.

The caller promises the shapes of arrays, except for `check_rows`, which checks a user's arrays.
"""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s

import numpy as np


cdef extern from "arrays/rows.hpp" namespace "fastcausal" nogil:
    cdef struct Row:
        pass

    cdef cppclass Side:
        const Row* rows
        const int64_t* row_offsets
        const int64_t* relation_offsets

    cdef struct SpanColumns:
        const int8_t* role
        const int32_t* start
        const int32_t* stop

    int64_t c_pack "fastcausal::pack" (
        const SpanColumns&, const int64_t*, const int64_t*, const int32_t*, int64_t, int64_t,
        int32_t*,
    )
    void c_sort_rows "fastcausal::sort_rows" (Row*, const int64_t*, int64_t)
    int64_t c_count_filled "fastcausal::count_filled" (const int64_t*, int64_t)
    bint c_same_lengths "fastcausal::same_lengths" (const int32_t*, const int32_t*, int64_t)
    void c_last_stops "fastcausal::last_stops" (const Side&, int64_t, int32_t*)
    int64_t c_check_rows "(int64_t)fastcausal::check_rows" (
        const Side&, int64_t, int64_t, int64_t, const int32_t*, int64_t, int64_t*
    )


cdef extern from "engine/official.hpp" namespace "fastcausal" nogil:
    cdef cppclass Input:
        Side side
        int64_t n_rows, n_relations
        const int32_t* lengths

    cdef enum class ReadAs(int64_t):
        OFFICIAL, RELAXED

    cdef cppclass ReadAsTagged:
        vector[Row] rows
        vector[int64_t] row_offsets
        int64_t n_as_given
        bint invalid
        bint read(const Input&, int64_t, int64_t, int32_t, ReadAs) except +


FAULTS = ("", "row_offsets", "relation_offsets", "role", "empty", "outside", "order")


cdef SpanColumns columns(role, start, stop) except *:
    cdef SpanColumns spans
    spans.role = <const int8_t*>int8s(role).data
    spans.start = <const int32_t*>int32s(start).data
    spans.stop = <const int32_t*>int32s(stop).data
    return spans


cdef Side side(values, row_offsets, relation_offsets) except *:
    cdef Side s
    s.rows = <const Row*>int32s(values, 2).data
    s.row_offsets = <const int64_t*>int64s(row_offsets).data
    s.relation_offsets = <const int64_t*>int64s(relation_offsets).data
    return s


def pack(role, start, stop, row_offsets, relation_offsets, lengths, int64_t n_roles, values):
    """Fill values int32[n, 3] with the spans, sorted by (start, stop, role) in each relation.

    Return the number of the first invalid span, or -1.
    """
    cdef SpanColumns spans = columns(role, start, stop)
    cdef Array row_offset = int64s(row_offsets)
    cdef Array relation_offset = int64s(relation_offsets)
    cdef Array length = int32s(lengths)
    cdef Array to_values = int32s(values, 2, PyBUF_WRITABLE)
    cdef int64_t wrong
    with nogil:
        wrong = c_pack(
            spans, <const int64_t*>row_offset.data, <const int64_t*>relation_offset.data,
            <const int32_t*>length.data, length.n, n_roles, <int32_t*>to_values.data,
        )
    return wrong


def sort(values, row_offsets):
    """Sort the rows of each relation by (start, stop, role), in place."""
    cdef Array rows = int32s(values, 2, PyBUF_WRITABLE)
    cdef Array offset = int64s(row_offsets)
    with nogil:
        c_sort_rows(<Row*>rows.data, <const int64_t*>offset.data, offset.n - 1)


def count_filled(row_offsets):
    """Return the number of relations with rows."""
    cdef Array offset = int64s(row_offsets)
    return c_count_filled(<const int64_t*>offset.data, offset.n - 1)


def same_lengths(gold, pred):
    """Return whether both sides have equally many examples, and equal known lengths."""
    cdef Array a = int32s(gold)
    cdef Array b = int32s(pred)
    return a.n == b.n and c_same_lengths(<const int32_t*>a.data, <const int32_t*>b.data, a.n)


def last_stops(values, row_offsets, relation_offsets, stops):
    """Fill stops int32[n_examples] with the end of the last span of each example."""
    cdef Side s = side(values, row_offsets, relation_offsets)
    cdef Array to_stops = int32s(stops, 1, PyBUF_WRITABLE)
    with nogil:
        c_last_stops(s, to_stops.n, <int32_t*>to_stops.data)


def check_rows(values, row_offsets, relation_offsets, lengths, int64_t n_roles):
    """Return a fault (one of FAULTS), its example and its row; ("", -1, -1) without faults."""
    cdef Array rows = int32s(values, 2)
    cdef Array row_offset = int64s(row_offsets)
    cdef Array relation_offset = int64s(relation_offsets)
    cdef Array length = int32s(lengths)
    cdef Side s
    cdef int64_t where[2]
    cdef int64_t fault
    where[0] = where[1] = -1
    if rows.width != 3:
        raise TypeError(f"values has {rows.width} columns, expected role, start, stop")
    if not row_offset.n or relation_offset.n != length.n + 1:
        raise TypeError(
            f"{relation_offset.n} relation_offsets and {length.n} lengths, expected one more"
        )
    s.rows = <const Row*>rows.data
    s.row_offsets = <const int64_t*>row_offset.data
    s.relation_offsets = <const int64_t*>relation_offset.data
    with nogil:
        fault = c_check_rows(
            s, rows.n, row_offset.n - 1, length.n, <const int32_t*>length.data, n_roles, where
        )
    return FAULTS[fault], where[0], where[1]


def read_as_tagged(
    values, row_offsets, relation_offsets, lengths, int32_t n_roles, bint relaxed
):
    """Read rows as tagged. Return values, row_offsets, and the relations that tags cannot hold.

    Return the given arrays if no row changes. For n_roles above 0, check rows: return None if one
    breaks a rule.
    """
    cdef Input input
    cdef Array length = int32s(lengths)
    cdef ReadAs reading = ReadAs.RELAXED if relaxed else ReadAs.OFFICIAL
    cdef ReadAsTagged found
    cdef bint changed
    input.side = side(values, row_offsets, relation_offsets)
    input.n_rows = len(values)
    input.n_relations = len(row_offsets) - 1
    input.lengths = <const int32_t*>length.data
    with nogil:
        changed = found.read(input, 0, length.n, n_roles, reading)
    if found.invalid:
        return None
    if not changed:
        return values, row_offsets, found.n_as_given
    rows = np.empty((found.rows.size(), 3), np.int32)
    cdef Array to_rows = int32s(rows, 2, PyBUF_WRITABLE)
    if to_rows.n:
        memcpy(to_rows.data, found.rows.data(), sizeof(Row) * found.rows.size())
    offsets = np.empty(found.row_offsets.size(), np.int64)
    cdef Array to_offsets = int64s(offsets, 1, PyBUF_WRITABLE)
    memcpy(to_offsets.data, found.row_offsets.data(), 8 * found.row_offsets.size())
    return rows, offsets, found.n_as_given

# cython: language_level=3
"""Columns of texts whose words csrc/text/words.hpp reads, and the letters that it knows."""

from libc.stdint cimport int8_t, int32_t, int64_t
from libcpp cimport bool as cbool

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s, text


cdef extern from "text/words.hpp" namespace "fastcausal" nogil:
    cdef cppclass Letters:
        Letters()
        Letters(const int32_t*, const int8_t*, int64_t, cbool)

    cdef cppclass TextColumn:
        const char* data
        const int64_t* offsets
        const int8_t* valid
        int64_t n


cdef inline TextColumn column_of(object texts, int64_t n=-1) except *:
    """Point to (bytes, offsets int64[n + 1], int8[n] with 0 for nulls, or None).

    The caller's arguments keep them alive.
    """
    data, offsets, valid = texts
    cdef TextColumn column
    cdef Array places = int64s(offsets)
    if n >= 0 and places.n != n + 1:
        raise ValueError(f"{places.n} offsets, expected {n + 1}")
    column.data = <const char*>text(data).data
    column.offsets = <const int64_t*>places.data
    column.n = places.n - 1
    column.valid = NULL
    if valid is not None:
        column.valid = <const int8_t*>int8s(valid).data
    return column


cdef inline Letters letters_of(object table, cbool lenient) except *:
    """Point to lower-case letters, int32, and their kinds, int8."""
    cdef Array lower = int32s(table[0])
    cdef Array kind = int8s(table[1])
    if lower.n != kind.n:
        raise ValueError("letters have other lengths")
    return Letters(<const int32_t*>lower.data, <const int8_t*>kind.data, lower.n, lenient)

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""The different rows of a table of integers."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int64_t

from fastcausal.arrays.buffers cimport Array, int64s


cdef extern from "distinct.hpp" namespace "fastcausal" nogil:
    int64_t sort_distinct "fastcausal::distinct_rows"(
        const int64_t*, int64_t, int64_t, int64_t*, int64_t*) except +


def distinct_rows(rows, first, place_of):
    """Sort the different rows by content. Return their number.

    Fill first with the first occurrence of each different row, and place_of with each row's place.
    Both arrays are as long as rows.
    """
    cdef Array row = int64s(rows, 2)
    cdef Array to_first = int64s(first, 1, PyBUF_WRITABLE)
    cdef Array to_place = int64s(place_of, 1, PyBUF_WRITABLE)
    cdef int64_t n
    with nogil:
        n = sort_distinct(
            <const int64_t*>row.data, row.n, row.width,
            <int64_t*>to_first.data, <int64_t*>to_place.data)
    return n

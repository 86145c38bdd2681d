# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Counts lines of JSON and rows of CSV without an object per line."""

from libc.stdint cimport int64_t

from fastcausal.arrays.buffers cimport Array, text


cdef extern from "lines.hpp" namespace "fastcausal" nogil:
    cdef cppclass Lines:
        int64_t n
        int64_t longest

    Lines c_object_lines "fastcausal::object_lines" (const char*, int64_t)
    const char* c_end_of_lines "fastcausal::end_of_lines" (
        const char*, const char*, int64_t&, int64_t&
    )
    const char* c_end_of_rows "fastcausal::end_of_rows" (const char*, const char*, int64_t&)
    int64_t c_csv_rows "fastcausal::csv_rows" (const char*, int64_t)


def object_lines(data):
    """Return the number of lines with text, -1 unless all are ``{...}``, and the longest size."""
    cdef Array array = text(data)
    cdef Lines lines
    with nogil:
        lines = c_object_lines(<const char*>array.data, array.n)
    return lines.n, lines.longest


def end_of_lines(data, int64_t n):
    """Return the end of the n-th line with text, the number of such lines, and of all lines."""
    cdef Array array = text(data)
    cdef const char* at = <const char*>array.data
    cdef const char* stop
    cdef int64_t lines = 0
    with nogil:
        stop = c_end_of_lines(at, at + array.n, n, lines)
    return stop - at, n, lines


def end_of_rows(data, int64_t n):
    """Return the end of the n-th row of CSV that is not empty, and the number of such rows."""
    cdef Array array = text(data)
    cdef const char* at = <const char*>array.data
    cdef const char* stop
    with nogil:
        stop = c_end_of_rows(at, at + array.n, n)
    return stop - at, n


def csv_rows(data):
    """Return the number of rows that are not empty, -1 if a quote is misplaced."""
    cdef Array array = text(data)
    cdef int64_t n
    with nogil:
        n = c_csv_rows(<const char*>array.data, array.n)
    return n

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Counts lines of JSON and rows of CSV without an object per line; prunes objects of JSON."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, text


cdef extern from "text/lines.hpp" namespace "fastcausal" nogil:
    cdef cppclass Lines:
        int64_t n
        int64_t longest

    Lines c_object_lines "fastcausal::object_lines" (const char*, int64_t)
    const char* c_end_of_lines "fastcausal::end_of_lines" (
        const char*, const char*, int64_t&, int64_t&
    )
    const char* c_end_of_rows "fastcausal::end_of_rows" (const char*, const char*, int64_t&)

    cdef cppclass CsvCell:
        pass

    const char* c_split_rows "fastcausal::split_rows" (
        const char*, const char*, int64_t, int64_t, vector[CsvCell]&
    ) except +
    int64_t size_of_column(const CsvCell*, int64_t, int64_t)
    void write_column(const CsvCell*, int64_t, int64_t, char*, int32_t*)

cdef extern from "text/pruned.hpp" namespace "fastcausal" nogil:
    cdef struct Pruning:
        vector[string] dropped
        string inner
        vector[string] kept
        string text

    cdef cppclass Pruned:
        Pruned(const char*, int64_t, const Pruning&, bint) except +
        bint write_lines(string&) except +
        bint write_one(string&) except +


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


def split_rows(data, int64_t first, int64_t most, int64_t n_columns):
    """Split at most so many rows of CSV, from a place on.

    Return the place behind them, and of each column its text and the end of each cell; None if a
    row is not plain, or has another number of cells.
    """
    cdef Array array = text(data)
    cdef const char* at = <const char*>array.data
    cdef const char* stop
    cdef vector[CsvCell] cells
    cdef const CsvCell* cell
    cdef int64_t n_rows, k
    cdef char* to
    cdef int32_t* place
    with nogil:
        stop = c_split_rows(at + first, at + array.n, most, n_columns, cells)
    if stop is NULL:
        return None
    n_rows = cells.size() // n_columns
    columns = []
    for k in range(n_columns if n_rows else 0):
        cell = cells.data() + k
        column = PyBytes_FromStringAndSize(NULL, size_of_column(cell, n_rows, n_columns))
        places = PyBytes_FromStringAndSize(NULL, 4 * (n_rows + 1))
        to = PyBytes_AsString(column)
        place = <int32_t*>PyBytes_AsString(places)
        with nogil:
            write_column(cell, n_rows, n_columns, to, place)
        columns.append((column, places))
    return stop - at, columns


def prune_lines(data, list dropped, bytes inner, list kept, bytes required):
    """Return a JSON list of the objects in lines, without dropped members.

    Of the object ``inner`` only the members ``kept`` stay. None unless every line is an object that
    all readers read alike, with a string as the member ``required``.
    """
    cdef Pruning pruning
    pruning.dropped = dropped
    pruning.inner = inner
    pruning.kept = kept
    pruning.text = required
    return _prune(data, pruning, False)


def prune_object(data, list kept):
    """Return an object of JSON with its members ``kept`` alone; None if it is not plain."""
    cdef Pruning pruning
    pruning.kept = kept
    return _prune(data, pruning, True)


cdef _prune(data, const Pruning& pruning, bint is_one):
    cdef Array array = text(data)
    cdef Pruned* pruned = new Pruned(<const char*>array.data, array.n, pruning, is_one)
    cdef string to
    cdef bint is_plain
    try:
        with nogil:
            is_plain = pruned.write_one(to) if is_one else pruned.write_lines(to)
    finally:
        del pruned
    return to if is_plain else None

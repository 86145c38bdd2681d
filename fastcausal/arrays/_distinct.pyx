# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""The different rows of a table of integers, and the different texts of columns."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int32s, int64s, text


cdef extern from "arrays/distinct.hpp" namespace "fastcausal" nogil:
    int64_t sort_distinct "fastcausal::distinct_rows"(
        const int64_t*, int64_t, int64_t, int64_t*, int64_t*) except +

    cdef cppclass DistinctTexts:
        void number(
            const int32_t*, const char*, int64_t, int32_t*, vector[int64_t]&) except +


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


def number_texts(columns, numbers):
    """Fill arrays of numbers with those of the texts of columns; return the places of new ones.

    Texts are numbered in order of first occurrence over all columns. A column is bytes and int32
    offsets, one more than its numbers.
    """
    cdef DistinctTexts texts
    cdef vector[int64_t] first
    cdef Array offset, number, data
    places = []
    for (content, offsets), target in zip(columns, numbers):
        offset, number, data = int32s(offsets), int32s(target, 1, PyBUF_WRITABLE), text(content)
        if offset.n != number.n + 1:
            raise ValueError("offsets and numbers are of different lengths")
        first.clear()
        with nogil:
            texts.number(
                <const int32_t*>offset.data, <const char*>data.data, number.n,
                <int32_t*>number.data, first)
        places.append([first[k] for k in range(first.size())])
    return places

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Words of running text, by the conventions of the Penn Treebank."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int32_t, int64_t
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s, text


cdef extern from "text/letters.hpp" namespace "fastcausal" nogil:
    cdef cppclass LetterKinds:
        const int8_t* kinds
        int64_t n


cdef extern from "text/treebank.hpp" namespace "fastcausal" nogil:
    vector[int64_t] treebank_bounds(const char*, int64_t, const LetterKinds&) except +
    void c_count_words "fastcausal::count_treebank_words" [Offset](
        const char*, const Offset*, int64_t, const LetterKinds&, int64_t*
    ) except +
    void c_count_tagged_words "fastcausal::count_tagged_words" [Offset](
        const char*, const Offset*, int64_t, const LetterKinds&, vector[int64_t]*
    ) except +


cdef LetterKinds table_of(object kinds) except *:
    cdef LetterKinds table
    cdef Array kind = int8s(kinds)
    table.kinds, table.n = <const int8_t*>kind.data, kind.n
    return table


def word_bounds(data, kinds):
    """Return the start and the stop of each word of a text, in letters: a flat list."""
    cdef Array of = text(data)
    return treebank_bounds(<const char*>of.data, of.n, table_of(kinds))


def count_words(data, offsets, kinds, counts):
    """Fill counts, int64[n], with the number of words of each text."""
    cdef const char* at = <const char*>text(data).data
    cdef Array count = int64s(counts, 1, PyBUF_WRITABLE)
    cdef LetterKinds table = table_of(kinds)
    cdef int64_t* to_count = <int64_t*>count.data
    cdef const int32_t* small = NULL
    cdef const int64_t* large = NULL
    if len(offsets) != count.n + 1:
        raise ValueError(f"{len(offsets)} offsets, expected {count.n + 1}")
    if offsets.itemsize == 4:
        small = <const int32_t*>int32s(offsets).data
    else:
        large = <const int64_t*>int64s(offsets).data
    with nogil:
        if small is not NULL:
            c_count_words(at, small, count.n, table, to_count)
        else:
            c_count_words(at, large, count.n, table, to_count)


def count_tagged_words(data, offsets, kinds):
    """Return the number of words between the tags of causes, effects and signals: three lists."""
    cdef const char* at = <const char*>text(data).data
    cdef LetterKinds table = table_of(kinds)
    cdef vector[int64_t] counts[3]
    if offsets.itemsize == 4:
        c_count_tagged_words(
            at, <const int32_t*>int32s(offsets).data, len(offsets) - 1, table, counts
        )
    else:
        c_count_tagged_words(
            at, <const int64_t*>int64s(offsets).data, len(offsets) - 1, table, counts
        )
    return counts[0], counts[1], counts[2]

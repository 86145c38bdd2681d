# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Counts of causal pairs by documents; by_document.py names the fields."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool

from fastcausal.arrays.buffers cimport Array, int32s, int64s, int8s


cdef extern from "tasks/eci.hpp" namespace "fastcausal::eci" nogil:
    cdef cppclass Rows:
        int64_t n
        const int32_t* document
        const int32_t* a
        const int32_t* b
        const int8_t* label
        const int32_t* sentence_a
        const int32_t* sentence_b

    cdef cppclass Rules:
        cbool ordered
        cbool repeats
        cbool unknown_hits
        cbool ignore_outside

    cdef cppclass Conflict:
        int64_t source
        int64_t row
        int64_t end
        int64_t sentence

    cdef cppclass Outcome:
        Conflict conflict
        int64_t first_outside

    Outcome count_documents(
        int64_t, const Rows&, const Rows&, const Rows*, const uint64_t*, int64_t, const Rules&,
        const int64_t*, int64_t, int64_t*) except +


cdef Rows _rows(object side) except *:
    """Open the columns of a side: document, a, b, label, sentence_a and sentence_b."""
    cdef Rows rows
    cdef Array document = int32s(side[0])
    rows.n = document.n
    rows.document = <const int32_t*>document.data
    rows.a = <const int32_t*>int32s(side[1]).data
    if side[2] is not None:
        rows.b = <const int32_t*>int32s(side[2]).data
    if side[3] is not None:
        rows.label = <const int8_t*>int8s(side[3]).data
    if side[4] is not None:
        rows.sentence_a = <const int32_t*>int32s(side[4]).data
    if side[5] is not None:
        rows.sentence_b = <const int32_t*>int32s(side[5]).data
    return rows


def count(gold, pred, candidates, hashes, rules, columns, out):
    """Fill out[document] with the counts that columns name.

    The conflict of sentences (source, row, end, sentence; source -1 for none) and the first
    predicted row that is no candidate (-1 for none) are returned. Numbers of documents are below
    the length of out, those of mentions below that of hashes, and all columns of a side are of one
    length: the caller's promise.
    """
    cdef Rows of_gold = _rows(gold), of_pred = _rows(pred), of_candidates
    cdef Rules how
    how.ordered, how.repeats, how.unknown_hits, how.ignore_outside = rules
    cdef const Rows* candidate = NULL
    if candidates is not None:
        of_candidates = _rows(candidates)
        candidate = &of_candidates
    cdef Array column = int64s(columns), to = int64s(out, 2, PyBUF_WRITABLE)
    cdef Array hash = int64s(hashes)
    cdef Outcome outcome
    with nogil:
        outcome = count_documents(
            to.n, of_gold, of_pred, candidate, <const uint64_t*>hash.data, hash.n, how,
            <const int64_t*>column.data, column.n, <int64_t*>to.data)
    cdef Conflict conflict = outcome.conflict
    return (conflict.source, conflict.row, conflict.end, conflict.sentence), outcome.first_outside

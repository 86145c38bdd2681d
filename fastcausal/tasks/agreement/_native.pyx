# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Sums of agreement over examples. The caller promises the shapes of arrays."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, float64s, int32s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tasks/agreement.hpp" namespace "fastcausal" nogil:
    cdef struct Row:
        int32_t role, start, stop

    cdef cppclass Side:
        const Row* rows
        const int64_t* row_offsets
        const int64_t* relation_offsets

    cdef cppclass Relation:
        const Row* rows
        int64_t n

    cdef struct PairList:
        int64_t* example
        int64_t* gold
        int64_t* pred

    cdef cppclass DigitSum:
        pass

    cdef cppclass PairSums:
        PairSums(const int64_t*, cbool, cbool) except +

    cdef cppclass Annotator:
        Side side
        const int32_t* lengths
        const int64_t* row_of

    cdef cppclass Unitized:
        double alpha
        int64_t weight
        void compare(const Relation&, const Relation&, int32_t, int64_t) except +

    void c_sum_pairs "fastcausal::sum_pairs" (
        const Side&, const Side&, const int32_t*, const PairList&, int64_t, PairSums&, DigitSum*,
        double*, int64_t, StopRequested,
    ) except +
    void c_sum_masks "fastcausal::sum_masks" (
        const vector[Annotator]&, int64_t, size_t, DigitSum*, StopRequested,
    ) except +
    int LEAST "fastcausal::DigitSum::LEAST"
    int DIGITS "fastcausal::DigitSum::DIGITS"


EXPONENTS = tuple([LEAST + 32 * k for k in range(DIGITS)])  # powers of two of an exact sum's digits


cdef Side side_of(rows) except *:
    """Point to the arrays of Rows."""
    cdef Side side
    side.rows = <const Row*>int32s(rows.values, 2).data
    side.row_offsets = <const int64_t*>int64s(rows.row_offsets).data
    side.relation_offsets = <const int64_t*>int64s(rows.relation_offsets).data
    return side


cdef Relation relation_of(spans) except *:
    cdef Array rows = int32s(spans, 2)
    cdef Relation relation
    relation.rows = <const Row*>rows.data
    relation.n = rows.n
    return relation


def unitized_alpha(a, b, int64_t length):
    """Compare two relations, int32[n, 3], by their spans of role 0. Return alpha and its weight."""
    cdef Unitized units
    units.compare(relation_of(a), relation_of(b), 0, length)
    return units.alpha, units.weight


def sum_pairs(first, second, pairs, params, bint unitized, bint by_example, sums, rows=None):
    """Add the measures of pairs (example, relation of first, of second), one example after another.

    sums: the digits of exact sums, int64[2, n_groups, 4, n_digits].
    rows: float64[n_examples, 2 * n_groups * 4], filled for examples with pairs; None: not needed.
    """
    cdef Side a = side_of(first)
    cdef Side b = side_of(second)
    cdef const int32_t* lengths = <const int32_t*>int32s(first.lengths).data
    cdef Array example = int64s(pairs[0])
    cdef PairList found
    found.example = <int64_t*>example.data
    found.gold = <int64_t*>int64s(pairs[1]).data
    found.pred = <int64_t*>int64s(pairs[2]).data
    cdef DigitSum* to_sums = <DigitSum*>int64s(sums, 4, PyBUF_WRITABLE).data
    cdef Array to_rows
    to_rows.data = NULL
    to_rows.width = 0
    if rows is not None:
        to_rows = float64s(rows, 2, PyBUF_WRITABLE)
    cdef PairSums* of_example = new PairSums(
        <const int64_t*>int64s(params).data, unitized, by_example
    )
    try:
        with nogil:
            c_sum_pairs(
                a, b, lengths, found, example.n, of_example[0], to_sums, <double*>to_rows.data,
                to_rows.width, interrupted,
            )
    finally:
        del of_example


def sum_masks(annotators, int64_t n_examples, size_t n_roles, sums):
    """Add alpha over the masks of all annotators.

    annotators: Rows, and the place of each example in them, -1: missing; None: in order.
    sums: the digits of exact sums, int64[2, n_roles + 1, n_digits].
    """
    cdef vector[Annotator] found
    cdef Annotator one
    for rows, row_of in annotators:
        one.side = side_of(rows)
        one.lengths = <const int32_t*>int32s(rows.lengths).data
        one.row_of = NULL
        if row_of is not None:
            one.row_of = <const int64_t*>int64s(row_of).data
        found.push_back(one)
    cdef DigitSum* to_sums = <DigitSum*>int64s(sums, 3, PyBUF_WRITABLE).data
    with nogil:
        c_sum_masks(found, n_examples, n_roles, to_sums, interrupted)

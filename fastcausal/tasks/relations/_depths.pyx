# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Counts of protocol "depths". The caller (depths.py) promises the shapes of arrays."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int64_t
from libcpp cimport bool as cbool

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tasks/depths.hpp" namespace "fastcausal::depths" nogil:
    cdef struct Row "fastcausal::Row":
        pass

    cdef cppclass Side "fastcausal::Side":
        const Row* rows
        const int64_t* row_offsets
        const int64_t* relation_offsets

    cdef cppclass Groups "fastcausal::Groups":
        const int64_t* of
        int64_t n
        cbool each, apart

    cdef cppclass Rules:
        int64_t n_roles
        int64_t arguments[2]
        int64_t numerator, denominator

    cdef cppclass Related "fastcausal::Related":
        Side side
        const int64_t* types

    cdef cppclass Run:
        Rules rules
        Related gold, pred
        int64_t n_examples
        Groups groups
        int64_t* counts
        int64_t n_threads
        StopRequested stop_requested
        int8_t* lines[2]
        int64_t* partner

    int64_t count_depths(const Run&) except +


cdef Related related(rows, types) except *:
    """Point to the arrays of one side."""
    cdef Related side
    side.side.rows = <const Row*>int32s(rows.values, 2).data
    side.side.row_offsets = <const int64_t*>int64s(rows.row_offsets).data
    side.side.relation_offsets = <const int64_t*>int64s(rows.relation_offsets).data
    side.types = NULL
    if types is not None:
        side.types = <const int64_t*>int64s(types).data
    return side


def count(
    rules, gold, pred, types, groups, counts, partner, int64_t num_threads, lines=None
):
    """Add to counts, int64[groups.n_rows, n_fields].

    Fill the partners of right gold relations, and the lines of both sides, unless they are None.

    Return the first example that is too large, -1 for none.
    """
    cdef Run run
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    run.rules.n_roles = rules.n_roles
    run.rules.arguments[0], run.rules.arguments[1] = rules.arguments
    run.rules.numerator, run.rules.denominator = rules.numerator, rules.denominator
    of_types = types or (None, None)
    run.gold = related(gold, of_types[0])
    run.pred = related(pred, of_types[1])
    run.lines[0] = run.lines[1] = NULL
    run.partner = NULL
    if partner is not None:
        run.partner = <int64_t*>int64s(partner, 1, PyBUF_WRITABLE).data
    if lines is not None:
        run.lines[0] = <int8_t*>int8s(lines[0], PyBUF_WRITABLE).data
        run.lines[1] = <int8_t*>int8s(lines[1], PyBUF_WRITABLE).data
    run.n_examples = len(gold.lengths)
    run.groups.of = NULL
    if groups.of is not None:
        run.groups.of = <const int64_t*>int64s(groups.of).data
    run.groups.n = to_counts.n
    run.groups.each, run.groups.apart = groups.each, groups.apart
    run.counts = <int64_t*>to_counts.data
    run.n_threads = num_threads
    run.stop_requested = interrupted
    cdef int64_t too_large
    with nogil:
        too_large = count_depths(run)
    return too_large

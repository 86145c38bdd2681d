# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""The CPU driver, called with whole arrays. Shapes are the caller's promise (see cpu.py)."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libcpp cimport bool as cbool

from fastcausal.engine.buffers cimport Array, float64s, int32s, int64s


cdef extern from "cpu.hpp" namespace "fastcausal" nogil:
    ctypedef void (*Kernel)(
        const int32_t*, int64_t, const int32_t*, int64_t, int64_t, const int64_t*, int64_t*
    )

    cdef cppclass Side:
        const int32_t* values
        const int64_t* row_offsets
        const int64_t* relation_offsets

    cdef cppclass Plan:
        Kernel kernel
        int64_t n_fields
        const int64_t* params
        const int64_t* numerator
        const int64_t* denominator
        const int64_t* official
        cbool linear, additive, never_costs, by_content, truncate, ignore_non_causal

    Kernel kernel_named(const char*) except +
    void run_all(
        const Side&, const Side&, const int32_t*, int64_t, const Plan&, const int64_t*, int64_t,
        int64_t*, int64_t*, int64_t,
    ) except +
    void c_count_pairs "fastcausal::count_pairs" (
        const Side&, const Side&, const int64_t*, const int64_t*, const int32_t*, int64_t,
        const Plan&, int64_t*,
    ) except +


cdef extern from "reliability.hpp" namespace "fastcausal" nogil:
    cdef enum class Level(int64_t):
        pass

    cdef cppclass Disagreement:
        pass

    void c_disagreements "fastcausal::disagreements" (
        Level, const double*, const int64_t*, int64_t, const int64_t*, const int32_t*, int64_t,
        Disagreement*,
    ) except +


cdef Side side(tuple arrays) except *:
    cdef Side s
    s.values = <const int32_t*>int32s(arrays[0], 2).data
    s.row_offsets = <const int64_t*>int64s(arrays[1]).data
    s.relation_offsets = <const int64_t*>int64s(arrays[2]).data
    return s


cdef Plan make_plan(tuple plan) except *:
    cdef Array weights = int64s(plan[2], 2)
    cdef const int64_t* weight = <const int64_t*>weights.data
    cdef Plan p
    p.kernel = <Kernel><uintptr_t>plan[0] if isinstance(plan[0], int) else kernel_named(plan[0])
    p.n_fields = weights.width
    p.params = <const int64_t*>int64s(plan[1]).data
    p.numerator = weight
    p.denominator = weight + p.n_fields
    p.official = weight + 2 * p.n_fields if plan[3] else NULL
    p.linear, p.additive, p.never_costs, p.by_content, p.truncate, p.ignore_non_causal = plan[4:]
    return p


def run(tuple gold, tuple pred, lengths, tuple plan, groups, partner, counts, int64_t num_threads):
    """Fill partner and add to counts; groups None gives every example a row of its own."""
    cdef Side g = side(gold)
    cdef Side p = side(pred)
    cdef Plan the_plan = make_plan(plan)
    cdef Array length = int32s(lengths)
    cdef Array to_partner = int64s(partner, 1, PyBUF_WRITABLE)
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    cdef const int64_t* group = NULL
    if groups is not None:
        group = <const int64_t*>int64s(groups).data
    with nogil:
        run_all(
            g, p, <const int32_t*>length.data, length.n, the_plan, group, to_counts.n,
            <int64_t*>to_partner.data, <int64_t*>to_counts.data, num_threads,
        )


def count_pairs(tuple gold, tuple pred, gold_index, pred_index, lengths, tuple plan, counts):
    """Fill counts with the counts of the given pairs; index -1 is no relation."""
    cdef Side g = side(gold)
    cdef Side p = side(pred)
    cdef Plan the_plan = make_plan(plan)
    cdef Array of_gold = int64s(gold_index)
    cdef Array of_pred = int64s(pred_index)
    cdef Array length = int32s(lengths)
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    with nogil:
        c_count_pairs(
            g, p, <const int64_t*>of_gold.data, <const int64_t*>of_pred.data,
            <const int32_t*>length.data, length.n, the_plan, <int64_t*>to_counts.data,
        )


def disagreements(int64_t level, values, offsets, groups, times, found):
    """Fill a row of found for every group, or every row of times (how often each unit is in)."""
    cdef Array of_value = float64s(values)
    cdef Array offset = int64s(offsets)
    cdef Array to_found = float64s(found, 2, PyBUF_WRITABLE)
    cdef const int64_t* group = NULL
    cdef const int32_t* time = NULL
    if groups is not None:
        group = <const int64_t*>int64s(groups).data
    if times is not None:
        time = <const int32_t*>int32s(times, 2).data
    with nogil:
        c_disagreements(
            <Level>level, <const double*>of_value.data, <const int64_t*>offset.data, offset.n - 1,
            group, time, to_found.n, <Disagreement*>to_found.data,
        )

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Disagreements of raters for Krippendorff's alpha, and Cohen's kappas of all pairs of raters."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, float64s, int32s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tasks/reliability.hpp" namespace "fastcausal" nogil:
    cdef enum class Level(int64_t):
        pass

    cdef cppclass Disagreement:
        pass

    double c_most_of "fastcausal::most_of" (const double*, const double*, double)

    void c_disagreements "fastcausal::disagreements" (
        Level, const double*, const int64_t*, int64_t, const int64_t*, const int32_t*, int64_t,
        Disagreement*, StopRequested,
    ) except +


cdef extern from "tasks/kappas.hpp" namespace "fastcausal" nogil:
    cdef enum class Weights(int64_t):
        pass

    cdef cppclass KappaSum:
        int64_t n, high, low

    cdef cppclass Rated:
        const int64_t* raters
        const int64_t* places
        const int64_t* units
        const int64_t* stops
        const int64_t* times
        const int64_t* rows
        const int64_t* starts

    void c_add_kappas "fastcausal::add_kappas" (
        Weights, int64_t, int64_t, const Rated&, KappaSum&, vector[int64_t]&, StopRequested,
    ) except +


def most_of(values):
    """Return the greatest magnitude, 0 without values. NaN is none."""
    cdef Array of_value = float64s(values)
    cdef const double* start = <const double*>of_value.data
    cdef double most
    with nogil:
        most = c_most_of(start, start + of_value.n, 0)
    return most


def disagreements(int64_t level, values, offsets, groups, times, found):
    """Fill a row of found for each group, or each row of times (the uses of each unit)."""
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
            group, time, to_found.n, <Disagreement*>to_found.data, interrupted,
        )


def add_kappas(int64_t weights, int64_t n_labels, tuple rated):
    """Sum kappas over all pairs of raters. Return number, sum, and pairs left out."""
    cdef Rated r
    cdef Array starts = int64s(rated[6])
    r.raters = <const int64_t*>int64s(rated[0]).data
    r.places = <const int64_t*>int64s(rated[1]).data
    r.units = <const int64_t*>int64s(rated[2]).data
    r.stops = <const int64_t*>int64s(rated[3]).data
    r.times = <const int64_t*>int64s(rated[4]).data
    r.rows = <const int64_t*>int64s(rated[5]).data
    r.starts = <const int64_t*>starts.data
    cdef KappaSum found
    cdef vector[int64_t] wide
    with nogil:
        c_add_kappas(<Weights>weights, n_labels, starts.n - 1, r, found, wide, interrupted)
    pairs = [(wide[2 * k], wide[2 * k + 1]) for k in range(wide.size() // 2)]
    return found.n, (<object>found.high << 27) + found.low, pairs

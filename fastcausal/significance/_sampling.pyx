# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Draws of resamples in whole arrays. The caller (sampling.py) promises their shapes."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, int64_t

from fastcausal.arrays.buffers cimport Array, int32s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "chance/sampling.hpp" namespace "fastcausal" nogil:
    cdef cppclass Resampler:
        const int64_t* heavy
        const int64_t* heavy_times
        int64_t n_heavy
        const int32_t* light
        int64_t n_light

    cdef cppclass Exchanger:
        const int64_t* times
        int64_t n_rows

    cdef cppclass SingleExchanger:
        int64_t n_rows

    void draw_all[Draw](
        const Draw&, int64_t, int64_t, int64_t, int64_t, int64_t*, int64_t, StopRequested
    ) except +
    void sum_all[Draw](
        const Draw&, int64_t, int64_t, int64_t, int64_t, const int64_t*, int64_t, int64_t*, int64_t,
        StopRequested
    ) except +


cdef Resampler resampler(heavy, heavy_times, light) except *:
    """The caller keeps the arrays alive."""
    cdef Array row = int64s(heavy)
    cdef Array times = int64s(heavy_times)
    cdef Array unit = int32s(light)
    cdef Resampler draw
    draw.heavy = <const int64_t*>row.data
    draw.heavy_times = <const int64_t*>times.data
    draw.n_heavy = row.n
    draw.light = <const int32_t*>unit.data
    draw.n_light = unit.n
    return draw


cdef Exchanger exchanger(times) except *:
    cdef Array of_row = int64s(times)
    cdef Exchanger draw
    draw.times = <const int64_t*>of_row.data
    draw.n_rows = of_row.n
    return draw


def resample(heavy, heavy_times, light, int64_t seed, int64_t first, weights, int64_t num_threads):
    """Count how often resamples first, first + 1, ... draw each row. weights are 0 on entry."""
    cdef Array to_weights = int64s(weights, 2, PyBUF_WRITABLE)
    cdef Resampler draw = resampler(heavy, heavy_times, light)
    with nogil:
        draw_all(
            draw, seed, first, to_weights.n, to_weights.width, <int64_t*>to_weights.data,
            num_threads, interrupted,
        )


def exchange(times, int64_t seed, int64_t first, weights, int64_t num_threads):
    """Count the units of each row that resamples first, first + 1, ... exchange."""
    cdef Array to_weights = int64s(weights, 2, PyBUF_WRITABLE)
    cdef Exchanger draw = exchanger(times)
    with nogil:
        draw_all(
            draw, seed, first, to_weights.n, to_weights.width, <int64_t*>to_weights.data,
            num_threads, interrupted,
        )


def resample_sums(
    heavy, heavy_times, light, int64_t seed, int64_t first, parts, sums, int64_t num_threads
):
    """Sum parts, int64[n_parts, n_rows], under resamples first, first + 1, ...

    sums: int64[n_draws, n_parts]. No sum may leave 64 bits.
    """
    cdef Array part = int64s(parts, 2)
    cdef Array to_sums = int64s(sums, 2, PyBUF_WRITABLE)
    cdef Resampler draw = resampler(heavy, heavy_times, light)
    with nogil:
        sum_all(
            draw, seed, first, to_sums.n, part.width, <const int64_t*>part.data, part.n,
            <int64_t*>to_sums.data, num_threads, interrupted,
        )


def exchange_sums(times, int64_t seed, int64_t first, parts, sums, int64_t num_threads):
    """Sum parts of the exchanged units of resamples first, first + 1, ..., as `resample_sums`."""
    cdef Array part = int64s(parts, 2)
    cdef Array to_sums = int64s(sums, 2, PyBUF_WRITABLE)
    cdef Exchanger draw = exchanger(times)
    cdef SingleExchanger single
    cdef bint is_single = (times == 1).all()
    single.n_rows = draw.n_rows
    with nogil:
        if is_single:
            sum_all(
                single, seed, first, to_sums.n, part.width, <const int64_t*>part.data, part.n,
                <int64_t*>to_sums.data, num_threads, interrupted,
            )
        else:
            sum_all(
                draw, seed, first, to_sums.n, part.width, <const int64_t*>part.data, part.n,
                <int64_t*>to_sums.data, num_threads, interrupted,
            )

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Differences of many systems under shared resamples; ranks.py says what they are for."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int64_t

from fastcausal.arrays.buffers cimport Array, float64s
from fastcausal.interrupts cimport Asked, interrupted


cdef extern from "ranks.hpp" namespace "fastcausal" nogil:
    cdef cppclass Strays:
        const double* values
        int64_t n_systems
        int64_t n_places

    int64_t PLACES_ "fastcausal::Strays::PLACES"

    void c_spreads "fastcausal::spreads" (const Strays&, double*, int64_t, Asked) except +
    void c_largest "fastcausal::largest" (
        const Strays&, const double*, double*, int64_t, Asked
    ) except +


PLACES = PLACES_  # the places of strays are a multiple of it


cdef Strays strays_of(object source) except *:
    cdef Array array = float64s(source, 2)
    cdef Strays strays
    if array.width % PLACES_:
        raise ValueError(f"strays have {array.width} places, expected a multiple of {PLACES_}")
    strays.values = <const double*>array.data
    strays.n_systems = array.n
    strays.n_places = array.width
    return strays


def spreads(strays, into, int64_t num_threads):
    """Fill float64[n_systems, n_systems] with deviations of differences, all but its diagonal.

    strays: float64[n_systems, n_places], NaN where undefined.
    """
    cdef Strays given = strays_of(strays)
    cdef Array found = float64s(into, 2, PyBUF_WRITABLE)
    if found.n != given.n_systems or found.width != given.n_systems:
        raise ValueError(f"into is {found.n} by {found.width}, expected {given.n_systems}")
    with nogil:
        c_spreads(given, <double*>found.data, num_threads, interrupted)


def largest(strays, scales, into, int64_t num_threads):
    """Fill float64[n_places] with the largest scaled difference, -1 where all are undefined.

    strays: float64[n_systems, n_places], NaN where undefined.
    scales: float64[n_systems, n_systems]; the upper triangle is read, 0 leaves a pair out.
    """
    cdef Strays given = strays_of(strays)
    cdef Array scale = float64s(scales, 2)
    cdef Array found = float64s(into, 1, PyBUF_WRITABLE)
    if scale.n != given.n_systems or scale.width != given.n_systems:
        raise ValueError(f"scales are {scale.n} by {scale.width}, expected {given.n_systems}")
    if found.n != given.n_places:
        raise ValueError(f"into has {found.n} places, expected {given.n_places}")
    with nogil:
        c_largest(given, <const double*>scale.data, <double*>found.data, num_threads, interrupted)

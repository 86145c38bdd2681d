# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Differences between many systems under shared resamples, for ranks.py."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int64_t

from fastcausal.arrays.buffers cimport Array, float64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "chance/ranks.hpp" namespace "fastcausal" nogil:
    cdef cppclass Deviations:
        const double* values
        int64_t n_systems
        int64_t n_places

    int64_t PLACES_ "fastcausal::Deviations::PLACES"

    void c_spreads "fastcausal::spreads" (
        const Deviations&, double*, int64_t, StopRequested
    ) except +
    void c_largest "fastcausal::largest" (
        const Deviations&, const double*, double*, int64_t, StopRequested
    ) except +


PLACES = PLACES_  # the number of places is a multiple of it


cdef Deviations deviations_of(object source) except *:
    cdef Array array = float64s(source, 2)
    cdef Deviations strays
    if array.width % PLACES_:
        raise ValueError(f"strays have {array.width} places, expected a multiple of {PLACES_}")
    strays.values = <const double*>array.data
    strays.n_systems = array.n
    strays.n_places = array.width
    return strays


def spreads(strays, into, int64_t num_threads):
    """Fill float64[n_systems, n_systems] with standard deviations of differences.

    Leave the diagonal as it is.

    strays: float64[n_systems, n_places], resampled scores minus full ones, NaN if undefined.
    """
    cdef Deviations deviations = deviations_of(strays)
    cdef Array found = float64s(into, 2, PyBUF_WRITABLE)
    if found.n != deviations.n_systems or found.width != deviations.n_systems:
        raise ValueError(f"into is {found.n} by {found.width}, expected {deviations.n_systems}")
    with nogil:
        c_spreads(deviations, <double*>found.data, num_threads, interrupted)


def largest(strays, scales, into, int64_t num_threads):
    """Fill float64[n_places] with the largest scaled difference, -1 if all are undefined.

    strays: float64[n_systems, n_places], resampled scores minus full ones, NaN if undefined.
    scales: float64[n_systems, n_systems]; the upper triangle is read, 0 leaves a pair out.
    """
    cdef Deviations deviations = deviations_of(strays)
    cdef Array scale = float64s(scales, 2)
    cdef Array found = float64s(into, 1, PyBUF_WRITABLE)
    if scale.n != deviations.n_systems or scale.width != deviations.n_systems:
        raise ValueError(f"scales are {scale.n} by {scale.width}, expected {deviations.n_systems}")
    if found.n != deviations.n_places:
        raise ValueError(f"into has {found.n} places, expected {deviations.n_places}")
    with nogil:
        c_largest(
            deviations, <const double*>scale.data, <double*>found.data, num_threads, interrupted
        )

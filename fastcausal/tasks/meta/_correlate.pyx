# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Correlations within segments of rows, for correlations.py."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int64_t

from fastcausal.arrays.buffers cimport Array, float64s, int64s


cdef extern from "tasks/correlate.hpp" namespace "fastcausal" nogil:
    cdef cppclass SortedRows:
        double* scores
        double* labels
        int64_t* score_places
        int64_t* label_places
        const int64_t* offsets
        int64_t n_segments

    cdef cppclass Correlations:
        pass

    void c_arrange "fastcausal::arrange" (
        const double*, const double*, int64_t*, SortedRows&
    ) except +
    void c_correlate "fastcausal::correlate" (
        const SortedRows&, const int64_t*, int64_t, Correlations*
    ) except +


cdef SortedRows rows_of(object values, object places, object offsets) except *:
    cdef Array value = float64s(values, 2, PyBUF_WRITABLE)
    cdef Array place = int64s(places, 2, PyBUF_WRITABLE)
    cdef Array segments = int64s(offsets)
    cdef SortedRows rows
    rows.offsets = <const int64_t*>segments.data
    rows.n_segments = segments.n - 1
    cdef int64_t n_rows = rows.offsets[rows.n_segments]
    if not (value.n == place.n == 2 and value.width == place.width == n_rows):
        raise ValueError("rows differ in length")
    rows.scores = <double*>value.data
    rows.labels = rows.scores + value.width
    rows.score_places = <int64_t*>place.data
    rows.label_places = rows.score_places + value.width
    return rows


def arrange(scores, labels, order, values, places, offsets):
    """Put rows in order of segment, score and label.

    scores, labels: float64[n] without NaN.
    order: int64[n], by segment and score; becomes sorted by label, too.
    values: float64[2, n], receives scores and labels in order.
    places: int64[2, n], receives the places of both.
    offsets: int64[n_segments + 1]
    """
    cdef SortedRows rows = rows_of(values, places, offsets)
    cdef Array score = float64s(scores), label = float64s(labels)
    cdef Array ordered = int64s(order, 1, PyBUF_WRITABLE)
    if not score.n == label.n == ordered.n == rows.offsets[rows.n_segments]:
        raise ValueError("rows differ in length")
    with nogil:
        c_arrange(
            <const double*>score.data, <const double*>label.data, <int64_t*>ordered.data, rows
        )


def correlate(values, places, offsets, weights, into):
    """Fill float64[n_draws * n_segments, 5] with correlations, NaN if undefined.

    values, places, offsets: as `arrange` fills them.
    weights: int64[n_draws, n], or None for every row once.
    """
    cdef SortedRows rows = rows_of(values, places, offsets)
    cdef Array result = float64s(into, 2, PyBUF_WRITABLE)
    cdef Array drawn
    cdef const int64_t* times = NULL
    cdef int64_t n_draws = 1
    if weights is not None:
        drawn = int64s(weights, 2)
        times = <const int64_t*>drawn.data
        n_draws = drawn.n
        if drawn.width != rows.offsets[rows.n_segments]:
            raise ValueError(f"weights of {drawn.width} rows, expected another number")
    if result.n != n_draws * rows.n_segments or result.width != 5:
        raise ValueError("into does not fit the draws")
    with nogil:
        c_correlate(rows, times, n_draws, <Correlations*>result.data)

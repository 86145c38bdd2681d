# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Labels against answers in many groups, for fastcausal/counts/confusions.py."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int64_t

from fastcausal.arrays.buffers cimport Array, float64s, int64s


cdef extern from "tasks/confusions.hpp" namespace "fastcausal" nogil:
    cdef cppclass Grouped:
        const int64_t* offsets
        int64_t n_groups
        const int64_t* places

    int64_t LABELS_ "fastcausal::PackedCounts::LABELS"
    int64_t MOST_ "fastcausal::PackedCounts::MOST"

    int64_t c_group_scores "fastcausal::group_scores"(
        const int64_t*, const int64_t*, int64_t, double, const Grouped&,
        int64_t*, double*, double*) except +
    int64_t c_keyed_scores "fastcausal::keyed_scores"(
        const int64_t*, const int64_t*, const int64_t*, int64_t, int64_t, double, int64_t,
        int64_t*, double*, double*) except +
    int64_t c_count "fastcausal::count_confusions"(
        const int64_t*, const int64_t*, const int64_t*, int64_t, int64_t, int64_t, int64_t*)
    void c_places "fastcausal::places_by_key"(
        const int64_t*, int64_t, int64_t, int64_t*, int64_t*) except +


PACKED_LABELS = LABELS_ - 1  # limits of keyed_scores
PACKED_MEMBERS = MOST_


def group_scores(gold, pred, int64_t n_labels, double undefined, offsets, places, n, f1, exact):
    """Score every group. Return the first place of an unknown label, or -1.

    Offsets ascend. Offsets and places stay within gold and pred, which have equal lengths.
    """
    cdef Array a = int64s(gold), b = int64s(pred), starts = int64s(offsets)
    cdef Array to_n = int64s(n, 1, PyBUF_WRITABLE)
    cdef Array to_f1 = float64s(f1, 1, PyBUF_WRITABLE)
    cdef Array to_exact = float64s(exact, 1, PyBUF_WRITABLE)
    cdef Grouped groups
    groups.offsets = <const int64_t*>starts.data
    groups.n_groups = starts.n - 1
    groups.places = NULL
    if places is not None:
        groups.places = <const int64_t*>int64s(places).data
    cdef int64_t wrong
    with nogil:
        wrong = c_group_scores(
            <const int64_t*>a.data, <const int64_t*>b.data, n_labels, undefined, groups,
            <int64_t*>to_n.data, <double*>to_f1.data, <double*>to_exact.data)
    return wrong


def keyed_scores(gold, pred, keys, int64_t n_labels, double undefined, n, f1, exact):
    """Score groups of few members and labels. Return the first place of an unknown label, or -1.

    Keys run from 0 to len(n) - 1. gold, pred and keys have equal lengths.
    """
    cdef Array a = int64s(gold), b = int64s(pred), of = int64s(keys)
    cdef Array to_n = int64s(n, 1, PyBUF_WRITABLE)
    cdef Array to_f1 = float64s(f1, 1, PyBUF_WRITABLE)
    cdef Array to_exact = float64s(exact, 1, PyBUF_WRITABLE)
    cdef int64_t wrong
    with nogil:
        wrong = c_keyed_scores(
            <const int64_t*>a.data, <const int64_t*>b.data, <const int64_t*>of.data, a.n,
            n_labels, undefined, to_n.n,
            <int64_t*>to_n.data, <double*>to_f1.data, <double*>to_exact.data)
    return wrong


def count_confusions(gold, pred, groups, counts, int64_t n_groups, int64_t n_labels):
    """Add to counts. Return the first place of an unknown label or group, or -1."""
    cdef Array a = int64s(gold), b = int64s(pred), of = int64s(groups)
    cdef Array into = int64s(counts, 3, PyBUF_WRITABLE)
    cdef int64_t wrong
    with nogil:
        wrong = c_count(
            <const int64_t*>a.data, <const int64_t*>b.data, <const int64_t*>of.data, a.n,
            n_groups, n_labels, <int64_t*>into.data)
    return wrong


def places_by_key(keys, offsets, places):
    """Sort places by key. Keys run from 0 to len(offsets) - 2."""
    cdef Array key = int64s(keys)
    cdef Array starts = int64s(offsets, 1, PyBUF_WRITABLE)
    cdef Array to = int64s(places, 1, PyBUF_WRITABLE)
    with nogil:
        c_places(
            <const int64_t*>key.data, key.n, starts.n - 1,
            <int64_t*>starts.data, <int64_t*>to.data)

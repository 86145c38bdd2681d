# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Logits of span boundaries to rows; see span_selection.py for what they mean."""

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from fastcausal.arrays.collected_rows cimport CollectedRows, arrays_of, filled
from fastcausal.interrupts cimport Asked, interrupted

from fastcausal.decoding.faults import Fault

import numpy as np

cdef object EMPTY = np.empty
cdef object INT32 = np.dtype("int32")
cdef object INT64 = np.dtype("int64")
cdef object FLOAT64 = np.dtype("float64")


cdef extern from "decoding.hpp" namespace "fastcausal" nogil:
    cdef cppclass Settings "fastcausal::selection::Settings":
        int64_t method, top_k, n_best, max_signal, n_columns
        int64_t roles[3]
        double min_score

    cdef cppclass Boundaries "fastcausal::selection::Boundaries":
        const void* columns[6]
        int64_t example_steps[6]
        int64_t token_steps[6]
        int64_t itemsize, n_examples, n_tokens
        const uint8_t* there
        const int32_t* words
        const uint8_t* has_signal

    int64_t MOST_FAULTS_ "fastcausal::selection::Selector::MOST_FAULTS"
    int64_t WORD_ "fastcausal::selection::Selector::WORD"

    int64_t c_select_spans "fastcausal::select_spans" (
        const Boundaries&, const Settings&, CollectedRows&, vector[double]&, Asked
    ) except +


# How a device writes a fault of an example: token * MOST_FAULTS + column; WORD is a column.
MOST_FAULTS = MOST_FAULTS_
WORD = WORD_


cdef const void* contiguous(source) except? NULL:
    """Return where a contiguous array starts; the caller's argument keeps it alive."""
    cdef Py_buffer view
    if source is None:
        return NULL
    PyObject_GetBuffer(source, &view, PyBUF_FORMAT)
    PyBuffer_Release(&view)
    return view.buf


def select_spans(columns, there, words, has_signal, roles, settings):
    """The four arrays of Rows and the scores: float64[n_relations].

    columns: 4 or 6 arrays [batch, tokens], all float32 or all float64, with steps of whole items;
    there bool, words int32 [batch, tokens] and has_signal bool[batch], contiguous, each or None;
    settings: method, top_k, n_best, max_signal, min_score. A Fault where a logit is NaN or +inf, or
    with column WORD where a word comes after a later one.
    """
    cdef Boundaries b
    cdef Settings s
    cdef Py_buffer view
    cdef int64_t k
    s.method, s.top_k, s.n_best, s.max_signal, s.min_score = settings
    s.n_columns = len(columns)
    for k in range(3):
        s.roles[k] = roles[k]
    for k in range(s.n_columns):
        PyObject_GetBuffer(columns[k], &view, PyBUF_STRIDES | PyBUF_FORMAT)
        b.columns[k] = view.buf
        b.itemsize = view.itemsize
        b.n_examples = view.shape[0]
        b.n_tokens = view.shape[1]
        b.example_steps[k] = view.strides[0] // view.itemsize
        b.token_steps[k] = view.strides[1] // view.itemsize
        PyBuffer_Release(&view)
    b.there = <const uint8_t*>contiguous(there)
    b.words = <const int32_t*>contiguous(words)
    b.has_signal = <const uint8_t*>contiguous(has_signal)
    cdef CollectedRows collected
    cdef vector[double] scores
    cdef int64_t wrong, place
    with nogil:
        wrong = c_select_spans(b, s, collected, scores, interrupted)
    if wrong >= 0:
        place = wrong // MOST_FAULTS_
        return Fault(place // b.n_tokens, place % b.n_tokens, wrong % MOST_FAULTS_)
    rows = arrays_of(collected, EMPTY, INT32, INT64)
    return rows, filled(EMPTY(scores.size(), FLOAT64), scores.data())

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Label ids to rows, and logits to label ids or rows, for tags.py and spans.py."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release,
    PyObject_CheckBuffer, PyObject_GetBuffer,
)
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport strchr
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int32s
from fastcausal.arrays.collected_rows cimport CollectedRows, arrays_of, filled
from fastcausal.interrupts cimport StopRequested, interrupted

from fastcausal.decoding.faults import Fault

import numpy as np

cdef object EMPTY = np.empty
cdef object INT32 = np.dtype("int32")
cdef object INT64 = np.dtype("int64")
cdef object FLOAT64 = np.dtype("float64")


cdef extern from "tags/labels.hpp" namespace "fastcausal" nogil:
    cdef cppclass Scheme "fastcausal::labels::Scheme":
        const int32_t* marks
        int64_t n_labels
        int64_t ignored

    cdef cppclass Matrix:
        const void* ids
        int64_t itemsize, n_sequences, n_tokens
        const uint8_t* where
        const int32_t* words

    int64_t c_label_rows "fastcausal::label_rows" (
        const Matrix&, const Scheme&, CollectedRows&, StopRequested
    ) except +


cdef extern from "tags/label_paths.hpp" namespace "fastcausal" nogil:
    cdef cppclass Step "fastcausal::labels::Step":
        pass

    cdef cppclass Logits "fastcausal::labels::Logits":
        const void* values
        int64_t itemsize, n_sequences, n_tokens, n_labels
        int64_t sequence_stride, token_stride, label_stride
        const uint8_t* where
        const Step* steps
        int64_t start, n_ends, ignored
        int32_t* ids

    int64_t c_label_ids "fastcausal::label_ids" (const Logits&, StopRequested) except +


cdef extern from "tags/decoding.hpp" namespace "fastcausal" nogil:
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
        const Boundaries&, const Settings&, CollectedRows&, vector[double]&, StopRequested
    ) except +


cdef class Opened:
    """An array of numbers that stays open as long as this object lives."""
    cdef Py_buffer view
    cdef bint is_open

    def __dealloc__(self):
        if self.is_open:
            PyBuffer_Release(&self.view)


cdef Opened opened(source, const char* kinds, Opened like):
    """Open a C-contiguous matrix of given kinds, shaped like another. Return None for others."""
    cdef Opened o = Opened()
    if not PyObject_CheckBuffer(source):
        return None
    try:
        PyObject_GetBuffer(source, &o.view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    except (BufferError, ValueError):  # not contiguous; dates
        return None
    o.is_open = True
    if o.view.ndim != 2 or o.view.format[0] == 0 or o.view.format[1] != 0:
        return None
    if strchr(kinds, o.view.format[0]) == NULL:
        return None
    if like is not None and (
        o.view.shape[0] != like.view.shape[0] or o.view.shape[1] != like.view.shape[1]
    ):
        return None
    return o


def label_rows(ids, where, words, marks, int64_t ignored):
    """Return the four arrays of Rows.

    ids: int8 to int64; where: bool or None; words: int32 or None. Return None unless the matrices
    are C-contiguous, in native byte order and of one shape. Return a Fault for a label outside the
    scheme or a word out of order.
    """
    cdef Opened of_ids = opened(ids, b"bhilq", None)
    cdef Opened of_where = None
    cdef Opened of_words = None
    if of_ids is None:
        return None
    if where is not None:
        of_where = opened(where, b"?", of_ids)
        if of_where is None:
            return None
    if words is not None:
        of_words = opened(words, b"i", of_ids)
        if of_words is None:
            return None
    cdef Array of_marks = int32s(marks)
    cdef Scheme scheme
    scheme.marks = <const int32_t*>of_marks.data
    scheme.n_labels = of_marks.n
    scheme.ignored = ignored
    cdef Matrix m
    m.ids = of_ids.view.buf
    m.itemsize = of_ids.view.itemsize
    m.n_sequences = of_ids.view.shape[0]
    m.n_tokens = of_ids.view.shape[1]
    m.where = NULL
    m.words = NULL
    if of_where is not None:
        m.where = <const uint8_t*>of_where.view.buf
    if of_words is not None:
        m.words = <const int32_t*>of_words.view.buf
    cdef CollectedRows collected
    cdef int64_t wrong
    if m.n_tokens >= 2**31 - 1:
        raise OverflowError(f"{m.n_tokens} tokens in a sequence, expected fewer than {2**31 - 1}")
    with nogil:
        wrong = c_label_rows(m, scheme, collected, interrupted)
    if wrong >= 0:
        return Fault(wrong // m.n_tokens, wrong % m.n_tokens)
    return arrays_of(collected, EMPTY, INT32, INT64)


def label_ids(logits, where, steps, int64_t start, int64_t n_ends, int64_t ignored):
    """Return the label ids, int32[batch, tokens].

    logits: float32 or float64[batch, tokens, labels], aligned, in native byte order and whole items
    apart; return None for others.
    where: bool[batch, tokens], C-contiguous, or None.
    steps: int32[labels, 2] or None (see label_paths.py).

    Return a Fault if a logit is NaN or +inf.
    """
    cdef Opened of_logits = Opened()
    cdef Opened of_where = None
    PyObject_GetBuffer(logits, &of_logits.view, PyBUF_STRIDES | PyBUF_FORMAT)
    of_logits.is_open = True
    cdef Py_buffer* view = &of_logits.view
    if view.ndim != 3 or view.format[1] != 0 or view.format[0] not in b"fd":
        return None
    cdef int axis
    for axis in range(3):
        if view.strides[axis] % view.itemsize:
            return None
    cdef Logits task
    task.values = view.buf
    task.itemsize = view.itemsize
    task.n_sequences = view.shape[0]
    task.n_tokens = view.shape[1]
    task.n_labels = view.shape[2]
    task.sequence_stride = view.strides[0] // view.itemsize
    task.token_stride = view.strides[1] // view.itemsize
    task.label_stride = view.strides[2] // view.itemsize
    task.where = NULL
    if where is not None:
        of_where = opened(where, b"?", None)
        if (
            of_where is None or of_where.view.shape[0] != task.n_sequences
            or of_where.view.shape[1] != task.n_tokens
        ):
            raise TypeError("expected where as bool[batch, tokens], contiguous")
        task.where = <const uint8_t*>of_where.view.buf
    cdef Array of_steps
    task.steps = NULL
    if steps is not None:
        of_steps = int32s(steps, 2)
        if of_steps.n != task.n_labels or of_steps.width != 2:
            raise TypeError("expected steps as int32[labels, 2]")
        task.steps = <const Step*>of_steps.data
    task.start = start
    task.n_ends = n_ends
    task.ignored = ignored
    ids = EMPTY((task.n_sequences, task.n_tokens), INT32)
    cdef Array of_ids = int32s(ids, 2, PyBUF_WRITABLE)
    task.ids = <int32_t*>of_ids.data
    cdef int64_t wrong
    with nogil:
        wrong = c_label_ids(task, interrupted)
    if wrong >= 0:
        return Fault(wrong // task.n_tokens, wrong % task.n_tokens)
    return ids


# A device writes a fault of an example as token * MOST_FAULTS + column. WORD is a column.
MOST_FAULTS = MOST_FAULTS_
WORD = WORD_


cdef const void* contiguous(source) except? NULL:
    """Return the start of a contiguous array. The caller's argument keeps it alive."""
    cdef Py_buffer view
    if source is None:
        return NULL
    PyObject_GetBuffer(source, &view, PyBUF_FORMAT)
    PyBuffer_Release(&view)
    return view.buf


def select_spans(columns, there, words, has_signal, roles, settings):
    """Return the four arrays of Rows and the scores, float64[n_relations].

    columns: 4 or 6 arrays [batch, tokens], all float32 or all float64, with steps of whole items.
    there: bool[batch, tokens], contiguous, or None.
    words: int32[batch, tokens], contiguous, or None.
    has_signal: bool[batch], contiguous, or None.
    settings: method, top_k, n_best, max_signal, min_score.

    Return a Fault if a logit is NaN or +inf, or with column WORD if a word comes after a later one.
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

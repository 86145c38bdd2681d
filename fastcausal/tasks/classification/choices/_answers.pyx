# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Answers of models, read from text."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int8_t, int32_t, int64_t

from fastcausal.arrays.buffers cimport Array, float64s, int32s, int64s, open_array


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view(const char*, size_t)


cdef extern from "tasks/crab_answers.hpp" namespace "fastcausal" nogil:
    cdef enum class AnswerKind(int64_t):
        pass

    cdef enum class Reason(int8_t):
        pass

    cdef cppclass ReadAnswer:
        double value
        Reason reason

    ReadAnswer c_read_answer "fastcausal::read_answer" (string_view, AnswerKind, char) except +
    void c_read_answers "fastcausal::read_answers" [Offset](
        const char*, const Offset*, int64_t, AnswerKind, double*, int8_t*
    ) except +


def read_answer(bytes text, int64_t kind, char last):
    """Read one text, UTF-8; letters up to `last`. Return its value, or NaN, and the reason."""
    cdef ReadAnswer answer = c_read_answer(
        string_view(<const char*>text, len(text)), <AnswerKind>kind, last
    )
    return answer.value, <int8_t>answer.reason


def read_answers(data, offsets, int64_t kind, values, reasons):
    """Read the texts of an Arrow array, by one more offset. Fill values and reasons."""
    cdef Py_buffer text
    cdef Array value = float64s(values, 1, PyBUF_WRITABLE)
    cdef Array reason
    cdef bint is_small = offsets.itemsize == 4
    cdef Array offset = int32s(offsets) if is_small else int64s(offsets)
    open_array(reasons, 1, 1, PyBUF_WRITABLE, &reason)
    PyObject_GetBuffer(data, &text, PyBUF_SIMPLE)
    cdef const char* at = <const char*>text.buf
    PyBuffer_Release(&text)  # the caller keeps it alive
    if offset.n != value.n + 1 or reason.n != value.n:
        raise ValueError("offsets, values and reasons are of different lengths")
    with nogil:
        if is_small:
            c_read_answers(
                at, <const int32_t*>offset.data, value.n, <AnswerKind>kind,
                <double*>value.data, <int8_t*>reason.data,
            )
        else:
            c_read_answers(
                at, <const int64_t*>offset.data, value.n, <AnswerKind>kind,
                <double*>value.data, <int8_t*>reason.data,
            )

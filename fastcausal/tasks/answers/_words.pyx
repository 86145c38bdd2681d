# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Words that answers share with their references, for counts.py."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int8_t, int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "answers.hpp" namespace "fastcausal" nogil:
    cdef cppclass Letters:
        Letters()
        Letters(const int32_t*, const int8_t*, int64_t, cbool)

    cdef cppclass TextColumn:
        const char* data
        const int64_t* offsets
        const int8_t* valid

    cdef cppclass AnswerBatch:
        TextColumn source, reference, answer
        int64_t n
        int64_t* rows
        int64_t* sizes
        int8_t* known

    cdef cppclass AnswerTexts:
        string of[3]

    int64_t N_ANSWER_FIELDS_ "fastcausal::N_ANSWER_FIELDS"
    AnswerTexts compare_answers(
        const AnswerBatch&, const Letters&, cbool, int64_t, StopRequested
    ) except +


N_FIELDS = N_ANSWER_FIELDS_


cdef TextColumn column_of(object texts, int64_t n) except *:
    """Point to texts. The caller's arguments keep them alive."""
    data, offsets, valid = texts
    cdef TextColumn column
    cdef Py_buffer view
    cdef Array places = int64s(offsets)
    if places.n != n + 1:
        raise ValueError(f"{places.n} offsets, expected {n + 1}")
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    column.data = <const char*>view.buf
    PyBuffer_Release(&view)
    column.offsets = <const int64_t*>places.data
    column.valid = NULL
    if valid is not None:
        column.valid = <const int8_t*>int8s(valid).data
    return column


def compare(source, reference, answer, letters, cbool lenient, cbool fcr, rows, sizes, known,
            int64_t num_threads):
    """Fill rows int64[n, N_FIELDS], sizes int64[n, 3] and known int8[n]; return three texts.

    Texts are (bytes, offsets int64[n + 1], int8[n] with 0 for nulls, or None). letters are
    lower-case letters, int32, and their kinds, int8. known is 0 if a letter of a text is not among
    them, unless lenient.
    """
    cdef AnswerBatch batch
    cdef Letters table
    cdef AnswerTexts texts
    cdef Array row = int64s(rows, 2, PyBUF_WRITABLE)
    cdef Array size = int64s(sizes, 2, PyBUF_WRITABLE)
    cdef Array flag = int8s(known)
    cdef Array lower = int32s(letters[0])
    cdef Array kind = int8s(letters[1])
    if row.width != N_FIELDS or size.width != 3 or size.n != row.n or flag.n != row.n:
        raise ValueError("rows, sizes and known are of other shapes")
    if lower.n != kind.n:
        raise ValueError("letters have other lengths")
    table = Letters(<const int32_t*>lower.data, <const int8_t*>kind.data, lower.n, lenient)
    batch.source = column_of(source, row.n)
    batch.reference = column_of(reference, row.n)
    batch.answer = column_of(answer, row.n)
    batch.n = row.n
    batch.rows, batch.sizes = <int64_t*>row.data, <int64_t*>size.data
    batch.known = <int8_t*>flag.data
    with nogil:
        texts = compare_answers(batch, table, fcr, num_threads, interrupted)
    return texts.of[0], texts.of[1], texts.of[2]

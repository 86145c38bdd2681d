# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Words that answers share with their references, for counts.py."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int64s
from fastcausal.arrays.text_columns cimport Letters, TextColumn, column_of, letters_of
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        const char* data()
        size_t size()


cdef extern from "tasks/answers.hpp" namespace "fastcausal" nogil:
    cdef cppclass AnswerBatch:
        TextColumn source, reference, answer
        int64_t n
        int64_t* fields
        int64_t stride
        int8_t* known
        int64_t* sizes

    cdef cppclass AnswerTexts:
        vector[string_view] relations
        string missing

    int64_t N_ANSWER_FIELDS_ "fastcausal::N_ANSWER_FIELDS"
    AnswerTexts compare_answers(
        const AnswerBatch&, const Letters&, cbool, int64_t, StopRequested
    ) except +


N_FIELDS = N_ANSWER_FIELDS_


def compare(source, reference, answer, letters, cbool lenient, cbool fcr, fields, int64_t start,
            known, sizes, int64_t num_threads):
    """Fill columns of fields int64[N_FIELDS or more, n] from start on, known int8[n], and sizes.

    Return the different relations, bytes each, and the words that sources lack, joined; sizes
    int64[n] are those of the latter, or None without them. Texts are (bytes, offsets int64[n + 1],
    int8[n] with 0 for nulls, or None). letters are lower-case letters, int32, and their kinds,
    int8. known is 0 if a letter of a text is not among them, unless lenient. Fields of such texts
    are undefined.
    """
    cdef AnswerBatch batch
    cdef Letters table = letters_of(letters, lenient)
    cdef AnswerTexts texts
    cdef Array field = int64s(fields, 2, PyBUF_WRITABLE)
    cdef Array flag = int8s(known, PyBUF_WRITABLE)
    cdef Array size
    if field.n < N_FIELDS or start < 0 or start + flag.n > field.width:
        raise ValueError("fields and known are of other shapes")
    batch.n = flag.n
    batch.source = column_of(source, batch.n)
    batch.reference = column_of(reference, batch.n)
    batch.answer = column_of(answer, batch.n)
    batch.fields, batch.stride = <int64_t*>field.data + start, field.width
    batch.known = <int8_t*>flag.data
    batch.sizes = NULL
    if sizes is not None:
        size = int64s(sizes, 1, PyBUF_WRITABLE)
        if size.n != batch.n:
            raise ValueError("sizes and known are of other lengths")
        batch.sizes = <int64_t*>size.data
    with nogil:
        texts = compare_answers(batch, table, fcr, num_threads, interrupted)
    relations = [
        PyBytes_FromStringAndSize(relation.data(), <Py_ssize_t>relation.size())
        for relation in texts.relations
    ]
    return relations, texts.missing

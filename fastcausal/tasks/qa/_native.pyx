# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Marks of answers to questions, for count.py."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int64_t

from fastcausal.arrays.buffers cimport Array, float64s, int8s, int64s
from fastcausal.arrays.text_columns cimport Letters, TextColumn, column_of, letters_of
from fastcausal.files.strings cimport Cells, made
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tasks/questions.hpp" namespace "fastcausal" nogil:
    cdef cppclass GoldAnswers:
        TextColumn texts
        const int64_t* lists

    cdef cppclass AnswersToMark:
        GoldAnswers gold
        TextColumn answers
        const int64_t* questions
        const int64_t* rows
        int64_t n
        double* marks
        int64_t width
        int8_t* known

    void mark_answers(const AnswersToMark&, const Letters&, int64_t, StopRequested) except +
    Cells c_gold_lists "fastcausal::gold_lists" (const GoldAnswers&, int64_t) except +


def mark(texts, lists, questions, answers, rows, letters, marks, known, int64_t num_threads):
    """Fill the first two columns of marks float64[n, 2 or more], and known int8[n].

    Gold answers of question k are texts from lists[k] up to lists[k + 1], int64. Row k of marks is
    exact match and F1 of question questions[k], int64[n], and answer rows[k], int64[n]; 0 for -1.
    texts and answers are (bytes, offsets int64, None), letters those of `letters_of_words`. known
    is 0 if a letter of a text is not among them: then the marks are undefined.
    """
    cdef AnswersToMark batch
    cdef Letters table = letters_of(letters, False)
    cdef Array flags = int8s(known, PyBUF_WRITABLE)
    cdef Array places = float64s(marks, 2, PyBUF_WRITABLE)
    cdef Array first = int64s(questions)
    cdef Array second = int64s(rows)
    batch.n = flags.n
    if places.n != batch.n or places.width < 2 or first.n != batch.n or second.n != batch.n:
        raise ValueError("marks, questions, rows and known are of other shapes")
    batch.gold.texts = column_of(texts)
    batch.gold.lists = <const int64_t*>int64s(lists).data
    batch.answers = column_of(answers)
    batch.questions = <const int64_t*>first.data
    batch.rows = <const int64_t*>second.data
    batch.marks, batch.width = <double*>places.data, places.width
    batch.known = <int8_t*>flags.data
    with nogil:
        mark_answers(batch, table, num_threads, interrupted)


def gold_lists(texts, lists):
    """Return the gold answers of each question as sorted JSON: the text, and the place of each."""
    cdef GoldAnswers gold
    cdef Array places = int64s(lists)
    cdef int64_t n = places.n - 1
    cdef Cells cells
    gold.texts = column_of(texts)
    gold.lists = <const int64_t*>places.data
    with nogil:
        cells = c_gold_lists(gold, n)
    return made(cells)

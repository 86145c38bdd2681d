# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""JSON lines of span texts, and answers of models, without an object per line."""

from cpython.buffer cimport PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_Clear
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s, text
from fastcausal.arrays.collected_rows cimport CollectedRows, arrays_of
from fastcausal.arrays.python_objects cimport PyUnicode_AsUTF8AndSize
from fastcausal.interrupts cimport StopRequested, interrupted

import numpy as np

cdef object EMPTY = np.empty
cdef object INT32 = np.dtype("int32")
cdef object INT64 = np.dtype("int64")


cdef extern from "readers/span_lines.hpp" namespace "fastcausal" nogil:
    cdef cppclass WrittenRelations:
        string types
        vector[int64_t] type_places, examples
        vector[uint8_t] plain
        vector[int32_t] further
        string data
        vector[int64_t] places, spans

    cdef cppclass JsonColumn:
        string name
        string data
        vector[int64_t] places
        vector[uint8_t] kinds

    cdef cppclass SpanLines:
        vector[int64_t] starts, stops, numbers
        vector[JsonColumn] columns
        WrittenRelations relations

    cdef struct SpanNotes:
        int n_again, n_cut, n_texts

    bint read_span_lines(const char*, int64_t, SpanLines&, StopRequested) except +
    void find_spans(
        const char*, const int64_t*, const int32_t*, const WrittenRelations&, bint, bint, uint8_t*,
        CollectedRows&, SpanNotes&, StopRequested,
    ) except +


cdef extern from "readers/model_answers.hpp" namespace "fastcausal" nogil:
    void c_read_answers "fastcausal::read_answers" (
        const char*, const int64_t*, int64_t, const string&, WrittenRelations&, uint8_t*
    ) except +


cdef bytes copied(const void* data, int64_t size):
    return PyBytes_FromStringAndSize(<const char*>data, size)


cdef bytes integers(vector[int64_t]& values):
    return copied(values.data(), 8 * values.size())


cdef class TextBytes:
    """Texts as UTF-8, one behind the other."""

    cdef string data
    cdef vector[int64_t] offsets
    cdef const char* at
    cdef const int64_t* places
    cdef int64_t n
    cdef object source  # keeps the memory alive

    def __cinit__(self, source):
        """Take a list of texts, in which other values are empty; or bytes and offsets, int64."""
        cdef Array place
        if isinstance(source, list):
            self.gather(source)
            return
        self.source = source
        self.at = <const char*>text(source[0]).data
        place = int64s(source[1])
        self.places, self.n = <const int64_t*>place.data, place.n - 1

    cdef int gather(self, list texts) except -1:
        cdef const char* letters
        cdef Py_ssize_t size = 0
        self.offsets.reserve(len(texts) + 1)
        self.offsets.push_back(0)
        for each in texts:
            if PyUnicode_Check(each):
                letters = PyUnicode_AsUTF8AndSize(each, &size)
                if letters == NULL:  # half a surrogate pair
                    PyErr_Clear()
                else:
                    self.data.append(letters, size)
            self.offsets.push_back(self.data.size())
        self.at, self.places = self.data.data(), self.offsets.data()
        self.n = self.offsets.size() - 1
        return 0


cdef class Written:
    """Lines of a file or answers, with relations in which no span is found yet."""

    cdef SpanLines lines

    @property
    def places(self):
        """Return start, stop and number of each line that is not blank, int64 each."""
        return (
            integers(self.lines.starts), integers(self.lines.stops), integers(self.lines.numbers)
        )

    @property
    def plain(self):
        """Return a byte for each line, 0 where Python is to read the relations."""
        return copied(self.lines.relations.plain.data(), self.lines.relations.plain.size())

    @property
    def types(self):
        """Return the types of relations, empty if missing: bytes, and the end of each, int64."""
        return (
            copied(self.lines.relations.types.data(), self.lines.relations.types.size()),
            integers(self.lines.relations.type_places),
        )

    @property
    def examples(self):
        """Return the first relation of each line, then their number, int64."""
        return integers(self.lines.relations.examples)

    def texts(self, int64_t k):
        """Return the texts of the spans of a line or an answer that native code read."""
        cdef WrittenRelations* of = &self.lines.relations
        cdef int64_t j
        return [
            of.data.data()[of.places[j]:of.places[j + 1]].decode()
            for j in range(of.spans[of.examples[k]], of.spans[of.examples[k + 1]])
        ]

    @property
    def names(self):
        """Return the keys besides "relations", in the order in which they first occur."""
        return [self.lines.columns[k].name.decode() for k in range(self.lines.columns.size())]

    def column(self, int64_t k):
        """Return the values of a key: bytes, the end of each, and their kinds (csrc)."""
        cdef JsonColumn* of = &self.lines.columns[k]
        return (
            copied(of.data.data(), of.data.size()), integers(of.places),
            copied(of.kinds.data(), of.kinds.size()),
        )

    def find(self, texts, lengths, plain, bint by_gap, bint by_letters):
        """Find the spans in the texts of all lines, with as many tokens as `lengths` unless -1.

        `texts` are a list, or bytes and offsets. Set `plain` to 0 for lines that Python is to read.
        Return the four arrays of `Rows`; and the numbers of texts that occur again, of spans that
        cut a token, of spans given as texts, of further keys.
        """
        cdef CollectedRows collected
        cdef SpanNotes notes
        cdef TextBytes letters = TextBytes(texts)
        cdef Array length = int32s(lengths)
        cdef Array is_plain = int8s(plain, PyBUF_WRITABLE)
        cdef int64_t k, n_further = 0, n = self.lines.relations.plain.size()
        if letters.n != n or length.n != n or is_plain.n != n:
            raise ValueError(f"{letters.n} texts, {length.n} lengths of {n} lines")
        with nogil:
            find_spans(
                letters.at, letters.places, <const int32_t*>length.data, self.lines.relations,
                by_gap, by_letters, <uint8_t*>is_plain.data, collected, notes, interrupted,
            )
            for k in range(n):
                if (<uint8_t*>is_plain.data)[k]:
                    n_further += self.lines.relations.further[k]
        found = arrays_of(collected, EMPTY, INT32, INT64)
        return *found, notes.n_again, notes.n_cut, notes.n_texts, n_further


def read_lines(data):
    """Return the lines as `Written`; None if Python might read or refuse one in another way."""
    cdef Array of = text(data)
    cdef Written written = Written()
    cdef bint plain
    with nogil:
        plain = read_span_lines(<const char*>of.data, of.n, written.lines, interrupted)
    return written if plain else None


def read_answers(texts, bytes no_spans, ways):
    """Return the answers of models, a list or bytes and offsets, as `Written`.

    Set the way of each.
    """
    cdef TextBytes letters = TextBytes(texts)
    cdef Array way = int8s(ways, PyBUF_WRITABLE)
    cdef Written written = Written()
    cdef string words = no_spans
    if letters.n != way.n:
        raise ValueError(f"{letters.n} texts of {way.n} answers")
    with nogil:
        c_read_answers(
            letters.at, letters.places, way.n, words, written.lines.relations, <uint8_t*>way.data,
        )
    return written

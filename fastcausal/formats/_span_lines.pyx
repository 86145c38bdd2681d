# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""JSON lines of span texts, and answers of models, without an object per line."""

from cpython.buffer cimport PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s, text
from fastcausal.arrays.collected_rows cimport CollectedRows, arrays_of
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
    def further(self):
        """Return the number of keys of each line's relations beside roles and type, int32."""
        return copied(
            self.lines.relations.further.data(), 4 * self.lines.relations.further.size()
        )

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

    def find(self, data, places, lengths, plain, bint by_gap, bint by_letters):
        """Find the spans in the texts of all lines, with as many tokens as `lengths` unless -1.

        Set `plain` to 0 for lines that Python is to read. Return the four arrays of `Rows`; and the
        numbers of texts that occur again, of spans that cut a token, of spans given as texts.
        """
        cdef CollectedRows collected
        cdef SpanNotes notes
        cdef const char* at = <const char*>text(data).data
        cdef Array place = int64s(places), length = int32s(lengths)
        cdef Array is_plain = int8s(plain, PyBUF_WRITABLE)
        cdef int64_t n = self.lines.relations.plain.size()
        if place.n != n + 1 or length.n != n or is_plain.n != n:
            raise ValueError(f"{place.n} places, {length.n} lengths of {n} lines")
        with nogil:
            find_spans(
                at, <const int64_t*>place.data, <const int32_t*>length.data, self.lines.relations,
                by_gap, by_letters, <uint8_t*>is_plain.data, collected, notes, interrupted,
            )
        found = arrays_of(collected, EMPTY, INT32, INT64)
        return *found, notes.n_again, notes.n_cut, notes.n_texts


def read_lines(data):
    """Return the lines as `Written`; None if Python might read or refuse one in another way."""
    cdef Array of = text(data)
    cdef Written written = Written()
    cdef bint plain
    with nogil:
        plain = read_span_lines(<const char*>of.data, of.n, written.lines, interrupted)
    return written if plain else None


def read_answers(data, places, bytes no_spans, ways):
    """Return the answers of models as `Written`; set the way of each."""
    cdef const char* at = <const char*>text(data).data
    cdef Array place = int64s(places)
    cdef Array way = int8s(ways, PyBUF_WRITABLE)
    cdef Written written = Written()
    cdef string words = no_spans
    if place.n != way.n + 1:
        raise ValueError(f"{place.n} places of {way.n} answers")
    with nogil:
        c_read_answers(
            at, <const int64_t*>place.data, way.n, words, written.lines.relations,
            <uint8_t*>way.data,
        )
    return written

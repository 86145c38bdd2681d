# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Writes relations as text: tagged sentences, columns of tags, JSON of spans."""

from cpython.buffer cimport PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s, open_array
from fastcausal.files.strings cimport Cells, Strings, made, strings


cdef extern from "tags/marked.hpp" namespace "fastcausal" nogil:
    cdef cppclass Marked:
        const int8_t* role
        const int32_t* start
        const int32_t* stop
        const int64_t* rows
        const int64_t* relations
        const uint8_t* readable
        bint is_readable(int64_t)

    cdef cppclass TagCodes:
        int32_t add(
            const Marked&, int64_t, const int8_t*, int64_t, vector[uint8_t]&
        ) except +

    cdef cppclass TagLines:
        TagLines(const Strings&, const Strings&, const vector[string]&, bint) except +
        void write(
            const Marked&, int64_t, int64_t, const int64_t*, const int8_t*, uint8_t*, int32_t*,
            string&,
        ) except +

    cdef cppclass SpanTexts:
        SpanTexts(const vector[string]&, bint) except +
        void write(
            const Strings&, const Strings&, const Marked&, int64_t, int64_t, Cells&
        ) except +

    void c_write_tagged "fastcausal::write_tagged" (
        const Strings&, const Marked&, int64_t, int64_t, const uint8_t*, const int8_t*, bint,
        Cells&, int64_t*, int32_t*, uint8_t*,
    ) except +
    void c_write_offsets "fastcausal::write_offsets" (
        const Marked&, int64_t, int64_t, const vector[string]&, Cells&
    ) except +


cdef Marked marked(object spans) except *:
    """Point to (role, start, stop, row_offsets, relation_offsets, readable)."""
    cdef Marked found
    role, start, stop, rows, relations, readable = spans
    found.role = <const int8_t*>int8s(role).data
    found.start = <const int32_t*>int32s(start).data
    found.stop = <const int32_t*>int32s(stop).data
    found.rows = <const int64_t*>int64s(rows).data
    found.relations = <const int64_t*>int64s(relations).data
    found.readable = NULL
    if readable is not None:
        found.readable = <const uint8_t*>int8s(readable).data
    return found


cdef void* writable(object source, int itemsize) except NULL:
    cdef Array array
    open_array(source, itemsize, 1, PyBUF_WRITABLE, &array)
    return array.data


def write_tagged(
    texts, spans, int64_t first, int64_t n, skipped, numbers, bint by_letters, counts, left_out,
    holds,
):
    """Return a tagged sentence for each readable relation of n examples: texts, and their places.

    Fill counts, left_out and holds, see csrc/tags/marked.hpp.
    """
    cdef Strings of_text = strings(texts)
    cdef Marked relations = marked(spans)
    cdef const uint8_t* is_skipped = NULL
    cdef const int8_t* number = <const int8_t*>int8s(numbers).data
    cdef int64_t* count = <int64_t*>writable(counts, 8)
    cdef int32_t* n_left_out = <int32_t*>writable(left_out, 4)
    cdef uint8_t* is_held = <uint8_t*>writable(holds, 1)
    cdef Cells out
    if skipped is not None:
        is_skipped = <const uint8_t*>int8s(skipped).data
    with nogil:
        c_write_tagged(
            of_text, relations, first, n, is_skipped, number, by_letters, out, count, n_left_out,
            is_held,
        )
    return made(out)


def tag_codes(spans, int64_t first, int64_t n, counts, slots, left_out):
    """Return bytes for each readable relation of n examples: the code of each token.

    Fill left_out, see csrc/tags/marked.hpp.
    """
    cdef Marked relations = marked(spans)
    cdef const int64_t* count = <const int64_t*>int64s(counts).data
    cdef const int8_t* slot = <const int8_t*>int8s(slots).data
    cdef int32_t* n_left_out = <int32_t*>writable(left_out, 4)
    cdef TagCodes tags
    cdef vector[uint8_t] codes
    cdef list found = []
    cdef list columns
    cdef int64_t k, r
    for k in range(n):
        columns = []
        for r in range(relations.relations[first + k], relations.relations[first + k + 1]):
            if relations.is_readable(r):
                codes.clear()
                n_left_out[r - relations.relations[first]] = tags.add(
                    relations, r, slot, count[k], codes
                )
                columns.append(PyBytes_FromStringAndSize(<const char*>codes.data(), codes.size()))
        found.append(columns)
    return found


def write_tag_lines(
    texts, ids, spans, int64_t first, int64_t n, counts, slots, list names, bint by_letters, losses,
    left_out,
):
    """Return sentences as lines of tokens and tags, each with an empty line behind.

    Fill losses and left_out, see csrc/tags/marked.hpp.
    """
    cdef Marked relations = marked(spans)
    cdef Strings of_id
    cdef const int64_t* count = <const int64_t*>int64s(counts).data
    cdef const int8_t* slot = <const int8_t*>int8s(slots).data
    cdef uint8_t* loss = <uint8_t*>writable(losses, 1)
    cdef int32_t* n_left_out = <int32_t*>writable(left_out, 4)
    cdef vector[string] tags = names
    cdef string out
    if ids is not None:
        of_id = strings(ids)
    cdef TagLines* lines = new TagLines(strings(texts), of_id, tags, by_letters)
    try:
        with nogil:
            lines.write(relations, first, n, count, slot, loss, n_left_out, out)
    finally:
        del lines
    return PyBytes_FromStringAndSize(out.data(), out.size())


def write_offsets(spans, int64_t first, int64_t n, list roles):
    """Return the relations of each of n examples as JSON with token offsets: texts and places."""
    cdef Marked relations = marked(spans)
    cdef vector[string] names = roles
    cdef Cells out
    with nogil:
        c_write_offsets(relations, first, n, names, out)
    return made(out)


def write_span_texts(texts, types, spans, int64_t first, int64_t n, list roles, bint by_letters):
    """Return the relations of each of n examples as JSON with texts: texts and places."""
    cdef Marked relations = marked(spans)
    cdef Strings of_text = strings(texts)
    cdef Strings of_type
    cdef vector[string] names = roles
    cdef Cells out
    if types is not None:
        of_type = strings(types)
    cdef SpanTexts* writer = new SpanTexts(names, by_letters)
    try:
        with nogil:
            writer.write(of_text, of_type, relations, first, n, out)
    finally:
        del writer
    return made(out)

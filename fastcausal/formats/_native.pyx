# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Readers for text of Arrow buffers, without an object per row."""

from cpython.buffer cimport PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int8_t, int32_t, int64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int8s, int32s, int64s, open_array, text
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tags/tagged.hpp" namespace "fastcausal" nogil:
    cdef enum class Tags(int64_t):
        pass

    ctypedef int64_t Span

    cdef cppclass TaggedSpans:
        vector[Span] spans
        vector[int64_t] odd_signals, cut

    int64_t c_count_tokens "fastcausal::count_tokens" (const char*, int64_t, Tags)
    void c_read_tagged "fastcausal::read_tagged" [Offset](
        const char*, const Offset*, const int64_t*, int64_t, Tags, int32_t*, int32_t*, int32_t*,
        TaggedSpans&, StopRequested,
    ) except +
    void unpack(const vector[Span]&, int8_t*, int32_t*, int32_t*)


cdef extern from "tags/span_texts.hpp" namespace "fastcausal" nogil:
    cdef cppclass Row:
        pass

    cdef cppclass FoundTexts:
        string data
        vector[int64_t] places

    FoundTexts c_span_texts "fastcausal::span_texts" [Offset](
        const char*, const Offset*, const Row*, const int64_t*, int64_t, bint, bint, int32_t*,
        StopRequested,
    ) except +


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view(const char*, size_t)


cdef extern from "tags/spaced.hpp" namespace "fastcausal" nogil:
    void add_spaced(string_view, string&) except +
    void keep_cut_letters[Offset](const char*, const Offset*, vector[int64_t]&) except +


cdef extern from "tags/copies.hpp" namespace "fastcausal" nogil:
    void c_compare_copies "fastcausal::compare_copies" [Offset](
        const char*, const Offset*, const int64_t*, int64_t, const char*, const int64_t*,
        const uint8_t*, bint, const int32_t*, uint8_t*, StopRequested,
    ) except +
    void c_write_bare "fastcausal::write_bare" [Offset](
        const char*, const Offset*, int64_t, char*, int32_t*
    )


cdef extern from "text/lines.hpp" namespace "fastcausal" nogil:
    cdef cppclass Literals:
        char* text
        vector[int32_t] places

    int64_t c_string_list "fastcausal::string_list" (const char*, const char*, Literals&) except +


cdef extern from "tasks/fincausal_rows.hpp" namespace "fastcausal::fincausal" nogil:
    int64_t N_PLACES
    void c_split_rows "fastcausal::fincausal::split_rows" (
        const char*, int64_t, int64_t, int64_t*, int64_t*, int64_t*)


cdef extern from "text/values.hpp" namespace "fastcausal::checked" nogil:
    cdef cppclass Problems:
        int64_t count
        vector[string] first


cdef extern from "readers/submission.hpp" namespace "fastcausal" nogil:
    cdef cppclass Place:
        int64_t number, begin, end

    cdef cppclass Submission:
        char* text
        vector[int32_t] places
        vector[int32_t] counts
        vector[int32_t] lines
        vector[uint8_t] kinds
        vector[int64_t] numbers
        string names
        vector[int32_t] name_places
        vector[Place] further
        int64_t n_passed
        bint is_plain
        Problems problems
        vector[Place] invalid
        bint begins_invalid

    cdef cppclass View "fastcausal::checked::View":
        View(const char*, size_t)

    cdef cppclass SubmissionReader:
        SubmissionReader(View, int64_t, const int64_t*, int64_t, Submission&)
        void read_lines() except +
        void read_list() except +
        int64_t line()

    cdef cppclass Indexes:
        const uint8_t* kinds
        const int64_t* numbers
        const char* names
        const int32_t* places
        int64_t n

    int64_t c_count_misplaced "fastcausal::count_misplaced" [Offset](
        const Indexes&, int64_t, const char*, const Offset*, int64_t
    )

    cdef cppclass Fault "fastcausal::NumberJoin::Fault":
        int64_t example, first
        string what

    cdef cppclass NumberJoin:
        vector[int64_t] rows
        int64_t n_misplaced, n_faults
        vector[Fault] faults
        bint is_list

    NumberJoin c_join_by_number "fastcausal::join_by_number" (
        const Indexes&, int64_t, int64_t, bint
    ) except +


cdef Array writable(object source) except *:
    cdef Array array
    open_array(source, 4, 1, PyBUF_WRITABLE, &array)
    return array


cdef bytes memory(int64_t size):
    return PyBytes_FromStringAndSize(NULL, size)


cdef bytes copied(const void* data, int64_t size):
    return PyBytes_FromStringAndSize(<const char*>data, size)


def read_tagged(data, offsets, examples, int64_t tags, lengths, n_tokens, widths):
    """Read tagged sentences. Fill lengths, n_tokens and widths.

    Return role, start and stop of the spans; the sentences with odd signal tags, and those with a
    tag within a token of letters that are words.
    """
    cdef const char* at = <const char*>text(data).data
    cdef Array example = int64s(examples)
    cdef int32_t* length = <int32_t*>writable(lengths).data
    cdef int32_t* n = <int32_t*>writable(n_tokens).data
    cdef int32_t* width = <int32_t*>writable(widths).data
    cdef const int64_t* of_example = <const int64_t*>example.data
    cdef const int32_t* small = NULL
    cdef const int64_t* large = NULL
    cdef TaggedSpans tagged
    if offsets.itemsize == 4:
        small = <const int32_t*>int32s(offsets).data
    else:
        large = <const int64_t*>int64s(offsets).data
    with nogil:
        if small is not NULL:
            c_read_tagged(
                at, small, of_example, example.n - 1, <Tags>tags, length, n, width, tagged,
                interrupted,
            )
            keep_cut_letters(at, small, tagged.cut)
        else:
            c_read_tagged(
                at, large, of_example, example.n - 1, <Tags>tags, length, n, width, tagged,
                interrupted,
            )
            keep_cut_letters(at, large, tagged.cut)
    cdef int64_t n_spans = tagged.spans.size()
    role, start, stop = memory(n_spans), memory(4 * n_spans), memory(4 * n_spans)
    cdef int8_t* to_role = <int8_t*>PyBytes_AsString(role)
    cdef int32_t* to_start = <int32_t*>PyBytes_AsString(start)
    cdef int32_t* to_stop = <int32_t*>PyBytes_AsString(stop)
    with nogil:
        unpack(tagged.spans, to_role, to_start, to_stop)
    return role, start, stop, list(tagged.odd_signals), list(tagged.cut)


def spaced(data, offsets):
    """Return tagged sentences with blanks between tokens by letters, and the end of each, int64."""
    cdef Array of = text(data)
    cdef const int64_t* place = <const int64_t*>int64s(offsets).data
    cdef vector[int64_t] ends
    cdef string out
    cdef int64_t k, n = len(offsets) - 1
    with nogil:
        ends.push_back(0)
        for k in range(n):
            add_spaced(
                string_view(<const char*>of.data + place[k], place[k + 1] - place[k]), out
            )
            ends.push_back(out.size())
    return copied(out.data(), out.size()), copied(ends.data(), 8 * ends.size())


def compare_copies(data, offsets, examples, texts, places, valid, bint are_known, widths, unlike):
    """Compare readable sentences with their texts. Fill unlike with the bits of `Unlike`."""
    cdef const char* at = <const char*>text(data).data
    cdef const char* text_at = <const char*>text(texts).data
    cdef Array example = int64s(examples)
    cdef const int64_t* of_example = <const int64_t*>example.data
    cdef const int64_t* place = <const int64_t*>int64s(places).data
    cdef const int32_t* width = <const int32_t*>int32s(widths).data
    cdef const uint8_t* is_there = NULL
    cdef uint8_t* to_unlike = <uint8_t*>int8s(unlike).data
    cdef const int32_t* small = NULL
    cdef const int64_t* large = NULL
    if valid is not None:
        is_there = <const uint8_t*>int8s(valid).data
    if offsets.itemsize == 4:
        small = <const int32_t*>int32s(offsets).data
    else:
        large = <const int64_t*>int64s(offsets).data
    with nogil:
        if small is not NULL:
            c_compare_copies(
                at, small, of_example, example.n - 1, text_at, place, is_there, are_known, width,
                to_unlike, interrupted,
            )
        else:
            c_compare_copies(
                at, large, of_example, example.n - 1, text_at, place, is_there, are_known, width,
                to_unlike, interrupted,
            )


def without_tags(data, offsets):
    """Return sentences without their tags, one after another, and the end of each, int32."""
    cdef const char* at = <const char*>text(data).data
    cdef int64_t n = len(offsets) - 1
    cdef const int32_t* small = NULL
    cdef const int64_t* large = NULL
    cdef int64_t size = offsets[n] - offsets[0]
    if size > INT32_MAX:
        raise OverflowError(f"{size} bytes of sentences, expected at most {INT32_MAX}")
    bare, stops = memory(size), memory(4 * (n + 1))
    cdef char* to_bare = PyBytes_AsString(bare)
    cdef int32_t* to_stops = <int32_t*>PyBytes_AsString(stops)
    if offsets.itemsize == 4:
        small = <const int32_t*>int32s(offsets).data
    else:
        large = <const int64_t*>int64s(offsets).data
    with nogil:
        if small is not NULL:
            c_write_bare(at, small, n, to_bare, to_stops)
        else:
            c_write_bare(at, large, n, to_bare, to_stops)
    return bare, stops


def count_tokens(data, offsets, int64_t tags, counts):
    """Fill counts with the number of tokens of every text."""
    cdef const char* at = <const char*>text(data).data
    cdef Array count = writable(counts)
    cdef int32_t* to_count = <int32_t*>count.data
    cdef const int64_t* offset = <const int64_t*>int64s(offsets).data
    cdef int64_t k
    with nogil:
        for k in range(count.n):
            to_count[k] = <int32_t>c_count_tokens(
                at + offset[k], offset[k + 1] - offset[k], <Tags>tags
            )


cdef list places_of(vector[Place]& places):
    return [(place.number, place.begin, place.end) for place in places]


def read_submission(data, int64_t start, int64_t stop, int64_t line, n_gold, bint is_list):
    """Read the lines of a submission between two places, the first of this number, or its list.

    n_gold: int64, relations of the examples from here on, if the official program looks at so many
    predictions; else empty.

    Return the text of the sentences (with room behind them), their ends, sentences per example,
    lines, kinds of indexes (see csrc/readers/submission.hpp), numbers, text of names, their ends;
    then examples with further keys and their bytes, the number of passed over values, whether all
    lines are plain, the number of faults, the first of them, the lines of those that are invalid
    JSON (an entry for each fault up to the last one) and whether the first one is; the next line.
    """
    cdef const char* at = <const char*>text(data).data
    cdef Array gold = int64s(n_gold)
    cdef Submission found
    if stop - start > INT32_MAX:
        raise OverflowError("a line of 2 GiB")
    sentences = memory(stop - start)
    found.text = PyBytes_AsString(sentences)
    cdef SubmissionReader* reader = new SubmissionReader(
        View(at + start, stop - start), line, <const int64_t*>gold.data, gold.n, found
    )
    try:
        with nogil:
            if is_list:
                reader.read_list()
            else:
                reader.read_lines()
        line = reader.line()
    finally:
        del reader
    return (
        (
            sentences,
            copied(found.places.data(), 4 * found.places.size()),
            copied(found.counts.data(), 4 * found.counts.size()),
            copied(found.lines.data(), 4 * found.lines.size()),
            copied(found.kinds.data(), found.kinds.size()),
            copied(found.numbers.data(), 8 * found.numbers.size()),
            copied(found.names.data(), found.names.size()),
            copied(found.name_places.data(), 4 * found.name_places.size()),
        ),
        places_of(found.further),
        found.n_passed,
        found.is_plain,
        (found.problems.count, list(found.problems.first), places_of(found.invalid),
         found.begins_invalid),
        line,
    )


cdef Indexes indexes_of(kinds, numbers, names, places) except *:
    cdef Indexes indexes
    cdef Array of_kinds = int8s(kinds)
    indexes.kinds = <const uint8_t*>of_kinds.data
    indexes.numbers = <const int64_t*>int64s(numbers).data
    indexes.names = <const char*>text(names).data
    indexes.places = <const int32_t*>int32s(places).data
    indexes.n = of_kinds.n
    return indexes


def count_misplaced(kinds, numbers, names, places, int64_t start, ids, id_places):
    """Count examples that name another one than the number, or the id, of their place."""
    cdef Indexes indexes = indexes_of(kinds, numbers, names, places)
    cdef const char* at = <const char*>text(ids).data
    cdef Array of_ids
    if id_places.itemsize == 8:
        of_ids = int64s(id_places)
        return c_count_misplaced(indexes, start, at, <const int64_t*>of_ids.data, of_ids.n - 1)
    of_ids = int32s(id_places)
    return c_count_misplaced(indexes, start, at, <const int32_t*>of_ids.data, of_ids.n - 1)


def join_by_number(
    kinds, numbers, names, places, int64_t start, int64_t n_gold, bint has_ids
):
    """Join examples with gold by their numbers; n_gold is -1 without gold.

    Return rows of gold if that has ids, else the examples in order, both empty if examples are
    joined by place; the number of misplaced examples; the number of faults, the first of them as
    example, message and the example whose place ends it, and whether they are a list.
    """
    cdef Indexes indexes = indexes_of(kinds, numbers, names, places)
    cdef NumberJoin made = c_join_by_number(indexes, start, n_gold, has_ids)
    faults = [(fault.example, fault.what, fault.first) for fault in made.faults]
    return (
        copied(made.rows.data(), 8 * made.rows.size()),
        made.n_misplaced,
        (made.n_faults, faults, made.is_list),
    )


def string_lists(data, offsets, widths):
    """Fill widths with the number of strings in each Python list, -1 if it is not plain.

    Return the strings, one after another with room behind them, and the end of each.
    """
    cdef const char* at = <const char*>text(data).data
    cdef const int32_t* offset = <const int32_t*>int32s(offsets).data
    cdef Array width = writable(widths)
    cdef int32_t* to_width = <int32_t*>width.data
    cdef Literals literals
    cdef int64_t k
    strings = memory(offset[width.n] - offset[0])
    literals.text = PyBytes_AsString(strings)
    with nogil:
        for k in range(width.n):
            to_width[k] = <int32_t>c_string_list(at + offset[k], at + offset[k + 1], literals)
    return strings, copied(literals.places.data(), 4 * literals.places.size())


def span_texts(data, places, rows, offsets, bint spaced, bint by_letters, n_tokens):
    """Find the texts of spans, int32[n_rows, 3]: those of sentence k are rows[offsets[k]] and on.

    Fill n_tokens. Return the texts, one after another, and the end of each, int64.
    """
    cdef const char* at = <const char*>text(data).data
    cdef Array row = int32s(rows, 2)
    cdef Array offset = int64s(offsets)
    cdef Array n = writable(n_tokens)
    cdef const int32_t* small = NULL
    cdef const int64_t* large = NULL
    cdef FoundTexts found
    if offset.n != n.n + 1 or len(places) != n.n + 1 or offsets[n.n] > row.n or row.width != 3:
        raise ValueError(f"{offset.n} offsets of spans, {len(places)} of texts, expected {n.n + 1}")
    if places.itemsize == 4:
        small = <const int32_t*>int32s(places).data
    else:
        large = <const int64_t*>int64s(places).data
    with nogil:
        if small is not NULL:
            found = c_span_texts(
                at, small, <const Row*>row.data, <const int64_t*>offset.data, n.n, spaced,
                by_letters, <int32_t*>n.data, interrupted,
            )
        else:
            found = c_span_texts(
                at, large, <const Row*>row.data, <const int64_t*>offset.data, n.n, spaced,
                by_letters, <int32_t*>n.data, interrupted,
            )
    return (
        copied(found.data.data(), found.data.size()),
        copied(found.places.data(), 8 * found.places.size()),
    )


def split_rows(data, starts, stops, n_fields):
    """Fill the places of the first fields of FinCausal's lines, and the number of all fields.

    starts and stops are int64[4, n], n_fields is int64[n]; n is the number of lines: the caller's
    promise. The number of fields of a blank line is 0.
    """
    cdef Array bytes_ = text(data), number = int64s(n_fields, 1, PyBUF_WRITABLE)
    cdef Array start = int64s(starts, 2, PyBUF_WRITABLE), stop = int64s(stops, 2, PyBUF_WRITABLE)
    if start.n != N_PLACES or stop.n != N_PLACES or not start.width == stop.width == number.n:
        raise ValueError("starts, stops and n_fields are of other shapes")
    with nogil:
        c_split_rows(
            <const char*>bytes_.data, bytes_.n, number.n, <int64_t*>start.data,
            <int64_t*>stop.data, <int64_t*>number.data)

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Lists of tags and tokens of texts, for readers of Python objects and JSON."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_CheckExact, PyDict_GetItemWithError, PyDict_Next
from cpython.exc cimport PyErr_CheckSignals, PyErr_Clear
from cpython.list cimport PyList_Check
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_Check
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.string cimport string
from libcpp.string_view cimport string_view
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, text as text_buffer
from fastcausal.arrays.collected_rows cimport CollectedRows, Row, arrays_of, filled
from fastcausal.arrays.python_objects cimport (
    PyUnicode_AsUTF8AndSize, is_list, item_of, plain_number, size_of,
)

import numpy as np

cdef object EMPTY = np.empty
cdef object BOOL = np.dtype("bool")
cdef object INT32 = np.dtype("int32")
cdef object INT64 = np.dtype("int64")
cdef str TYPE = "type"

cdef extern from "readers/sentence.hpp" namespace "fastcausal" nogil:
    ctypedef vector[uint32_t] CodePoints

    cdef cppclass Occurrences:
        vector[int64_t] places
        void find(const CodePoints&, const CodePoints&) except +

    cdef cppclass Sentence:
        CodePoints letters, wanted
        vector[int32_t] starts, stops
        void split(bint) except +
        void set_gaps(const Row*, int64_t)
        void forget_gaps()

    cdef struct SpanNotes:
        int n_again, n_cut, n_texts

    bint add_characters(
        CollectedRows&, int32_t, int32_t, int32_t, const Sentence&, SpanNotes&
    ) except +
    bint add_text(CollectedRows&, int32_t, Sentence&, bint, SpanNotes&) except +

cdef extern from "tags/tag_lines.hpp" namespace "fastcausal" nogil:
    cdef cppclass TagSentence:
        const char* begin
        const char* end
        int64_t line, n_rows, n_columns
        bint plain, has_id, has_text
        string_view id, text
        vector[string_view] cells
        bint has_any()
        string_view cell(int64_t, int64_t)
        void clear()

    cdef cppclass TagSentences:
        TagSentences(const char*, int64_t, int64_t, int64_t)
        bint next(TagSentence&) except +

    bint append_text(const TagSentence&, string&) except +

cdef extern from "text/scripts.hpp" namespace "fastcausal" nogil:
    bint holds_script_letters(const CodePoints&, int64_t, int64_t)

cdef extern from "Python.h":
    Py_UCS4* PyUnicode_AsUCS4(object, Py_UCS4*, Py_ssize_t, int) except NULL
    Py_ssize_t PyUnicode_GetLength(object) except -1

cpdef enum:
    NO_LIST = -0x80000000

cdef enum:
    N_ROLES = 3
    EVERY_ROLE = 7  # one bit each
    N_KEPT = 64
    NO_TAG = -1


cdef struct Kept:  # a tag of up to 16 bytes: its first and its last eight
    uint64_t first, last
    Py_ssize_t size
    int code


cdef inline void ends_of(const char* letters, Py_ssize_t size, Kept* tag) noexcept:
    cdef uint32_t first = 0
    cdef uint32_t last = 0
    if size >= 8:
        memcpy(&tag.first, letters, 8)
        memcpy(&tag.last, letters + size - 8, 8)
    elif size >= 4:
        memcpy(&first, letters, 4)
        memcpy(&last, letters + size - 4, 4)
        tag.first, tag.last = first, last
    else:  # 1 to 3
        tag.first, tag.last = <unsigned char>letters[0], <unsigned char>letters[size - 1]
        tag.first = tag.first << 8 | <unsigned char>letters[size // 2]
    tag.size = size


cdef int code_of(object tag, dict codes, marks, Kept* kept) except? -3:
    """Return the bits of a tag: the roles that it begins, continues and ends.

    Return NO_TAG for a tag that only `marks` can read, NO_LIST for anything but a string.
    """
    cdef Py_ssize_t size = 0
    cdef const char* letters
    if not PyUnicode_Check(tag):
        return NO_LIST
    letters = PyUnicode_AsUTF8AndSize(tag, &size)
    if letters == NULL:  # half a surrogate pair
        PyErr_Clear()
        return NO_TAG
    return code_of_letters(letters, size, codes, marks, kept)


cdef int code_of_letters(
    const char* letters, Py_ssize_t size, dict codes, marks, Kept* kept
) except? -3:
    """Return the bits of a tag in UTF-8, as `code_of` does."""
    cdef Kept seen
    cdef Kept* place = NULL
    cdef PyObject* known
    if 0 < size <= 16:
        ends_of(letters, size, &seen)
        place = kept + ((seen.first + 3 * seen.last) * <uint64_t>0x9E3779B97F4A7C15 >> 58)
        if place.first == seen.first and place.last == seen.last and place.size == size:
            return place.code
    text = letters[:size].decode()
    known = PyDict_GetItemWithError(codes, text)
    seen.code = marks(text) if known == NULL else <object>known
    if known == NULL:
        codes[text] = seen.code
    if place != NULL:
        place[0] = seen
    return seen.code


cdef struct OpenTags:  # the tags of a relation so far
    int32_t[N_ROLES] start
    int opened  # roles with an open span, as bits
    bint wrong


cdef inline void add_code(CollectedRows& collected, OpenTags* tags, int code, int32_t t) except *:
    """Add the tag of the next token."""
    cdef int goes_on = code >> N_ROLES & EVERY_ROLE
    cdef int begins, ends, role
    if code < 0 or tags.wrong or goes_on & ~tags.opened:
        tags.wrong = True  # goes on, because later items may not be strings
        return
    begins = code & EVERY_ROLE
    ends = tags.opened & ~goes_on
    tags.opened = goes_on | begins
    if not (begins | ends | code >> 2 * N_ROLES):
        return
    for role in range(N_ROLES):
        if ends >> role & 1:
            collected.row(role, tags.start[role], t)
        if begins >> role & 1:
            tags.start[role] = t
    ends = code >> 2 * N_ROLES
    tags.opened &= ~ends
    for role in range(N_ROLES):
        if ends >> role & 1:
            collected.row(role, tags.start[role], t + 1)


cdef inline int end_tags(CollectedRows& collected, OpenTags* tags, int32_t n) except? -3:
    """Return n, the number of tags of one relation, or -1 - n for faulty tags."""
    cdef int role
    if tags.wrong:
        collected.forget_relation()
        return -1 - n
    for role in range(N_ROLES):
        if tags.opened >> role & 1:
            collected.row(role, tags.start[role], n)
    collected.by_role()
    return n


cdef int add_tags(CollectedRows& collected, object tags, dict codes, marks, Kept* kept) except? -3:
    """Return n, the number of tags of one relation; -1 - n for faulty tags, or NO_LIST."""
    cdef OpenTags read
    cdef object tag
    cdef object last = None
    cdef int code = NO_LIST
    cdef Py_ssize_t n, t
    memset(&read, 0, sizeof(read))
    if not PyList_Check(tags) and not PyTuple_Check(tags):
        return NO_LIST
    n = size_of(tags)
    if n >= 0x7FFFFFFF:
        return NO_LIST
    for t in range(n):
        tag = item_of(tags, t)
        if tag is not last:
            code = code_of(tag, codes, marks, kept)
            last = tag
        if code == NO_LIST:
            return NO_LIST
        add_code(collected, &read, code, <int32_t>t)
    return end_tags(collected, &read, <int32_t>n)


def tag_rows(list examples, marks):
    """Return rows of lists of tags, a list of relations for each example.

    marks(tag) returns the bits of a tag: 1 for every role that it begins, 8 for every role that it
    continues, 64 for every role that it ends, each shifted by the role. It returns -1 for a faulty
    tag.

    Returns
    -------
    The four arrays of `Rows`, with rows sorted by (role, start, stop). The last array has an item
    for each relation: n, the number of its tags, -1 - n if tags are faulty, NO_LIST if they are no
    list of strings. Faulty relations have no rows.
    """
    cdef CollectedRows collected
    cdef Kept[N_KEPT] kept
    cdef dict codes = {}
    cdef list relations
    cdef Py_ssize_t k
    cdef int n
    memset(kept, 0, sizeof(kept))
    for relations in examples:
        for k in range(size_of(relations)):
            n = add_tags(collected, item_of(relations, k), codes, marks, kept)
            collected.lengths.push_back(n)
            if n < 0:
                collected.forget_relation()
            collected.end_relation()
        collected.end_example()
    return arrays_of(collected, EMPTY, INT32, INT64)


cdef class Sentences:
    """The sentences of a CoNLL-style file, whose cells are read again if asked for."""

    cdef object data
    cdef int64_t most
    cdef dict odd  # sentences that are not plain, by number: their comments, then their columns
    cdef vector[int64_t] starts, stops, numbers
    cdef vector[int32_t] sizes
    cdef string id_data, text_data
    cdef vector[int64_t] id_places, text_places
    cdef vector[int8_t] id_valid, text_valid
    cdef CollectedRows collected

    def __cinit__(self, data, int64_t first, int64_t most, odd, marks):
        """Read a file from its line `first` on; refer to `read_sentences`."""
        cdef Array of = text_buffer(data)
        cdef const char* begin = <const char*>of.data
        cdef TagSentences* lines = new TagSentences(begin, of.n, first, most)
        cdef TagSentence sentence
        cdef Kept[N_KEPT] kept
        cdef dict codes = {}
        self.data, self.most, self.odd = data, most, {}
        self.id_places.push_back(0)
        self.text_places.push_back(0)
        memset(kept, 0, sizeof(kept))
        try:
            while lines.next(sentence):
                PyErr_CheckSignals()
                self.starts.push_back(sentence.begin - begin)
                self.stops.push_back(sentence.end - begin)
                if sentence.plain and sentence.has_any():
                    self.add(sentence, codes, marks, kept)
                    continue
                start, stop = self.starts.back(), self.stops.back()
                self.starts.pop_back()
                self.stops.pop_back()
                if sentence.plain:  # comments alone
                    continue
                plain = bytes(data[start:stop]).replace(b"\r\n", b"\n").removesuffix(b"\r")
                for line, said, columns in odd(sentence.line, plain.decode()):
                    self.odd[self.starts.size()] = said, columns
                    self.starts.push_back(0)
                    self.stops.push_back(0)
                    fill(sentence, line, said, columns)
                    self.add(sentence, codes, marks, kept)
        finally:
            del lines

    cdef int add(self, TagSentence& sentence, dict codes, marks, Kept* kept) except -1:
        """Add a sentence, whose place is known."""
        cdef OpenTags tags
        cdef int64_t row, column
        cdef string_view tag
        self.numbers.push_back(sentence.line)
        self.sizes.push_back(<int32_t>sentence.n_rows)
        self.id_valid.push_back(sentence.has_id)
        self.id_data.append(sentence.id.data(), sentence.id.size())
        self.id_places.push_back(self.id_data.size())
        self.text_valid.push_back(append_text(sentence, self.text_data))
        self.text_places.push_back(self.text_data.size())
        if marks is None:
            return 0
        for column in range(1, sentence.n_columns):
            memset(&tags, 0, sizeof(tags))
            for row in range(sentence.n_rows):
                tag = sentence.cell(row, column)
                add_code(
                    self.collected, &tags,
                    code_of_letters(tag.data(), tag.size(), codes, marks, kept), <int32_t>row,
                )
            self.collected.lengths.push_back(
                end_tags(self.collected, &tags, <int32_t>sentence.n_rows)
            )
            self.collected.end_relation()
        self.collected.end_example()
        return 0

    def __len__(self):
        return self.starts.size()

    @property
    def rows(self):
        """Return rows of the tags of all sentences, as `tag_rows` does."""
        return arrays_of(self.collected, EMPTY, INT32, INT64)

    @property
    def lines(self):
        """Return the number of the first line of each sentence: a list."""
        return self.numbers

    @property
    def lengths(self):
        """Return the number of tokens of each sentence, int32."""
        return filled(EMPTY(self.sizes.size(), INT32), self.sizes.data())

    @property
    def ids(self):
        """Return the ids: bytes, the end of each behind a 0, int64, and whether there is one."""
        return column_of(self.id_data, self.id_places, self.id_valid)

    @property
    def texts(self):
        """Return the texts in the form of `ids`; there is none for tokens with white space."""
        return column_of(self.text_data, self.text_places, self.text_valid)

    def sentence(self, int64_t k):
        """Return the text of a sentence's comment, or None; its tokens; and lists of its tags."""
        cdef TagSentence sentence
        cdef TagSentences* lines
        cdef Array of
        cdef int64_t row, column
        if k in self.odd:
            said, columns = self.odd[k]
            return said.get("text"), *columns
        of = text_buffer(self.data)
        lines = new TagSentences(
            <const char*>of.data + self.starts[k], self.stops[k] - self.starts[k], 1, self.most
        )
        lines.next(sentence)
        del lines
        return (
            decoded(sentence.text) if sentence.has_text else None,
            *(
                [decoded(sentence.cell(row, column)) for row in range(sentence.n_rows)]
                for column in range(max(sentence.n_columns, 1))
            ),
        )


cdef inline str decoded(string_view text):
    return text.data()[:text.size()].decode()


cdef inline string_view letters_of(str text) except *:
    cdef Py_ssize_t size = 0
    cdef const char* letters = PyUnicode_AsUTF8AndSize(text, &size)
    return string_view(letters, size)


cdef int fill(TagSentence& sentence, int64_t line, dict said, list columns) except -1:
    """Set a sentence to columns that Python has read, which keep its letters."""
    cdef Py_ssize_t row
    sentence.clear()
    sentence.line = line
    sentence.has_id, sentence.has_text = "id" in said, "text" in said
    if sentence.has_id:
        sentence.id = letters_of(said["id"])
    if sentence.has_text:
        sentence.text = letters_of(said["text"])
    sentence.n_rows, sentence.n_columns = len(columns[0]), len(columns)
    for row in range(sentence.n_rows):
        for column in columns:
            sentence.cells.push_back(letters_of(column[row]))
    return 0


cdef tuple column_of(string& data, vector[int64_t]& places, vector[int8_t]& valid):
    return (
        data.data()[:data.size()],
        PyBytes_FromStringAndSize(<const char*>places.data(), 8 * places.size()),
        filled(EMPTY(valid.size(), BOOL), valid.data()),
    )


def read_sentences(data, int64_t first, int64_t most, odd, marks):
    """Return the sentences of a CoNLL-style file as `Sentences`.

    odd(line, text) yields those in lines that are not plain: first line, comments, and columns.
    marks(tag) returns the bits of a tag, see `tag_rows`; None reads no tags. `first` is the number
    of the first line; a sentence of more than `most` tokens is not plain.
    """
    return Sentences(data, first, most, odd, marks)


cdef inline int take_letters(str text, CodePoints& letters) except -1:
    """Fill letters with the letters of a text."""
    letters.resize(PyUnicode_GetLength(text))
    if letters.size():
        PyUnicode_AsUCS4(text, <Py_UCS4*>letters.data(), <Py_ssize_t>letters.size(), 0)
    return 0


def token_bounds(str text, bint by_letters=False):
    """Return the starts and the stops of the tokens of a text, in characters: two lists.

    by_letters: letters of scripts without blanks are tokens of their own (csrc/text/scripts.hpp).
    """
    cdef Sentence sentence
    take_letters(text, sentence.letters)
    sentence.split(by_letters)
    return sentence.starts, sentence.stops


def is_of_letters(str token):
    """Return True for a token with two letters of scripts without blanks, or more."""
    cdef CodePoints letters
    take_letters(token, letters)
    return holds_script_letters(letters, 0, <int64_t>letters.size())


def occurrences(str text, str wanted):
    """Return all places of a text that is not empty, a list."""
    cdef CodePoints letters
    cdef CodePoints looked_for
    cdef Occurrences found
    take_letters(text, letters)
    take_letters(wanted, looked_for)
    found.find(letters, looked_for)
    return found.places


cdef int add_offsets(
    CollectedRows& collected, int32_t role, object span, const Sentence& sentence, SpanNotes* notes
) except -1:
    """Add a span given as [start, stop) in characters, plain or by name. Return 0 for others."""
    cdef int32_t start = 0
    cdef int32_t stop = 0
    if PyDict_CheckExact(span):
        span = [span.get("start"), span.get("stop")]
    if not is_list(span) or size_of(span) != 2:
        return 0
    if not plain_number(item_of(span, 0), &start) or not plain_number(item_of(span, 1), &stop):
        return 0
    return add_characters(collected, role, start, stop, sentence, notes[0])


cdef int add_spans(
    CollectedRows& collected, int32_t role, object spans, Sentence& sentence, bint once,
    SpanNotes* notes
) except -1:
    """Add the spans of a role, texts or offsets. Return 0 for anything else."""
    cdef Py_ssize_t k
    cdef int32_t number = 0
    cdef object span
    if not is_list(spans) or (
        size_of(spans) == 2 and plain_number(item_of(spans, 0), &number)
        and plain_number(item_of(spans, 1), &number)
    ):
        spans = [spans]
    for k in range(size_of(spans)):
        span = item_of(spans, k)
        if span is None:
            continue
        if PyUnicode_CheckExact(span):
            take_letters(span, sentence.wanted)
            if not add_text(collected, role, sentence, once, notes[0]):
                return 0
        elif not add_offsets(collected, role, span, sentence, notes):
            return 0
    return 1


cdef int add_relation(
    CollectedRows& collected, object relation, dict numbers, int32_t signal, Sentence& sentence,
    SpanNotes* notes
) except -1:
    """Add a relation; its signals come last, near its other spans. Return 0 if unusual."""
    cdef Py_ssize_t place = 0
    cdef PyObject* key
    cdef PyObject* value
    cdef PyObject* number
    cdef object signals = None
    cdef int32_t role = 0
    if not PyDict_CheckExact(relation):
        return 0
    sentence.forget_gaps()
    while PyDict_Next(relation, &place, &key, &value):
        if not PyUnicode_CheckExact(<object>key):
            return 0
        number = PyDict_GetItemWithError(numbers, <object>key)
        if number == NULL and <str><object>key == TYPE:
            if value != <PyObject*>None and not PyUnicode_CheckExact(<object>value):
                return 0
            continue
        if number == NULL or not plain_number(<object>number, &role):
            return 0
        if role == signal:
            signals = <object>value
        elif not add_spans(collected, role, <object>value, sentence, signal >= 0, notes):
            return 0
    if signals is None:
        return 1
    sentence.set_gaps(
        collected.rows.data() + collected.row_offsets.back(),
        <int64_t>collected.rows.size() - collected.row_offsets.back(),
    )
    return add_spans(collected, signal, signals, sentence, False, notes)


def spans_of(
    relations, dict numbers, int signal, text, Py_ssize_t length, bint by_letters=False
):
    """Find the spans of an example whose roles have texts or character offsets, in tokens.

    Relations may have a type, too. Texts are whole tokens of the example. A text may occur several
    times. With a role `signal` (-1 for none), a signal text is then the one nearest to the gap
    between Cause and Effect (csrc/readers/sentence.hpp), and another text is unusual. Without that
    role, the first occurrence counts.
    `numbers` gives the number of each role; `length` is the required number of tokens, -1 for any.

    Returns
    -------
    The number of tokens; for each relation a list of (role, start, stop), sorted; the numbers of
    texts that occur again, of spans that cut a token, and of spans given as texts. None if anything
    is unusual: Python reports its fault, or finds it in another way.
    """
    cdef CollectedRows collected
    cdef Sentence sentence
    cdef SpanNotes notes
    cdef Py_ssize_t k
    cdef int64_t row
    cdef list found = []
    if not PyUnicode_CheckExact(text) or not is_list(relations):
        return None
    take_letters(text, sentence.letters)
    if sentence.letters.size() > 0x7FFFFFFF:
        return None
    sentence.split(by_letters)
    if length >= 0 and <size_t>length != sentence.starts.size():
        return None
    for k in range(size_of(relations)):
        if not add_relation(collected, item_of(relations, k), numbers, signal, sentence, &notes):
            return None
        collected.by_role()
        found.append([
            (collected.rows[row].role, collected.rows[row].start, collected.rows[row].stop)
            for row in range(collected.row_offsets.back(), <int64_t>collected.rows.size())
        ])
        collected.end_relation()
    return sentence.starts.size(), found, notes.n_again, notes.n_cut, notes.n_texts

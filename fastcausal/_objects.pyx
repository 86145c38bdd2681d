# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Python objects to flat arrays: example dicts, lists of tags, the tokens of a text.

Only plain objects are looked at (a dict, not a subclass of one), so that no code but this runs
meanwhile. Whatever else there is, and whatever is wrong, is left to the Python that calls: it knows
the messages.
"""

from cpython.dict cimport PyDict_CheckExact, PyDict_GetItemWithError, PyDict_Next
from cpython.list cimport PyList_Check, PyList_CheckExact, PyList_GetItem, PyList_Size
from cpython.long cimport PyLong_CheckExact
from cpython.mem cimport PyMem_Free
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_Check, PyTuple_CheckExact, PyTuple_GetItem, PyTuple_Size
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact, PyUnicode_FromObject
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy

from fastcausal.found cimport Found, arrays_of

import numpy as np

cdef object EMPTY = np.empty
cdef object INT32 = np.dtype("int32")
cdef object INT64 = np.dtype("int64")
cdef frozenset INTEGERS = frozenset(np.dtype(kind).type for kind in "bhilqBHILQ")
cdef str ID = "id"
cdef str LENGTH = "length"
cdef str TOKENS = "tokens"
cdef str TEXT = "text"
cdef str RELATIONS = "relations"

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t*) except NULL
    long PyLong_AsLongAndOverflow(object, int*) except? -1
    object PyNumber_Index(object)
    Py_UCS4* PyUnicode_AsUCS4Copy(object)
    Py_ssize_t PyUnicode_GetLength(object) except -1


cdef inline bint is_list(object value):
    return PyList_CheckExact(value) or PyTuple_CheckExact(value)


cdef inline Py_ssize_t size_of(object items) except -1:
    return PyList_Size(items) if PyList_Check(items) else PyTuple_Size(items)


cdef inline object item_of(object items, Py_ssize_t k):
    if PyList_Check(items):
        return <object>PyList_GetItem(items, k)
    return <object>PyTuple_GetItem(items, k)


cdef inline object value_of(object example, str key):
    """The value of a key; None, as for a null, where there is none."""
    cdef PyObject* found = PyDict_GetItemWithError(example, key)
    return None if found == NULL else <object>found


cdef int read_number(object value, int32_t* number) except -1:
    """0 where this is no integer of 0 to 2^31 - 1."""
    cdef int overflow = 0
    cdef long found
    if not PyLong_CheckExact(value):
        if type(value) not in INTEGERS:
            return 0
        value = PyNumber_Index(value)
    found = PyLong_AsLongAndOverflow(value, &overflow)
    if overflow or found < 0 or found > 0x7FFFFFFF:
        return 0
    number[0] = <int32_t>found
    return 1


cdef int add_span(Found& found, int32_t role, object bounds, int32_t length) except -1:
    """0 where this is no (start, stop) within so many tokens, -1 for an unknown number."""
    cdef int32_t start = 0
    cdef int32_t stop = 0
    if not is_list(bounds) or size_of(bounds) != 2:
        return 0
    if not read_number(item_of(bounds, 0), &start) or not read_number(item_of(bounds, 1), &stop):
        return 0
    if stop <= start or (length >= 0 and stop > length):
        return 0
    found.row(role, start, stop)
    return 1


cdef int add_relation(Found& found, object relation, dict numbers, int32_t length) except -1:
    """0 where this is not a dict from roles to a span or a list of spans."""
    cdef Py_ssize_t place = 0
    cdef Py_ssize_t k
    cdef PyObject* key
    cdef PyObject* value
    cdef PyObject* number
    cdef object spans
    cdef int32_t role = 0
    if not PyDict_CheckExact(relation):
        return 0
    while PyDict_Next(relation, &place, &key, &value):
        spans = <object>value
        if not PyUnicode_CheckExact(<object>key) or not is_list(spans):
            return 0
        number = PyDict_GetItemWithError(numbers, <object>key)
        if number == NULL or not read_number(<object>number, &role) or role > 127:
            return 0
        if size_of(spans) == 2 and not is_list(item_of(spans, 0)):
            if not add_span(found, role, spans, length):
                return 0
            continue
        for k in range(size_of(spans)):
            if not add_span(found, role, item_of(spans, k), length):
                return 0
    return 1


cdef int read_length(object example, int32_t* length) except -1:
    """0 where the number of tokens is not given as a plain integer, list or text; -1 if unknown."""
    cdef object value = value_of(example, LENGTH)
    cdef Py_ssize_t n
    if value is not None:
        return read_number(value, length)
    value = value_of(example, TOKENS)
    if value is not None:
        if not is_list(value) or size_of(value) > 0x7FFFFFFF:
            return 0
        length[0] = <int32_t>size_of(value)
        return 1
    value = value_of(example, TEXT)
    length[0] = -1
    if value is None:
        return 1
    if not PyUnicode_CheckExact(value):
        return 0
    n = count_tokens(value)
    length[0] = <int32_t>n
    return 0 <= n <= 0x7FFFFFFF


cdef inline bint is_space(Py_UCS4 c):
    return c == 32 or 9 <= c <= 13


cdef Py_ssize_t count_tokens(object text) except -2:
    """How many tokens ASCII white space separates; -1 where the text holds half a surrogate."""
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t k
    cdef Py_ssize_t count = 0
    cdef bint inside = False
    cdef const char* letters
    try:
        letters = PyUnicode_AsUTF8AndSize(text, &n)
    except UnicodeEncodeError:
        return -1
    for k in range(n):
        count += not inside and not is_space(<unsigned char>letters[k])
        inside = not is_space(<unsigned char>letters[k])
    return count


def example_rows(examples, dict numbers, bint in_order):
    """The four arrays of Rows for a list of example dicts, and the list of their ids.

    numbers gives the number of each role. In order: rows are sorted as `Rows` wants them, else they
    stand as they come. ids is None where no example has one; the arrays are followed by it in one
    tuple. None where anything is unusual: a type, a role, a span, a relation that is None, an id
    that occurs twice.
    """
    cdef Found found
    cdef Py_ssize_t i, k
    cdef Py_ssize_t n
    cdef int32_t length
    cdef object example, relations, name
    cdef list ids = []
    cdef PyObject* given
    if not is_list(examples):
        return None
    n = size_of(examples)
    for i in range(n):
        example = item_of(examples, i)
        if not PyDict_CheckExact(example) or not read_length(example, &length):
            return None
        given = PyDict_GetItemWithError(example, ID)
        if given != NULL:
            name = <object>given
            if PyLong_CheckExact(name):
                name = str(name)
            if not PyUnicode_CheckExact(name) or count_tokens(name) < 0:
                return None
            ids.append(name)
        given = PyDict_GetItemWithError(example, RELATIONS)
        if given != NULL:
            relations = <object>given
            if not is_list(relations):
                return None
            for k in range(size_of(relations)):
                if not add_relation(found, item_of(relations, k), numbers, length):
                    return None
                if in_order:
                    found.in_order()
                found.end_relation()
        found.end_example()
        found.lengths.push_back(length)
    if ids and (len(ids) != n or len(set(ids)) != n):
        return None
    return *arrays_of(found, EMPTY, INT32, INT64), ids or None


cpdef enum:
    NO_LIST = -0x80000000

cdef enum:
    N_ROLES = 3
    N_KEPT = 64
    NO_TAG = -1


cdef struct Kept:  # a tag of up to 16 bytes: its first and its last eight are all of it
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
    """What a tag says: bits of the roles that it begins, then of those it goes on with.

    NO_TAG where only `marks` knows, NO_LIST where it is no string.
    """
    cdef Kept seen
    cdef Kept* place = NULL
    cdef Py_ssize_t size = 0
    cdef PyObject* found
    cdef const char* letters
    if not PyUnicode_Check(tag):
        return NO_LIST
    try:
        letters = PyUnicode_AsUTF8AndSize(tag, &size)
    except UnicodeEncodeError:
        return NO_TAG
    if 0 < size <= 16:
        ends_of(letters, size, &seen)
        place = kept + ((seen.first ^ seen.last) * <uint64_t>0x9E3779B97F4A7C15 >> 58)
        if place.first == seen.first and place.last == seen.last and place.size == size:
            return place.code
    text = PyUnicode_FromObject(tag)
    found = PyDict_GetItemWithError(codes, text)
    seen.code = marks(text) if found == NULL else <object>found
    if found == NULL:
        codes[text] = seen.code
    if place != NULL:
        place[0] = seen
    return seen.code


cdef int add_tags(Found& found, object tags, dict codes, marks, Kept* kept) except? -3:
    """n, the number of tags of one relation; -1 - n where something is wrong, or NO_LIST."""
    cdef int32_t start[N_ROLES]
    cdef int opened = 0  # roles whose spans are open, as bits
    cdef int code, begins, ends, role
    cdef Py_ssize_t n, t
    cdef bint wrong = False
    for role in range(N_ROLES):
        start[role] = 0
    if not PyList_Check(tags) and not PyTuple_Check(tags):
        return NO_LIST
    n = size_of(tags)
    if n >= 0x7FFFFFFF:
        return NO_LIST
    for t in range(n):
        code = code_of(item_of(tags, t), codes, marks, kept)
        if code == NO_LIST:
            return NO_LIST
        if code < 0 or wrong or (code >> N_ROLES) & ~opened:
            wrong = True  # but look on: there may be what is no string
            continue
        begins = code & ((1 << N_ROLES) - 1)
        ends = opened & ~(code >> N_ROLES)
        opened = code >> N_ROLES | begins
        if not (begins | ends):
            continue
        for role in range(N_ROLES):
            if ends >> role & 1:
                found.row(role, start[role], <int32_t>t)
            if begins >> role & 1:
                start[role] = <int32_t>t
    if wrong:
        found.forget_relation()
        return <int>(-1 - n)
    for role in range(N_ROLES):
        if opened >> role & 1:
            found.row(role, start[role], <int32_t>n)
    found.by_role()
    return <int>n


def tag_rows(list examples, marks):
    """Rows of lists of IOB2 tags, for each of some examples a list of relations.

    marks(tag) tells what a tag says: 1 for every role that it begins, 8 for every role that it
    goes on with, shifted by the role; -1 if something is wrong with it.

    Returns
    -------
    The four arrays of `Rows`, rows sorted by (role, start, stop). The last one has an item for each
    relation: n, how many tags there are, -1 - n where something is wrong with them, NO_LIST where
    they are no list of strings; such relations have no rows.
    """
    cdef Found found
    cdef Kept[N_KEPT] kept
    cdef dict codes = {}
    cdef list relations
    cdef Py_ssize_t k
    cdef int n
    for k in range(N_KEPT):
        kept[k].size = 0
    for relations in examples:
        for k in range(size_of(relations)):
            n = add_tags(found, item_of(relations, k), codes, marks, kept)
            found.lengths.push_back(n)
            if n < 0:
                found.forget_relation()
            found.end_relation()
        found.end_example()
    return arrays_of(found, EMPTY, INT32, INT64)


def token_bounds(str text):
    """Where each token of a text starts and where it stops, in characters: two lists."""
    cdef list starts = []
    cdef list stops = []
    cdef Py_ssize_t n, k
    cdef bint inside = False
    cdef Py_UCS4* letters = PyUnicode_AsUCS4Copy(text)
    if letters == NULL:
        raise MemoryError
    try:
        n = PyUnicode_GetLength(text)
        for k in range(n + 1):  # a zero follows the last one
            if inside == (k == n or is_space(letters[k])):
                (stops if inside else starts).append(k)
                inside = not inside
    finally:
        PyMem_Free(letters)
    return starts, stops

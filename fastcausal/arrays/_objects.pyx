# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Example dicts to rows. Python reads all unusual or faulty objects, see python_objects.pxd."""

from cpython.dict cimport PyDict_CheckExact, PyDict_GetItemWithError, PyDict_Next
from cpython.exc cimport PyErr_Clear
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from fastcausal.arrays.collected_rows cimport CollectedRows, arrays_of
from fastcausal.arrays.python_objects cimport (
    PyUnicode_AsUTF8AndSize, is_list, is_space, item_of, plain_number, size_of,
)

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
cdef str TYPE = "type"
cdef str TYPES = "types"

cdef extern from "Python.h":
    object PyNumber_Index(object)

cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view(const char*, size_t)

cdef extern from "text/scripts.hpp" namespace "fastcausal" nogil:
    cdef cppclass ScriptTable:
        @staticmethod
        const ScriptTable& get()
        uint8_t operator[](uint32_t)

cdef extern from "readers/role_keys.hpp" namespace "fastcausal" nogil:
    bint c_may_name "fastcausal::may_name" (string_view, string_view)


def script_kinds(int64_t n):
    """Return the kinds of the first n code points, as in csrc/text/scripts.hpp, a byte each."""
    cdef bytearray kinds = bytearray(n)
    cdef const ScriptTable* table = &ScriptTable.get()
    cdef int64_t point
    for point in range(n):
        kinds[point] = table[0][<uint32_t>point]
    return kinds


def may_name(str key, str role):
    """Return True if a key may be meant as a role: misspelled, or another word for it."""
    cdef bytes given = key.encode(errors="surrogatepass")
    cdef bytes wanted = role.encode(errors="surrogatepass")
    return c_may_name(
        string_view(<const char*>given, len(given)), string_view(<const char*>wanted, len(wanted))
    )


cdef inline object value_of(object example, str key):
    """Return the value of a key, or None for a missing key."""
    cdef PyObject* found = PyDict_GetItemWithError(example, key)
    return None if found == NULL else <object>found


cdef int read_number(object value, int32_t* number) except -1:
    """Read an integer of Python or NumPy, from 0 to 2^31 - 1. Return 0 for anything else."""
    if type(value) in INTEGERS:
        value = PyNumber_Index(value)
    return plain_number(value, number)


cdef int add_span(CollectedRows& collected, int32_t role, object bounds, int32_t length) except -1:
    """Add a (start, stop). Return 0 if it is none, or ends after `length` tokens (-1: unknown)."""
    cdef int32_t start = 0
    cdef int32_t stop = 0
    if not is_list(bounds) or size_of(bounds) != 2:
        return 0
    if not read_number(item_of(bounds, 0), &start) or not read_number(item_of(bounds, 1), &stop):
        return 0
    if stop <= start or (length >= 0 and stop > length):
        return 0
    collected.row(role, start, stop)
    return 1


cdef int add_relation(
    CollectedRows& collected, object relation, dict numbers, int32_t length, bint* has_type
) except -1:
    """Add a dict from roles to a span or a list of spans. Return 0 for anything else.

    has_type: NULL if it may have no type; else set if it has one.
    """
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
        if not PyUnicode_CheckExact(<object>key):
            return 0
        number = PyDict_GetItemWithError(numbers, <object>key)
        if number == NULL and <str><object>key == TYPE:
            if spans is None:
                continue
            if has_type == NULL or not PyUnicode_CheckExact(spans):
                return 0
            has_type[0] = True
            continue
        if not is_list(spans):
            return 0
        if number == NULL or not read_number(<object>number, &role) or role > 127:
            return 0
        if size_of(spans) == 2 and not is_list(item_of(spans, 0)):
            if not add_span(collected, role, spans, length):
                return 0
            continue
        for k in range(size_of(spans)):
            if not add_span(collected, role, item_of(spans, k), length):
                return 0
    return 1


cdef int read_length(object example, int32_t* length) except -1:
    """Read the number of tokens from an integer, list or text; -1: unknown. Return 0 for others."""
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


cdef Py_ssize_t count_tokens(object text) except -2:
    """Count tokens between ASCII white space. Return -1 for half a surrogate pair."""
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t k
    cdef Py_ssize_t count = 0
    cdef bint inside = False
    cdef const char* letters
    letters = PyUnicode_AsUTF8AndSize(text, &n)
    if letters == NULL:
        PyErr_Clear()
        return -1
    for k in range(n):
        count += not inside and not is_space(<unsigned char>letters[k])
        inside = not is_space(<unsigned char>letters[k])
    return count


def example_rows(examples, dict numbers, bint in_order):
    """Return the four arrays of Rows for a list of example dicts, their ids, and if one has a type.

    numbers: the number of each role.
    in_order: sort rows as `Rows` requires, and take no relation with a type; otherwise rows keep
        their order.

    One tuple holds them all; ids, a list, is None if no example has one. Return None if anything is
    unusual: a type, a role, a span, a relation that is None, a repeated id.
    """
    cdef CollectedRows collected
    cdef Py_ssize_t i, k
    cdef Py_ssize_t n
    cdef int32_t length
    cdef object example, relations, relation, name
    cdef bint is_typed = False
    cdef bint* has_type = &is_typed
    cdef list ids = []
    cdef PyObject* given
    if not is_list(examples):
        return None
    if in_order:
        has_type = NULL
    n = size_of(examples)
    for i in range(n):
        example = item_of(examples, i)
        if not PyDict_CheckExact(example) or not read_length(example, &length):
            return None
        if in_order and PyDict_GetItemWithError(example, TYPES) != NULL:
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
        if given == NULL:
            return None
        relations = <object>given
        if not is_list(relations):
            return None
        for k in range(size_of(relations)):
            relation = item_of(relations, k)
            if not add_relation(collected, relation, numbers, length, has_type):
                return None
            if in_order:
                collected.in_order()
            collected.end_relation()
        collected.end_example()
        collected.lengths.push_back(length)
    if ids and (len(ids) != n or len(set(ids)) != n):
        return None
    return *arrays_of(collected, EMPTY, INT32, INT64), ids or None, is_typed

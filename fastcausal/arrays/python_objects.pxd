# cython: language_level=3
"""Plain Python objects, read from native code.

A dict or a list is plain, a subclass of one is not: reading a plain object runs no other code.
Python reads all other objects, and reports all faults: it knows the messages.
"""

from cpython.list cimport PyList_Check, PyList_CheckExact, PyList_GetItem, PyList_Size
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact, PyTuple_GetItem, PyTuple_Size
from libc.stdint cimport int32_t


cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object, Py_ssize_t*)
    long PyLong_AsLongAndOverflow(object, int*) except? -1


cdef inline bint is_list(object value):
    return PyList_CheckExact(value) or PyTuple_CheckExact(value)


cdef inline Py_ssize_t size_of(object items) except -1:
    return PyList_Size(items) if PyList_Check(items) else PyTuple_Size(items)


cdef inline object item_of(object items, Py_ssize_t k):
    if PyList_Check(items):
        return <object>PyList_GetItem(items, k)
    return <object>PyTuple_GetItem(items, k)


cdef inline int plain_number(object value, int32_t* number) except -1:
    """Read an int from 0 to 2^31 - 1. Return 0 for anything else."""
    cdef int overflow = 0
    cdef long found
    if not PyLong_CheckExact(value):
        return 0
    found = PyLong_AsLongAndOverflow(value, &overflow)
    if overflow or found < 0 or found > 0x7FFFFFFF:
        return 0
    number[0] = <int32_t>found
    return 1


cdef inline bint is_space(Py_UCS4 c):
    return c == 32 or 9 <= c <= 13

# cython: language_level=3
"""Collected rows (csrc/arrays/collected.hpp) as the four arrays of `Rows`."""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector


cdef extern from "arrays/collected.hpp" namespace "fastcausal" nogil:
    cdef struct Row:
        int32_t role, start, stop

    cdef cppclass CollectedRows:
        vector[Row] rows
        vector[int64_t] row_offsets
        vector[int64_t] relation_offsets
        vector[int32_t] lengths
        void row(int32_t, int32_t, int32_t) except +
        void in_order()
        void by_role()
        void forget_relation()
        void end_relation() except +
        void end_example() except +


cdef inline object filled(object array, const void* data):
    """Fill an array from memory of its size, and return it."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
    if view.len:  # an empty vector may have no data
        memcpy(view.buf, data, view.len)
    PyBuffer_Release(&view)
    return array


cdef inline tuple arrays_of(CollectedRows& collected, object empty, object int32, object int64):
    """Return values, row_offsets, relation_offsets, lengths, by three names of numpy."""
    return (
        filled(empty((collected.rows.size(), 3), int32), collected.rows.data()),
        filled(empty(collected.row_offsets.size(), int64), collected.row_offsets.data()),
        filled(empty(collected.relation_offsets.size(), int64), collected.relation_offsets.data()),
        filled(empty(collected.lengths.size(), int32), collected.lengths.data()),
    )

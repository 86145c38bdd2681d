# cython: language_level=3
"""Strings as csrc/text/written.hpp takes them, and cells that it makes."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport int8s, int64s, text


cdef extern from "text/written.hpp" namespace "fastcausal" nogil:
    cdef cppclass Strings:
        const char* data
        const int64_t* places
        const uint8_t* valid

    cdef cppclass Cells:
        string text
        vector[int64_t] places


cdef inline Strings strings(object texts) except *:
    """Point to `fastcausal.files.writing.Strings`, which the caller keeps alive."""
    cdef Strings found
    found.data = <const char*>text(texts[0]).data
    found.places = <const int64_t*>int64s(texts[1]).data
    if texts[2] is not None:
        found.valid = <const uint8_t*>int8s(texts[2]).data
    return found


cdef inline tuple made(const Cells& cells):
    """Return the bytes of cells, and the place of each."""
    return (
        PyBytes_FromStringAndSize(cells.text.data(), cells.text.size()),
        PyBytes_FromStringAndSize(<const char*>cells.places.data(), 8 * cells.places.size()),
    )

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""64-bit hashes of ids, to find repeated ids. The caller promises the shapes of arrays."""

from cpython.buffer cimport (
    PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp cimport bool as cbool

from fastcausal.arrays.buffers cimport Array, int32s, int64s


cdef extern from "arrays/ids.hpp" namespace "fastcausal" nogil:
    void c_hash_texts "fastcausal::hash_texts" (
        const int32_t*, const char*, int64_t, uint64_t*
    )
    cbool c_any_twice "fastcausal::any_twice" (uint64_t*, int64_t) except +


def hash_texts(offsets, data, hashes):
    """Fill hashes with the hashes of the texts data[offsets[i]:offsets[i + 1]]."""
    cdef Array offset = int32s(offsets)
    cdef Array to_hashes = int64s(hashes, 1, PyBUF_WRITABLE)
    cdef Py_buffer text
    PyObject_GetBuffer(data, &text, PyBUF_SIMPLE)
    with nogil:
        c_hash_texts(
            <const int32_t*>offset.data, <const char*>text.buf, to_hashes.n,
            <uint64_t*>to_hashes.data,
        )
    PyBuffer_Release(&text)


def any_twice(numbers):
    """Return whether a number occurs twice. Their order is lost."""
    cdef Array number = int64s(numbers, 1, PyBUF_WRITABLE)
    cdef cbool found
    with nogil:
        found = c_any_twice(<uint64_t*>number.data, number.n)
    return found

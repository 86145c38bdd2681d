# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Digests of annotated examples that add. The caller promises the shapes of arrays."""

from cpython.buffer cimport (
    PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from fastcausal.arrays.buffers cimport Array, int32s, int64s


cdef extern from "arrays/digest.hpp" namespace "fastcausal" nogil:
    cdef struct Row:
        pass

    cdef struct Texts:
        const int32_t* offsets
        const char* data

    cdef cppclass Digest:
        uint64_t low
        uint64_t high

    Digest c_of_texts "fastcausal::digest_texts" (const Texts&, const Texts&, int64_t)
    Digest c_of_numbers "fastcausal::digest_numbers" (
        const Texts&, const int64_t* const*, int64_t, int64_t
    )
    Digest c_of_relations "fastcausal::digest_relations" (
        const Row*, const int64_t*, const int64_t*, int64_t, const Texts&, const Texts&, int64_t,
        uint64_t*, uint64_t*
    )


cdef int64_t texts(source, Texts* to) except -1:
    """Point to (bytes, offsets), which the caller keeps alive. None has no texts."""
    cdef Py_buffer data
    cdef Array offsets
    to.offsets = NULL
    to.data = NULL
    if source is None:
        return 0
    PyObject_GetBuffer(source[0], &data, PyBUF_SIMPLE)
    to.data = <const char*>data.buf
    PyBuffer_Release(&data)
    offsets = int32s(source[1])
    to.offsets = <const int32_t*>offsets.data
    return offsets.n - 1


cdef total(Digest digest):
    return (int(digest.high) << 64) | int(digest.low)


def of_texts(ids, contents):
    """Sum the hashes of texts and their ids: (bytes, int32 offsets) each; None for no ids."""
    cdef Texts id_texts
    cdef Texts content
    cdef Digest digest
    texts(ids, &id_texts)
    cdef int64_t n = texts(contents, &content)
    with nogil:
        digest = c_of_texts(id_texts, content, n)
    return total(digest)


def of_numbers(ids, columns, int64_t n):
    """Sum the hashes of n rows: ids as above, columns of int64[n]."""
    cdef Texts id_texts
    cdef Digest digest
    cdef vector[const int64_t*] data
    for column in columns:
        data.push_back(<const int64_t*>int64s(column).data)
    texts(ids, &id_texts)
    with nogil:
        digest = c_of_numbers(id_texts, data.data(), data.size(), n)
    return total(digest)


def of_relations(values, row_offsets, relation_offsets, roles, ids, each=None):
    """Sum the hashes of examples: rows, names of roles and ids, (bytes, int32 offsets).

    Put the hashes themselves into ``each``, int64[n_examples, 2].
    """
    cdef Array rows = int32s(values, 2)
    cdef Array row_offset = int64s(row_offsets)
    cdef Array relation_offset = int64s(relation_offsets)
    cdef Texts id_texts
    cdef Texts role_texts
    cdef Digest digest
    cdef Array hashes
    cdef uint64_t* hash = NULL
    if each is not None:
        hashes = int64s(each, 2, PyBUF_WRITABLE)
        hash = <uint64_t*>hashes.data
    texts(ids, &id_texts)
    cdef int64_t n_roles = texts(roles, &role_texts)
    cdef vector[uint64_t] space = vector[uint64_t](2 * n_roles)
    with nogil:
        digest = c_of_relations(
            <const Row*>rows.data, <const int64_t*>row_offset.data,
            <const int64_t*>relation_offset.data, relation_offset.n - 1, id_texts, role_texts,
            n_roles, space.data(), hash,
        )
    return total(digest)

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""Frames and chains of judged pairs, found in whole arrays. The caller promises their order."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int64_t

from fastcausal.arrays.buffers cimport Array, int8s, int64s
from fastcausal.interrupts cimport Asked, interrupted


cdef extern from "shapes.hpp" namespace "fastcausal" nogil:
    cdef cppclass JudgedPairs:
        const int64_t* story
        const int64_t* a
        const int64_t* b
        int64_t n

    cdef cppclass Frames:
        int64_t* members
        int64_t* starts
        int64_t* effects
        int64_t* classes

    cdef cppclass Codes:
        const int8_t* of_pair
        const int8_t* bits
        int8_t absent

    int64_t c_find_frames "fastcausal::find_frames" (
        const JudgedPairs&, const int64_t*, int64_t, const Frames&, Asked
    ) except +
    void c_count_chains "fastcausal::count_chains" (
        const JudgedPairs&, const Codes&, int64_t*, Asked
    ) except +
    void c_list_chains "fastcausal::list_chains" (
        const JudgedPairs&, const Codes&, int64_t*, int64_t, Asked
    ) except +


cdef JudgedPairs pairs_of(object story, object a, object b) except *:
    cdef Array stories = int64s(story)
    cdef Array causes = int64s(a)
    cdef Array effects = int64s(b)
    cdef JudgedPairs pairs
    if causes.n != stories.n or effects.n != stories.n:
        raise ValueError(f"{stories.n} stories, {causes.n} causes and {effects.n} effects")
    pairs.story = <const int64_t*>stories.data
    pairs.a = <const int64_t*>causes.data
    pairs.b = <const int64_t*>effects.data
    pairs.n = stories.n
    return pairs


cdef Codes codes_of(object codes, object bits, int64_t n) except *:
    cdef Array of_pair = int8s(codes)
    cdef Array of_code = int8s(bits)
    cdef Codes both
    if of_pair.n != n:
        raise ValueError(f"{of_pair.n} codes of {n} pairs")
    both.of_pair = <const int8_t*>of_pair.data
    both.bits = <const int8_t*>of_code.data
    both.absent = <int8_t>(of_code.n - 1)
    return both


def find_frames(story, a, b, classes, members, starts, effects, counts):
    """Sort pairs by effect and count the classes of each frame; return the number of frames.

    story, a, b, classes: int64[n]. Filled: members int64[n], starts int64[n + 1], effects int64[n],
    counts int64[n, n_classes].
    """
    cdef JudgedPairs pairs = pairs_of(story, a, b)
    cdef Array of_pair = int64s(classes)
    cdef Array to_members = int64s(members, 1, PyBUF_WRITABLE)
    cdef Array to_starts = int64s(starts, 1, PyBUF_WRITABLE)
    cdef Array to_effects = int64s(effects, 1, PyBUF_WRITABLE)
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    cdef Frames into
    cdef int64_t n
    into.members = <int64_t*>to_members.data
    into.starts = <int64_t*>to_starts.data
    into.effects = <int64_t*>to_effects.data
    into.classes = <int64_t*>to_counts.data
    with nogil:
        n = c_find_frames(
            pairs, <const int64_t*>of_pair.data, to_counts.width, into, interrupted)
    return n


def count_chains(story, a, b, codes, bits, counts):
    """Add how many chains have each type and pattern to counts int64[3, n_codes ** 3].

    story, a, b: int64[n]; codes: int8[n]; bits: int8[n_codes], as csrc/shapes.hpp says.
    """
    cdef JudgedPairs pairs = pairs_of(story, a, b)
    cdef Codes of_pairs = codes_of(codes, bits, pairs.n)
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    with nogil:
        c_count_chains(pairs, of_pairs, <int64_t*>to_counts.data, interrupted)


def list_chains(story, a, b, codes, bits, rows):
    """Fill int64[n_chains, 6] with story, x, y, z, type and pattern of every chain."""
    cdef JudgedPairs pairs = pairs_of(story, a, b)
    cdef Codes of_pairs = codes_of(codes, bits, pairs.n)
    cdef Array to_rows = int64s(rows, 2, PyBUF_WRITABLE)
    with nogil:
        c_list_chains(pairs, of_pairs, <int64_t*>to_rows.data, to_rows.n, interrupted)

# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
# cython: freethreading_compatible=True
"""Frames and chains of judged pairs in whole arrays. The caller promises their order."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int64_t

from fastcausal.arrays.buffers cimport Array, float64s, int8s, int64s
from fastcausal.interrupts cimport StopRequested, interrupted


cdef extern from "tasks/shapes.hpp" namespace "fastcausal" nogil:
    cdef cppclass JudgedPairs:
        const int64_t* starts
        int64_t n_stories
        const int64_t* a
        const int64_t* b

    cdef cppclass Judgments:
        const int8_t* classes
        const int8_t* gold
        const int8_t* pred
        const int8_t* in_document
        int64_t n_classes
        int64_t n_labels
        double undefined

    cdef cppclass Codes:
        const int8_t* of_pair
        const int8_t* bits
        int8_t absent

    int64_t c_find_stories "fastcausal::find_stories" (
        const int64_t*, const int64_t*, const int64_t*, int64_t, int64_t*, int64_t*
    )
    int64_t c_count_frames "fastcausal::count_frames" (const JudgedPairs&, StopRequested) except +
    void c_score_frames "fastcausal::score_frames" (
        const JudgedPairs&, const Judgments&, int64_t*, double*, StopRequested
    ) except +
    void c_count_chains "fastcausal::count_chains" (
        const JudgedPairs&, const Codes&, int64_t*, StopRequested
    ) except +
    void c_list_chains "fastcausal::list_chains" (
        const JudgedPairs&, const Codes&, int64_t*, int64_t, StopRequested
    ) except +


cdef JudgedPairs pairs_of(object starts, object a, object b) except *:
    cdef Array of_story = int64s(starts)
    cdef Array causes = int64s(a)
    cdef Array effects = int64s(b)
    cdef JudgedPairs pairs
    cdef const int64_t* start = <const int64_t*>of_story.data
    if not of_story.n or causes.n != start[of_story.n - 1] or effects.n != causes.n:
        raise ValueError(f"starts {starts}, {causes.n} causes and {effects.n} effects")
    pairs.starts = start
    pairs.n_stories = of_story.n - 1
    pairs.a = <const int64_t*>causes.data
    pairs.b = <const int64_t*>effects.data
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


def find_stories(topic, a, b, starts, topics):
    """Fill starts and topics, as csrc/tasks/shapes.hpp describes. Return the number of stories.

    Return -1 if the pairs do not ascend. topic, a, b, topics: int64[n]; starts: int64[n + 1].
    """
    cdef Array of_topic = int64s(topic)
    cdef Array causes = int64s(a)
    cdef Array effects = int64s(b)
    cdef Array to_starts = int64s(starts, 1, PyBUF_WRITABLE)
    cdef Array to_topics = int64s(topics, 1, PyBUF_WRITABLE)
    cdef int64_t n = of_topic.n
    if causes.n != n or effects.n != n or to_starts.n != n + 1 or to_topics.n != n:
        raise ValueError(
            f"{n} topics, {causes.n} causes, {effects.n} effects, room for {to_starts.n} starts "
            f"and {to_topics.n} topics")
    with nogil:
        n = c_find_stories(
            <const int64_t*>of_topic.data, <const int64_t*>causes.data,
            <const int64_t*>effects.data, n,
            <int64_t*>to_starts.data, <int64_t*>to_topics.data)
    return n


def count_frames(starts, a, b):
    """Return the number of frames. starts: int64[n_stories + 1]; a, b: int64[n]."""
    cdef JudgedPairs pairs = pairs_of(starts, a, b)
    cdef int64_t n
    with nogil:
        n = c_count_frames(pairs, interrupted)
    return n


def score_frames(
    starts, a, b, classes, gold, pred, in_document, int64_t n_labels, double undefined, rows, marks
):
    """Fill rows and marks of every frame, as csrc/tasks/shapes.hpp describes.

    starts: int64[n_stories + 1]; a, b: int64[n]; classes, gold, pred, in_document: int8[n].
    Filled: rows int64[n_frames, 4 + n_classes], marks float64[n_frames, 2].
    """
    cdef JudgedPairs pairs = pairs_of(starts, a, b)
    cdef Array of_class = int8s(classes)
    cdef Array of_gold = int8s(gold)
    cdef Array of_pred = int8s(pred)
    cdef Array inside = int8s(in_document)
    cdef Array to_rows = int64s(rows, 2, PyBUF_WRITABLE)
    cdef Array to_marks = float64s(marks, 2, PyBUF_WRITABLE)
    cdef Judgments judgments
    judgments.classes = <const int8_t*>of_class.data
    judgments.gold = <const int8_t*>of_gold.data
    judgments.pred = <const int8_t*>of_pred.data
    judgments.in_document = <const int8_t*>inside.data
    judgments.n_classes = to_rows.width - 4
    judgments.n_labels = n_labels
    judgments.undefined = undefined
    with nogil:
        c_score_frames(
            pairs, judgments, <int64_t*>to_rows.data, <double*>to_marks.data, interrupted)


def count_chains(starts, a, b, codes, bits, counts):
    """Add the number of chains of each type and pattern to counts int64[3, n_codes ** 3].

    starts: int64[n_stories + 1]; a, b: int64[n]; codes: int8[n]; bits: int8[n_codes]. See
    csrc/tasks/shapes.hpp.
    """
    cdef JudgedPairs pairs = pairs_of(starts, a, b)
    cdef Codes of_pairs = codes_of(codes, bits, pairs.starts[pairs.n_stories])
    cdef Array to_counts = int64s(counts, 2, PyBUF_WRITABLE)
    with nogil:
        c_count_chains(pairs, of_pairs, <int64_t*>to_counts.data, interrupted)


def list_chains(starts, a, b, codes, bits, rows):
    """Fill int64[n_chains, 6] with story, x, y, z, type and pattern of every chain."""
    cdef JudgedPairs pairs = pairs_of(starts, a, b)
    cdef Codes of_pairs = codes_of(codes, bits, pairs.starts[pairs.n_stories])
    cdef Array to_rows = int64s(rows, 2, PyBUF_WRITABLE)
    with nogil:
        c_list_chains(pairs, of_pairs, <int64_t*>to_rows.data, to_rows.n, interrupted)

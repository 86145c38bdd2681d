# cython: language_level=3
"""The C interface, fastcausal.h, for Cython; `fastcausal.get_include()` is its folder."""

from libc.stdint cimport int32_t, int64_t


cdef extern from "fastcausal.h" nogil:
    enum:
        FASTCAUSAL_OK
        FASTCAUSAL_BAD_ARGUMENT
        FASTCAUSAL_BAD_ROWS
        FASTCAUSAL_TOO_LARGE
        FASTCAUSAL_NO_ROOM
        FASTCAUSAL_NO_MEMORY

    ctypedef struct fastcausal_error:
        int32_t code
        char text[252]

    ctypedef struct fastcausal_protocol:
        pass

    ctypedef struct fastcausal_rows:
        const int64_t* relation_offsets
        const int64_t* row_offsets
        const int32_t* spans
        int64_t n_relations
        int64_t n_rows
        int64_t tagged

    ctypedef struct fastcausal_results:
        int64_t* counts
        int64_t* per_example
        int64_t* partner
        double* scores
        int64_t* n_as_given

    const char* fastcausal_version()
    int32_t fastcausal_protocol_new(
        const char* line, const char* roles, fastcausal_protocol** made, fastcausal_error* error
    )
    void fastcausal_protocol_free(fastcausal_protocol* protocol)
    const char* fastcausal_protocol_line(const fastcausal_protocol* protocol)
    const char* const* fastcausal_count_names(
        const fastcausal_protocol* protocol, int64_t* n_counts
    )
    const char* const* fastcausal_score_names(
        const fastcausal_protocol* protocol, int64_t* n_scores
    )
    int32_t fastcausal_score(
        const fastcausal_protocol* protocol, int64_t n_examples, const int32_t* lengths,
        const fastcausal_rows* gold, const fastcausal_rows* pred, int64_t n_threads,
        const fastcausal_results* results, fastcausal_error* error
    )
    int32_t fastcausal_score_counts(
        const fastcausal_protocol* protocol, const int64_t* counts, double* scores,
        fastcausal_error* error
    )
    int32_t fastcausal_read_tags(
        const char* reading, const char* text, const int64_t* offsets, int64_t n_sentences,
        int32_t* n_tokens, int64_t* row_offsets, int32_t* spans, int64_t room,
        fastcausal_error* error
    )

/* Scores of causal relations, from C and from every language that calls C.
 *
 *     fastcausal_protocol* protocol;
 *     fastcausal_error error;
 *     if (fastcausal_protocol_new("recess", NULL, &protocol, &error)) puts(error.text);
 *
 * Functions return FASTCAUSAL_OK or the code of an error, and write the error to `error` unless it
 * is NULL. Every array is the caller's; the library keeps none of them. It frees its handles
 * itself. NULL is an error where an array or a handle is needed; arrays of no units may be NULL.
 * All functions may run at the same time in different threads, with one protocol too.
 */
#ifndef FASTCAUSAL_H
#define FASTCAUSAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__wasm__)
#define FASTCAUSAL_API __attribute__((visibility("default"), used, retain))
#elif defined(__GNUC__)
#define FASTCAUSAL_API __attribute__((visibility("default")))
#else
#define FASTCAUSAL_API
#endif

#define FASTCAUSAL_VERSION "0.1.0"

#define FASTCAUSAL_OK 0
#define FASTCAUSAL_BAD_ARGUMENT 1 /* a protocol, role, reading or count is invalid, or NULL */
#define FASTCAUSAL_BAD_ROWS 2     /* offsets or spans break a rule of fastcausal_rows */
#define FASTCAUSAL_TOO_LARGE 3    /* an example or a text is too large */
#define FASTCAUSAL_NO_ROOM 4      /* an array of the caller is too short */
#define FASTCAUSAL_NO_MEMORY 5

typedef struct fastcausal_error {
  int32_t code;
  char text[252]; /* one line of UTF-8, closed by a zero */
} fastcausal_error;

/* A protocol, ready for data with given roles. */
typedef struct fastcausal_protocol fastcausal_protocol;

/* The relations of one side: example -> relation -> spans.
 *
 * Example e has the relations relation_offsets[e] to relation_offsets[e + 1] - 1, and relation r
 * has the spans row_offsets[r] to row_offsets[r + 1] - 1. A span is (role, start, stop) in tokens,
 * without the token `stop`. The spans of a relation are sorted by (start, stop, role). Roles are
 * numbers in the order of the protocol's roles: 0 cause, 1 effect, 2 signal, unless others are
 * named.
 */
typedef struct fastcausal_rows {
  const int64_t* relation_offsets; /* [n_examples + 1] */
  const int64_t* row_offsets;      /* [n_relations + 1] */
  const int32_t* spans;            /* [n_rows][3] */
  int64_t n_relations;
  int64_t n_rows;
  int64_t tagged; /* 1: tags gave these spans; 0: an official protocol reads them as if tagged */
} fastcausal_rows;

/* Arrays to fill; NULL for an unneeded one. */
typedef struct fastcausal_results {
  int64_t* counts;      /* [n_counts]: the sums of all examples */
  int64_t* per_example; /* [n_examples][n_counts] */
  int64_t* partner;     /* [n_relations of gold]: the paired relation of pred, or -1 */
  double* scores;       /* [n_scores]; NaN for 0/0 if the protocol leaves it undefined */
  int64_t* n_as_given;  /* [1]: relations that tags cannot hold, so they keep their spans */
} fastcausal_results;

/* FASTCAUSAL_VERSION of the library. */
FASTCAUSAL_API const char* fastcausal_version(void);

/* Makes a protocol of a name ("recess", "cnc-2023", "cnc-2022", "relations") or of a signature
 * line, as reports print it. Settings that the line leaves out have the defaults of
 * fastcausal.Protocol; a name alone must be one of the four. `roles` lists the roles of the data,
 * separated by commas; NULL: "cause,effect,signal". */
FASTCAUSAL_API int32_t fastcausal_protocol_new(const char* line, const char* roles,
                                               fastcausal_protocol** made, fastcausal_error* error);

/* Frees a protocol; NULL is allowed. */
FASTCAUSAL_API void fastcausal_protocol_free(fastcausal_protocol* protocol);

/* The protocol as one line; NULL for NULL. The text lives as long as the protocol; so do the names
 * below. */
FASTCAUSAL_API const char* fastcausal_protocol_line(const fastcausal_protocol* protocol);

/* The names of counts, "cause_tp", ..., and of scores, "overall_precision", ...; sets their
 * number. */
FASTCAUSAL_API const char* const* fastcausal_count_names(const fastcausal_protocol* protocol,
                                                         int64_t* n_counts);
FASTCAUSAL_API const char* const* fastcausal_score_names(const fastcausal_protocol* protocol,
                                                         int64_t* n_scores);

/* Pairs, counts and scores all examples. Both sides have the same examples, in the same order;
 * lengths[e] is the number of tokens of example e. cnc-2022 merges examples with several relations
 * in this order. Neither counts nor scores depend on the number of threads. */
FASTCAUSAL_API int32_t fastcausal_score(const fastcausal_protocol* protocol, int64_t n_examples,
                                        const int32_t* lengths, const fastcausal_rows* gold,
                                        const fastcausal_rows* pred, int64_t n_threads,
                                        const fastcausal_results* results, fastcausal_error* error);

/* Scores counts that the caller has added up, as from several calls: none below 0, and all together
 * at most 2^53. cnc-2022, whose scores are no
 * functions of sums, refuses. */
FASTCAUSAL_API int32_t fastcausal_score_counts(const fastcausal_protocol* protocol,
                                               const int64_t* counts, double* scores,
                                               fastcausal_error* error);

/* Reads tagged sentences: sentence k is the bytes offsets[k] to offsets[k + 1] - 1 of `text`, and
 * becomes relation k. `reading` is "strict", or "cnc-2023" or "cnc-2022", as the official scorers
 * read tags.
 *
 * n_tokens[k] is the number of tokens, -1 for an unreadable sentence, which has no spans. `spans`
 * has room for `room` spans; no sentence has more than its "<". With too little room the code is
 * FASTCAUSAL_NO_ROOM, and row_offsets[n_sentences] is the room that is needed. */
FASTCAUSAL_API int32_t fastcausal_read_tags(const char* reading, const char* text,
                                            const int64_t* offsets, int64_t n_sentences,
                                            int32_t* n_tokens, int64_t* row_offsets, int32_t* spans,
                                            int64_t room, fastcausal_error* error);

#ifdef __cplusplus
}
#endif

#endif

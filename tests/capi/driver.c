/* Runs commands from stdin by the C interface, and prints what each gives:
 *
 *   rows N_EXAMPLES N_GOLD N_GOLD_ROWS N_PRED N_PRED_ROWS, then lengths, and of each side
 *     relation_offsets, row_offsets, spans, tagged; prints nothing
 *   score THREADS LINE    the rows by the protocol of a line without blanks
 *   tags READING          reads the sentence in the next line
 *
 * Numbers are text, so every processor reads and writes the same bytes. Large arrays print as a
 * sum in which each place has another weight.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastcausal.h"

static void fail(const char* why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static void* array(int64_t n, size_t size) {
  void* made = calloc((size_t)n + 1, size);
  if (!made) fail("no memory");
  return made;
}

static int64_t number(void) {
  int64_t value = 0;
  int c = getchar(), negative;
  while (c == ' ' || c == '\n') c = getchar();
  negative = c == '-';
  if (negative) c = getchar();
  if (c < '0' || c > '9') fail("expected a number");
  for (; c >= '0' && c <= '9'; c = getchar()) value = 10 * value + (c - '0');
  return negative ? -value : value;
}

static int64_t* numbers(int64_t n) {
  int64_t* read = array(n, sizeof *read);
  for (int64_t k = 0; k < n; ++k) read[k] = number();
  return read;
}

static int32_t* small_numbers(int64_t n) {
  int32_t* read = array(n, sizeof *read);
  for (int64_t k = 0; k < n; ++k) read[k] = (int32_t)number();
  return read;
}

static uint64_t weighted_sum(const int64_t* values, int64_t n) {
  uint64_t sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    sum += (uint64_t)values[k] * (2 * (uint64_t)k + 1) * UINT64_C(0x9e3779b97f4a7c15);
  }
  return sum;
}

static fastcausal_rows gold, pred;
static int32_t* lengths;
static int64_t n_examples;

static void read_side(fastcausal_rows* side) {
  side->relation_offsets = numbers(n_examples + 1);
  side->row_offsets = numbers(side->n_relations + 1);
  side->spans = small_numbers(3 * side->n_rows);
  side->tagged = number();
}

static void read_rows(void) {
  n_examples = number();
  gold.n_relations = number();
  gold.n_rows = number();
  pred.n_relations = number();
  pred.n_rows = number();
  lengths = small_numbers(n_examples);
  read_side(&gold);
  read_side(&pred);
}

static void score(void) {
  char line[1000];
  const int64_t threads = number();
  fastcausal_protocol* protocol;
  fastcausal_error error;
  int64_t n_counts, n_scores, as_given;
  if (scanf("%999s", line) != 1) fail("expected a protocol");
  if (fastcausal_protocol_new(line, NULL, &protocol, &error)) fail(error.text);
  fastcausal_count_names(protocol, &n_counts);
  fastcausal_score_names(protocol, &n_scores);
  int64_t* counts = array(n_counts, sizeof *counts);
  int64_t* per_example = array(n_examples * n_counts, sizeof *per_example);
  int64_t* partner = array(gold.n_relations, sizeof *partner);
  double* scores = array(n_scores, sizeof *scores);
  const fastcausal_results results = {counts, per_example, partner, scores, &as_given};
  if (fastcausal_score(protocol, n_examples, lengths, &gold, &pred, threads, &results, &error)) {
    fail(error.text);
  }
  for (int64_t k = 0; k < n_counts; ++k) printf("%" PRId64 " ", counts[k]);
  printf("%016" PRIx64 " ", weighted_sum(per_example, n_examples * n_counts));
  printf("%016" PRIx64 " %" PRId64, weighted_sum(partner, gold.n_relations), as_given);
  for (int64_t k = 0; k < n_scores; ++k) {
    uint64_t bits;
    memcpy(&bits, &scores[k], sizeof bits);
    printf(" %016" PRIx64, scores[k] == scores[k] ? bits : UINT64_C(0x7ff8000000000000));
  }
  putchar('\n');
  fastcausal_protocol_free(protocol);
  free(counts);
  free(per_example);
  free(partner);
  free(scores);
}

static void read_tags(void) {
  static char reading[100], text[100000];
  if (scanf("%99s", reading) != 1 || getchar() != '\n' || !fgets(text, sizeof text, stdin)) {
    fail("expected a reading and a sentence");
  }
  const int64_t offsets[2] = {0, (int64_t)strcspn(text, "\n")};
  static int32_t spans[3 * 1000];
  int32_t n_tokens;
  int64_t row_offsets[2];
  fastcausal_error error;
  if (fastcausal_read_tags(reading, text, offsets, 1, &n_tokens, row_offsets, spans, 1000, &error)) {
    fail(error.text);
  }
  printf("%" PRId32, n_tokens);
  for (int64_t k = 0; k < 3 * row_offsets[1]; ++k) printf(" %" PRId32, spans[k]);
  putchar('\n');
}

int main(void) {
  char command[10];
  while (scanf("%9s", command) == 1) {
    if (!strcmp(command, "rows")) read_rows();
    if (!strcmp(command, "score")) score();
    if (!strcmp(command, "tags")) read_tags();
  }
  return 0;
}

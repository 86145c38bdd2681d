// Label ids of one sequence to rows (role, start, stop), sorted by (start, stop, role).
//
//   tokens      Rain  fell  ##en   ,   so   roads      a label is a mark of the table:
//   labels       B-C   I-C  -100   O    O    B-E       role, BEGINS, ENDS; or OUTSIDE
//   positions     0     1     -    2    3     4        ignored tokens have no position
//
// A token continues the previous span if the role is the same, that span is open, and the token
// begins no span. So an I- or E- label begins a span after another role or after none (conlleval).
// Cost: one pass over the tokens. Positions are 32-bit.
#pragma once
#include "row.h"

namespace fastcausal {
namespace labels {

// A mark is role * ROLE + BEGINS + ENDS. Tokens without a label of the table have marks, too.
enum Mark : int32_t { BEGINS = 1, ENDS = 2, ROLE = 4, OUTSIDE = -4, IGNORED = -8, UNKNOWN = -12 };

constexpr int32_t LAST_WORD = 0x7fffffff;  // a span of this word would need a stop beyond 32 bits

// The labels of a model, and the label of tokens to leave out.
struct Scheme {
  const int32_t* marks;  // by label
  int64_t n_labels;
  int64_t ignored;  // label id of missing tokens
};

struct Spans {
  Row* rows;
  int64_t n_rows = 0;
  int32_t open = -1;  // role whose span the next token may continue, -1 for none

  // Reads tokens with one mark. A token that begins or ends a span comes alone.
  FC_HD void run(int32_t mark, int32_t position, int32_t width) {
    if (mark < 0) {
      open = -1;
      return;
    }
    const int32_t role = mark / ROLE;
    if ((mark & BEGINS) || role != open) {
      Row& row = rows[n_rows++];
      row.role = role;
      row.start = position;
    }
    rows[n_rows - 1].stop = position + width;
    open = mark & ENDS ? -1 : role;
  }
};

// where: 1 for tokens that exist, or NULL for all. words: the word number of each token, -1 for
// none, or NULL. With words, a word takes the label of its first token, and positions are words.
// rows has room for n. length becomes the number of existing tokens, or the last word plus 1.
// Returns the number of rows, or -1 - t for a faulty token t. Faults: an unknown label, a word
// before the previous word, the word LAST_WORD.
template <class Id>
FC_HD int64_t label_spans(const Id* ids, const uint8_t* where, const int32_t* words, int64_t n,
                          const Scheme& scheme, Row* rows, int32_t* length) {
  Spans spans{rows};
  int32_t position = 0;
  int32_t word = -1;
  for (int64_t t = 0; t < n; ++t) {
    if (words) {
      if (words[t] < 0 || words[t] == word) continue;
      if (words[t] < word || words[t] == LAST_WORD) return -1 - t;
      position = word = words[t];
    }
    if ((where && !where[t]) || ids[t] == scheme.ignored) continue;
    const Id id = ids[t];
    if (id < 0 || id >= scheme.n_labels) return -1 - t;
    spans.run(scheme.marks[id], position, 1);
    ++position;
  }
  *length = words ? word + 1 : position;
  return spans.n_rows;
}

// Reads spans, one track after another, as the official scorers read them from tags. An argument
// (role 0 or 1) of one token never closes. It runs on to the next argument or to the end.
// csrc/official.hpp does this for any spans; spans of label ids never overlap.
FC_HD void run_on(Row* rows, int64_t n_rows, int32_t length) {
  Row* open = nullptr;
  for (Row* row = rows; row < rows + n_rows; ++row) {
    if (row->role > 1) continue;
    if (open) open->stop = row->start;
    open = row->stop == row->start + 1 ? row : nullptr;
  }
  if (open) open->stop = length;
}

}  // namespace labels
}  // namespace fastcausal

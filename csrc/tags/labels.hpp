// Matrices of label ids to rows. Each sequence with spans gives one relation.
//
// A run is a row of tokens with one label. The code handles run by run. The bits of a word hold the
// run starts of 64 tokens, and the code of a run has no branches. Ends and successors of runs are
// unpredictable, and a misprediction costs more than ten tokens.
#pragma once
#include <cstdint>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/collected.hpp"
#include "arrays/stop.hpp"
#include "fastcausal/label_spans.h"

namespace fastcausal {

struct Matrix {  // [batch, tokens], row-major
  const void* ids;
  int64_t itemsize;
  int64_t n_sequences;
  int64_t n_tokens;
  const uint8_t* where;  // of the same shape, or NULL
  const int32_t* words;  // of the same shape, or NULL
};

namespace labels {

// Copies label ids to int8. Returns false if one does not fit.
template <class Id>
bool narrowed(const Id* ids, int64_t n, int8_t* code) {
  uint64_t shifted = 0;  // 0 to 255 for an int8
  for (int64_t t = 0; t < n; ++t) {
    code[t] = static_cast<int8_t>(ids[t]);
    shifted |= static_cast<uint64_t>(int64_t{ids[t]}) + 128;
  }
  return shifted < 256;
}

struct RunWalker {
  const int32_t* marks;  // by label, as uint8
  Row* rows;
  int64_t n_rows = 0;
  int32_t open = -1;
  int32_t position = 0;
  int32_t unknown = 0;
  int32_t discarded = 0;

  void run(int8_t code, int64_t width) {
    const int32_t mark = marks[static_cast<uint8_t>(code)];
    const int32_t there = mark == IGNORED ? 0 : static_cast<int32_t>(width);
    if ((width > 1) & ((mark & (BEGINS | ENDS)) != 0)) {  // rare: each token is a span
      for (int64_t k = 0; k < width; ++k) run(code, 1);
      return;
    }
    const int32_t role = mark >> 2;
    const bool begins = (mark >= 0) & ((mark & BEGINS) | (role != open));
    Row& row = rows[n_rows];
    row.role = role;  // overwritten unless a span begins
    row.start = position;
    n_rows += begins;
    position += there;
    *(mark >= 0 ? &rows[n_rows - 1].stop : &discarded) = position;
    open = mark == IGNORED ? open : (mark < 0) | ((mark & ENDS) != 0) ? -1 : role;
    unknown |= mark == UNKNOWN;
  }
};

class RunReader {
 public:
  RunReader(const Scheme& scheme, int64_t n_tokens) : codes(n_tokens), begins(n_tokens + BLOCK) {
    for (int32_t& mark : marks) mark = UNKNOWN;
    for (int64_t k = 0; k < scheme.n_labels && k < 128; ++k) marks[k] = scheme.marks[k];
    marks[static_cast<uint8_t>(scheme.ignored)] = IGNORED;
  }
  // Returns whether labels and the ignored label differ as int8.
  static bool can_take(const Scheme& scheme) {
    return scheme.n_labels <= 128 && scheme.ignored >= -128 && scheme.ignored < 128;
  }

  // Fills rows, with room for n + 1. Returns their number, or -1 if a label is unknown.
  template <class Id>
  int64_t spans(const Id* ids, int64_t n, Row* rows, int32_t* length) {
    int8_t* code = codes.data();
    uint8_t* flags = begins.data();
    if (!n) return *length = 0;
    if (!narrowed(ids, n, code)) return -1;
    for (int64_t t = 1; t < n; ++t) flags[t] = code[t] != code[t - 1];
    RunWalker walk{marks, rows};
    int64_t start = 0;
    for (int64_t block = 0; block < n; block += BLOCK) {
      for (uint64_t bits = as_bits(flags + block); bits; bits &= bits - 1) {
        const int64_t stop = block + lowest_one(bits);
        walk.run(code[start], stop - start);
        start = stop;
      }
    }
    walk.run(code[start], n - start);
    *length = walk.position;
    return walk.unknown ? -1 : walk.n_rows;
  }

 private:
  static constexpr int64_t BLOCK = 64;
  std::vector<int8_t> codes;    // labels of one sequence
  std::vector<uint8_t> begins;  // 1 for tokens with a new label, else 0
  int32_t marks[256];
};

}  // namespace labels

// Returns -1, or the place (sequence * n_tokens + token) of a label outside the scheme.
template <class Id>
int64_t label_rows(const Matrix& m, const labels::Scheme& scheme, CollectedRows& collected,
                   StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  labels::RunReader runs(scheme, m.n_tokens);
  std::vector<Row> rows(static_cast<size_t>(m.n_tokens) + 1);
  const bool by_runs = labels::RunReader::can_take(scheme) && !m.where && !m.words;
  collected.rows.reserve(static_cast<size_t>(2 * m.n_sequences));
  collected.lengths.reserve(static_cast<size_t>(m.n_sequences));
  collected.row_offsets.reserve(static_cast<size_t>(m.n_sequences) + 1);
  collected.relation_offsets.reserve(static_cast<size_t>(m.n_sequences) + 1);
  for (int64_t s = 0; s < m.n_sequences; ++s) {
    meter.add_cost(8 * m.n_tokens + 50);
    const int64_t at = s * m.n_tokens;
    const Id* ids = static_cast<const Id*>(m.ids) + at;
    int32_t length = 0;
    int64_t n = by_runs ? runs.spans(ids, m.n_tokens, rows.data(), &length) : -1;
    if (n < 0) {
      n = labels::label_spans(ids, m.where ? m.where + at : nullptr,
                              m.words ? m.words + at : nullptr, m.n_tokens, scheme, rows.data(),
                              &length);
    }
    if (n < 0) return at + (-1 - n);
    collected.rows.insert(collected.rows.end(), rows.begin(), rows.begin() + n);
    if (n) collected.end_relation();
    collected.end_example();
    collected.lengths.push_back(length);
  }
  return -1;
}

inline int64_t label_rows(const Matrix& m, const labels::Scheme& scheme, CollectedRows& collected,
                          StopRequested stop_requested) {
  switch (m.itemsize) {
    case 1:
      return label_rows<int8_t>(m, scheme, collected, stop_requested);
    case 2:
      return label_rows<int16_t>(m, scheme, collected, stop_requested);
    case 4:
      return label_rows<int32_t>(m, scheme, collected, stop_requested);
    default:
      return label_rows<int64_t>(m, scheme, collected, stop_requested);
  }
}

}  // namespace fastcausal

// From columns of spans, as Arrow keeps them, to rows; and what must hold of both.
#pragma once
#include <algorithm>
#include <cstdint>

#include "fastcausal/plan.h"

namespace fastcausal {

// Spans as three columns, and where those of each example start: offsets is [n_examples + 1].
struct SpanColumns {
  const int8_t* role;
  const int32_t* start;
  const int32_t* stop;
};

// Finds the first span of an unknown role, that is empty, or lies outside its example; -1 for none.
// A length of -1 is unknown.
inline int64_t first_bad_span(const SpanColumns& spans, const int64_t* offsets,
                              const int32_t* lengths, int64_t n_examples, int64_t n_roles) {
  for (int64_t e = 0; e < n_examples; ++e) {
    const int32_t last = lengths[e] < 0 ? INT32_MAX : lengths[e];
    for (int64_t k = offsets[e]; k < offsets[e + 1]; ++k) {
      if (spans.role[k] < 0 || spans.role[k] >= n_roles || spans.start[k] < 0 ||
          spans.stop[k] <= spans.start[k] || spans.stop[k] > last) {
        return k;
      }
    }
  }
  return -1;
}

inline bool before(const Row& a, const Row& b) { return compare_rows(a, b) < 0; }

// Sorts the rows of each relation by (start, stop, role); most are sorted already.
inline void sort_rows(Row* rows, const int64_t* row_offsets, int64_t n_relations) {
  for (int64_t r = 0; r < n_relations; ++r) {
    Row* from = rows + row_offsets[r];
    Row* to = rows + row_offsets[r + 1];
    if (!std::is_sorted(from, to, before)) std::sort(from, to, before);
  }
}

inline void pack(const SpanColumns& spans, const int64_t* row_offsets, int64_t n_relations,
                 Row* rows) {
  for (int64_t k = 0; k < row_offsets[n_relations]; ++k) {
    rows[k] = {spans.role[k], spans.start[k], spans.stop[k]};
  }
  sort_rows(rows, row_offsets, n_relations);
}

inline int64_t count_filled(const int64_t* row_offsets, int64_t n_relations) {
  int64_t n = 0;
  for (int64_t r = 0; r < n_relations; ++r) n += row_offsets[r] != row_offsets[r + 1];
  return n;
}

// Tells whether both sides know every length, and the same.
inline bool same_lengths(const int32_t* gold, const int32_t* pred, int64_t n_examples) {
  bool differ = false;
  for (int64_t e = 0; e < n_examples; ++e) differ |= (gold[e] != pred[e]) | (gold[e] < 0);
  return !differ;
}

// Finds where the last span of each example ends, 0 without spans.
inline void last_stops(const Side& side, int64_t n_examples, int32_t* stops) {
  for (int64_t e = 0; e < n_examples; ++e) {
    const int64_t to = side.row_offsets[side.relation_offsets[e + 1]];
    int32_t last = 0;
    for (int64_t k = side.row_offsets[side.relation_offsets[e]]; k < to; ++k) {
      last = std::max(last, side.rows[k].stop);
    }
    stops[e] = last;
  }
}

inline bool rising(const int64_t* offsets, int64_t n, int64_t end) {
  for (int64_t k = 0; k < n; ++k) {
    if (offsets[k] > offsets[k + 1]) return false;
  }
  return offsets[0] >= 0 && offsets[n] <= end;
}

// Faults of arrays that a user made: none, an array of offsets, or a row.
enum class Fault : int64_t { NONE, ROW_OFFSETS, RELATION_OFFSETS, ROLE, EMPTY, OUTSIDE, ORDER };

// Checks the rows of one example, whose offsets are right.
inline Fault check_example(const Side& side, int64_t e, int32_t length, int64_t n_roles,
                           int64_t* where) {
  for (int64_t r = side.relation_offsets[e]; r < side.relation_offsets[e + 1]; ++r) {
    for (int64_t k = side.row_offsets[r]; k < side.row_offsets[r + 1]; ++k) {
      const Row& row = side.rows[k];
      where[0] = e;
      where[1] = k;
      if (row.role < 0 || row.role >= n_roles) return Fault::ROLE;
      if (row.start < 0 || row.stop <= row.start) return Fault::EMPTY;
      if (length >= 0 && row.stop > length) return Fault::OUTSIDE;
      if (k > side.row_offsets[r] && compare_rows(side.rows[k - 1], row) > 0) return Fault::ORDER;
    }
  }
  return Fault::NONE;
}

inline Fault check_rows(const Side& side, int64_t n_rows, int64_t n_relations, int64_t n_examples,
                        const int32_t* lengths, int64_t n_roles, int64_t* where) {
  if (!rising(side.row_offsets, n_relations, n_rows)) return Fault::ROW_OFFSETS;
  if (!rising(side.relation_offsets, n_examples, n_relations)) return Fault::RELATION_OFFSETS;
  for (int64_t e = 0; e < n_examples; ++e) {
    const Fault fault = check_example(side, e, lengths[e], n_roles, where);
    if (fault != Fault::NONE) return fault;
  }
  return Fault::NONE;
}

}  // namespace fastcausal

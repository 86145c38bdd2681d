// Turns columns of spans, as Arrow keeps them, into rows. Checks both.
#pragma once
#include <algorithm>
#include <cstdint>

#include "fastcausal/plan.h"

namespace fastcausal {

// The rows of one side. Its offsets must stay below these sizes.
struct Input {
  Side side;
  int64_t n_rows;
  int64_t n_relations;
  const int32_t* lengths;
};

// Spans as three columns.
struct SpanColumns {
  const int8_t* role;
  const int32_t* start;
  const int32_t* stop;
};

inline bool before(const Row& a, const Row& b) { return compare_rows(a, b) < 0; }

// Sorts the rows of each relation by (start, stop, role). Most are sorted already.
inline void sort_rows(Row* rows, const int64_t* row_offsets, int64_t n_relations) {
  for (int64_t r = 0; r < n_relations; ++r) {
    Row* from = rows + row_offsets[r];
    Row* to = rows + row_offsets[r + 1];
    if (!std::is_sorted(from, to, before)) std::sort(from, to, before);
  }
}

// The loops below run over all spans without branches. Loops over the few spans of a relation would
// end unpredictably, and compilers would not vectorise them.

// Returns whether a span sorts below the span before it.
FC_INLINE bool falls(const SpanColumns& s, int64_t k) {
  const bool same_start = s.start[k] == s.start[k - 1];
  const bool same_stop = s.stop[k] == s.stop[k - 1];
  return (s.start[k] < s.start[k - 1]) | (same_start & (s.stop[k] < s.stop[k - 1])) |
         (same_start & same_stop & (s.role[k] < s.role[k - 1]));
}

// Returns the first span that is invalid, or -1. Reasons: an unknown role, no tokens, or a stop
// after the last token of its example.
inline int64_t first_bad_span(const SpanColumns& s, const int32_t* last, int64_t n,
                              int64_t n_roles) {
  const auto is_bad = [&](int64_t k) {
    const uint32_t start = static_cast<uint32_t>(s.start[k]);
    const uint32_t stop = static_cast<uint32_t>(s.stop[k]);
    const uint32_t last_stop = static_cast<uint32_t>(last[k]);
    const uint32_t bounds = start | stop | (stop - start - 1) | (last_stop - stop);
    return (static_cast<uint8_t>(s.role[k]) >= n_roles) | (bounds >> 31);
  };
  uint32_t any_bad = 0;
  for (int64_t k = 0; k < n; ++k) any_bad |= is_bad(k);
  for (int64_t k = 0; any_bad; ++k) {
    if (is_bad(k)) return k;
  }
  return -1;
}

// Fills values, int32[n_spans, 3], with the spans of all examples. Sorts each relation by (start,
// stop, role).
// Returns the first invalid span, or -1. A length of -1 is unknown.
inline int64_t pack(const SpanColumns& spans, const int64_t* row_offsets,
                    const int64_t* relation_offsets, const int32_t* lengths, int64_t n_examples,
                    int64_t n_roles, int32_t* values) {
  constexpr int64_t AT_ONCE = 8;
  const int64_t n_relations = relation_offsets[n_examples];
  const int64_t n = row_offsets[n_relations];
  const int64_t at_least = 3 * n < n + AT_ONCE ? 0 : AT_ONCE;  // more spans than most examples have
  int32_t* last = values;  // length of each span's example; rows overwrite it later
  int64_t to = 0;
  for (int64_t e = 0; e < n_examples; ++e) {
    int64_t from = to;
    to = row_offsets[relation_offsets[e + 1]];
    const int32_t length = lengths[e] < 0 ? INT32_MAX : lengths[e];
    std::fill(last + from, last + from + at_least, length);
    for (from += at_least; from < to; ++from) last[from] = length;
  }
  const int64_t bad = first_bad_span(spans, last, n, n_roles);
  if (bad >= 0) return bad;
  Row* rows = reinterpret_cast<Row*>(values);
  int64_t n_falls = 0;
  for (int64_t k = 1; k < n; ++k) n_falls += falls(spans, k);
  for (int64_t r = 0; r < n_relations; ++r) {
    const int64_t k = row_offsets[r];
    if (k && k < row_offsets[r + 1]) n_falls -= falls(spans, k);
  }
  for (int64_t k = 0; k < n; ++k) rows[k] = {spans.role[k], spans.start[k], spans.stop[k]};
  if (n_falls) sort_rows(rows, row_offsets, n_relations);
  return -1;
}

inline int64_t count_filled(const int64_t* row_offsets, int64_t n_relations) {
  int64_t n = 0;
  for (int64_t r = 0; r < n_relations; ++r) n += row_offsets[r] < row_offsets[r + 1];
  return n;
}

// Returns whether both sides know every length, and all lengths are equal.
inline bool same_lengths(const int32_t* gold, const int32_t* pred, int64_t n_examples) {
  int32_t differ = 0;  // negative if a length is unknown, nonzero if lengths differ
  for (int64_t e = 0; e < n_examples; ++e) differ |= (gold[e] ^ pred[e]) | (gold[e] & INT32_MIN);
  return !differ;
}

// Sets the stop of the last span of each example, 0 without spans.
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
  return std::is_sorted(offsets, offsets + n + 1) && offsets[0] >= 0 && offsets[n] <= end;
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

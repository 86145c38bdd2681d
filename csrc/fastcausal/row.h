// One span of a relation, and comparisons of two spans.
#pragma once
#include "config.h"

namespace fastcausal {

// Covers the tokens from start to stop, without stop. An int32 array [n, 3] holds such rows.
struct Row {
  int32_t role, start, stop;
};
static_assert(sizeof(Row) == 12, "an int32 array [n, 3] holds rows");

FC_HD int32_t shared_tokens(const Row& a, const Row& b) {
  const int32_t start = a.start > b.start ? a.start : b.start;
  const int32_t stop = a.stop < b.stop ? a.stop : b.stop;
  return stop > start ? stop - start : 0;
}

// Here and below, & and | join cheap conditions: && would add a branch to mispredict.
FC_HD bool same_bounds(const Row& a, const Row& b) {
  return !((a.start ^ b.start) | (a.stop ^ b.stop));
}

// The order of rows in a relation: start, stop, role.
FC_HD int compare_rows(const Row& a, const Row& b) {
  if (a.start != b.start) return a.start < b.start ? -1 : 1;
  if (a.stop != b.stop) return a.stop < b.stop ? -1 : 1;
  return a.role < b.role ? -1 : a.role > b.role;
}

// The order with roles first: role, start, stop.
FC_HD int compare_roles_first(const Row& a, const Row& b) {
  if (a.role != b.role) return a.role < b.role ? -1 : 1;
  return compare_rows(a, b);
}

}  // namespace fastcausal

// One relation as the kernels see it.
#pragma once
#include "row.h"

namespace fastcausal {

// A kernel compares one gold relation with one predicted relation. An unmatched one has no rows.
// Rows are (role, start, stop), sorted by (start, stop, role). params: the number of roles, then
// the track of each role. Kernels here are templates that add their counts to a sink. A user's
// kernel is a function pointer that writes to counts, which are 0 on entry.
using Kernel = void (*)(const Row* gold, int64_t n_gold, const Row* pred, int64_t n_pred,
                        int64_t length, const int64_t* params, int64_t* counts);

struct Relation {
  const Row* rows = nullptr;  // sorted by (start, stop, role)
  int64_t n = 0;              // 0: no relation

  FC_HD const Row& row(int64_t i) const { return rows[i]; }

  // Orders by content: row by row, then the shorter relation first. Empty relations come last.
  FC_HD int compare(const Relation& other) const {
    if (!n || !other.n) return (n == 0) - (other.n == 0);
    for (int64_t k = 0; k < n && k < other.n; ++k) {
      if (const int order = compare_roles_first(rows[k], other.rows[k])) return order;
    }
    return n < other.n ? -1 : n > other.n;
  }
};

// The bounds of a relation. Relations with disjoint extents share no token.
struct Extent {
  int32_t start = 0;
  int32_t stop = 0;
  FC_HD explicit Extent(const Relation& relation) {
    if (relation.n) start = relation.row(0).start;
    for (int64_t i = 0; i < relation.n; ++i) {
      if (relation.row(i).stop > stop) stop = relation.row(i).stop;
    }
  }
  FC_HD bool meets(const Extent& other) const { return start < other.stop && other.start < stop; }
};

// Returns whether both relations mark a common token.
FC_HD bool meet(const Relation& gold, const Relation& pred) {
  int64_t first = 0;  // earlier rows of pred end before this row of gold starts
  for (int64_t i = 0; i < gold.n; ++i) {
    const Row& g = gold.row(i);
    while (first < pred.n && pred.row(first).stop <= g.start) ++first;
    for (int64_t j = first; j < pred.n && pred.row(j).start < g.stop; ++j) {
      if (shared_tokens(g, pred.row(j))) return true;
    }
  }
  return false;
}

}  // namespace fastcausal

// One relation as the kernels see it: its rows, and where each role's are.
#pragma once
#include "row.h"

namespace fastcausal {

// A kernel: one gold relation against one predicted relation; either may have no rows (unmatched).
// Rows are (role, start, stop), sorted by (start, stop, role). params: the number of roles, then
// the track of each role. The kernels here are templates that give their counts to a sink; a kernel
// from elsewhere is a pointer to a function that writes them to counts, which are 0 before.
using Kernel = void (*)(const Row* gold, int64_t n_gold, const Row* pred, int64_t n_pred,
                        int64_t length, const int64_t* params, int64_t* counts);

constexpr int ROLES =
    3;  // cause, effect, signal: other numbers of roles are looked for in all rows

struct Relation {
  const Row* rows;  // sorted by (start, stop, role)
  int64_t n;        // 0: no relation
  bool three;       // three roles were looked up: the following is known
  Row empty;
  int32_t n_of[ROLES];  // rows of each role
  int32_t last_of[ROLES];

  Relation() = default;
  FC_HD Relation(const Row* rows_, int64_t n_, int64_t n_roles) { set(rows_, n_, n_roles); }

  // In place: a copy right after it would wait for its parts to be written.
  FC_HD void set(const Row* rows_, int64_t n_, int64_t n_roles) {
    rows = rows_;
    n = n_;
    three = n_roles == ROLES;
    int32_t count[ROLES] = {0, 0, 0};
    int32_t last[ROLES] = {0, 0, 0};
    for (int32_t i = 0; three && i < n; ++i) {
      const int32_t role = rows[i].role;
      for (int32_t r = 0; r < ROLES; ++r) {  // in registers
        count[r] += role == r;
        last[r] = role == r ? i : last[r];
      }
    }
    empty = {0, 0, 0};
    for (int32_t r = 0; r < ROLES; ++r) {
      n_of[r] = count[r];
      last_of[r] = last[r];
    }
  }

  FC_HD const Row& row(int64_t i) const { return rows[i]; }

  // For a role of at most one row: that row, or an empty span.
  FC_HD bool at_most_one(int64_t role) const { return three && n_of[role] <= 1; }
  FC_HD bool single() const { return three && n_of[0] <= 1 && n_of[1] <= 1 && n_of[2] <= 1; }
  FC_HD const Row& only(int64_t role) const { return n_of[role] ? rows[last_of[role]] : empty; }

  // Orders by content: row by row, then the shorter relation first.
  FC_HD int compare(const Relation& other) const {
    for (int64_t k = 0; k < n && k < other.n; ++k) {
      if (const int order = compare_roles_first(rows[k], other.rows[k])) return order;
    }
    return n < other.n ? -1 : n > other.n;
  }

  // Tells whether spans of one role overlap: then tokens are counted by masks.
  FC_HD bool folded() const {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n && row(j).start < row(i).stop; ++j) {
        if (row(j).role == row(i).role) return true;
      }
    }
    return false;
  }
};

// The bounds of a relation. Two that are apart share no token.
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

// Tokens of the same role that two relations both mark, and whether any token is marked by both.
struct Meeting {
  bool any = false;
  int64_t same_role = 0;

  FC_HD Meeting(const Relation& gold, const Relation& pred) {
    int64_t first = 0;  // rows of pred before it end before gold's row starts
    for (int64_t i = 0; i < gold.n; ++i) {
      const Row& g = gold.row(i);
      while (first < pred.n && pred.row(first).stop <= g.start) ++first;
      for (int64_t j = first; j < pred.n; ++j) {
        const Row& p = pred.row(j);
        if (p.start >= g.stop) break;
        const int32_t shared = shared_tokens(g, p);
        any |= shared > 0;
        same_role += g.role == p.role ? shared : 0;
      }
    }
  }
};

}  // namespace fastcausal

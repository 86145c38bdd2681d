// One relation as the kernels see it: its rows, and where each role's are.
#pragma once
#include "config.h"

namespace fastcausal {

constexpr int ROLES =
    3;  // cause, effect, signal: other numbers of roles are looked for in all rows

struct Relation {
  const int32_t* rows;  // (role, start, stop), sorted by (start, stop, role)
  int64_t n;            // 0: no relation
  bool three;           // three roles were looked up: the following is known
  int32_t empty[3];
  int32_t n_of[ROLES];  // rows of each role
  int32_t last_of[ROLES];

  Relation() = default;
  FC_HD Relation(const int32_t* rows_, int64_t n_, int64_t n_roles) { set(rows_, n_, n_roles); }

  // In place: a copy right after it would wait for its parts to be written.
  FC_HD void set(const int32_t* rows_, int64_t n_, int64_t n_roles) {
    rows = rows_;
    n = n_;
    three = n_roles == ROLES;
    int32_t count[ROLES] = {0, 0, 0};
    int32_t last[ROLES] = {0, 0, 0};
    for (int32_t i = 0; three && i < n; ++i) {
      const int32_t role = role_of(rows + 3 * i);
      for (int32_t r = 0; r < ROLES; ++r) {  // in registers
        count[r] += role == r;
        last[r] = role == r ? i : last[r];
      }
    }
    for (int32_t r = 0; r < ROLES; ++r) {
      empty[r] = 0;
      n_of[r] = count[r];
      last_of[r] = last[r];
    }
  }

  FC_HD const int32_t* row(int64_t i) const { return rows + 3 * i; }

  // Where there is at most one row of a role: that row, or an empty span.
  FC_HD bool at_most_one(int64_t role) const { return three && n_of[role] <= 1; }
  FC_HD bool single() const { return three && n_of[0] <= 1 && n_of[1] <= 1 && n_of[2] <= 1; }
  FC_HD const int32_t* only(int64_t role) const { return n_of[role] ? row(last_of[role]) : empty; }

  // Order by content: row by row, then the shorter relation first.
  FC_HD int compare(const Relation& other) const {
    for (int64_t k = 0; k < 3 * n && k < 3 * other.n; ++k) {
      if (rows[k] != other.rows[k]) return rows[k] < other.rows[k] ? -1 : 1;
    }
    return n < other.n ? -1 : n > other.n;
  }

  // Whether spans of one role overlap: then tokens are counted by masks.
  FC_HD bool folded() const {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n && start_of(row(j)) < stop_of(row(i)); ++j) {
        if (role_of(row(j)) == role_of(row(i))) return true;
      }
    }
    return false;
  }
};

// Where a relation begins and ends. Two that are apart share no token.
struct Extent {
  int32_t start;
  int32_t stop;
  FC_HD explicit Extent(const Relation& relation) : start(0), stop(0) {
    if (relation.n) start = start_of(relation.row(0));
    for (int64_t i = 0; i < relation.n; ++i) {
      if (stop_of(relation.row(i)) > stop) stop = stop_of(relation.row(i));
    }
  }
  FC_HD bool meets(const Extent& other) const { return start < other.stop && other.start < stop; }
};

// Tokens of the same role that two relations both mark, and whether any token is marked by both.
struct Meeting {
  bool any;
  int64_t same_role;

  FC_HD Meeting(const Relation& gold, const Relation& pred) : any(false), same_role(0) {
    int64_t first = 0;  // rows of pred before it end before gold's row starts
    for (int64_t i = 0; i < gold.n; ++i) {
      const int32_t* g = gold.row(i);
      while (first < pred.n && stop_of(pred.row(first)) <= start_of(g)) ++first;
      for (int64_t j = first; j < pred.n; ++j) {
        const int32_t* p = pred.row(j);
        if (start_of(p) >= stop_of(g)) break;
        const int32_t shared = shared_tokens(g, p);
        any |= shared > 0;
        same_role += role_of(g) == role_of(p) ? shared : 0;
      }
    }
  }
};

}  // namespace fastcausal

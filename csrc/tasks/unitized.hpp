// The alpha of the published RECESS program, over units of text: marked spans, and gaps between
// them.
#pragma once
#include <algorithm>
#include <vector>

#include "arrays/exact.hpp"
#include "fastcausal/relation.h"

namespace fastcausal {

class Unitized {
 public:
  double alpha = 1.0;
  int64_t weight = 0;  // number of compared marked tokens

  // Sets alpha and weight for the spans of one role, which ascend by start in each relation.
  void compare(const Relation& a, const Relation& b, int32_t role, int64_t length) {
    cut(a, role, length, a_);
    cut(b, role, length, b_);
    alpha = 1.0;
    weight = 0;
    uint64_t n = 0, sum = 0, squares = 0;  // marked units, their lengths, squared lengths
    for (const Units* units : {&a_, &b_}) {
      for (const Unit& unit : *units) {
        if (!unit.marked) continue;
        const uint64_t tokens = static_cast<uint64_t>(unit.length());
        ++n;
        sum += tokens;
        squares += tokens * tokens;
      }
    }
    if (a_ == b_) {
      weight = static_cast<int64_t>(sum);
      return;
    }
    uint64_t observed = 0, n_observed = 0;
    for (const Unit& g : a_) {
      for (const Unit& h : b_) add(g, h, observed, n_observed);
    }
    if (!observed) return;
    // Expected disagreement is over ordered pairs of marked units; with one unit there is none.
    alpha = n > 1 ? 1.0 - exact_ratio(observed, n_observed) / exact_ratio(squares, sum) : 0.0;
  }

 private:
  struct Unit {
    int64_t first, last;  // inclusive
    bool marked;

    int64_t length() const { return last - first + 1; }
    bool operator==(const Unit& o) const {
      return first == o.first && last == o.last && marked == o.marked;
    }
  };
  using Units = std::vector<Unit>;
  Units a_, b_;

  // Cuts the positions 0 to `length`, inclusive, into marked units and gaps. Skips a span that
  // overlaps an earlier one.
  static void cut(const Relation& relation, int32_t role, int64_t length, Units& units) {
    units.clear();
    int64_t at = 0;
    for (int64_t k = 0; k < relation.n; ++k) {
      const Row& row = relation.row(k);
      if (row.role != role || row.start < at) continue;
      if (row.start > at) units.push_back({at, row.start - 1, false});
      units.push_back({row.start, row.stop - 1, true});
      at = row.stop;
    }
    if (units.empty()) {  // the program starts the gap of an empty sentence at its second word
      if (length) units.push_back({1, length, false});
    } else if (at <= length) {
      units.push_back({at, length, false});
    }
  }

  void add(const Unit& g, const Unit& h, uint64_t& observed, uint64_t& n_observed) {
    const int64_t shared = std::min(g.last, h.last) - std::max(g.first, h.first) + 1;
    if (shared <= 0 || (!g.marked && !h.marked)) return;
    int64_t tokens, apart;
    if (g.marked && h.marked) {
      tokens = g.length() + h.length();
      apart = tokens - 2 * shared;
    } else {
      const Unit& unit = g.marked ? g : h;
      const Unit& gap = g.marked ? h : g;
      if (unit.first < gap.first || gap.last < unit.last) return;
      tokens = unit.length();
      apart = 2 * tokens;
    }
    observed += static_cast<uint64_t>(apart);
    n_observed += 1;
    weight += tokens;
  }
};

}  // namespace fastcausal

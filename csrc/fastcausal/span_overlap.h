// Overlap of one role's spans (RECESS, section 3.5 and appendix A.3), per role:
//   EM  the same set of spans;  OSB  some start or some stop in common;  TO  some token in common
//   (each 1 where neither side has the role, 0 where one side lacks it or is no relation at all);
//   TP FP FN  tokens marked by both, by pred alone, by gold alone;
//   N N1 O01  for Krippendorff's alpha over the two token masks: units, units marked, units that
//   disagree;  PAIRS  the pairs counted.
// Overall: EM OSB TO that hold for every role at once, and PAIRS.
// Cost: per role, spans of gold times spans of pred. N fits as long as length < 2^62.
#pragma once
#include "config.h"

namespace fastcausal {
namespace overlap {

enum Field { EM, OSB, TO, TP, FP, FN, N, N1, O01, PAIRS, N_FIELDS };
enum Overall { ALL_EM, ALL_OSB, ALL_TO, ALL_PAIRS };

// Walks the union of one role's spans as disjoint intervals, left to right.
struct Mask {
  const int32_t* rows;
  int64_t n;
  int32_t role;
  int64_t next;
  int32_t start;
  int32_t stop;

  FC_HD Mask(const int32_t* rows_, int64_t n_, int32_t role_)
      : rows(rows_), n(n_), role(role_), next(0), start(0), stop(0) {
    advance();
  }
  FC_HD bool done() const { return start == stop; }
  FC_HD void skip() {
    while (next < n && role_of(rows + 3 * next) != role) ++next;
  }
  FC_HD void advance() {
    skip();
    if (next == n) {
      start = stop = 0;
      return;
    }
    start = start_of(rows + 3 * next);
    stop = stop_of(rows + 3 * next);
    for (++next, skip(); next < n && start_of(rows + 3 * next) <= stop; ++next, skip()) {
      if (stop_of(rows + 3 * next) > stop) stop = stop_of(rows + 3 * next);
    }
  }
};

FC_HD int64_t tokens(const int32_t* rows, int64_t n, int32_t role) {
  int64_t total = 0;
  for (Mask mask(rows, n, role); !mask.done(); mask.advance()) total += mask.stop - mask.start;
  return total;
}

FC_HD int64_t tokens_in_common(const int32_t* gold, int64_t n_gold, const int32_t* pred,
                               int64_t n_pred, int32_t role) {
  int64_t total = 0;
  Mask g(gold, n_gold, role);
  Mask p(pred, n_pred, role);
  while (!g.done() && !p.done()) {
    const int32_t start = g.start > p.start ? g.start : p.start;
    const int32_t stop = g.stop < p.stop ? g.stop : p.stop;
    if (stop > start) total += stop - start;
    if (g.stop <= p.stop) {
      g.advance();
    } else {
      p.advance();
    }
  }
  return total;
}

// Rows of one role are in (start, stop) order, so equal sets are equal step by step.
FC_HD bool same_spans(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                      int32_t role) {
  int64_t i = 0;
  int64_t j = 0;
  for (;; ++i, ++j) {
    while (i < n_gold && role_of(gold + 3 * i) != role) ++i;
    while (j < n_pred && role_of(pred + 3 * j) != role) ++j;
    if (i == n_gold || j == n_pred) return i == n_gold && j == n_pred;
    if (!same_bounds(gold + 3 * i, pred + 3 * j)) return false;
  }
}

FC_HD bool shares_boundary(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                           int32_t role) {
  for (int64_t i = 0; i < n_gold; ++i) {
    const int32_t* g = gold + 3 * i;
    if (role_of(g) != role) continue;
    for (int64_t j = 0; j < n_pred; ++j) {
      const int32_t* p = pred + 3 * j;
      if (role_of(p) != role) continue;
      if (start_of(g) == start_of(p) || stop_of(g) == stop_of(p)) return true;
    }
  }
  return false;
}

}  // namespace overlap

FC_HD void span_overlap(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                        int64_t length, const int64_t* params, int64_t* counts) {
  using namespace overlap;
  const int64_t n_roles = params[0];
  const bool both = n_gold > 0 && n_pred > 0;
  const bool any = n_gold > 0 || n_pred > 0;
  int64_t all[3] = {both, both, both};
  for (int32_t role = 0; role < n_roles; ++role) {
    int64_t* of_role = counts + role * N_FIELDS;
    const int64_t in_gold = tokens(gold, n_gold, role);
    const int64_t in_pred = tokens(pred, n_pred, role);
    const int64_t common = tokens_in_common(gold, n_gold, pred, n_pred, role);
    const bool absent = both && !in_gold && !in_pred;
    of_role[EM] = absent || (in_gold && same_spans(gold, n_gold, pred, n_pred, role));
    of_role[OSB] = absent || shares_boundary(gold, n_gold, pred, n_pred, role);
    of_role[TO] = absent || common > 0;
    of_role[TP] = common;
    of_role[FP] = in_pred - common;
    of_role[FN] = in_gold - common;
    of_role[N] = 2 * length;
    of_role[N1] = in_gold + in_pred;
    of_role[O01] = in_gold + in_pred - 2 * common;
    of_role[PAIRS] = any;
    for (int k = 0; k < 3; ++k) all[k] = all[k] && of_role[EM + k];
  }
  int64_t* overall = counts + n_roles * N_FIELDS;
  overall[ALL_EM] = all[0];
  overall[ALL_OSB] = all[1];
  overall[ALL_TO] = all[2];
  overall[ALL_PAIRS] = any;
}

}  // namespace fastcausal

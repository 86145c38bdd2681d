// Overlap of one role's spans (RECESS, section 3.5 and appendix A.3), per role:
//   EM   both sides have the same set of spans
//   OSB  some start or some stop is equal
//   TO   some token is common
//        Each is 1 if neither side has the role, and 0 if one side lacks it or has no relation.
//   TP FP FN   tokens that both sides mark, that pred alone marks, that gold alone marks
//   N N1 O01   for Krippendorff's alpha of two token masks: units, marked units, unequal units
//   PAIRS      counted pairs; pairs that mark nothing add nothing from TP on
// Overall: EM OSB TO that hold for all roles together, and PAIRS.
// Cost: per role, spans of gold times spans of pred. N fits for lengths below 2^62.
#pragma once
#include "plan.h"
#include "record.h"

namespace fastcausal {
namespace overlap {

enum Field { EM, OSB, TO, TP, FP, FN, N, N1, O01, PAIRS, N_FIELDS };
enum Overall { ALL_EM, ALL_OSB, ALL_TO, ALL_PAIRS, N_OVERALL };
// The fields of add_tokens. They are sums over pairs.
constexpr uint64_t TOKENS = ((uint64_t{1} << N_FIELDS) - 1) & ~uint64_t{7};

// Returns the first row with a role from row k on, or relation.n.
FC_HD int64_t next_of(const Relation& relation, int64_t k, int32_t role) {
  while (k < relation.n && relation.row(k).role != role) ++k;
  return k;
}

// Walks the union of one role's spans as disjoint intervals, left to right.
struct Mask {
  const Relation& relation;
  int64_t next;
  int64_t total = 0;  // tokens of the intervals so far
  Row at;             // the interval, empty behind the last one

  FC_HD Mask(const Relation& relation_, int32_t role)
      : relation(relation_), next(next_of(relation, 0, role)), at{role, 0, 0} {
    advance();
  }
  FC_HD bool done() const { return at.start == at.stop; }
  FC_HD void advance() {
    at.start = at.stop = 0;
    if (next == relation.n) return;
    at = relation.row(next);
    for (;;) {
      next = next_of(relation, next + 1, at.role);
      if (next == relation.n || relation.row(next).start > at.stop) break;
      if (relation.row(next).stop > at.stop) at.stop = relation.row(next).stop;
    }
    total += at.stop - at.start;
  }
};

// Tokens that one role's spans mark: in gold, in pred, and in both.
struct Marked {
  int64_t in_gold;
  int64_t in_pred;
  int64_t common;
};

FC_HD Marked marked(const Relation& gold, const Relation& pred, int32_t role) {
  Mask g(gold, role);
  Mask p(pred, role);
  int64_t common = 0;
  while (!g.done() || !p.done()) {
    common += shared_tokens(g.at, p.at);
    const bool gold_ends = p.done() || (!g.done() && g.at.stop <= p.at.stop);
    (gold_ends ? g : p).advance();
  }
  return {g.total, p.total, common};
}

// Counts the common tokens of each role, and adds them up.
FC_HD int64_t common(const Relation& gold, const Relation& pred, int64_t n_roles) {
  int64_t total = 0;
  for (int32_t role = 0; role < n_roles; ++role) total += marked(gold, pred, role).common;
  return total;
}

// Compares step by step: rows of one role are in (start, stop) order.
FC_HD bool same_spans(const Relation& gold, const Relation& pred, int32_t role) {
  int64_t i = next_of(gold, 0, role);
  int64_t j = next_of(pred, 0, role);
  while (i < gold.n && j < pred.n && same_bounds(gold.row(i), pred.row(j))) {
    i = next_of(gold, i + 1, role);
    j = next_of(pred, j + 1, role);
  }
  return i == gold.n && j == pred.n;
}

FC_HD bool shares_boundary(const Relation& gold, const Relation& pred, int32_t role) {
  for (int64_t i = next_of(gold, 0, role); i < gold.n; i = next_of(gold, i + 1, role)) {
    const Row& g = gold.row(i);
    for (int64_t j = next_of(pred, 0, role); j < pred.n; j = next_of(pred, j + 1, role)) {
      const Row& p = pred.row(j);
      if (g.start == p.start || g.stop == p.stop) return true;
    }
  }
  return false;
}

// length, n_pairs: totals over the pairs that mark something.
template <class Sink>
FC_HD void add_tokens(const Marked& found, int64_t length, int64_t n_pairs, int64_t of_role,
                      Sink& sink) {
  const int64_t marked = found.in_gold + found.in_pred;
  sink.add(of_role + TP, found.common);
  sink.add(of_role + FP, found.in_pred - found.common);
  sink.add(of_role + FN, found.in_gold - found.common);
  sink.add(of_role + N, 2 * length);
  sink.add(of_role + N1, marked);
  sink.add(of_role + O01, marked - 2 * found.common);
  sink.add(of_role + PAIRS, n_pairs);
}

}  // namespace overlap

FC_HD KernelTraits span_overlap_traits(const Plan& plan) {
  KernelTraits traits;
  traits.token_sums = overlap::TOKENS;
  traits.directed = false;
  traits.ordinal = traits.several = !(plan.wanted & traits.token_sums);
  return traits;
}

template <class Sink>
FC_HD void span_overlap(const Relation& gold, const Relation& pred, int64_t length,
                        const int64_t* params, Sink& sink) {
  using namespace overlap;
  const int64_t n_roles = params[0];
  const bool any = gold.n > 0 || pred.n > 0;
  const bool both = gold.n > 0 && pred.n > 0;
  const bool with_tokens = sink.wants(TOKENS);
  int32_t all[3] = {both, both, both};
  for (int32_t role = 0; role < n_roles; ++role) {
    const int64_t of_role = int64_t{N_FIELDS} * role;
    const Marked tokens = marked(gold, pred, role);
    const int32_t absent = both && !tokens.in_gold && !tokens.in_pred;
    const bool meet = tokens.common > 0;  // spans with a common bound share a token
    const int32_t holds[3] = {absent || (meet && same_spans(gold, pred, role)),
                              absent || (meet && shares_boundary(gold, pred, role)),
                              absent || meet};
    for (int k = 0; k < 3; ++k) {
      sink.add(of_role + EM + k, holds[k]);
      all[k] &= holds[k];
    }
    if (with_tokens) add_tokens(tokens, any ? length : 0, any, of_role, sink);
  }
  if (!sink.wants_overall(~uint64_t{0})) return;
  const int64_t overall = n_roles * N_FIELDS;
  for (int k = 0; k < 3; ++k) sink.add(overall + k, all[k]);
  sink.add(overall + ALL_PAIRS, any);
}

}  // namespace fastcausal

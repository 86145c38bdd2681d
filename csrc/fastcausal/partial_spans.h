// The four schemes of SemEval-2013 task 9 as nervaluate 1.2 counts them. Schemes: strict, exact,
// partial and type. Each has COR INC PAR MIS SPU. Counts per role use the spans of this role alone.
// Overall counts use all spans: there, a span may overlap a span of another role. Predictions come
// in row order. An overlap counts if it covers at least 1% of the gold span.
// Cost: four times spans of gold times spans of pred, for each role and once overall.
#pragma once
#include "plan.h"
#include "record.h"

namespace fastcausal {
namespace partial {

enum Scheme { STRICT, EXACT, PARTIAL, TYPE, N_SCHEMES };
enum Field { COR, INC, PAR, MIS, SPU, N_FIELDS };
constexpr int32_t EVERY_ROLE = -1;

FC_HD bool meets(const Row& gold, const Row& pred) {
  const int64_t shared = shared_tokens(gold, pred);
  return shared && 100 * shared >= int64_t{gold.stop} - gold.start;
}

FC_HD int64_t distance(const Row& a, const Row& b) {
  const int64_t start = int64_t{a.start} - b.start;
  const int64_t stop = int64_t{a.stop} - b.stop;
  return (start < 0 ? -start : start) + (stop < 0 ? -stop : stop);
}

// Returns the gold span that a predicted span takes, or -1. Sets `correct` if it counts as correct.
// A full match ends the search. Otherwise the first overlapping gold span wins. The scheme "type"
// prefers the nearest span of the same role.
template <class Sink>
FC_HD int64_t taken(Scheme scheme, const Row* gold, int64_t n_gold, const Row& p, int32_t role,
                    const int32_t* used, bool& correct, Sink& sink) {
  int64_t first = -1;
  int64_t nearest = -1;
  correct = true;
  for (int64_t i = 0; i < n_gold; ++i) {
    const Row& g = gold[i];
    if (used[i] || (role != EVERY_ROLE && g.role != role)) continue;
    const bool same_role = g.role == p.role;
    if (scheme == TYPE) {
      if (!meets(g, p)) continue;
      if (!same_role) {
        if (first < 0) first = i;
      } else if (nearest < 0) {
        nearest = i;
      } else {
        sink.by_length();
        if (distance(g, p) < distance(gold[nearest], p)) nearest = i;
      }
      continue;
    }
    if (same_bounds(g, p) && (same_role || scheme != STRICT)) return i;
    if (first < 0 && meets(g, p)) first = i;
  }
  correct = nearest >= 0;
  return correct ? nearest : first;
}

template <class Sink>
FC_HD void count_scheme(Scheme scheme, const Row* gold, int64_t n_gold, const Row* pred,
                        int64_t n_pred, int32_t role, int32_t* used, int64_t first, Sink& sink) {
  for (int64_t i = 0; i < n_gold; ++i) used[i] = 0;
  for (int64_t j = 0; j < n_pred; ++j) {
    const Row& p = pred[j];
    if (role != EVERY_ROLE && p.role != role) continue;
    bool correct = false;
    const int64_t i = taken(scheme, gold, n_gold, p, role, used, correct, sink);
    if (i < 0) {
      sink.add(first + SPU, 1);
      continue;
    }
    used[i] = 1;
    sink.add(first + (correct ? COR : scheme == PARTIAL ? PAR : INC), 1);
  }
  for (int64_t i = 0; i < n_gold; ++i) {
    const bool counted = role == EVERY_ROLE || gold[i].role == role;
    if (counted && !used[i]) sink.add(first + MIS, 1);
  }
}

}  // namespace partial

FC_HD KernelTraits partial_spans_traits(const Plan&) {
  KernelTraits traits;
  traits.ordinal = traits.several = traits.sequence = true;
  traits.directed = traits.ends = false;
  traits.across = Across::ALL;
  traits.longest_span = 100;  // one token of a longer span is below 1%
  return traits;
}

template <class Sink>
FC_HD void partial_spans(const Relation& gold, const Relation& pred, int64_t length,
                         const int64_t* params, Sink& sink) {
  using namespace partial;
  (void)length;
  const Scratch<MOST_SPANS> used(gold.n);
  const int64_t n_roles = params[0];
  for (int64_t group = 0; group <= n_roles; ++group) {  // each role alone, then all roles together
    const int32_t role = group == n_roles ? EVERY_ROLE : static_cast<int32_t>(group);
    for (int64_t scheme = 0; scheme < N_SCHEMES; ++scheme) {
      const uint64_t fields = ((uint64_t{1} << N_FIELDS) - 1) << (scheme * N_FIELDS);
      if (!(role == EVERY_ROLE ? sink.wants_overall(fields) : sink.wants(fields))) continue;
      count_scheme(static_cast<Scheme>(scheme), gold.rows, gold.n, pred.rows, pred.n, role, used.at,
                   (group * N_SCHEMES + scheme) * N_FIELDS, sink);
    }
  }
}

}  // namespace fastcausal

// Strict span counts per role: TP FP FN. A predicted span is correct if its role and both bounds
// match.
// Cost: spans of gold plus spans of pred.
#pragma once
#include "plan.h"
#include "record.h"

namespace fastcausal {

FC_HD KernelTraits exact_spans_traits(const Plan&) {
  KernelTraits traits;
  traits.ordinal = traits.several = true;
  traits.directed = traits.ends = false;
  return traits;
}

template <class Sink>
FC_HD void exact_spans(const Relation& gold, const Relation& pred, int64_t length,
                       const int64_t* params, Sink& sink) {
  (void)length;
  (void)params;
  enum { TP, FP, FN, N_FIELDS };
  int64_t i = 0;
  int64_t j = 0;
  while (i < gold.n && j < pred.n) {  // merges two lists in (start, stop, role) order
    const Row& g = gold.row(i);
    const Row& p = pred.row(j);
    const int order = compare_rows(g, p);
    if (order <= 0) sink.add(g.role * N_FIELDS + (order ? FN : TP), 1);
    if (order > 0) sink.add(p.role * N_FIELDS + FP, 1);
    i += order <= 0;
    j += order >= 0;
  }
  for (; i < gold.n; ++i) sink.add(gold.row(i).role * N_FIELDS + FN, 1);
  for (; j < pred.n; ++j) sink.add(pred.row(j).role * N_FIELDS + FP, 1);
}

}  // namespace fastcausal

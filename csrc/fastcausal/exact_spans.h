// Strict span counts, per role: TP FP FN. A span is right if its role and both bounds are.
// Cost: spans of gold plus spans of pred.
#pragma once
#include "config.h"

namespace fastcausal {

template <class Sink>
FC_HD void exact_spans(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                       int64_t length, const int64_t* params, Sink& sink) {
  (void)length;
  (void)params;
  enum { TP, FP, FN, N_FIELDS };
  int64_t i = 0;
  int64_t j = 0;
  while (i < n_gold && j < n_pred) {  // merge of two lists in (start, stop, role) order
    const int32_t* g = gold + 3 * i;
    const int32_t* p = pred + 3 * j;
    const int order = compare_rows(g, p);
    if (order <= 0) sink.add(role_of(g) * N_FIELDS + (order ? FN : TP), 1);
    if (order > 0) sink.add(role_of(p) * N_FIELDS + FP, 1);
    i += order <= 0;
    j += order >= 0;
  }
  for (; i < n_gold; ++i) sink.add(role_of(gold + 3 * i) * N_FIELDS + FN, 1);
  for (; j < n_pred; ++j) sink.add(role_of(pred + 3 * j) * N_FIELDS + FP, 1);
}

}  // namespace fastcausal

// Strict span counts, per role: TP FP FN. A span is right if its role and both bounds are.
// Cost: spans of gold plus spans of pred.
#pragma once
#include "config.h"

namespace fastcausal {

FC_HD void exact_spans(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                       int64_t length, const int64_t* params, int64_t* counts) {
  (void)length;
  enum { TP, FP, FN, N_FIELDS };
  for (int64_t k = 0; k < params[0] * N_FIELDS; ++k) counts[k] = 0;
  int64_t i = 0;
  int64_t j = 0;
  while (i < n_gold || j < n_pred) {  // merge of two lists in (start, stop, role) order
    const int32_t* g = gold + 3 * i;
    const int32_t* p = pred + 3 * j;
    int64_t order = i == n_gold ? 1 : j == n_pred ? -1 : 0;
    if (!order) order = int64_t{start_of(g)} - start_of(p);
    if (!order) order = int64_t{stop_of(g)} - stop_of(p);
    if (!order) order = int64_t{role_of(g)} - role_of(p);
    if (order <= 0) ++counts[role_of(g) * N_FIELDS + (order ? FN : TP)];
    if (order > 0) ++counts[role_of(p) * N_FIELDS + FP];
    i += order <= 0;
    j += order >= 0;
  }
}

}  // namespace fastcausal

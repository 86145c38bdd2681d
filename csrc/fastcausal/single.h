// One example of at most one relation a side, which needs no pairing.
#pragma once
#include "plan.h"

namespace fastcausal {

// Gives the counts of an example to a sink; partner, where wanted, is the predicted relation of the
// gold one, or -1. False, with nothing done: relations have to be paired, or do not fit on a
// device.
template <class Pair, class Sink>
FC_HD bool run_single(const Pair& pair, const Side& gold, const Side& pred, int64_t example,
                      int64_t length, const Plan& plan, int64_t* partner, Sink& sink) {
  const int64_t n_gold = gold.n_relations(example);
  const int64_t n_pred = plan.n_counted(n_gold, pred.n_relations(example));
  const bool both = n_gold && n_pred;
  if (n_gold > 1 || n_pred > 1 || (both && !plan.never_costs)) return false;
  const int64_t gold_at = gold.relation_offsets[example];
  const int64_t pred_at = pred.relation_offsets[example];
  const Relation g = n_gold ? gold.relation(gold_at) : Relation();
  const Relation p = n_pred ? pred.relation(pred_at) : Relation();
  if (FC_ON_DEVICE && (g.n > MOST_SPANS || p.n > MOST_SPANS)) return false;
  if (partner && n_gold) {
    const bool to_meet = plan.by_content && plan.additive;
    partner[gold_at] = both && (!to_meet || Meeting(g, p).any) ? pred_at : -1;
  }
  if (n_gold || n_pred) pair(g, p, length, plan.params, sink);
  return true;
}

}  // namespace fastcausal

// The order of an example's relations, in which the first of several equal pairings counts.
#pragma once
#include "plan.h"
#include "span_overlap.h"

namespace fastcausal {

struct MarkedFirst {
  template <class Member>
  FC_HD bool operator()(const Member& x, const Member& y) const {
    const bool marks = x.relation.n > 0;
    return marks != (y.relation.n > 0) ? marks : x.number < y.number;
  }
};

struct ByContent {
  template <class Member>
  FC_HD bool operator()(const Member& x, const Member& y) const {
    const int order = x.relation.compare(y.relation);
    return order ? order < 0 : x.number < y.number;
  }
};

// Orders both sides, and returns whether gold leads. Ties by content: sorts relations by their
// spans, and the smaller side leads. So neither file order nor the names gold and pred matter.
// Otherwise predictions lead, in file order. Empty relations come last and decide nothing, except
// officially. A Member has a `relation` and its `number`. sort(members, before) sorts one side.
template <class Members, class Sort>
FC_HD bool order_members(Members& golds, Members& preds, const Plan& plan, const Sort& sort) {
  if (!plan.by_content) {
    if (plan.official) return false;
    sort(golds, MarkedFirst());
    sort(preds, MarkedFirst());
    return false;
  }
  sort(golds, ByContent());
  sort(preds, ByContent());
  for (size_t k = 0;; ++k) {  // relations with spans alone
    const bool more_of_gold = k < golds.size() && golds[k].relation.n;
    const bool more_of_pred = k < preds.size() && preds[k].relation.n;
    if (!more_of_gold || !more_of_pred) return !more_of_gold || more_of_pred;
    if (const int order = golds[k].relation.compare(preds[k].relation)) return order < 0;
  }
}

// Returns whether a pair counts otherwise than both relations alone.
FC_HD bool may_pair(const Relation& gold, const Relation& pred, const Plan& plan) {
  return !plan.must_meet() || meet(gold, pred);
}

// Returns the tokens that decide between equal pairings: those with the same role on both sides.
FC_HD int64_t shared_of(const Relation& gold, const Relation& pred, const Plan& plan) {
  return plan.by_content ? overlap::common(gold, pred, plan.n_roles()) : 0;
}

}  // namespace fastcausal

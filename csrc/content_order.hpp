// The order of an example's relations, in which the first of several equal pairings counts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "fastcausal/plan.h"
#include "ways.hpp"

namespace fastcausal {

// Orders both sides, and returns whether gold leads. Ties by content: sorts relations by their
// spans, and the smaller side leads. So neither file order nor the names gold and pred matter.
// Otherwise predictions lead, in file order. Empty relations come last and decide nothing, except
// officially. A Member has a `relation` and its `number`.
template <class Member>
bool order_members(std::vector<Member>& golds, std::vector<Member>& preds, const Plan& plan) {
  const auto marks = [](const Member& member) { return member.relation.n > 0; };
  if (!plan.by_content) {
    if (plan.official) return false;
    std::stable_partition(golds.begin(), golds.end(), marks);
    std::stable_partition(preds.begin(), preds.end(), marks);
    return false;
  }
  const auto by_content = [](const Member& x, const Member& y) {
    const int order = x.relation.compare(y.relation);
    return order ? order < 0 : x.number < y.number;
  };
  std::sort(golds.begin(), golds.end(), by_content);
  std::sort(preds.begin(), preds.end(), by_content);
  for (size_t k = 0;; ++k) {  // relations with spans alone
    const bool more_of_gold = k < golds.size() && marks(golds[k]);
    const bool more_of_pred = k < preds.size() && marks(preds[k]);
    if (!more_of_gold || !more_of_pred) return !more_of_gold || more_of_pred;
    if (const int order = golds[k].relation.compare(preds[k].relation)) return order < 0;
  }
}

// The order of few relations: rows and columns of their pairings.
struct FewOrder {
  static constexpr int MOST = 5;
  bool rows_lead;
  int8_t leaders[MOST];  // in their order
  int8_t ranks[MOST];    // of the others

  // Returns the place of a way among all ways. edges: pairs that may be chosen, one bit each.
  uint32_t place(const Way& way, int n_rows, int n_columns, uint32_t edges) const {
    constexpr uint32_t UNMATCHED = 15;
    const int n_leaders = rows_lead ? n_rows : n_columns;
    uint32_t place = 0;
    for (int k = 0; k < n_leaders; ++k) {
      uint32_t rank = UNMATCHED;
      for (int r = 0; r < n_rows; ++r) {
        const bool own = leaders[k] == (rows_lead ? r : way[r]);
        if (!own || !(edges >> (r * n_columns + way[r]) & 1)) continue;
        rank = static_cast<uint8_t>(ranks[rows_lead ? way[r] : r]);
      }
      place = place << 4 | rank;
    }
    return place;
  }
};

}  // namespace fastcausal

// The order of equally good ways; the first counts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/ways.hpp"
#include "fastcausal/content_order.h"

namespace fastcausal {

// Sorts one side, of any size.
struct AnySort {
  template <class Member, class Before>
  void operator()(std::vector<Member>& members, const Before& before) const {
    std::sort(members.begin(), members.end(), before);
  }
};

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

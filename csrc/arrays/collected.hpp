// Collects the rows of one side, example by example. Their number is unknown at first.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "fastcausal/row.h"

namespace fastcausal {

struct CollectedRows {
  std::vector<Row> rows;
  std::vector<int64_t> row_offsets{0};
  std::vector<int64_t> relation_offsets{0};
  std::vector<int32_t> lengths;

  void row(int32_t role, int32_t start, int32_t stop) { rows.push_back({role, start, stop}); }
  void in_order() { sort_relation(compare_rows); }
  void by_role() { sort_relation(compare_roles_first); }
  void forget_relation() { rows.resize(static_cast<size_t>(row_offsets.back())); }
  void forget_example() {
    row_offsets.resize(static_cast<size_t>(relation_offsets.back()) + 1);
    forget_relation();
  }
  void end_relation() { row_offsets.push_back(static_cast<int64_t>(rows.size())); }
  void end_example() { relation_offsets.push_back(static_cast<int64_t>(row_offsets.size()) - 1); }

 private:
  void sort_relation(int (*order)(const Row&, const Row&)) {
    const auto before = [=](const Row& a, const Row& b) { return order(a, b) < 0; };
    const auto first = rows.begin() + row_offsets.back();
    if (!std::is_sorted(first, rows.end(), before)) std::sort(first, rows.end(), before);
  }
};

}  // namespace fastcausal

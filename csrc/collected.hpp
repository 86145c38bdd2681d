// Rows of one side while they are collected, example by example, in unknown number.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "fastcausal/row.h"

namespace fastcausal {

struct CollectedRows {
  Row* rows = nullptr;  // n_rows of them, then room for more, which is never touched in advance
  int64_t capacity = 0;
  int64_t n_rows = 0;
  std::vector<int64_t> row_offsets{0};
  std::vector<int64_t> relation_offsets{0};
  std::vector<int32_t> lengths;

  CollectedRows() = default;
  CollectedRows(const CollectedRows&) = delete;
  CollectedRows& operator=(const CollectedRows&) = delete;
  ~CollectedRows() { std::free(rows); }

  // Room for n more rows.
  Row* room(int64_t n) {
    if (capacity - n_rows < n) {
      const int64_t wanted = n_rows + n > 2 * capacity ? n_rows + n : 2 * capacity;
      void* moved = std::realloc(rows, static_cast<size_t>(wanted) * sizeof(Row));
      if (!moved) throw std::bad_alloc();
      rows = static_cast<Row*>(moved);
      capacity = wanted;
    }
    return rows + n_rows;
  }
  void row(int32_t role, int32_t start, int32_t stop) {
    *room(1) = {role, start, stop};
    ++n_rows;
  }
  void in_order() {
    sort_relation([](const Row& a, const Row& b) { return compare_rows(a, b) < 0; });
  }
  void by_role() {
    sort_relation([](const Row& a, const Row& b) { return compare_roles_first(a, b) < 0; });
  }
  void forget_relation() { n_rows = row_offsets.back(); }
  void end_relation() { row_offsets.push_back(n_rows); }
  void end_example() { relation_offsets.push_back(static_cast<int64_t>(row_offsets.size()) - 1); }

 private:
  template <class Before>
  void sort_relation(Before before) {
    Row* first = rows + row_offsets.back();
    Row* last = rows + n_rows;
    if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
  }
};

}  // namespace fastcausal

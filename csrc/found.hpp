// Rows of one side while they are found, example by example; how many there will be is not known.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <tuple>
#include <vector>

namespace fastcausal {

struct Row {
  int32_t role, start, stop;

  // The order of rows within a relation.
  bool operator<(const Row& o) const {
    return std::tie(start, stop, role) < std::tie(o.start, o.stop, o.role);
  }
};

inline bool role_first(const Row& a, const Row& b) {
  return std::tie(a.role, a.start, a.stop) < std::tie(b.role, b.start, b.stop);
}

struct Found {
  Row* values = nullptr;  // n_rows of them, then room for more, which is never touched in advance
  int64_t capacity = 0;
  int64_t n_rows = 0;
  std::vector<int64_t> row_offsets{0};
  std::vector<int64_t> relation_offsets{0};
  std::vector<int32_t> lengths;

  Found() = default;
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  ~Found() { std::free(values); }

  // Room for n more rows.
  Row* room(int64_t n) {
    if (capacity - n_rows < n) {
      const int64_t wanted = n_rows + n > 2 * capacity ? n_rows + n : 2 * capacity;
      void* moved = std::realloc(values, static_cast<size_t>(wanted) * sizeof(Row));
      if (!moved) throw std::bad_alloc();
      values = static_cast<Row*>(moved);
      capacity = wanted;
    }
    return values + n_rows;
  }
  void row(int32_t role, int32_t start, int32_t stop) {
    *room(1) = {role, start, stop};
    ++n_rows;
  }
  template <class Less>
  void sort_relation(Less less) {
    Row* first = values + row_offsets.back();
    Row* last = values + n_rows;
    if (!std::is_sorted(first, last, less)) std::sort(first, last, less);
  }
  void in_order() { sort_relation(std::less<Row>()); }
  void by_role() { sort_relation(role_first); }
  void forget_relation() { n_rows = row_offsets.back(); }
  void end_relation() { row_offsets.push_back(n_rows); }
  void end_example() { relation_offsets.push_back(static_cast<int64_t>(row_offsets.size()) - 1); }
};

}  // namespace fastcausal

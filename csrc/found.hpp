// Rows of one side while they are found, example by example; how many there will be is not known.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace fastcausal {

struct Found {
  std::vector<int32_t> values;  // n_rows rows of three, then room for more
  std::vector<int64_t> row_offsets{0};
  std::vector<int64_t> relation_offsets{0};
  std::vector<int32_t> lengths;
  int64_t n_rows = 0;

  // Room for n more rows.
  int32_t* room(int64_t n) {
    const size_t needed = 3 * static_cast<size_t>(n_rows + n);
    if (values.size() < needed) values.resize(needed + needed / 2);
    return values.data() + 3 * n_rows;
  }
  void row(int32_t role, int32_t start, int32_t stop) {
    int32_t* at = room(1);
    at[0] = role;
    at[1] = start;
    at[2] = stop;
    ++n_rows;
  }
  int64_t n_in_relation() const { return n_rows - row_offsets.back(); }
  void end_relation() { row_offsets.push_back(n_rows); }
  void end_example(int32_t length) {
    relation_offsets.push_back(static_cast<int64_t>(row_offsets.size()) - 1);
    lengths.push_back(length);
  }
};

}  // namespace fastcausal

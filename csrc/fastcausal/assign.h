// Best pairing of few relations by trying every one: exact for a ratio of two linear functions.
// "First" below means first in lexicographic order: row 0 takes the lowest column it can, and so
// on; staying unmatched comes after every column.
#pragma once
#include "sinks.h"

namespace fastcausal {

constexpr int64_t FEW = 3;  // rows and columns that are paired by trying all

// The gains of all pairs; a missing pair may not be taken.
struct FewEdges {
  Value value[FEW][FEW];
  bool there[FEW][FEW];
};

// columns[i] is the column of row i or -1: the first best pairing. True if no other is as good.
FC_HD bool assign_few(const FewEdges& edges, int64_t n_rows, int64_t n_columns,
                      const Value& unmatched, int32_t* columns) {
  // A row takes its columns in turn, then none; a row that is not there takes none at once.
  const auto first = [&](int64_t row) { return row < n_rows ? 0 : n_columns; };
  const auto may = [&](int64_t row, int64_t column, int64_t a, int64_t b) {
    return column == n_columns || (column != a && column != b && edges.there[row][column]);
  };
  const auto with = [&](const Value& value, int64_t row, int64_t column) {
    return column == n_columns ? value : value.plus(edges.value[row][column]);
  };
  Value best{0, 0, 0};
  bool found = false;
  bool alone = true;
  for (int64_t a = first(0); a <= n_columns; ++a) {
    if (!may(0, a, -1, -1)) continue;
    const Value of_a = with(unmatched, 0, a);
    for (int64_t b = first(1); b <= n_columns; ++b) {
      if (!may(1, b, a, -1)) continue;
      const Value of_b = with(of_a, 1, b);
      for (int64_t c = first(2); c <= n_columns; ++c) {
        if (!may(2, c, a, b)) continue;
        const Value all = with(of_b, 2, c);
        const int order = found ? all.compare(best) : 1;
        if (order < 0 || (order == 0 && all.shared < best.shared)) continue;
        if (order == 0 && all.shared == best.shared) {
          alone = false;
          continue;
        }
        found = alone = true;
        best = all;
        const int64_t chosen[FEW] = {a, b, c};
        for (int64_t i = 0; i < n_rows; ++i) {
          columns[i] = chosen[i] == n_columns ? -1 : static_cast<int32_t>(chosen[i]);
        }
      }
    }
  }
  return alone;
}

// The official CNC search: float F1 of every permutation, the first highest wins. The order of the
// float operations is the official one: equal ratios may differ in the last bit, and that decides.
constexpr int64_t OFFICIAL_MOST = 6;

// Rows are predictions, at most as many as columns, which are gold relations; every row takes one.
template <int64_t Most>
struct OfficialSearch {
  SpanErrors alone;              // every column unmatched
  SpanErrors cells[Most][Most];  // what taking a column adds to that, by row and column
  int64_t n_rows;
  int64_t n_columns;

  FC_HD void solve(int32_t* columns) const {
    if (n_rows == 2 && n_columns == 2) {  // the most frequent case
      const SpanErrors straight = alone.plus(cells[0][0]).plus(cells[1][1]);
      columns[0] = alone.plus(cells[0][1]).plus(cells[1][0]).higher_than(straight);
      columns[1] = 1 - columns[0];
      return;
    }
    SpanErrors errors[Most + 1] = {alone};  // after the rows before each row
    uint32_t taken[Most + 1] = {};          // columns of the rows before each row
    int32_t chosen[Most] = {};
    SpanErrors best{};
    bool found = false;
    for (int64_t row = 0; row >= 0;) {
      while (chosen[row] < n_columns && (taken[row] & (1u << chosen[row]))) ++chosen[row];
      if (chosen[row] == n_columns) {
        if (--row >= 0) ++chosen[row];
        continue;
      }
      errors[row + 1] = errors[row].plus(cells[row][chosen[row]]);
      taken[row + 1] = taken[row] | (1u << chosen[row]);
      if (row + 1 < n_rows) {
        chosen[++row] = 0;
        continue;
      }
      const SpanErrors& reached = errors[n_rows];
      if (!found || reached.higher_than(best)) {
        found = true;
        best = reached;
        for (int64_t i = 0; i < n_rows; ++i) columns[i] = chosen[i];
      }
      ++chosen[row];
    }
  }
};

}  // namespace fastcausal

// The official CNC search: tries every permutation, and the first highest float F1 wins. Float
// operations keep the official order: equal ratios may differ in the last bit, and that decides.
#pragma once
#include <algorithm>

#include "fastcausal/sinks.h"
#include "fastcausal/ways.h"

namespace fastcausal {

// Rows are predictions, columns are gold relations. Rows are at most as many, and each takes a
// column.
struct OfficialSearch {
  static constexpr int64_t MOST = 6;  // columns
  SpanErrors alone;                   // every column unmatched
  SpanErrors cells[MOST][MOST];       // change by a pair, by row and column
  int64_t n_rows;
  int64_t n_columns;

  // errors_of(i, j) returns the errors of row i with column j. i = -1: the column is unmatched.
  template <class Errors>
  OfficialSearch(int64_t rows, int64_t columns, const Errors& errors_of)
      : alone{0, 0, 0, 0}, n_rows(rows), n_columns(columns) {
    for (int64_t j = 0; j < columns; ++j) {
      const SpanErrors missed = rows < columns ? errors_of(-1, j) : SpanErrors{0, 0, 0, 0};
      alone = alone.plus(missed);
      for (int64_t i = 0; i < rows; ++i) cells[i][j] = errors_of(i, j).minus(missed);
    }
  }

  // Sets columns[i] to the column of row i.
  void solve(int32_t* columns) const {
    SpanErrors errors[MOST + 1] = {alone};  // sums of the rows before each row
    uint32_t taken[MOST + 1] = {};          // columns of the rows before each row
    int32_t chosen[MOST] = {};
    SpanErrors best{-1, 0, 0, 0};
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
      if (is_better(errors[n_rows], best)) {
        best = errors[n_rows];
        for (int64_t i = 0; i < n_rows; ++i) columns[i] = chosen[i];
      }
      ++chosen[row];
    }
  }

 private:
  static bool is_better(const SpanErrors& sum, const SpanErrors& best) {
    if (best.tp < 0) return true;
    const int64_t less = best.tp * sum.n() - sum.tp * best.n();
    if (less && std::max(sum.n(), best.n()) <= MOST_OFFICIAL) return less < 0;
    return sum.tp && sum.f1() > best.f1();
  }
};

}  // namespace fastcausal

// The official CNC search: float F1 of every permutation, the first highest wins. The order of the
// float operations is the official one: equal ratios may differ in the last bit, and that decides.
#pragma once
#include "fastcausal/sinks.h"

namespace fastcausal {

// Rows are predictions, at most as many as columns, which are gold relations; every row takes one.
struct OfficialSearch {
  static constexpr int64_t MOST = 6;  // columns
  SpanErrors alone;                   // every column unmatched
  SpanErrors cells[MOST][MOST];       // what taking a column adds to that, by row and column
  int64_t n_rows;
  int64_t n_columns;

  // Fills all by a kernel, in file order.
  template <class Pair>
  OfficialSearch(const Pair& pair, const Relation* golds, int64_t n_gold, const Relation* preds,
                 int64_t n_pred, int64_t length, const Plan& plan)
      : alone{0, 0, 0, 0}, n_rows(n_pred), n_columns(n_gold) {
    const auto errors_of = [&](const Relation& gold, const Relation& pred) {
      F1Sink sink(plan);
      pair(gold, pred, length, plan.params, sink);
      return sink.errors;
    };
    for (int64_t j = 0; j < n_gold; ++j) {
      SpanErrors missed{0, 0, 0, 0};
      if (n_pred < n_gold) missed = errors_of(golds[j], Relation());
      alone = alone.plus(missed);
      for (int64_t i = 0; i < n_pred; ++i) {
        cells[i][j] = errors_of(golds[j], preds[i]).minus(missed);
      }
    }
  }

  // columns[i] is the column of row i.
  void solve(int32_t* columns) const {
    SpanErrors errors[MOST + 1] = {alone};  // after the rows before each row
    uint32_t taken[MOST + 1] = {};          // columns of the rows before each row
    int32_t chosen[MOST] = {};
    double best = -1;
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
      const double f1 = errors[n_rows].f1();
      if (f1 > best) {
        best = f1;
        for (int64_t i = 0; i < n_rows; ++i) columns[i] = chosen[i];
      }
      ++chosen[row];
    }
  }
};

}  // namespace fastcausal

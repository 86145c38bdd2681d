// Best pairing of few relations by trying every one: exact for a ratio of two linear functions.
// "First" below means first in lexicographic order: row 0 takes the lowest column it can, and so
// on; staying unmatched comes after every column.
#pragma once
#include "config.h"

namespace fastcausal {

// What pairing a row with a column adds to the value N / D of leaving both unmatched.
struct Edge {
  int32_t column;
  int64_t numerator;
  int64_t denominator;
  int64_t shared;  // tokens of the same role on both sides: decides between equal values
};

struct Value {
  int64_t numerator;
  int64_t denominator;
  int64_t shared;

  FC_HD Value plus(const Edge& e) const {
    return {numerator + e.numerator, denominator + e.denominator, shared + e.shared};
  }
  // 0/0, nothing found and nothing missed, compares like 0.
  FC_HD int64_t bottom() const { return denominator ? denominator : 1; }
  // Sign of N/D - N'/D' by cross products: exact while both products stay below 2^63.
  FC_HD int compare(const Value& other) const {
    const int64_t a = numerator * other.bottom();
    const int64_t b = other.numerator * bottom();
    return a < b ? -1 : a > b;
  }
  FC_HD bool better_than(const Value& other) const {
    const int order = compare(other);
    return order ? order > 0 : shared > other.shared;
  }
};

constexpr int64_t FEW = 3;  // rows and columns that are paired by trying all

struct FewSearch {
  const Edge* edges;
  const int64_t* offsets;  // edges of row i: offsets[i] to offsets[i + 1], columns ascending
  int64_t n_rows;
  int32_t chosen[FEW];
  int32_t best_chosen[FEW];
  Value best;
  bool found;

  FC_HD void visit(int64_t row, uint32_t taken, Value value) {
    if (row == n_rows) {
      if (found && !value.better_than(best)) return;
      found = true;
      best = value;
      for (int64_t i = 0; i < n_rows; ++i) best_chosen[i] = chosen[i];
      return;
    }
    for (int64_t e = offsets[row]; e < offsets[row + 1]; ++e) {
      const uint32_t bit = 1u << edges[e].column;
      if (taken & bit) continue;
      chosen[row] = edges[e].column;
      visit(row + 1, taken | bit, value.plus(edges[e]));
    }
    chosen[row] = -1;
    visit(row + 1, taken, value);
  }
};

// Best pairing of at most FEW rows and columns; columns[i] is the column of row i or -1.
FC_HD void assign_few(const Edge* edges, const int64_t* offsets, int64_t n_rows, Value unmatched,
                      int32_t* columns) {
  FewSearch search{edges, offsets, n_rows, {}, {}, {}, false};
  search.visit(0, 0, unmatched);
  for (int64_t i = 0; i < n_rows; ++i) columns[i] = search.best_chosen[i];
}

// The official CNC search: float F1 of every permutation, the first highest wins. The order of the
// float operations is the official one: equal ratios may differ in the last bit, and that decides.
struct SpanErrors {
  int64_t tp, fp, fn, half;  // half: errors charged half to precision and half to recall

  FC_HD SpanErrors plus(const SpanErrors& o) const {
    return {tp + o.tp, fp + o.fp, fn + o.fn, half + o.half};
  }
  FC_HD double f1() const {
    const double h = 0.5 * static_cast<double>(half);
    const double hits = static_cast<double>(tp);
    const double predicted = static_cast<double>(tp + fp) + h;
    const double wanted = static_cast<double>(tp + fn) + h;
    const double precision = predicted == 0.0 ? 0.0 : hits / predicted;
    const double recall = wanted == 0.0 ? 0.0 : hits / wanted;
    return precision + recall == 0.0 ? 0.0 : 2.0 * (precision * recall) / (precision + recall);
  }
};

constexpr int64_t OFFICIAL_MOST = 6;

struct OfficialSearch {
  const SpanErrors* cells;      // row-major, n_rows x n_columns
  const SpanErrors* unmatched;  // of every column
  int64_t n_rows;               // predictions, at most n_columns
  int64_t n_columns;            // gold relations
  int32_t chosen[OFFICIAL_MOST];
  int32_t best_chosen[OFFICIAL_MOST];
  double best;

  FC_HD void visit(int64_t row, uint32_t taken, SpanErrors errors) {
    if (row == n_rows) {
      for (int64_t j = 0; j < n_columns; ++j) {
        if (!(taken & (1u << j))) errors = errors.plus(unmatched[j]);
      }
      const double f1 = errors.f1();
      if (!(f1 > best)) return;
      best = f1;
      for (int64_t i = 0; i < n_rows; ++i) best_chosen[i] = chosen[i];
      return;
    }
    for (int32_t j = 0; j < n_columns; ++j) {
      if (taken & (1u << j)) continue;
      chosen[row] = j;
      visit(row + 1, taken | (1u << j), errors.plus(cells[row * n_columns + j]));
    }
  }
};

FC_HD void assign_official(const SpanErrors* cells, const SpanErrors* unmatched, int64_t n_rows,
                           int64_t n_columns, int32_t* columns) {
  OfficialSearch search{cells, unmatched, n_rows, n_columns, {}, {}, -1.0};
  search.visit(0, 0, {0, 0, 0, 0});
  for (int64_t i = 0; i < n_rows; ++i) columns[i] = search.best_chosen[i];
}

}  // namespace fastcausal

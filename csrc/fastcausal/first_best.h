// Tries all ways to pair few relations, and keeps the first best one.
#pragma once
#include "sinks.h"
#include "ways.h"

namespace fastcausal {

// Rows take different columns, in lexicographic order: a row tries its columns in turn, then none.
template <class Sum, int MOST>
struct AllWays {
  Sum none;               // no row has a column
  Sum cells[MOST][MOST];  // change by a pair, by row and column
  uint32_t edges[MOST];   // columns that each row may take, one bit each
  int32_t n_rows;
  int32_t n_columns;
  bool complete;  // each row takes a column

  // Sets columns[i] to the column of row i, or to -1. better(sum, best) compares two ways.
  template <class Better>
  FC_HD void solve(const Better& better, int32_t* columns) const {
    Search<Better> search{*this, better, none, false, {}, {}};
    search.template visit<0>(none, 0);
    for (int32_t i = 0; i < n_rows; ++i) columns[i] = search.columns[i];
  }

 private:
  // A function for each row: constants index all that changes, so a device keeps it in registers.
  template <class Better>
  struct Search {
    const AllWays& all;
    const Better& better;
    Sum best;
    bool any;
    int32_t columns[MOST];  // of the best way
    int32_t chosen[MOST];   // of this way

    // sum, taken: of the rows before.
    template <int32_t Row>
    FC_HD void visit(const Sum& sum, uint32_t taken) {
      if (Row == all.n_rows) return take(sum);
      if constexpr (Row < MOST) {
        const uint32_t open = all.edges[Row] & ~taken;
        for (int32_t column = 0; column + all.complete <= all.n_columns; ++column) {
          const bool takes = column < all.n_columns;
          if (takes && !(open >> column & 1)) continue;
          chosen[Row] = takes ? column : -1;
          visit<Row + 1>(takes ? sum.plus(all.cells[Row][column]) : sum,
                         taken | uint32_t{takes} << column);
        }
      }
    }

    FC_HD void take(const Sum& sum) {
      if (any && !better(sum, best)) return;
      any = true;
      best = sum;
      FC_UNROLL for (int32_t i = 0; i < MOST; ++i) columns[i] = chosen[i];
    }
  };
};

// Up to so many rows and columns, the host tries all ways by value, too.
constexpr int32_t ALL_TRIED = 3;

// Shared tokens decide between equal values.
struct BetterValue {
  FC_HD bool operator()(const Value& sum, const Value& best) const {
    const int order = sum.compare(best);
    return order > 0 || (order == 0 && sum.shared > best.shared);
  }
};

// The first highest float F1 wins. Float operations keep the official order: equal ratios may
// differ in the last bit, and that decides. Integers spare most divisions: a quarter of the time of
// six relations a side.
struct BetterOfficially {
  FC_HD bool operator()(const SpanErrors& sum, const SpanErrors& best) const {
    const int64_t less = best.tp * sum.n() - sum.tp * best.n();
    if (less && sum.n() <= MOST_OFFICIAL && best.n() <= MOST_OFFICIAL) return less < 0;
    return sum.tp && sum.f1() > best.f1();
  }
};

// The official CNC search tries all permutations of at most so many gold relations.
constexpr int32_t OFFICIAL_COLUMNS = 6;

// Rows are predictions, columns are gold relations. Rows are at most as many, and each takes a
// column. errors_of(i, j) returns the errors of row i with column j. i = -1: the column is
// unmatched.
template <int MOST, class Errors>
FC_HD void search_officially(int32_t n_rows, int32_t n_columns, const Errors& errors_of,
                             int32_t* columns) {
  AllWays<SpanErrors, MOST> all;
  all.none = {0, 0, 0, 0};
  all.n_rows = n_rows;
  all.n_columns = n_columns;
  all.complete = true;
  for (int32_t i = 0; i < n_rows; ++i) all.edges[i] = ~uint32_t{0};
  for (int32_t j = 0; j < n_columns; ++j) {
    const SpanErrors missed = n_rows < n_columns ? errors_of(-1, j) : SpanErrors{0, 0, 0, 0};
    all.none = all.none.plus(missed);
    for (int32_t i = 0; i < n_rows; ++i) all.cells[i][j] = errors_of(i, j).minus(missed);
  }
  all.solve(BetterOfficially(), columns);
}

}  // namespace fastcausal

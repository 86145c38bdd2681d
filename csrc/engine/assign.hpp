// The best pairing of any number of relations (host only).
//
// Dinkelbach's method maximises a ratio N/D. Each round pairs for the greatest sum of N - (n/d) D.
// Its ratio becomes the next n/d, until the sum is zero.
//
// A round is one assignment by shortest augmenting paths (Jonker and Volgenant 1987). It uses
// integers and only existing edges. Rows and columns may stay unmatched at no cost. Shared tokens
// decide between equal sums. After that, the first optimum wins: it is read from the edges that the
// dual prices leave tight.
//
// Cost: at most (rows + columns)^3 per round, far less with few edges; usually 2 or 3 rounds.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arrays/stop.hpp"
#include "fastcausal/first_best.h"

namespace fastcausal {

// A pair of relations that may be taken. Edges of a row are contiguous, columns ascending.
struct Edge {
  int32_t column;
  Value gain;
};

// Weights compare by main, then by tie. They add like numbers. main is at most 2 N D of one
// example; `fits` leaves room for it.
struct Weight {
  int64_t main = 0;
  int64_t tie = 0;
  Weight operator+(const Weight& o) const { return {main + o.main, tie + o.tie}; }
  Weight operator-(const Weight& o) const { return {main - o.main, tie - o.tie}; }
  bool operator==(const Weight& o) const { return main == o.main && tie == o.tie; }
  bool operator<(const Weight& o) const { return main != o.main ? main < o.main : tie < o.tie; }
};

class Assignment {
 public:
  // Sets columns[i] to the column of row i, or to -1. Row i has the edges offsets[i] to offsets[i +
  // 1].
  // Returns false if the numbers are too large.
  bool solve(const std::vector<Edge>& edges, const std::vector<int64_t>& offsets, int64_t n_columns,
             Value unmatched, bool linear, CostMeter& meter, int32_t* columns) {
    meter_ = &meter;
    edges_ = edges.data();
    offsets_ = offsets.data();
    n_rows_ = static_cast<int32_t>(offsets.size()) - 1;
    n_columns_ = static_cast<int32_t>(n_columns);
    column_of_.assign(n_rows_, -1);
    if (std::max(n_rows_, n_columns_) <= ALL_TRIED) {
      try_all(unmatched, columns);
      return true;
    }
    if (!fits(unmatched)) return false;
    weights_.resize(edges.size());
    Value reached = unmatched;
    do {
      for (size_t e = 0; e < edges.size(); ++e) {
        const Value& gain = edges[e].gain;
        const int64_t main =
            linear ? gain.numerator
                   : gain.numerator * reached.bottom() - gain.denominator * reached.numerator;
        weights_[e] = {main, gain.shared};
      }
      pair_heaviest();
    } while (!linear && improve(reached, unmatched));
    take_first_optimum();
    for (int32_t i = 0; i < n_rows_; ++i) columns[i] = is_own(column_of_[i]) ? -1 : column_of_[i];
    return true;
  }

 private:
  static constexpr int64_t MOST_PRODUCT = int64_t{1} << 59;
  enum : char { FAR, REACHED, SETTLED };  // states of columns in a search

  CostMeter* meter_ = nullptr;
  const Edge* edges_ = nullptr;
  const int64_t* offsets_ = nullptr;
  int32_t n_rows_ = 0;
  // Behind these columns, each row has a column of its own with weight 0. It stands for
  // "unmatched". So every row has a column.
  int32_t n_columns_ = 0;
  std::vector<Weight> weights_, row_price_, column_price_, distance_;
  std::vector<int32_t> column_of_, row_of_;
  // The row that takes a column on a path, -1: the column becomes free.
  std::vector<int32_t> came_from_;
  std::vector<int32_t> touched_, queue_;
  int32_t taken_free_ = -1;
  std::vector<char> state_, fixed_, seen_;

  // Returns whether all sums stay in 64 bits: a pairing takes one edge per row.
  bool fits(const Value& unmatched) const {
    double top = size_of(unmatched.numerator);
    double bottom = size_of(unmatched.denominator) + 1;
    for (int32_t i = 0; i < n_rows_; ++i) {
      double most_top = 0;
      double most_bottom = 0;
      for (int64_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
        most_top = std::max(most_top, size_of(edges_[e].gain.numerator));
        most_bottom = std::max(most_bottom, size_of(edges_[e].gain.denominator));
      }
      top += most_top;
      bottom += most_bottom;
    }
    return top * bottom < static_cast<double>(MOST_PRODUCT);
  }

  // Tries all pairings. Compares numbers of any size exactly.
  void try_all(const Value& unmatched, int32_t* columns) const {
    AllWays<Value, ALL_TRIED> all{unmatched, {}, {}, n_rows_, n_columns_, false};
    for (int32_t i = 0; i < n_rows_; ++i) {
      for (int64_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
        all.cells[i][edges_[e].column] = edges_[e].gain;
        all.edges[i] |= 1u << edges_[e].column;
      }
    }
    all.solve(BetterValue(), columns);
  }

  static double size_of(int64_t n) { return std::abs(static_cast<double>(n)); }
  bool is_own(int32_t column) const { return column >= n_columns_; }
  int64_t degree(int32_t row) const { return offsets_[row + 1] - offsets_[row]; }
  bool may_be_free(int32_t column) const { return column_price_[column] == Weight{}; }

  // Calls take(column, slack) for each column of a row. An edge without slack is tight.
  template <class Take>
  void for_columns(int32_t row, const Take& take) const {
    for (int64_t e = offsets_[row]; e < offsets_[row + 1]; ++e) {
      const int32_t j = edges_[e].column;
      take(j, row_price_[row] + column_price_[j] - weights_[e]);
    }
    take(n_columns_ + row, row_price_[row]);
  }

  bool improve(Value& reached, const Value& unmatched) const {
    Value value = unmatched;
    for (int32_t i = 0; i < n_rows_; ++i) {
      for (int64_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
        if (edges_[e].column == column_of_[i]) value = value.plus(edges_[e].gain);
      }
    }
    const bool better = value.compare(reached) > 0;
    reached = value;
    return better;
  }

  // Prices keep row + column >= weight on every edge. They are >= 0, and 0 for free columns.
  void pair_heaviest() {
    const int32_t n_all = n_columns_ + n_rows_;
    row_price_.assign(n_rows_, {});
    column_of_.assign(n_rows_, -1);
    column_price_.assign(n_all, {});
    row_of_.assign(n_all, -1);
    came_from_.assign(n_all, -1);
    distance_.assign(n_all, {});
    state_.assign(n_all, FAR);
    for (int32_t i = 0; i < n_rows_; ++i) augment(i);
  }

  // Adds one row by the cheapest alternating path to a free column.
  void augment(int32_t root) {
    for (int64_t e = offsets_[root]; e < offsets_[root + 1]; ++e) {
      row_price_[root] = std::max(row_price_[root], weights_[e] - column_price_[edges_[e].column]);
    }
    touched_.clear();
    Weight reached;  // distance of the current row
    int32_t nearest = -1;
    for (int32_t row = root; row >= 0; row = row_of_[nearest]) {
      meter_->add_cost(4 * degree(row) + static_cast<int64_t>(touched_.size()));
      for_columns(row, [&](int32_t j, const Weight& slack) {
        const Weight d = reached + slack;
        if (state_[j] == FAR) {
          touched_.push_back(j);
        } else if (state_[j] == SETTLED || !(d < distance_[j])) {
          return;
        }
        state_[j] = REACHED;
        distance_[j] = d;
        came_from_[j] = row;
      });
      nearest = -1;
      for (const int32_t j : touched_) {
        if (state_[j] == REACHED && (nearest < 0 || nearer(j, nearest))) nearest = j;
      }
      state_[nearest] = SETTLED;
      reached = distance_[nearest];
    }
    row_price_[root] = row_price_[root] - reached;
    for (const int32_t j : touched_) {
      if (state_[j] == SETTLED && j != nearest) {
        column_price_[j] = column_price_[j] + (reached - distance_[j]);
        row_price_[row_of_[j]] = row_price_[row_of_[j]] - (reached - distance_[j]);
      }
      state_[j] = FAR;
    }
    flip(root, nearest);
  }

  // Prefers a free column at equal distance: it ends the search.
  bool nearer(int32_t j, int32_t than) const {
    if (!(distance_[j] == distance_[than])) return distance_[j] < distance_[than];
    return row_of_[j] < 0 && row_of_[than] >= 0;
  }

  // Applies a path from its end: each row on it moves to the column that it takes.
  void flip(int32_t root, int32_t column) {
    for (int32_t row = -1; row != root;) {
      row = came_from_[column];
      if (row < 0) {
        row_of_[column] = -1;
        column = taken_free_;
      } else {
        row_of_[column] = row;
        std::swap(column_of_[row], column);
      }
    }
  }

  // Every optimum uses tight edges only, and all its free columns have price zero. Gives each row
  // in turn its lowest column that some optimum allows after the fixed rows.
  void take_first_optimum() {
    fixed_.assign(n_columns_ + n_rows_, 0);
    for (int32_t i = 0; i < n_rows_; ++i) {
      const int32_t now = column_of_[i];
      seen_.assign(n_columns_ + n_rows_, 0);
      taken_free_ = -1;
      meter_->add_cost((n_columns_ + n_rows_) / 8);
      for_columns(i, [&](int32_t j, const Weight& slack) {
        if (j < now && column_of_[i] == now && slack == Weight{} && !fixed_[j]) rematch(i, j);
      });
      fixed_[column_of_[i]] = 1;
    }
  }

  // Gives a row the column `wanted` if other rows can move. Each displaced row takes a tight
  // column. The chain ends at the column that the first row left. If that column may stay free, the
  // chain may also end at a free column. Otherwise it may take a free column if some row then
  // leaves a column that may stay free. Columns that failed for one wanted column of a row are not
  // searched again for its next one.
  void rematch(int32_t root, int32_t wanted) {
    const int32_t left = column_of_[root];
    queue_.clear();
    reach(wanted, root);
    for (size_t next = 0; next < queue_.size(); ++next) {
      const int32_t column = queue_[next];
      const int32_t row = row_of_[column];
      if (column == left || (row < 0 && may_be_free(left))) {
        row_of_[left] = -1;
        return flip(root, column);
      }
      if (row >= 0) {
        meter_->add_cost(4 * degree(row));
        for_columns(row, [&](int32_t j, const Weight& slack) {
          if (slack == Weight{} && !fixed_[j]) reach(j, row);
        });
      } else if (taken_free_ < 0) {
        taken_free_ = column;
        meter_->add_cost(int64_t{4} * (n_columns_ + n_rows_));
        for (int32_t j = 0; j < n_columns_ + n_rows_; ++j) {
          if (row_of_[j] >= 0 && !fixed_[j] && may_be_free(j)) reach(j, -1);
        }
      }
    }
  }

  void reach(int32_t column, int32_t row) {
    if (seen_[column]) return;
    seen_[column] = 1;
    came_from_[column] = row;
    queue_.push_back(column);
  }
};

}  // namespace fastcausal

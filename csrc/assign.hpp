// Best pairing of any number of relations (host only).
// A ratio N/D is maximised by Dinkelbach's method: pair for the greatest sum of N - (n/d) D, take
// the ratio reached as the next n/d, until the sum is zero. Each round is one assignment by
// shortest augmenting paths (Jonker and Volgenant 1987) over the edges that exist, in integers; a
// row or a column may stay unmatched at no cost. Equal sums are decided by shared tokens, then the
// first optimum is read off the edges that the dual prices leave tight.
// Cost: at most (rows + columns)^3 a round, far less where edges are few; usually 2 or 3 rounds.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fastcausal/sinks.h"
#include "stop.hpp"

namespace fastcausal {

// A pair of relations that may be taken: edges of a row follow each other, columns ascending.
struct Edge {
  int32_t column;
  Value gain;
};

// Weights are compared by main, then by tie; they add like numbers.
// main is at most 2 N D of one example, for which fits leaves room.
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
  static constexpr int32_t FEW = 3;  // rows and columns that are paired by trying all

  // columns[i] is the column of row i or -1. edges of row i: offsets[i] to offsets[i + 1].
  // False: the numbers are too large.
  bool solve(const std::vector<Edge>& edges, const std::vector<int64_t>& offsets, int64_t n_columns,
             Value unmatched, bool linear, Steps& steps, int32_t* columns) {
    steps_ = &steps;
    edges_ = edges.data();
    offsets_ = offsets.data();
    n_rows_ = static_cast<int32_t>(offsets.size()) - 1;
    n_columns_ = static_cast<int32_t>(n_columns);
    column_of_.assign(n_rows_, -1);
    if (std::max(n_rows_, n_columns_) <= FEW) {
      any_tried_ = false;
      try_all(0, 0, unmatched, columns);
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
    std::copy(column_of_.begin(), column_of_.end(), columns);
    return true;
  }

 private:
  static constexpr int64_t MOST_PRODUCT = int64_t{1} << 59;
  Steps* steps_ = nullptr;
  Value best_{0, 0, 0};  // of what was tried
  bool any_tried_ = false;
  const Edge* edges_ = nullptr;
  const int64_t* offsets_ = nullptr;
  int32_t n_rows_ = 0;
  int32_t n_columns_ = 0;
  std::vector<Weight> weights_, row_price_, column_price_, distance_;
  std::vector<int32_t> column_of_, row_of_, came_from_, touched_rows_, touched_columns_;
  std::vector<int32_t> parent_, taken_, queue_;  // the chain searched by find_chain
  int32_t end_ = -1, end_column_ = -1;
  std::vector<int64_t> edge_of_;
  std::vector<char> settled_, fixed_row_, fixed_column_, seen_;

  // Tells whether all numbers that are added up stay in 64 bits: a pairing takes one edge of each
  // row.
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

  // Takes the first best of all ways to go on from a row, where these columns are taken. However
  // large the numbers are, they are compared exactly.
  void try_all(int32_t row, uint32_t taken, const Value& value, int32_t* columns) {
    if (row == n_rows_) {
      const int order = any_tried_ ? value.compare(best_) : 1;
      if (order < 0 || (order == 0 && value.shared <= best_.shared)) return;
      any_tried_ = true;
      best_ = value;
      std::copy(column_of_.begin(), column_of_.end(), columns);
      return;
    }
    for (int64_t e = offsets_[row]; e < offsets_[row + 1]; ++e) {
      const uint32_t column = 1u << edges_[e].column;
      if (taken & column) continue;
      column_of_[row] = edges_[e].column;
      try_all(row + 1, taken | column, value.plus(edges_[e].gain), columns);
    }
    column_of_[row] = -1;
    try_all(row + 1, taken, value, columns);
  }

  static double size_of(int64_t n) { return std::abs(static_cast<double>(n)); }

  bool improve(Value& reached, const Value& unmatched) const {
    Value value = unmatched;
    for (int32_t i = 0; i < n_rows_; ++i) {
      if (column_of_[i] >= 0) value = value.plus(edges_[edge_of_[i]].gain);
    }
    const bool better = value.compare(reached) > 0;
    reached = value;
    return better;
  }

  // Prices keep row + column >= weight on every edge, >= 0, and 0 for what is unmatched.
  void pair_heaviest() {
    row_price_.assign(n_rows_, {});
    column_price_.assign(n_columns_, {});
    column_of_.assign(n_rows_, -1);
    edge_of_.assign(n_rows_, -1);
    row_of_.assign(n_columns_, -1);
    distance_.assign(n_columns_, {});
    came_from_.assign(n_columns_, -1);
    settled_.assign(n_columns_, 0);
    for (int32_t i = 0; i < n_rows_; ++i) augment(i);
  }

  // Adds one row by the cheapest alternating path. It ends at a free column, or at a row that
  // gives up its column because that costs least.
  void augment(int32_t root) {
    Weight& price = row_price_[root];
    for (int64_t e = offsets_[root]; e < offsets_[root + 1]; ++e) {
      const Weight need = weights_[e] - column_price_[edges_[e].column];
      if (price < need) price = need;
    }
    touched_rows_.assign(1, root);
    touched_columns_.clear();
    Weight reached;      // distance of the row just reached
    Weight end = price;  // cheapest end found: root stays unmatched
    int32_t end_row = root;
    int32_t end_column = -1;
    int32_t row = root;
    for (;;) {
      steps_->took(4 * degree(row) + static_cast<int64_t>(touched_columns_.size()));
      for (int64_t e = offsets_[row]; e < offsets_[row + 1]; ++e) {
        const int32_t j = edges_[e].column;
        if (settled_[j] == 2) continue;
        const Weight d = reached + row_price_[row] + column_price_[j] - weights_[e];
        if (settled_[j] == 1 && !(d < distance_[j])) continue;
        if (!settled_[j]) touched_columns_.push_back(j);
        settled_[j] = 1;
        distance_[j] = d;
        came_from_[j] = row;
      }
      int32_t nearest = -1;
      for (const int32_t j : touched_columns_) {
        if (settled_[j] == 1 && (nearest < 0 || nearer(j, nearest))) nearest = j;
      }
      if (nearest < 0 || !(distance_[nearest] < end)) break;
      settled_[nearest] = 2;
      reached = distance_[nearest];
      if (row_of_[nearest] < 0) {
        end = reached;
        end_row = -1;
        end_column = nearest;
        break;
      }
      row = row_of_[nearest];
      touched_rows_.push_back(row);
      const Weight leave = reached + row_price_[row];
      if (leave < end) {
        end = leave;
        end_row = row;
        end_column = column_of_[row];
      }
    }
    update_prices(root, end);
    flip(root, end_row, end_column);
    for (const int32_t j : touched_columns_) settled_[j] = 0;
  }

  // Of equal distances a free column ends the search, the lowest first.
  bool nearer(int32_t j, int32_t than) const {
    if (!(distance_[j] == distance_[than])) return distance_[j] < distance_[than];
    const bool free = row_of_[j] < 0;
    const bool than_free = row_of_[than] < 0;
    return free != than_free ? free : j < than;
  }

  void update_prices(int32_t root, Weight end) {
    for (const int32_t i : touched_rows_) {
      const Weight d = i == root ? Weight{} : distance_[column_of_[i]];
      row_price_[i] = row_price_[i] - (end - d);
    }
    for (const int32_t j : touched_columns_) {
      if (settled_[j] == 2 && distance_[j] < end) {
        column_price_[j] = column_price_[j] + (end - distance_[j]);
      }
    }
  }

  void flip(int32_t root, int32_t end_row, int32_t end_column) {
    if (end_row >= 0) unmatch(end_row);
    for (int32_t j = end_column; j >= 0;) {
      const int32_t i = came_from_[j];
      const int32_t before = column_of_[i];
      match(i, j);
      if (i == root) break;
      j = before;
    }
  }

  void unmatch(int32_t row) {
    column_of_[row] = -1;
    edge_of_[row] = -1;
  }

  void match(int32_t row, int32_t column) {
    column_of_[row] = column;
    row_of_[column] = row;
    const auto before = [](const Edge& e, int32_t wanted) { return e.column < wanted; };
    edge_of_[row] =
        std::lower_bound(edges_ + offsets_[row], edges_ + offsets_[row + 1], column, before) -
        edges_;
  }

  int64_t degree(int32_t row) const { return offsets_[row + 1] - offsets_[row]; }
  bool tight(int32_t row, int64_t e) const {
    return row_price_[row] + column_price_[edges_[e].column] == weights_[e];
  }
  bool free_row(int32_t i) const { return row_price_[i] == Weight{}; }
  bool free_column(int32_t j) const { return column_price_[j] == Weight{}; }

  // Every optimum uses tight edges only and leaves only what has price zero unmatched. Row by row,
  // take the lowest column that some optimum allows after the rows already fixed.
  void take_first_optimum() {
    fixed_row_.assign(n_rows_, 0);
    fixed_column_.assign(n_columns_, 0);
    for (int32_t i = 0; i < n_rows_; ++i) {
      const int32_t now = column_of_[i];
      seen_.assign(n_rows_ + 1, 0);
      steps_->took(n_rows_ / 8);
      fixed_row_[i] = 1;
      for (int64_t e = offsets_[i]; e < offsets_[i + 1]; ++e) {
        const int32_t j = edges_[e].column;
        if (j == now) break;
        if (fixed_column_[j] || !tight(i, e) || !find_chain(j, now)) continue;
        rematch(i, j, now);
        break;
      }
      if (column_of_[i] >= 0) fixed_column_[column_of_[i]] = 1;
    }
  }

  // A chain of rows that change place when a row leaves `vacated` (-1: it was unmatched) for column
  // `wanted`: each row that is displaced takes a tight column, until one fills the vacated
  // place. The pool stands for being unmatched: a free column taken or a row giving up leads into
  // it; out of it comes a column that may go without, or a row that was unmatched.
  // What was seen in vain for one wanted column of a row need not be seen again for its next.
  bool find_chain(int32_t wanted, int32_t vacated) {
    const int32_t pool = n_rows_;
    parent_.resize(n_rows_ + 1);
    taken_.resize(n_rows_ + 1);
    queue_.clear();
    reach(row_of_[wanted] >= 0 ? row_of_[wanted] : pool, -1, -1);
    for (size_t next = 0; next < queue_.size(); ++next) {
      const int32_t node = queue_[next];
      end_ = node;
      steps_->took(4 * (node == pool ? n_rows_ + n_columns_ : degree(node)));
      if (node == pool) {
        if (vacated < 0 || free_column(vacated)) return true;
        for (int32_t j = 0; j < n_columns_; ++j) {
          const int32_t owner = row_of_[j];
          if (owner >= 0 && !fixed_row_[owner] && free_column(j)) reach(owner, pool, -1);
        }
        for (int32_t i = 0; i < n_rows_; ++i) {
          if (column_of_[i] < 0 && !fixed_row_[i]) reach(i, pool, -1);
        }
        continue;
      }
      if (free_row(node)) reach(pool, node, -1);
      for (int64_t e = offsets_[node]; e < offsets_[node + 1]; ++e) {
        const int32_t j = edges_[e].column;
        if (j == wanted || fixed_column_[j] || !tight(node, e)) continue;
        if (j == vacated) {
          end_column_ = j;
          return true;
        }
        reach(row_of_[j] >= 0 ? row_of_[j] : pool, node, j);
      }
    }
    return false;
  }

  void reach(int32_t node, int32_t parent, int32_t column) {
    if (seen_[node]) return;
    seen_[node] = 1;
    parent_[node] = parent;
    taken_[node] = column;  // what the parent takes
    queue_.push_back(node);
  }

  // Carries the chain out, back to front: every row on it moves to what it takes.
  void rematch(int32_t row, int32_t wanted, int32_t vacated) {
    const int32_t pool = n_rows_;
    if (vacated >= 0) row_of_[vacated] = -1;
    int32_t takes = end_ == pool ? -1 : end_column_;
    for (int32_t node = end_; node >= 0; node = parent_[node]) {
      if (node != pool) {
        const int32_t left = column_of_[node];
        if (left >= 0 && row_of_[left] == node) row_of_[left] = -1;
        unmatch(node);
        if (takes >= 0) match(node, takes);
      }
      takes = taken_[node];
    }
    match(row, wanted);
  }
};

}  // namespace fastcausal

// Maximum matchings of rows and columns of which some pairs are allowed.
//
// Rows and columns are few, so the columns that a row may take are bits. Augmenting paths are
// searched by breadth (Kuhn 1955): a column that a failed search has seen leads nowhere later.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/stop.hpp"

namespace fastcausal {

class Matching {
 public:
  static constexpr int32_t NONE = -1;

  // Starts with no allowed pair.
  void reset(size_t n_rows, size_t n_columns) {
    width_ = (n_columns + 63) / 64;
    edges_.assign(n_rows * width_, 0);
    column_of_.assign(n_rows, NONE);
    row_of_.assign(n_columns, NONE);
    via_.resize(n_columns);
  }

  void allow(size_t row, size_t column) {
    edges_[row * width_ + column / 64] |= uint64_t{1} << column % 64;
  }

  int32_t column_of(size_t row) const { return column_of_[row]; }
  int32_t row_of(size_t column) const { return row_of_[column]; }

  // Makes the matching as large as possible and returns its size.
  size_t grow(CostMeter& meter) {
    size_t size = 0;
    open_all();
    for (size_t row = 0; row < column_of_.size(); ++row) {
      queue_.assign(1, static_cast<int32_t>(row));
      const int32_t end = search(NONE, meter);
      if (end == NONE) continue;
      flip(end);
      open_all();
      ++size;
    }
    return size;
  }

  // Exchanges pairs of a maximum matching: the list of the rows' columns becomes the least of all
  // maximum matchings. No column is greater than every column.
  void make_least(CostMeter& meter) {
    left_.assign(width_, ~uint64_t{0});
    for (size_t row = 0; row < column_of_.size(); ++row) {
      take_least(row, meter);
      const int32_t column = column_of_[row];
      if (column != NONE) clear(left_, column);
    }
  }

 private:
  size_t width_ = 0;             // words of bits of a row
  std::vector<uint64_t> edges_;  // the columns that each row may take
  std::vector<uint64_t> open_;   // columns that a search may still see
  std::vector<uint64_t> left_;   // columns that no earlier row has taken for good
  std::vector<int32_t> column_of_, row_of_;
  std::vector<int32_t> via_;    // the row from which a search came to each column
  std::vector<int32_t> queue_;  // rows to search from

  void open_all() { open_.assign(width_, ~uint64_t{0}); }

  static void clear(std::vector<uint64_t>& bits, int32_t column) {
    bits[static_cast<size_t>(column) / 64] &= ~(uint64_t{1} << static_cast<size_t>(column) % 64);
  }

  // Calls see(column) for the open columns that a row may take, ascending, until it returns true.
  template <class See>
  bool find_column(const std::vector<uint64_t>& open, int32_t row, const See& see) const {
    const uint64_t* edges = edges_.data() + static_cast<size_t>(row) * width_;
    for (size_t w = 0; w < width_; ++w) {
      for (uint64_t bits = edges[w] & open[w]; bits; bits &= bits - 1) {
        if (see(static_cast<int32_t>(w * 64) + lowest_one(bits))) return true;
      }
    }
    return false;
  }

  // Searches from the queued rows, over open columns, for a free column or the goal.
  // Returns the column, or NONE. The columns it has seen are open no more.
  int32_t search(int32_t goal, CostMeter& meter) {
    int32_t end = NONE;
    for (size_t k = 0; k < queue_.size() && end == NONE; ++k) {
      const int32_t row = queue_[k];
      meter.add_cost(static_cast<int64_t>(width_) + 4);
      find_column(open_, row, [&](int32_t column) {
        clear(open_, column);
        via_[static_cast<size_t>(column)] = row;
        const int32_t next = row_of_[static_cast<size_t>(column)];
        if (next == NONE || column == goal) {
          end = column;
          return true;
        }
        queue_.push_back(next);
        return false;
      });
    }
    return end;
  }

  // Gives each row on the path to a column, back to a row without one, the column after it.
  void flip(int32_t column) {
    while (column != NONE) {
      const int32_t row = via_[static_cast<size_t>(column)];
      const int32_t before = column_of_[static_cast<size_t>(row)];
      pair(row, column);
      column = before;
    }
  }

  void pair(int32_t row, int32_t column) {
    column_of_[static_cast<size_t>(row)] = column;
    row_of_[static_cast<size_t>(column)] = row;
  }

  // Gives a row the least column with which the matching stays maximum, while columns that are not
  // left stay with their rows.
  void take_least(size_t row, CostMeter& meter) {
    const int32_t own = column_of_[row];
    bool searched = false;  // for a row without a column that may take the row's own
    open_ = left_;
    find_column(left_, static_cast<int32_t>(row), [&](int32_t column) {
      if (column == own) return true;
      const int32_t loser = row_of_[static_cast<size_t>(column)];
      int32_t end = NONE;
      if (own != NONE && loser != NONE) {
        clear(open_, column);
        queue_.assign(1, loser);
        end = search(own, meter);
        if (end == NONE && !searched) {
          queue_.clear();
          for (size_t k = row + 1; k < column_of_.size(); ++k) {
            if (column_of_[k] == NONE) queue_.push_back(static_cast<int32_t>(k));
          }
          end = search(own, meter);
          searched = true;
        }
        if (end == NONE) return false;
      }
      if (own != NONE) row_of_[static_cast<size_t>(own)] = NONE;
      if (loser != NONE) column_of_[static_cast<size_t>(loser)] = NONE;
      pair(static_cast<int32_t>(row), column);
      flip(end);
      return true;
    });
  }
};

}  // namespace fastcausal

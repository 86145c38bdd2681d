// Finds the different rows among many by hashing. Only they are sorted. Numbers different texts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include "arrays/ids.hpp"
#include "arrays/numbers.hpp"

namespace fastcausal {

class DistinctRows {
 public:
  DistinctRows(const int64_t* rows, int64_t n_rows, int64_t width) : rows_(rows), width_(width) {
    number_of_.reserve(static_cast<size_t>(n_rows));
    for (int64_t i = 0; i < n_rows; ++i) number_of_.push_back(number(i));
  }

  int64_t n_distinct() const { return static_cast<int64_t>(first_.size()); }

  // Writes the first occurrence of each different row, sorted by content. Writes for each row the
  // place of its content in that order.
  void sorted(int64_t* first, int64_t* place_of) const {
    std::vector<int64_t> order(first_.size()), place(first_.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::sort(order.begin(), order.end(), [this](int64_t a, int64_t b) {
      const int64_t *x = row(first_[a]), *y = row(first_[b]);
      return std::lexicographical_compare(x, x + width_, y, y + width_);
    });
    for (size_t k = 0; k < order.size(); ++k) {
      first[k] = first_[order[k]];
      place[order[k]] = static_cast<int64_t>(k);
    }
    for (const int64_t number : number_of_) *place_of++ = place[number];
  }

 private:
  const int64_t* rows_;
  const int64_t width_;
  std::vector<int64_t> first_, number_of_;
  Numbers numbers_;

  const int64_t* row(int64_t i) const { return rows_ + i * width_; }

  uint64_t hash_of_row(int64_t i) const {
    uint64_t hash = 0;
    for (const int64_t *at = row(i), *end = at + width_; at < end; ++at) {
      hash = (hash ^ static_cast<uint64_t>(*at)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return mixed(hash);
  }

  // Returns the number of row i's content, in order of first occurrence.
  int64_t number(int64_t i) {
    const int64_t number = numbers_.add(hash_of_row(i), [&](int64_t k) {
      return std::equal(row(i), row(i) + width_, row(first_[static_cast<size_t>(k)]));
    });
    if (number == n_distinct()) first_.push_back(i);
    return number;
  }
};

// Sorts the different rows. Returns their number.
inline int64_t distinct_rows(const int64_t* rows, int64_t n_rows, int64_t width, int64_t* first,
                             int64_t* place_of) {
  const DistinctRows different(rows, n_rows, width);
  different.sorted(first, place_of);
  return different.n_distinct();
}

// Texts in columns, numbered in order of first occurrence; the caller keeps the columns.
class DistinctTexts {
 public:
  // Fills numbers with the number of each text data[offsets[i]:offsets[i + 1]]; appends to first
  // the indices of new texts. Comparing a text with the one before it spares looking it up: for
  // short texts in runs alone.
  void number(const int32_t* offsets, const char* data, int64_t n, int32_t* numbers,
              std::vector<int64_t>& first) {
    std::string_view before;
    for (int64_t i = 0, n_equal = 0, last = 0; i < n; ++i) {
      const int64_t length = static_cast<int64_t>(offsets[i + 1]) - offsets[i];
      const std::string_view text(data + offsets[i], static_cast<size_t>(length));
      if (i > 0 && (length > 8 || n_equal > 4) && text == before) {
        numbers[i] = numbers[i - 1];
        continue;
      }
      before = text;
      const size_t n_before = texts_.size();
      const int64_t number = number_of(text, offsets[i]);
      if (n_before < texts_.size()) first.push_back(i);
      numbers[i] = static_cast<int32_t>(number);
      n_equal = (n_equal + 1) * (number == last);
      last = number;
    }
  }

  // Returns the number of a text; so many bytes before it are readable.
  int64_t number_of(std::string_view text, int64_t n_before = 0) {
    const auto length = static_cast<int64_t>(text.size());
    const int64_t number =
        numbers_.add(hash_before(text.data() + length, length, text.data() - n_before),
                     [&](int64_t k) { return same_text(texts_[static_cast<size_t>(k)], text); });
    if (static_cast<size_t>(number) == texts_.size()) texts_.push_back(text);
    return number;
  }

  // The different texts.
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  Numbers numbers_;
  std::vector<std::string_view> texts_;
};

}  // namespace fastcausal

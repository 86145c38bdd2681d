// Adds ratings up and tells their values apart.
//
//   ExactSum   terms in any order, the same bits
//   Numbering  the different values, each with a number
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "ids.hpp"
#include "numbers.hpp"

namespace fastcausal {

// A sum of terms in [0, 1], in units of 2^-90. Integers make it independent of the order.
class ExactSum {
 public:
  void add(double term, int64_t times) {
    for (int64_t& limb : limbs_) {
      term *= SCALE;
      const int64_t whole = static_cast<int64_t>(term);
      limb += whole * times;
      term -= static_cast<double>(whole);
    }
  }

  double value() const {
    double total = 0;
    for (int k = LIMBS; k-- > 0;) total = (total + static_cast<double>(limbs_[k])) / SCALE;
    return total;
  }

 private:
  static constexpr int LIMBS = 3;
  static constexpr double SCALE = 1 << 30;
  int64_t limbs_[LIMBS] = {};
};

// Numbers different values as they come, and later by size.
class Numbering {
 public:
  int32_t operator()(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const int64_t number =
        numbers_.add(mixed(bits), [&](int64_t k) { return values_[k] == value; });
    if (number == static_cast<int64_t>(values_.size())) values_.push_back(value);
    return static_cast<int32_t>(number);
  }

  // Returns the different values, ascending. Numbers become places among them.
  std::vector<double> sorted(std::vector<int32_t>& numbers) {
    std::vector<int32_t> order(values_.size()), places(values_.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return values_[a] < values_[b]; });
    std::vector<double> values;
    for (const int32_t number : order) {
      places[number] = static_cast<int32_t>(values.size());
      values.push_back(values_[number]);
    }
    for (int32_t& number : numbers) number = places[number];
    return values;
  }

 private:
  std::vector<double> values_;
  Numbers numbers_;
};

}  // namespace fastcausal

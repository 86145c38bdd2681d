// Adds ratings up, tells their values apart, and finds units with the same ratings.
//
//   ExactSum   terms in any order, the same bits
//   Numbering  the different values, each with a number
//   UnitKeys   a number for the ratings of a unit, in whatever order they are
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "arrays/ids.hpp"
#include "arrays/numbers.hpp"

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

inline uint64_t bits_of(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Numbers different values as they come, and later by size.
class Numbering {
 public:
  int32_t operator()(double value) {
    const int64_t number =
        numbers_.add(mixed(bits_of(value)), [&](int64_t k) { return values_[k] == value; });
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

// Keys of units: the number of ratings of each value, side by side in 64 bits. Units with the same
// ratings have the same key. For seven ratings a unit there is room for 21 values.
class UnitKeys {
 public:
  explicit UnitKeys(int64_t most_ratings) {
    while (most_ratings >> width_) ++width_;
  }

  // False once there were more values than a key has room for.
  bool has_room() const { return has_room_; }

  // Returns the number of the ratings' key, in the order of first use. NaN is no rating.
  int64_t operator()(const double* from, const double* to) {
    uint64_t key = 0;
    uint64_t others = 0;  // bits of ratings whose worth is not at hand
    for (const double* rating = from; rating < to; ++rating) {
      const uint64_t bits = bits_of(*rating);
      const Slot& slot = slots_[place(bits, VALUE_BITS)];
      others |= slot.bits ^ bits;
      key += slot.worth;
    }
    if (others) key = learned(from, to);
    KeySlot& recent = recent_[place(key, KEY_BITS)];
    if (recent.key != key || recent.number < 0) {
      // mixed is a bijection
      recent = {key, numbers_.add(mixed(key), [](int64_t) { return true; })};
    }
    return recent.number;
  }

 private:
  static constexpr int VALUE_BITS = 10;
  static constexpr int KEY_BITS = 12;
  struct Slot {
    uint64_t bits = bits_of(std::numeric_limits<double>::quiet_NaN());
    uint64_t worth = 0;
  };
  struct KeySlot {
    uint64_t key = 0;
    int64_t number = -1;
  };

  static size_t place(uint64_t key, int bits) { return key * 0x9e3779b97f4a7c15u >> (64 - bits); }

  int width_ = 1;  // bits of a count
  bool has_room_ = true;
  Numbering numbering_;
  // The last value and the last key with each hash.
  std::vector<Slot> slots_ = std::vector<Slot>(1 << VALUE_BITS);
  std::vector<KeySlot> recent_ = std::vector<KeySlot>(1 << KEY_BITS);
  Numbers numbers_;

  // Returns the key of ratings, some of them new.
  uint64_t learned(const double* from, const double* to) {
    uint64_t key = 0;
    for (; from < to; ++from) {
      const uint64_t bits = bits_of(*from);
      Slot& slot = slots_[place(bits, VALUE_BITS)];
      if (slot.bits != bits) slot = {bits, worth(from)};
      key += slot.worth;
    }
    return key;
  }

  // Returns the part of a key for one rating.
  uint64_t worth(const double* rating) {
    if (std::isnan(*rating)) return 0;
    const int64_t place = int64_t{numbering_(*rating)} * width_;
    has_room_ = has_room_ && place + width_ <= 64;
    return has_room_ ? uint64_t{1} << place : 0;
  }
};

}  // namespace fastcausal

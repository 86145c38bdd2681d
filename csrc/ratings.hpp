// Ratings as they are added up and told apart.
//
//   Sum        terms in any order, the same bits
//   Numbering  the different values, each with a number
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace fastcausal {

// A sum of terms in [0, 1], kept in units of 2^-90: integers, so no bit depends on the order.
class Sum {
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

// The numbers of different values: as they come, and at the end by size.
class Numbering {
 public:
  Numbering() : slots_(size_t{1} << (64 - shift_)) {}

  int32_t operator()(double value) {
    Slot& slot = find(value);
    if (slot.number >= 0) return slot.number;
    slot = {value, n_++};
    const int32_t number = slot.number;
    if (size_t{2} * static_cast<size_t>(n_) > slots_.size()) grow();
    return number;
  }

  // Returns the different values, ascending; numbers become places among them.
  std::vector<double> sorted(std::vector<int32_t>& numbers) {
    slots_.erase(std::remove_if(slots_.begin(), slots_.end(), is_free), slots_.end());
    std::sort(slots_.begin(), slots_.end(), [](Slot a, Slot b) { return a.value < b.value; });
    std::vector<double> values(n_);
    std::vector<int32_t> places(n_);
    for (int32_t k = 0; k < n_; ++k) {
      values[k] = slots_[k].value;
      places[slots_[k].number] = k;
    }
    for (int32_t& number : numbers) number = places[number];
    return values;
  }

 private:
  struct Slot {
    double value;
    int32_t number = -1;
  };

  int shift_ = 59;
  int32_t n_ = 0;
  std::vector<Slot> slots_;  // open addressing

  static bool is_free(Slot slot) { return slot.number < 0; }

  Slot& find(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    size_t at = (bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15u >> shift_;
    while (!is_free(slots_[at]) && slots_[at].value != value) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    --shift_;
    old.swap(slots_);
    for (const Slot slot : old) {
      if (!is_free(slot)) find(slot.value) = slot;
    }
  }
};

}  // namespace fastcausal

// A hash table of numbers, such as a device reads, too.
#pragma once
#include <vector>

#include "fastcausal/patterns.h"

namespace fastcausal {

// Numbers from 1 on, by the hashes of their keys.
class Slots {
 public:
  static constexpr int FEWEST = 9;  // bits at first: a small table stays in the cache

  // Returns the number with this hash for which same(number) is true, or 0.
  template <class Same>
  FC_INLINE int32_t find(uint64_t hash, const Same& same) const {
    size_t at = Patterns::slot_of(hash, shift_);
    while (of_[at] && !same(of_[at])) at = next(at);
    return of_[at];
  }

  // Adds a number. hash_of(number) returns the hash of any.
  template <class HashOf>
  void add(int32_t number, const HashOf& hash_of) {
    if (8 * ++n_ >= of_.size()) {
      std::vector<uint16_t> old(2 * of_.size());
      old.swap(of_);
      --shift_;
      for (const uint16_t own : old) {
        if (own) place(own, hash_of(own));
      }
    }
    place(number, hash_of(number));
  }

  const std::vector<uint16_t>& all() const { return of_; }
  int shift() const { return shift_; }

 private:
  std::vector<uint16_t> of_ = std::vector<uint16_t>(size_t{1} << FEWEST);
  int shift_ = 64 - FEWEST;
  size_t n_ = 0;

  size_t next(size_t at) const { return (at + 1) & (of_.size() - 1); }
  void place(int32_t number, uint64_t hash) {
    size_t at = Patterns::slot_of(hash, shift_);
    while (of_[at]) at = next(at);
    of_[at] = static_cast<uint16_t>(number);
  }
};

}  // namespace fastcausal

// Numbers different items from 0, in the order of their first use. Host only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fastcausal {

// An open-addressing table. The caller keeps the items: is(number) compares an item with the same
// hash.
class Numbers {
 public:
  static constexpr int64_t NONE = -1;

  int64_t n() const { return n_; }

  // Forgets all items.
  void clear() {
    first_ += n_;
    n_ = 0;
  }

  template <class Is>
  int64_t find(uint64_t hash, const Is& is) const {
    const Slot& slot = slots_[place(hash, is)];
    return is_free(slot) ? NONE : slot.number - first_;
  }

  // Returns the number of an item. A new item gets the next number.
  template <class Is>
  int64_t add(uint64_t hash, const Is& is) {
    Slot& slot = slots_[place(hash, is)];
    if (!is_free(slot)) return slot.number - first_;
    slot = {hash, first_ + n_++};
    if (2 * static_cast<size_t>(n_) > slots_.size()) grow();
    return n_ - 1;
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    int64_t number = NONE;  // from first_ on; lower numbers are forgotten
  };
  std::vector<Slot> slots_ = std::vector<Slot>(256);  // a power of two, at most half full
  int64_t first_ = 0;
  int64_t n_ = 0;

  bool is_free(const Slot& slot) const { return slot.number < first_; }

  template <class Is>
  size_t place(uint64_t hash, const Is& is) const {
    const Slot* slots = slots_.data();
    const size_t mask = slots_.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      if (is_free(slots[at])) return at;
      if (slots[at].hash == hash && is(slots[at].number - first_)) return at;
    }
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (!is_free(slot)) slots_[place(slot.hash, [](int64_t) { return false; })] = slot;
    }
  }
};

}  // namespace fastcausal

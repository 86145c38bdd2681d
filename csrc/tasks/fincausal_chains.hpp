// Chains of words of a span in FinCausal's texts.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/stop.hpp"

namespace fastcausal::fincausal {

// Places of words in a text, as bits.
using Bits = std::vector<uint64_t>;

// The longest chain of words in a text: each next place is one or two further. Of equally long
// chains the one whose places come first.
class ChainSearch {
 public:
  // Starts a text of n words.
  void start(size_t n) { n_blocks_ = (n + 63) / 64; }

  // bits(word) returns the places of a word of the span. Calls take(place) for each place of the
  // chain; returns its length. There are two words or more.
  template <class BitsOf, class Take>
  size_t find(const std::vector<int32_t>& span, const BitsOf& bits, const Take& take,
              CostMeter& meter) {
    if (n_blocks_ == 1) return find_short(span, bits, take);
    const size_t length = reach(span, bits, meter);
    // Sets of places that lead to the end are kept for a part of the chain at a time.
    size_t step = length;
    if (length * n_blocks_ > MOST_KEPT) {
      step = 1;
      while (step * step < length) ++step;
    }
    const size_t n_parts = (length + step - 1) / step;
    ends_.assign(n_parts * n_blocks_, 0);
    std::copy(reached_.begin(), reached_.end(), ends_.end() - static_cast<ptrdiff_t>(n_blocks_));
    for (size_t k = length - 1; k > step - 1; --k) {
      before(bits(span[k - 1]));
      if (k % step == 0) {
        std::copy(reached_.begin(), reached_.end(), ends_.data() + (k / step - 1) * n_blocks_);
      }
      meter.add_cost(static_cast<int64_t>(n_blocks_));
    }
    size_t place = NONE;
    for (size_t part = 0; part < n_parts; ++part) {
      place = walk(span, part * step, std::min(length, (part + 1) * step), part, place, bits, take);
      meter.add_cost(static_cast<int64_t>(step * n_blocks_));
    }
    return length;
  }

 private:
  static constexpr size_t NONE = static_cast<size_t>(-1);
  static constexpr size_t MOST_KEPT = size_t{1} << 20;
  size_t n_blocks_ = 0;
  Bits reached_, ends_, kept_;

  // Finds a chain in a text of up to 64 words.
  template <class BitsOf, class Take>
  size_t find_short(const std::vector<int32_t>& span, const BitsOf& bits, const Take& take) {
    uint64_t reached = *bits(span[0]);
    size_t length = 1;
    for (; length < span.size(); ++length) {
      const uint64_t next = (reached << 1 | reached << 2) & *bits(span[length]);
      if (!next) break;
      reached = next;
    }
    kept_.resize(length);
    kept_[length - 1] = reached;
    for (size_t k = length - 1; k > 0; --k) {
      kept_[k - 1] = (kept_[k] >> 1 | kept_[k] >> 2) & *bits(span[k - 1]);
    }
    auto place = static_cast<size_t>(lowest_one(kept_[0]));
    take(place);
    for (size_t k = 1; k < length; ++k) {
      place += kept_[k] >> (place + 1) & 1 ? 1 : 2;
      take(place);
    }
    return length;
  }

  // Goes forward as far as chains lead; leaves their last places.
  template <class BitsOf>
  size_t reach(const std::vector<int32_t>& span, const BitsOf& bits, CostMeter& meter) {
    const uint64_t* first = bits(span[0]);
    reached_.assign(first, first + n_blocks_);
    next_.resize(n_blocks_);
    size_t length = 1;
    for (; length < span.size(); ++length) {
      const uint64_t* of = bits(span[length]);
      uint64_t carry = 0, any = 0;
      for (size_t b = 0; b < n_blocks_; ++b) {
        const uint64_t here = reached_[b];
        next_[b] = (here << 1 | here << 2 | carry) & of[b];
        any |= next_[b];
        carry = here >> 63 | here >> 62;
      }
      if (!any) break;
      reached_.swap(next_);
      meter.add_cost(static_cast<int64_t>(n_blocks_));
    }
    return length;
  }
  Bits next_;

  // Goes one word back: places of a word from which one of the places reached so far is next.
  void before(const uint64_t* of) {
    uint64_t carry = 0;
    for (size_t b = n_blocks_; b-- > 0;) {
      const uint64_t here = reached_[b];
      reached_[b] = (here >> 1 | here >> 2 | carry) & of[b];
      carry = here << 63 | here << 62;
    }
  }

  bool is_kept(size_t row, size_t place) const {
    return place / 64 < n_blocks_ && (kept_[row * n_blocks_ + place / 64] >> place % 64 & 1);
  }

  // Takes the places of a part of the chain; returns the last one.
  template <class BitsOf, class Take>
  size_t walk(const std::vector<int32_t>& span, size_t from, size_t to, size_t part, size_t place,
              const BitsOf& bits, const Take& take) {
    const auto blocks = static_cast<ptrdiff_t>(n_blocks_);
    const auto end = ends_.begin() + static_cast<ptrdiff_t>(part) * blocks;
    reached_.assign(end, end + blocks);
    kept_.resize((to - from) * n_blocks_);
    for (size_t k = to; k-- > from;) {
      if (k + 1 < to) before(bits(span[k]));
      std::copy(reached_.begin(), reached_.end(), kept_.data() + (k - from) * n_blocks_);
    }
    for (size_t k = from; k < to; ++k) {
      const size_t row = k - from;
      if (place == NONE) {
        place = 0;
        while (!is_kept(row, place)) ++place;
      } else {
        place += is_kept(row, place + 1) ? 1 : 2;
      }
      take(place);
    }
    return place;
  }
};

}  // namespace fastcausal::fincausal

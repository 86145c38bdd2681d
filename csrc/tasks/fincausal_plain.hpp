// Plain words in FinCausal's texts, found 64 letters at a time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/bits.hpp"

namespace fastcausal::fincausal {

// Letters and digits of ASCII as bits, and the places of two of n, m, t in a row.
class PlainLetters {
 public:
  static constexpr size_t SPARE = 65;  // bytes that are read behind a text, none a letter or digit

  void start(const char* text, size_t size) {
    const size_t n_blocks = size / 64 + 1;
    plain_.assign(n_blocks + 1, 0);
    double_.assign(n_blocks + 1, 0);
    for (size_t block = 0; block < n_blocks; ++block) {
      const char* from = text + 64 * block;
      uint8_t plain[64], twice[64];
      for (int k = 0; k < 64; ++k) {
        const auto c = static_cast<uint8_t>(from[k]);
        const auto lower = static_cast<uint8_t>(c | 0x20);
        const bool is_letter = static_cast<uint8_t>(lower - 'a') < 26;
        plain[k] = is_letter | (static_cast<uint8_t>(c - '0') < 10);
        const bool is_one = (lower == 'n') | (lower == 'm') | (lower == 't');
        twice[k] = is_one & (lower == (static_cast<uint8_t>(from[k + 1]) | 0x20));
      }
      plain_[block] = as_bits(plain);
      double_[block] = as_bits(twice);
    }
  }

  // Returns the place of the next byte that is no letter or digit.
  size_t end(size_t at) const {
    for (;; at += 64) {
      const uint64_t others = ~bits(plain_, at);
      if (others) return at + static_cast<size_t>(lowest_one(others));
    }
  }

  // Returns whether a word may have two of n, m, t in a row.
  bool may_double(size_t start, size_t stop) const {
    if (stop - start > 64) return true;
    return stop - start > 1 && bits(double_, start) << (65 - (stop - start));
  }

 private:
  std::vector<uint64_t> plain_, double_;  // with one more, for the last 64 from any place on

  static uint64_t bits(const std::vector<uint64_t>& of, size_t at) {
    const uint64_t *block = of.data() + at / 64, shift = at % 64;
    return shift ? block[0] >> shift | block[1] << (64 - shift) : block[0];
  }
};

}  // namespace fastcausal::fincausal

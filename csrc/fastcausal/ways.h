// What pairs of relations are worth to a pairing, so that ways to pair can be compared.
#pragma once
#include "config.h"

namespace fastcausal {

// Two numbers that are added and compared together: of an objective N and D, of the official search
// TP and the denominator of F1.
using Worth = int64_t;
constexpr int64_t MOST_WORTH = int64_t{1} << 24;     // of a pair, so that products stay in 64 bits
constexpr int64_t MOST_OFFICIAL = int64_t{1} << 16;  // where integers say which float is higher
FC_HD Worth worth_of(int64_t top, int64_t bottom) { return top * (int64_t{1} << 32) + bottom; }
FC_HD int64_t bottom_of(Worth worth) { return static_cast<int32_t>(worth); }
FC_HD int64_t top_of(Worth worth) { return (worth - bottom_of(worth)) >> 32; }

// Has the sign of a - b.
FC_HD int64_t compare_worth(Worth a, Worth b) {
  const int64_t a_bottom = bottom_of(a);
  const int64_t b_bottom = bottom_of(b);
  return top_of(a) * (b_bottom ? b_bottom : 1) - top_of(b) * (a_bottom ? a_bottom : 1);
}

}  // namespace fastcausal

// The worth of pairs of relations. Pairings are compared by their total worth.
#pragma once
#include "config.h"

namespace fastcausal {

// Two numbers that are added and compared together. Objective: N and D. Official search: 2 TP and
// the denominator of F1.
using Worth = int64_t;
constexpr int64_t MOST_WORTH = int64_t{1} << 24;  // per pair, so that products stay in 64 bits
// Up to this size, integers compare like the official floats.
constexpr int64_t MOST_OFFICIAL = int64_t{1} << 16;
FC_HD Worth worth_of(int64_t top, int64_t bottom) { return top * (int64_t{1} << 32) + bottom; }
FC_HD int64_t bottom_of(Worth worth) { return static_cast<int32_t>(worth); }
FC_HD int64_t top_of(Worth worth) { return (worth - bottom_of(worth)) >> 32; }

// Has the sign of a - b.
FC_HD int64_t compare_worth(Worth a, Worth b) {
  const int64_t a_bottom = bottom_of(a);
  const int64_t b_bottom = bottom_of(b);
  return top_of(a) * (b_bottom ? b_bottom : 1) - top_of(b) * (a_bottom ? a_bottom : 1);
}

// The ways to pair three gold relations with three predicted ones, in lexicographic order.
constexpr int N_WAYS = 6;

// Returns the partner of each gold relation: two bits each, the first one lowest.
FC_HD uint32_t way_of_three(int k) { return static_cast<uint32_t>(0x192261624 >> 6 * k & 63); }

// Returns the largest pairings of at most three relations, one bit each. Missing relations fill up
// the three in their order, so each pairing occurs once.
FC_HD uint32_t ways_of_few(int n_gold, int n_pred) {
  const int fewer = n_gold < n_pred ? n_gold : n_pred;
  const int more = n_gold < n_pred ? n_pred : n_gold;
  if (!fewer || more == 1) return 0x01;
  if (more == 2) return 0x05;
  if (fewer > 1) return 0x3f;
  return n_gold == 1 ? 0x15 : 0x0d;
}

}  // namespace fastcausal

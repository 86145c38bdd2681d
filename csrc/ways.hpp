// The ways to pair at most five relations with five others, and their worth. Unrolled by shape.
#pragma once
#include <array>
#include <cstdint>
#include <utility>

#include "fastcausal/ways.h"

namespace fastcausal {

// The ways to pair R relations with C others, each with a different one. A way lists the partners
// of all R, and ways are in lexicographic order.
using Way = std::array<int8_t, 5>;

constexpr int n_ways(int r, int c) { return r ? c * n_ways(r - 1, c - 1) : 1; }

template <int R, int C>
constexpr std::array<Way, n_ways(R, C)> all_ways() {
  std::array<Way, n_ways(R, C)> ways{};
  for (int k = 0; k < n_ways(R, C); ++k) {
    uint32_t taken = 0;
    for (int r = 0, rest = k; r < R; ++r) {
      const int n_later = n_ways(R - 1 - r, C - 1 - r);
      int column = 0;  // the free column that the number of this way selects
      for (int skip = rest / n_later; skip || taken >> column & 1; ++column) {
        skip -= !(taken >> column & 1);
      }
      rest %= n_later;
      taken |= 1u << column;
      ways[k][r] = static_cast<int8_t>(column);
    }
  }
  return ways;
}
template <int R, int C>
inline constexpr auto WAYS = all_ways<R, C>();

// The worth of every way, the best way, and whether another way equals it.
struct Search {
  static constexpr int MOST = n_ways(5, 5);
  const Way* ways;
  int n;
  int best = 0;
  bool tied = false;
  Worth worth[MOST];
  int32_t shared[MOST];  // tokens of each way; set if they decide

  // Returns whether a way is as good as the best one.
  bool is_best(int way) const {
    return shared[way] == shared[best] && !compare_worth(worth[way], worth[best]);
  }
};

// Finds the best way to pair R relations with C, where R <= C. pairs: the worth of each pair.
template <int R, int C>
struct WaySearch : Search {
  WaySearch(const Worth* pairs, Worth alone) {
    ways = WAYS<R, C>.data();
    n = n_ways(R, C);
    fill(worth, pairs, alone, ALL);
    for (int k = 1; k < n_ways(R, C); ++k) {
      const int64_t more = compare_worth(worth[k], worth[best]);
      tied = more == 0 || (tied && more < 0);
      best = more > 0 ? k : best;
    }
  }

  // Prefers the best way with most shared tokens. of_pairs: those of each pair.
  void prefer_shared(const int32_t* of_pairs) {
    fill(shared, of_pairs, 0, ALL);
    tied = false;
    for (int k = best + 1; k < n_ways(R, C); ++k) {
      const int32_t more = shared[k] - shared[best];
      if (more < 0 || compare_worth(worth[k], worth[best])) continue;
      tied = more == 0;
      best = more > 0 ? k : best;
    }
  }

 private:
  static constexpr std::make_index_sequence<n_ways(R, C)> ALL{};

  template <class T, size_t... K>
  static void fill(T* of_ways, const T* pairs, T alone, std::index_sequence<K...>) {
    ((of_ways[K] = sum<K>(pairs, alone, std::make_index_sequence<R>())), ...);
  }
  template <size_t K, class T, size_t... Rows>
  static T sum(const T* pairs, T alone, std::index_sequence<Rows...>) {
    return (alone + ... + pairs[Rows * C + WAYS<R, C>[K][Rows]]);
  }
};

}  // namespace fastcausal

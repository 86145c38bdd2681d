// The ways to pair at most five relations with five others, and their worth. Unrolled by shape.
#pragma once
#include <array>
#include <cstdint>
#include <utility>

#include "fastcausal/ways.h"

namespace fastcausal {

// A way to pair R relations with C others, each with a different one: the partners of all R, then
// the others that are left. The ways are in lexicographic order.
using Way = std::array<int8_t, 5>;

// taken: the columns of the first r relations, one bit each.
constexpr void add_left(Way& way, int r, int c, uint32_t taken) {
  for (int column = 0; column < c; ++column) {
    if (!(taken >> column & 1)) way[r++] = static_cast<int8_t>(column);
  }
}

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
    add_left(ways[k], R, C, taken);
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

  // Returns whether a way is worth as much as the best one.
  bool is_best(int way) const { return !compare_worth(worth[way], worth[best]); }
};

// Finds the best way to pair R relations with C >= R. pairs: the worth of each pair.
template <int R, int C>
struct WaySearch : Search {
  WaySearch(const Worth* pairs, Worth alone) {
    ways = WAYS<R, C>.data();
    n = n_ways(R, C);
    fill(pairs, alone, std::make_index_sequence<n_ways(R, C)>());
    for (int k = 1; k < n_ways(R, C); ++k) {
      const int64_t more = compare_worth(worth[k], worth[best]);
      tied = more == 0 || (tied && more < 0);
      best = more > 0 ? k : best;
    }
  }

 private:
  template <size_t... K>
  void fill(const Worth* pairs, Worth alone, std::index_sequence<K...>) {
    ((worth[K] = sum<K>(pairs, alone, std::make_index_sequence<R>())), ...);
  }
  template <size_t K, size_t... Rows>
  static Worth sum(const Worth* pairs, Worth alone, std::index_sequence<Rows...>) {
    return (alone + ... + pairs[Rows * C + WAYS<R, C>[K][Rows]]);
  }
};

}  // namespace fastcausal

// The ways to pair at most four relations with four others, unrolled by shape, and what they are
// worth.
#pragma once
#include <array>
#include <cstdint>
#include <utility>

#include "fastcausal/ways.h"

namespace fastcausal {

// The ways to pair R relations with C others, each with one: the partner of every one, in
// lexicographic order.
using Way = std::array<int8_t, 4>;

constexpr int n_ways(int r, int c) { return r ? c * n_ways(r - 1, c - 1) : 1; }

template <int R, int C>
constexpr std::array<Way, n_ways(R, C)> all_ways() {
  std::array<Way, n_ways(R, C)> ways{};
  size_t n = 0;
  for (int code = 0; code < (C == 1 ? 1 : 256); ++code) {  // two bits a row, the first row leads
    Way way{};
    bool right = code >> 2 * R == 0;
    for (int r = 0; r < R; ++r) {
      way[r] = static_cast<int8_t>(code >> 2 * (R - 1 - r) & 3);
      right = right && way[r] < C;
      for (int before = 0; before < r; ++before) right = right && way[r] != way[before];
    }
    if (right) ways[n++] = way;
  }
  return ways;
}
template <int R, int C>
inline constexpr auto WAYS = all_ways<R, C>();

// What every way is worth, which is best, and whether another is as good.
struct Search {
  static constexpr int MOST = n_ways(4, 4);
  const Way* ways;
  int n;
  int best = 0;
  bool tied = false;
  Worth worth[MOST];
};

// Looks for the best way to pair R relations, the fewer, with C; pairs: worth of each pair.
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
    ((worth[K] = worth_of_way<K>(pairs, alone, std::make_index_sequence<R>())), ...);
  }
  template <size_t K, size_t... Rows>
  static Worth worth_of_way(const Worth* pairs, Worth alone, std::index_sequence<Rows...>) {
    return (alone + ... + pairs[Rows * C + WAYS<R, C>[K][Rows]]);
  }
};

}  // namespace fastcausal

// Finds out whether any of many texts occurs twice, by 64-bit hashes: 8 bytes per text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

namespace fastcausal {

// A bijection of 64-bit numbers (the finisher of SplitMix64). So texts of equal length up to eight
// bytes never share a hash.
inline uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline uint64_t hash_of_none(int64_t length, uint64_t seed) {
  return seed ^ (static_cast<uint64_t>(length) * 0x9e3779b97f4a7c15u);
}

inline uint64_t first_eight(const char* text, int64_t length) {
  uint64_t word = 0;
  std::memcpy(&word, text, static_cast<size_t>(length < 8 ? length : 8));
  return word;
}

inline uint64_t hash_of(const char* text, int64_t length) {
  uint64_t hash = hash_of_none(length, 0);
  for (; length > 0; text += 8, length -= 8) hash = mixed(hash ^ first_eight(text, length));
  return hash;
}

// Hashes the text that ends at stop and begins at data or later. A text of up to eight bytes is
// read as the end of eight bytes, and a shift removes earlier bytes. Copying its exact length takes
// twice as long.
inline uint64_t hash_before(const char* stop, int64_t length, const char* data) {
  const uint64_t one = 1;
  char first = 0;
  std::memcpy(&first, &one, 1);  // 1 if the lowest byte comes first
  if (!first || length <= 0 || length > 8 || stop - data < 8) return hash_of(stop - length, length);
  uint64_t word = 0;
  std::memcpy(&word, stop - 8, 8);
  return mixed(hash_of_none(length, 0) ^ word >> (64 - 8 * length));
}

// Tells whether texts with equal hashes are equal.
inline bool same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.size() <= 8 || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Text i is data[offsets[i]:offsets[i + 1]].
inline void hash_texts(const int32_t* offsets, const char* data, int64_t n, uint64_t* hashes) {
  for (int64_t i = 0; i < n; i++) {
    const int64_t length = static_cast<int64_t>(offsets[i + 1]) - offsets[i];
    hashes[i] = hash_before(data + offsets[i + 1], length, data);
  }
}

// Returns whether one of n numbers occurs twice. Their order is lost. The table is reusable memory.
// Sorts numbers that were made to collide, so time is near-linear.
inline bool twice_in(uint64_t* numbers, int64_t n, std::vector<uint64_t>& table) {
  size_t size = 16;
  while (size < 2 * static_cast<size_t>(n)) size *= 2;
  table.assign(size, 0);  // 0: empty
  int64_t steps = 8 * n + 64;
  bool zero = false;
  for (int64_t i = 0; i < n; i++) {
    const uint64_t x = numbers[i];
    size_t at = x & (size - 1);
    while (table[at] != 0 && table[at] != x && --steps > 0) at = (at + 1) & (size - 1);
    if (steps <= 0) {
      std::sort(numbers, numbers + n);
      return std::adjacent_find(numbers, numbers + n) != numbers + n;
    }
    if (x == 0 ? zero : table[at] == x) return true;
    zero |= x == 0;
    table[at] = x;
  }
  return false;
}

// Returns whether a number occurs twice. Their order is lost. Many numbers are swapped into parts
// of equal leading bits. Each part fits into the cache and uses a table of its own. More bits would
// need more write positions than the cache has lines.
inline bool any_twice(uint64_t* numbers, int64_t n) {
  int bits = 0;
  while (bits < 11 && (n >> bits) > 4096) bits++;
  std::vector<uint64_t> table;
  if (!bits) return twice_in(numbers, n, table);
  const auto part_of = [bits](uint64_t x) { return static_cast<size_t>(x >> (64 - bits)); };
  std::vector<int64_t> stops(size_t{1} << bits), next(stops.size());
  for (int64_t i = 0; i < n; i++) stops[part_of(numbers[i])]++;
  std::exclusive_scan(stops.begin(), stops.end(), next.begin(), int64_t{0});
  std::inclusive_scan(stops.begin(), stops.end(), stops.begin());
  int64_t start = 0;
  for (size_t part = 0; part < stops.size(); part++) {
    while (next[part] < stops[part]) {
      uint64_t& here = numbers[next[part]];
      std::swap(here, numbers[next[part_of(here)]++]);
    }
    if (twice_in(numbers + start, stops[part] - start, table)) return true;
    start = stops[part];
  }
  return false;
}

}  // namespace fastcausal

// Patterns as a device looks them up: filled by the host (patterns.hpp), here only read.
#pragma once
#include "record.h"
#include "ways.h"

namespace fastcausal {

struct Pattern {
  static constexpr uint64_t FREE = ~uint64_t{0};
  uint64_t key;
  Worth worth;  // of a pair: what it adds to both alone
};

// The head of a table: after it come its patterns, then a row of counts of each.
struct alignas(16) Patterns {
  static constexpr int32_t UNKNOWN = -1;
  int32_t n;      // first, for the host: a power of two of pairs, by key, then relations alone
  int32_t shift;  // of hashes: 64 less that power
  Looks looks;
  int32_t of_alone[2][ODD];  // by side, gold second, and kind

  FC_HD const Pattern* all() const { return reinterpret_cast<const Pattern*>(this + 1); }
  FC_HD const int64_t* counts(int64_t id, int64_t n_fields) const {
    return reinterpret_cast<const int64_t*>(all() + n) + id * n_fields;
  }
  FC_HD static uint32_t slot_of(uint64_t key, int shift) {
    return static_cast<uint32_t>((key * 0x9E3779B97F4A7C15u) >> shift);
  }
  FC_INLINE int32_t find(uint64_t key) const {
    const uint32_t last = static_cast<uint32_t>(~uint64_t{0} >> shift);
    for (uint32_t at = slot_of(key, shift);; at = (at + 1) & last) {
      const uint64_t there = all()[at].key;
      if (there == key) return static_cast<int32_t>(at);
      if (there == Pattern::FREE) return UNKNOWN;
    }
  }
  FC_HD int32_t alone(bool is_gold, Kind kind) const { return of_alone[is_gold][kind]; }
};

}  // namespace fastcausal

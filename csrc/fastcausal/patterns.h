// Patterns as a device looks them up: filled by the host (patterns.hpp), here only read.
#pragma once
#include "record.h"
#include "ways.h"

namespace fastcausal {

struct alignas(32) Pattern {                   // in one line of the cache
  static constexpr Worth UNKNOWN = INT64_MIN;  // the general path has to look at it
  uint64_t key = 0;
  Worth worth = 0;        // of a pair: what it adds to both alone
  int64_t n[2] = {0, 0};  // on the host: how often it was chosen, by group
};

// The head of a table. After it come its patterns, a row of counts of each, and where the patterns
// of pairs are, by their keys.
struct alignas(32) Patterns {
  static constexpr int32_t NONE = 0;  // no pattern that is told
  int32_t n;                          // of them, first for the host
  int32_t shift;                      // of hashes: 64 less the bits of their places
  KernelTraits traits;
  int32_t of_alone[2][UNPACKED + 1];  // by side, gold second, and kind
  int64_t n_fields;

  FC_HD const Pattern* all() const { return reinterpret_cast<const Pattern*>(this + 1); }
  FC_HD const int64_t* counts(int64_t id) const {
    return reinterpret_cast<const int64_t*>(all() + n) + id * n_fields;
  }
  FC_HD static uint32_t slot_of(uint64_t key, int shift) {
    return static_cast<uint32_t>((key * 0x9E3779B97F4A7C15u) >> shift);
  }
  FC_INLINE int32_t find(uint64_t key) const {
    const uint16_t* slots = reinterpret_cast<const uint16_t*>(counts(n));
    const uint32_t last = static_cast<uint32_t>(~uint64_t{0} >> shift);
    uint32_t at = slot_of(key, shift);
    while (slots[at] && all()[slots[at]].key != key) at = (at + 1) & last;
    return known_id(slots[at]);
  }
  FC_HD int32_t alone(bool is_gold, Kind kind) const { return known_id(of_alone[is_gold][kind]); }
  FC_HD int32_t known_id(int32_t id) const {
    return all()[id].worth == Pattern::UNKNOWN ? NONE : id;
  }
};

}  // namespace fastcausal

// The table of patterns that a device reads. The host fills it (patterns.hpp).
#pragma once
#include "record.h"
#include "ways.h"

namespace fastcausal {

struct alignas(32) Pattern {                   // in one cache line
  static constexpr Worth UNKNOWN = INT64_MIN;  // only the general path can count this pattern
  uint64_t key = 0;
  Worth worth = 0;        // of a pair: its gain over both relations alone
  int64_t n[2] = {0, 0};  // on the host: number of uses, by group
};

// The head of a table. Behind it lie its patterns, their rows of counts, and a hash table of keys.
struct alignas(32) Patterns {
  static constexpr int32_t NONE = 0;  // no usable pattern
  int32_t n;                          // number of patterns; first, so that the host finds it
  int32_t shift;                      // of hashes: 64 minus the bits of a slot number
  KernelTraits traits;
  int32_t of_alone[2][UNPACKED + 1];  // pattern by side (gold second) and kind
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

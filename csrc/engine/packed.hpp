// Checks relations and packs them into records of 16 bytes.
#pragma once
#include <algorithm>
#include <cstdint>

#include "arrays/rows.hpp"
#include "engine/record.hpp"

namespace fastcausal {

#if FC_SSE2
namespace sse2 {

// The lanes for the start and the stop of each role. A fourth role is invalid and has none.
alignas(16) constexpr int16_t LANES[4][8] = {
    {-1, 0, 0, 0, -1, 0, 0, 0}, {0, -1, 0, 0, 0, -1, 0, 0}, {0, 0, -1, 0, 0, 0, -1, 0}, {}};

constexpr uint8_t SIZES[8] = {0, 1, 1, 2, 1, 2, 2, 3};  // of sets of roles, one bit each
// Number of sorted rows, by the bits of rising neighbours.
constexpr uint8_t RISEN[4] = {1, 2, 0, 3};

inline __m128i bounds_of(const Row& row) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&row.start));
}
FC_INLINE __m128i in_lanes(__m128i bounds, uint32_t role) {
  const __m128i halves = _mm_shufflelo_epi16(bounds, _MM_SHUFFLE(2, 2, 0, 0));
  return _mm_and_si128(_mm_shuffle_epi32(halves, _MM_SHUFFLE(1, 1, 0, 0)), load(LANES[role]));
}

// Packs one to three rising rows. Returns UNPACKED for any other rows.
template <bool Sequence>
FC_INLINE Kind pack(const Row* rows, int64_t n, const KernelTraits& traits, Record& packed) {
  const Row& second = rows[n > 1];  // or the last row again
  const Row& third = rows[(n > 1) + (n > 2)];
  const uint32_t role[3] = {static_cast<uint32_t>(rows->role), static_cast<uint32_t>(second.role),
                            static_cast<uint32_t>(third.role)};
  if ((role[0] | role[1] | role[2]) > 3) return UNPACKED;
  const __m128i bounds[3] = {bounds_of(*rows), bounds_of(second), bounds_of(third)};
  const __m128i all = _mm_packs_epi32(_mm_unpacklo_epi64(bounds[0], bounds[1]), bounds[2]);
  const __m128i too_high = _mm_or_si128(all, _mm_cmpgt_epi16(all, _mm_set1_epi16(MOST_TOKENS)));
  const __m128i places = _mm_madd_epi16(all, _mm_set1_epi32((1 << 16) + (1 << 14)));
  const __m128i after = _mm_shuffle_epi32(places, _MM_SHUFFLE(2, 2, 2, 1));
  const int rises = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(after, places)));
  __m128i lanes = in_lanes(bounds[0], role[0]);
  for (int k = 1; k < 3; ++k) lanes = _mm_or_si128(lanes, in_lanes(bounds[k], role[k]));
  const __m128i there = _mm_cmpgt_epi16(stops_first(lanes), lanes);  // in the lanes of starts
  const uint32_t roles = signs(there, there) & 7;
  const __m128i missing =
      _mm_andnot_si128(_mm_shuffle_epi32(there, _MM_SHUFFLE(1, 0, 1, 0)), _mm_set1_epi16(NO_SPAN));
  const __m128i stops = _mm_set_epi32(-1, -1, 0, 0);
  const __m128i record = _mm_or_si128(_mm_sub_epi16(_mm_xor_si128(lanes, stops), stops), missing);
  _mm_store_si128(reinterpret_cast<__m128i*>(packed.bounds), record);
  const uint32_t size = static_cast<uint32_t>(n);
  uint32_t rejected = signs(too_high, too_high) | (SIZES[roles] ^ size) | (RISEN[rises & 3] ^ size);
  if (traits.disjoint_roles) rejected |= meetings<NEXT>(record, record) & traits.disjoint_roles;
  if (traits.longest_span < MOST_TOKENS) {
    const __m128i least = _mm_set1_epi16(static_cast<int16_t>(-traits.longest_span));
    rejected |=
        _mm_movemask_epi8(_mm_cmplt_epi16(_mm_adds_epi16(record, stops_first(record)), least));
  }
  return rejected ? UNPACKED
                  : static_cast<Kind>(Sequence ? role[0] | role[1] << 2 | role[2] << 4 : roles);
}

}  // namespace sse2
#endif

template <bool Sequence>
FC_INLINE Kind pack(const Row* rows, int64_t n, const KernelTraits& traits, Record& packed) {
  if (n > 3) return UNPACKED;
#if FC_SSE2
  if (n > 0) {
    const Kind kind = sse2::pack<Sequence>(rows, n, traits, packed);
    if (kind != UNPACKED) return kind;
  }
#endif
  return pack_scalar(rows, n, traits, packed);
}

// The record added for the later spans of a relation with several spans of a role.
struct Several {
  Record second;      // the later spans of these roles
  uint16_t sequence;  // of all roles, two bits each; or the roles of both records, three bits each
};

// Packs a relation with at most two spans of each role, which do not overlap: the earlier ones into
// `first`, whose unused stop is the last of all. Returns UNPACKED for any other rows.
inline Kind pack_several(const Row* rows, int64_t n, const KernelTraits& traits, Record& first,
                         Several& more) {
  if (n > int64_t{2} * ROLES) return UNPACKED;
  first = more.second = NOTHING;
  Record* const both[2] = {&first, &more.second};
  uint32_t roles = 0;  // of both records
  uint32_t sequence = 0xfff;
  for (int64_t k = 0; k < n; ++k) {
    const Row& row = rows[k];
    if (row.role < 0 || row.role >= ROLES || row.start < 0 || row.stop <= row.start ||
        row.stop > MOST_TOKENS || row.stop - row.start > traits.longest_span ||
        (k && before(row, rows[k - 1]))) {
      return UNPACKED;
    }
    const uint32_t second = roles >> row.role & 1;
    roles |= 1u << (row.role + ROLES * second);
    Record& own = *both[second];
    if (own.start(row.role) != NO_SPAN || row.start < first.stop(row.role)) return UNPACKED;
    own.bounds[row.role] = static_cast<int16_t>(row.start);
    own.bounds[4 + row.role] = static_cast<int16_t>(-row.stop);
    first.bounds[7] = std::min(first.bounds[7], own.bounds[4 + row.role]);
    sequence ^= (3u ^ static_cast<uint32_t>(row.role)) << 2 * k;
  }
  for (int r = 0; r < ROLES; ++r) {
    for (int k = 0; k < 4 && traits.disjoint_roles >> r & 1; ++k) {
      if (shared_tokens(*both[k / 2], r, *both[k % 2], (r + 1) % ROLES) > 0) return UNPACKED;
    }
  }
  more.sequence = static_cast<uint16_t>(traits.sequence ? sequence : roles);
  return SEVERAL;
}

// Packed relations, turned into rows again.
struct Unpacked {
  Row rows[2 * ROLES];
  int64_t n = 0;

  Unpacked() = default;
  explicit Unpacked(const Record& packed) { add(packed); }
  void add(const Record& packed) {
    for (int32_t r = 0; r < ROLES; ++r) {
      const Row row = {r, packed.start(r), packed.stop(r)};
      if (row.stop < 0) continue;
      int64_t place = n++;
      for (; place && before(row, rows[place - 1]); --place) rows[place] = rows[place - 1];
      rows[place] = row;
    }
  }
  Relation relation() const { return {rows, n}; }
};

}  // namespace fastcausal

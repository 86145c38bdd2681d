// Relations as records of 16 bytes, in blocks. One pass checks and packs them.
#pragma once
#include <algorithm>
#include <cstdint>

#include "record.hpp"
#include "rows.hpp"

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

// A packed relation, turned into rows again.
struct Unpacked {
  Row rows[3];
  int64_t n = 0;

  Unpacked() = default;
  explicit Unpacked(const Record& packed) {
    for (int32_t r = 0; r < 3; ++r) {
      const Row row = {r, packed.start(r), packed.stop(r)};
      if (row.stop < 0) continue;
      int64_t place = n++;
      for (; place && before(row, rows[place - 1]); --place) rows[place] = rows[place - 1];
      rows[place] = row;
    }
  }
};

// The packed relations of one side of an example.
struct FewRelations {
  static constexpr int MOST = 5;
  Record* packed;
  const Kind* kinds;  // null if the block does not fit
  int64_t first;
  int64_t n;
  int32_t tokens;  // length of the example, as far as bounds reach

  // Returns whether some of these relations are not packed or invalid.
  FC_INLINE bool any_unpacked(int64_t from, int64_t to) const {
    bool unpacked = false;
    for (int64_t i = from; i < to; ++i)
      unpacked |= (kinds[i] & UNPACKED) | ends_after(packed[i], tokens);
    return unpacked;
  }
};

// The packed relations of one side of a block of examples.
class PackedBlock {
 public:
  static constexpr int64_t EXAMPLES = 256;

  // Packs a range of examples. Returns false if offsets are invalid.
  bool pack(const Input& input, int64_t from, int64_t to, const KernelTraits& traits) {
    return traits.sequence ? pack_all<true>(input, from, to, traits)
                           : pack_all<false>(input, from, to, traits);
  }
  bool fits() const { return fits_; }
  FewRelations of(const Input& input, int64_t example) {
    const int64_t first = input.side.relation_offsets[example];
    const int64_t n = input.side.relation_offsets[example + 1] - first;
    const int64_t at = fits_ ? first - first_ : 0;
    const int32_t length = input.lengths[example];
    const int32_t tokens = length < 0 || length > MOST_TOKENS ? MOST_TOKENS : length;
    return {records_ + at, fits_ ? kinds_ + at : nullptr, first, n, tokens};
  }

 private:
  int64_t first_ = 0;
  bool fits_ = false;
  Record records_[FewRelations::MOST * EXAMPLES];
  Kind kinds_[FewRelations::MOST * EXAMPLES];

  template <bool Sequence>
  bool pack_all(const Input& input, int64_t from, int64_t to,
                const KernelTraits& traits_of_kernel) {
    const Side side = input.side;
    const KernelTraits traits = traits_of_kernel;  // a copy, because kinds_ may alias it
    const int64_t n_rows = input.n_rows;
    first_ = side.relation_offsets[from];
    const int64_t last = side.relation_offsets[to];
    int64_t falls = first_ | (input.n_relations - last);
    for (int64_t e = from; e < to; ++e) falls |= side.n_relations(e);
    if (falls < 0) return false;
    fits_ = last - first_ <= FewRelations::MOST * EXAMPLES;
    for (int64_t r = first_; r < last; ++r) {
      const int64_t row = side.row_offsets[r];
      const int64_t n = side.row_offsets[r + 1] - row;
      if ((row | n | (n_rows - row - n)) < 0) return false;
      const int64_t at = r - first_;
      if (!fits_) continue;
      if (traits.ordinal) {
        kinds_[at] = fastcausal::pack<Sequence>(side.rows + row, n, traits, records_[at]);
      } else {
        kinds_[at] = UNPACKED;
        records_[at] = {};
      }
    }
    return true;
  }
};

}  // namespace fastcausal

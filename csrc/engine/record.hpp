// Packed relations on the host. With SSE2, one instruction compares all bounds.
#pragma once
#include <algorithm>
#include <cstdint>

#include "fastcausal/record.h"

#if FC_SSE2
#include <emmintrin.h>
#endif

namespace fastcausal {

#if FC_SSE2
namespace sse2 {

inline __m128i load(const int16_t* numbers) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(numbers));
}
inline __m128i load(const Record& relation) { return load(relation.bounds); }
inline __m128i stops_first(__m128i a) { return _mm_shuffle_epi32(a, _MM_SHUFFLE(1, 0, 3, 2)); }
template <int Lanes>
__m128i turned(__m128i a) {
  return _mm_shufflehi_epi16(_mm_shufflelo_epi16(a, Lanes), Lanes);
}
// Returns the sign bits of sixteen numbers.
inline uint32_t signs(__m128i a, __m128i b) {
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(a, b)));
}
// Returns the roles with both bits set, for each byte.
inline uint32_t both(uint32_t bits) { return bits & bits >> 4 & 0x0707; }

// Returns the roles that meet the role in their lane and, in the next byte, those that equal it.
template <int Lanes>
uint32_t meetings(__m128i a, __m128i b) {
  const __m128i other = turned<Lanes>(b);
  return both(signs(_mm_adds_epi16(a, stops_first(other)), _mm_cmpeq_epi16(a, other)));
}
constexpr int NEXT = _MM_SHUFFLE(3, 0, 2, 1);

template <int Lanes>
uint64_t compare_across(__m128i gold, __m128i pred, uint32_t roles, int turn) {
  const uint32_t found = meetings<Lanes>(gold, pred);
  const uint64_t meets = found & roles;
  return meets << (MEETS + 4 * turn) | (meets & found >> 8) << (EQUALS + 4 * (turn - 1));
}

}  // namespace sse2

FC_INLINE uint64_t compare(const Record& gold, const Record& pred, Across across) {
  using namespace sse2;
  const __m128i g = load(gold);
  const __m128i p = load(pred);
  const uint32_t order = signs(_mm_subs_epi16(g, p), _mm_subs_epi16(p, g));
  const uint32_t meets = both(signs(_mm_adds_epi16(g, stops_first(p)), g)) & 7;
  uint64_t bits = (order & meets * 0x1111) | meets << MEETS;
  if (across == Across::FIRST_TWO) {
    bits |= compare_across<_MM_SHUFFLE(3, 2, 0, 1)>(g, p, 3, 1);
  } else if (across == Across::ALL) {
    bits |= compare_across<NEXT>(g, p, 7, 1);
    bits |= compare_across<_MM_SHUFFLE(3, 1, 0, 2)>(g, p, 7, 2);
  }
  return bits;
}
#else
FC_INLINE uint64_t compare(const Record& gold, const Record& pred, Across across) {
  return compare_scalar(gold, pred, across);
}
#endif

// The record of a relation without spans.
constexpr Record NOTHING = {
    {NO_SPAN, NO_SPAN, NO_SPAN, NO_SPAN, NO_SPAN, NO_SPAN, NO_SPAN, NO_SPAN}};

// Sums of tokens for each of three roles.
struct alignas(16) Tokens {
  int32_t of[4] = {0, 0, 0, 0};

  // Adds the tokens that both relations mark. Relations may be the same one.
  void add(const Record& a, const Record& b) {
#if FC_SSE2
    using namespace sse2;
    const __m128i inner = _mm_max_epi16(load(a), load(b));
    const __m128i less =
        _mm_min_epi16(_mm_adds_epi16(inner, stops_first(inner)), _mm_setzero_si128());
    __m128i* sums = reinterpret_cast<__m128i*>(of);
    const __m128i wide = _mm_srai_epi32(_mm_unpacklo_epi16(less, less), 16);
    _mm_store_si128(sums, _mm_sub_epi32(_mm_load_si128(sums), wide));
#else
    for (int r = 0; r < 3; ++r) of[r] += tokens_of(a, r, b);
#endif
  }
  void add(const Tokens& more) {
    for (int r = 0; r < 3; ++r) of[r] += more.of[r];
  }
  int32_t total() const { return of[0] + of[1] + of[2]; }
};

// Returns whether a span stops after so many tokens, also one of a second record (packed.hpp).
FC_INLINE bool ends_after(const Record& relation, int32_t tokens) {
#if FC_SSE2
  const __m128i least = _mm_set1_epi16(static_cast<int16_t>(-tokens));
  return _mm_movemask_epi8(_mm_cmplt_epi16(sse2::load(relation), least));
#else
  return ends_after_scalar(relation, tokens) || relation.stop(ROLES) > tokens;
#endif
}

}  // namespace fastcausal

// Relations with at most one span of each of three roles as records of 16 bytes: checked and packed
// in one pass, then compared all bounds at once.
#pragma once
#include <algorithm>
#include <cstdint>

#include "rows.hpp"

#if FC_SSE2
#include <emmintrin.h>
#endif

namespace fastcausal {

// The start of each role's span, one unused; then the stops likewise, below zero. So two spans meet
// where the start of either plus the stop of the other is negative.
struct alignas(16) Record {
  int16_t bounds[8];

  int32_t start(int role) const { return bounds[role]; }
  int32_t stop(int role) const { return -bounds[4 + role]; }
};
constexpr int32_t MOST_TOKENS = 16383;  // up to a bound: sums of two stay in 16 bits
constexpr int16_t NOWHERE = 16384;      // both numbers of a role without a span: it meets nothing

FC_INLINE int32_t shared_tokens(const Record& a, int role, const Record& b, int other) {
  return std::min(a.stop(role), b.stop(other)) - std::max(a.start(role), b.start(other));
}

enum class Across { NOTHING, FIRST_TWO, ALL };  // roles whose spans are compared with each other's

// What a kernel looks at in two packed relations: enough to tell its counts.
struct Looks {
  bool ordinal = false;  // order and overlap alone; the following says of what
  Across across = Across::NOTHING;
  bool sequence = false;          // the order of spans in a relation
  int32_t longest = MOST_TOKENS;  // spans of more tokens are not packed,
  int apart[2] = {-1, -1};        // nor is a relation whose spans of these roles overlap
  uint64_t sums = 0;              // fields of a role, a bit each, that are sums of tokens instead
};

// What of a relation its bounds leave out: the roles it has, a bit each, or their sequence.
using Kind = uint8_t;
constexpr Kind ODD = 64;  // it is not packed, perhaps because it is wrong

// Packs a relation of an example with so many tokens, or as many as fit.
template <bool Sequence>
FC_INLINE Kind pack(const Row* rows, int64_t n, const Looks& looks, Record& packed) {
  std::fill(packed.bounds, packed.bounds + 8, NOWHERE);
  if (!n) return Sequence ? ODD - 1 : 0;
  if (n > 3) return ODD;
  uint32_t wrong = 0;    // its first bit says whether anything is
  uint32_t bounds = 0;   // the bits of all
  uint32_t unknown = 0;  // those of roles
  uint32_t roles = 0;
  uint32_t sequence = 0;
  uint32_t before = 0;
  const int64_t places[3] = {0, n > 1, (n > 1) + (n > 2)};  // the last row again for want of others
  for (int k = 0; k < 3; ++k) {
    const Row& row = rows[places[k]];
    const uint32_t role = static_cast<uint32_t>(row.role);
    const uint32_t start = static_cast<uint32_t>(row.start);
    const uint32_t stop = static_cast<uint32_t>(row.stop);
    const uint32_t place = (start << 16) + (stop << 2) + role;  // in the order of rows
    wrong |= (stop - start - 1) | (place - before);
    bounds |= start | stop;
    unknown |= role;
    before = place;
    const uint32_t lane = role & 3;
    packed.bounds[lane] = static_cast<int16_t>(start);
    packed.bounds[4 + lane] = static_cast<int16_t>(0 - stop);
    roles |= 1u << lane;
    if (Sequence) sequence |= lane << 2 * k;
  }
  const uint32_t n_roles = 0x32212110u >> 4 * (roles & 7) & 15;  // bits among three
  uint32_t odd = wrong >> 31 | bounds >> 14 | unknown >> 2 | (n_roles ^ static_cast<uint32_t>(n));
  if (looks.apart[0] >= 0) {
    odd |= shared_tokens(packed, looks.apart[0], packed, looks.apart[1]) > 0;
  }
  if (looks.longest < MOST_TOKENS) {
    for (int r = 0; r < 3; ++r) odd |= shared_tokens(packed, r, packed, r) > looks.longest;
  }
  return odd ? ODD : static_cast<Kind>(Sequence ? sequence : roles & 7);
}

// How two packed relations compare, in four bits for three roles each. For spans of one role that
// meet: pred starts later, stops earlier, starts earlier, stops later. Then which spans meet, of
// one role and across; then which have the same bounds across.
constexpr int MEETS = 16;
constexpr int EQUALS = 28;
constexpr int KINDS = 40;  // bits from here on are free
constexpr uint64_t MEETINGS = 0x777 << MEETS;

inline uint64_t compare_plainly(const Record& gold, const Record& pred, Across across) {
  uint64_t bits = 0;
  for (int r = 0; r < 3; ++r) {
    if (shared_tokens(gold, r, pred, r) > 0) {
      bits |= uint64_t{1} << (MEETS + r);
      bits |= uint64_t{gold.start(r) < pred.start(r)} << r;
      bits |= uint64_t{gold.stop(r) > pred.stop(r)} << (4 + r);
      bits |= uint64_t{gold.start(r) > pred.start(r)} << (8 + r);
      bits |= uint64_t{gold.stop(r) < pred.stop(r)} << (12 + r);
    }
    for (int turn = 1; turn < 3 && across != Across::NOTHING; ++turn) {
      const int other = across == Across::ALL ? (r + turn) % 3 : 1 - r;
      if (other < 0 || (across == Across::FIRST_TWO && turn > 1)) continue;
      if (shared_tokens(gold, r, pred, other) <= 0) continue;
      const bool equal = gold.start(r) == pred.start(other) && gold.stop(r) == pred.stop(other);
      bits |= uint64_t{1} << (MEETS + 4 * turn + r);
      bits |= uint64_t{equal} << (EQUALS + 4 * (turn - 1) + r);
    }
  }
  return bits;
}

#if FC_SSE2
namespace sse2 {

inline __m128i load(const Record& relation) {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(relation.bounds));
}
inline __m128i stops_first(__m128i a) { return _mm_shuffle_epi32(a, _MM_SHUFFLE(1, 0, 3, 2)); }
template <int Lanes>
__m128i turned(__m128i a) {
  return _mm_shufflehi_epi16(_mm_shufflelo_epi16(a, Lanes), Lanes);
}
// The first bits of sixteen numbers.
inline uint32_t signs(__m128i a, __m128i b) {
  return static_cast<uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(a, b)));
}
// Roles of which both bounds hold, in each byte.
inline uint32_t both(uint32_t bits) { return bits & bits >> 4 & 0x0707; }

template <int Lanes>
uint64_t compare_across(__m128i gold, __m128i pred, uint32_t roles, int turn) {
  const __m128i other = turned<Lanes>(pred);
  const uint32_t found =
      both(signs(_mm_adds_epi16(gold, stops_first(other)), _mm_cmpeq_epi16(gold, other)));
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
    bits |= compare_across<_MM_SHUFFLE(3, 0, 2, 1)>(g, p, 7, 1);
    bits |= compare_across<_MM_SHUFFLE(3, 1, 0, 2)>(g, p, 7, 2);
  }
  return bits;
}
#else
FC_INLINE uint64_t compare(const Record& gold, const Record& pred, Across across) {
  return compare_plainly(gold, pred, across);
}
#endif

FC_INLINE uint64_t key_of(const Record& gold, Kind of_gold, const Record& pred, Kind of_pred,
                          Across across) {
  return compare(gold, pred, across) | uint64_t{of_gold} << KINDS |
         uint64_t{of_pred} << (KINDS + 6);
}

// Sums of tokens of each of three roles.
struct alignas(16) Tokens {
  int32_t of[4] = {0, 0, 0, 0};

  // Adds those that both mark; those of a relation are what it shares with itself.
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
    for (int r = 0; r < 3; ++r) of[r] += std::max(0, shared_tokens(a, r, b, r));
#endif
  }
};

// Tells whether a span of a relation stops after so many tokens.
FC_INLINE bool ends_after(const Record& relation, int32_t tokens) {
#if FC_SSE2
  const __m128i least = _mm_set1_epi16(static_cast<int16_t>(-tokens));
  return _mm_movemask_epi8(_mm_cmplt_epi16(sse2::load(relation), least));
#else
  bool after = false;
  for (int r = 0; r < 3; ++r) after |= relation.stop(r) > tokens;
  return after;
#endif
}

// The packed relations of one side of an example.
struct Few {
  static constexpr int64_t MOST = 4;
  const Record* packed;
  const Kind* kinds;  // null where the block does not fit
  int64_t first;
  int64_t n;
  int32_t tokens;  // of the example, as far as bounds go

  // Tells whether some of these relations are not packed, or wrong.
  FC_INLINE bool is_odd(int64_t from, int64_t to) const {
    bool odd = false;
    for (int64_t i = from; i < to; ++i) odd |= (kinds[i] & ODD) | ends_after(packed[i], tokens);
    return odd;
  }
};

// The packed relations of one side of a block of examples.
class PackedBlock {
 public:
  static constexpr int64_t EXAMPLES = 256;

  // Packs a range of examples; false: offsets are wrong.
  bool pack(const Given& given, int64_t from, int64_t to, const Looks& looks) {
    return looks.sequence ? pack_all<true>(given, from, to, looks)
                          : pack_all<false>(given, from, to, looks);
  }
  Few of(const Given& given, int64_t example) const {
    const int64_t first = given.side.relation_offsets[example];
    const int64_t n = given.side.relation_offsets[example + 1] - first;
    const int64_t at = fits_ ? first - first_ : 0;
    const int32_t length = given.lengths[example];
    const int32_t tokens = length < 0 || length > MOST_TOKENS ? MOST_TOKENS : length;
    return {records_ + at, fits_ ? kinds_ + at : nullptr, first, n, tokens};
  }

 private:
  int64_t first_ = 0;
  bool fits_ = false;
  Record records_[Few::MOST * EXAMPLES];
  Kind kinds_[Few::MOST * EXAMPLES];

  template <bool Sequence>
  bool pack_all(const Given& given, int64_t from, int64_t to, const Looks& looks_of_kernel) {
    const Side side = given.side;
    const Looks looks = looks_of_kernel;  // a copy: kinds might be its bytes
    const int64_t n_rows = given.n_rows;
    first_ = side.relation_offsets[from];
    const int64_t last = side.relation_offsets[to];
    int64_t falls = first_ | (given.n_relations - last);
    for (int64_t e = from; e < to; ++e) falls |= side.n_relations(e);
    if (falls < 0) return false;
    fits_ = last - first_ <= Few::MOST * EXAMPLES;
    for (int64_t r = first_; r < last; ++r) {
      const int64_t row = side.row_offsets[r];
      const int64_t n = side.row_offsets[r + 1] - row;
      if ((row | n | (n_rows - row - n)) < 0) return false;
      const int64_t at = r - first_;
      if (fits_) kinds_[at] = fastcausal::pack<Sequence>(side.rows + row, n, looks, records_[at]);
    }
    return true;
  }
};

}  // namespace fastcausal

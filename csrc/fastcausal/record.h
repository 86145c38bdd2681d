// A relation with at most one span of each of three roles in 16 bytes, checked and compared with
// another: what of two relations decides their counts.
#pragma once
#include "row.h"

namespace fastcausal {

constexpr int ROLES = 3;  // of packed relations: cause, effect, signal

// The start of each role's span, one unused; then the stops likewise, below zero. So two spans meet
// where the start of either plus the stop of the other is negative.
struct alignas(16) Record {
  int16_t bounds[8];

  FC_HD int32_t start(int role) const { return bounds[role]; }
  FC_HD int32_t stop(int role) const { return -bounds[4 + role]; }
};
constexpr int32_t MOST_TOKENS = 16383;  // up to a bound: sums of two stay in 16 bits
constexpr int16_t NO_SPAN = 16384;      // both numbers of a role without a span: it meets nothing

FC_INLINE int32_t shared_tokens(const Record& a, int role, const Record& b, int other) {
  const int32_t stop = a.stop(role) < b.stop(other) ? a.stop(role) : b.stop(other);
  const int32_t start = a.start(role) > b.start(other) ? a.start(role) : b.start(other);
  return stop - start;
}

enum class Across { NOTHING, FIRST_TWO, ALL };  // roles whose spans are compared with each other's

// Counts the tokens of a role that both mark; those of a relation it shares with itself.
FC_HD int32_t tokens_of(const Record& a, int role, const Record& b) {
  const int32_t shared = shared_tokens(a, role, b, role);
  return shared > 0 ? shared : 0;
}

// Tells whether a span of a relation stops after so many tokens.
FC_HD bool ends_after_scalar(const Record& relation, int32_t tokens) {
  bool after = false;
  FC_UNROLL for (int r = 0; r < 3; ++r) after |= relation.stop(r) > tokens;
  return after;
}

// How two packed relations compare, in four bits for three roles each. For spans of one role that
// meet: pred starts later, stops earlier, starts earlier, stops later. Then which spans meet, of
// one role and across; then which have the same bounds across.
constexpr int MEETS = 16;
constexpr int EQUALS = 28;
constexpr int KINDS = 40;  // bits from here on are free
constexpr uint64_t MEETINGS = 0x777 << MEETS;

FC_HD uint64_t compare_scalar(const Record& gold, const Record& pred, Across across) {
  uint64_t bits = 0;
  FC_UNROLL for (int r = 0; r < 3; ++r) {
    if (shared_tokens(gold, r, pred, r) > 0) {
      bits |= uint64_t{1} << (MEETS + r);
      bits |= uint64_t{gold.start(r) < pred.start(r)} << r;
      bits |= uint64_t{gold.stop(r) > pred.stop(r)} << (4 + r);
      bits |= uint64_t{gold.start(r) > pred.start(r)} << (8 + r);
      bits |= uint64_t{gold.stop(r) < pred.stop(r)} << (12 + r);
    }
    FC_UNROLL for (int turn = 1; turn < 3; ++turn) {
      const int other = (r + turn) % 3;
      const bool first_two = across == Across::FIRST_TWO && r < 2 && other < 2;
      if (!first_two && across != Across::ALL) continue;
      if (shared_tokens(gold, r, pred, other) <= 0) continue;
      const bool equal = gold.start(r) == pred.start(other) && gold.stop(r) == pred.stop(other);
      const int place = first_two ? 0 : 4 * (turn - 1);
      bits |= uint64_t{1} << (MEETS + 4 + place + r) | uint64_t{equal} << (EQUALS + place + r);
    }
  }
  return bits;
}

// What a kernel looks at in two packed relations: enough to tell its counts.
struct KernelTraits {
  bool ordinal = false;  // order and overlap alone; the following says of what
  Across across = Across::NOTHING;
  bool directed = true;                // which of two spans that meet starts first, and stops first
  bool sequence = false;               // the order of spans in a relation
  int32_t longest_span = MOST_TOKENS;  // spans of more tokens are not packed,
  uint32_t disjoint_roles = 0;         // nor a relation where roles, a bit each, meet the next
  bool run_on = false;                 // arguments of one token are read as official scorers do
  uint64_t token_sums = 0;  // fields of a role, a bit each, that are sums of tokens instead
};

// What of a relation its bounds leave out: the roles it has, a bit each, or their sequence.
using Kind = uint8_t;
constexpr Kind UNPACKED = 64;  // it is not packed, perhaps because it is wrong

FC_HD int64_t n_roles(uint32_t roles) { return 0x32212110u >> 4 * (roles & 7) & 15; }

// Packs the rows of a relation; ODD: more than one of a role, out of order, or out of bounds.
FC_HD Kind pack_scalar(const Row* rows, int64_t n, const KernelTraits& traits, Record& packed) {
  uint32_t invalid = 0;     // its first bit says whether anything is
  uint32_t all_bounds = 0;  // the bits of all
  uint32_t all_roles = 0;   // those of roles
  uint32_t roles = 0;
  uint32_t sequence = 0;
  uint32_t before = 0;
  FC_UNROLL for (int k = 0; k < 8; ++k) packed.bounds[k] = NO_SPAN;
  FC_UNROLL for (int k = 0; k < 3; ++k) {
    if (!n || n > 3) break;
    const Row& row = rows[k < n ? k : n - 1];  // the last row again for want of others
    const uint32_t role = static_cast<uint32_t>(row.role);
    const uint32_t start = static_cast<uint32_t>(row.start);
    const uint32_t stop = static_cast<uint32_t>(row.stop);
    const uint32_t place = (start << 16) + (stop << 2) + role;  // in the order of rows
    invalid |= (stop - start - 1) | (place - before);
    all_bounds |= start | stop;
    all_roles |= role;
    before = place;
    FC_UNROLL for (uint32_t r = 0; r < 3; ++r) {  // no array is indexed at run time
      if (role != r) continue;
      packed.bounds[r] = static_cast<int16_t>(start);
      packed.bounds[4 + r] = static_cast<int16_t>(0 - stop);
    }
    roles |= 1u << (role & 3);
    sequence |= (role & 3) << 2 * k;
  }
  if (!n) return traits.sequence ? UNPACKED - 1 : 0;
  uint32_t rejected = invalid >> 31 | all_bounds >> 14 | all_roles >> 2 | (n_roles(roles) != n);
  FC_UNROLL for (int r = 0; r < 3; ++r) {
    rejected |=
        (traits.disjoint_roles >> r & 1) && shared_tokens(packed, r, packed, (r + 1) % 3) > 0;
    rejected |= shared_tokens(packed, r, packed, r) > traits.longest_span;
  }
  return rejected ? UNPACKED : static_cast<Kind>(traits.sequence ? sequence : roles & 7);
}

// The pattern of a pair, of how its bounds compare: all that its counts depend on.
FC_INLINE uint64_t key_of(uint64_t bits, Kind of_gold, Kind of_pred, const KernelTraits& traits) {
  if (!traits.directed) bits = (bits & ~uint64_t{0xff00}) | (bits >> 8 & 0xff);
  return bits | uint64_t{of_gold} << KINDS | uint64_t{of_pred} << (KINDS + 7);
}

}  // namespace fastcausal

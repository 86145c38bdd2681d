// A relation in 16 bytes: at most one span for each of three roles, checked. Comparing two of them
// gives all that decides their counts.
#pragma once
#include "row.h"

namespace fastcausal {

constexpr int ROLES = 3;  // of packed relations: cause, effect, signal

// The start of each role's span and one unused number, then the negated stops in the same order. So
// two spans meet if each start plus the other stop is negative.
struct alignas(16) Record {
  int16_t bounds[8];

  FC_HD int32_t start(int role) const { return bounds[role]; }
  FC_HD int32_t stop(int role) const { return -bounds[4 + role]; }
};
constexpr int32_t MOST_TOKENS = 16383;  // highest bound: sums of two stay in 16 bits
constexpr int16_t NO_SPAN = 16384;      // both numbers of a role without a span: it meets nothing

FC_INLINE int32_t shared_tokens(const Record& a, int role, const Record& b, int other) {
  const int32_t stop = a.stop(role) < b.stop(other) ? a.stop(role) : b.stop(other);
  const int32_t start = a.start(role) > b.start(other) ? a.start(role) : b.start(other);
  return stop - start;
}

enum class Across { NOTHING, FIRST_TWO, ALL };  // pairs of different roles whose spans are compared

// Counts the tokens that both relations mark with a role. Relations may be the same one.
FC_HD int32_t tokens_of(const Record& a, int role, const Record& b) {
  const int32_t shared = shared_tokens(a, role, b, role);
  return shared > 0 ? shared : 0;
}

// Returns whether a span stops after so many tokens.
FC_HD bool ends_after_scalar(const Record& relation, int32_t tokens) {
  bool after = false;
  FC_UNROLL for (int r = 0; r < 3; ++r) after |= relation.stop(r) > tokens;
  return after;
}

// Compares two packed relations. The result has groups of four bits, one bit for each of three
// roles. For meeting spans of one role: pred starts later, stops earlier, starts earlier, stops
// later. Then: spans meet in one role, and across roles. Then: bounds are equal across roles.
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

// A kernel's promises about its counts of two relations, for the roles cause, effect and signal.
// Its header declares them as NAME_traits(plan). Pairs that agree in all of them share a pattern,
// which the kernel counts once. `KernelTraits{}` promises nothing: the kernel counts every pair.
struct KernelTraits {
  // Counts depend on order and overlap of spans alone. The other members say on how much of it.
  bool ordinal = false;
  Across across = Across::NOTHING;  // pairs of different roles whose spans are compared
  bool directed =
      true;          // of two meeting spans of a role, counts tell which one starts or stops first
  bool ends = true;  // counts tell spans that start apart from spans that stop apart
  bool sequence = false;               // counts use the order of spans within a relation
  int32_t longest_span = MOST_TOKENS;  // a relation with a longer span has no pattern
  // Roles, one bit each: if one meets the next role, the relation has no pattern.
  uint32_t disjoint_roles = 0;
  bool run_on = false;  // set by the caller: arguments of one token run on, as official scorers do
  // Fields of a role that are sums of tokens, one bit each. Patterns leave them out.
  uint64_t token_sums = 0;
  // All this holds for two spans of a role as well, unless the kernel calls sink.by_length().
  bool several = false;
};

// The properties of one relation besides its bounds: its roles, one bit each, or their sequence.
using Kind = uint8_t;
constexpr Kind UNPACKED = 64;  // not packed, perhaps because it is invalid
constexpr Kind SEVERAL = 62;   // two spans of some role, in two records: no other kind is 62

FC_HD bool is_single(Kind kind) { return kind != SEVERAL && !(kind & UNPACKED); }

FC_HD int64_t n_roles(uint32_t roles) { return 0x32212110u >> 4 * (roles & 7) & 15; }

// Packs the rows of a relation. Returns UNPACKED if a role occurs twice, or if rows are out of
// order or out of bounds.
FC_HD Kind pack_scalar(const Row* rows, int64_t n, const KernelTraits& traits, Record& packed) {
  uint32_t invalid = 0;     // negative if any row is invalid
  uint32_t all_bounds = 0;  // union of all bits
  uint32_t all_roles = 0;   // union of all bits
  uint32_t roles = 0;
  uint32_t sequence = 0;
  uint32_t before = 0;
  FC_UNROLL for (int k = 0; k < 8; ++k) packed.bounds[k] = NO_SPAN;
  FC_UNROLL for (int k = 0; k < 3; ++k) {
    if (!n || n > 3) break;
    const Row& row = rows[k < n ? k : n - 1];  // repeats the last row if there are fewer
    const uint32_t role = static_cast<uint32_t>(row.role);
    const uint32_t start = static_cast<uint32_t>(row.start);
    const uint32_t stop = static_cast<uint32_t>(row.stop);
    const uint32_t place = (start << 16) + (stop << 2) + role;  // grows in the order of rows
    invalid |= (stop - start - 1) | (place - before);
    all_bounds |= start | stop;
    all_roles |= role;
    before = place;
    // A loop, because no array may be indexed at run time.
    FC_UNROLL for (uint32_t r = 0; r < 3; ++r) {
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

// Returns the pattern of a pair: its bounds, compared, and both kinds. All its counts depend on it.
FC_INLINE uint64_t key_of(uint64_t bits, Kind of_gold, Kind of_pred, const KernelTraits& traits) {
  if (!traits.directed) bits = (bits & ~uint64_t{0xff00}) | (bits >> 8 & 0xff);
  if (!traits.ends) bits = (bits & ~uint64_t{0xf0f0}) | (bits >> 4 & 0x0f0f);
  return bits | uint64_t{of_gold} << KINDS | uint64_t{of_pred} << (KINDS + 7);
}

}  // namespace fastcausal

// Blocks of packed relations, and those of one example.
#pragma once
#include "engine/packed.hpp"
#include "fastcausal/span_overlap.h"

namespace fastcausal {

// The packed relations of one side of an example.
struct FewRelations {
  static constexpr int MOST = 5;
  const Side* side;
  Record* packed;
  const Kind* kinds;  // null if the block does not fit
  Several* more;      // of kind SEVERAL
  int64_t first;
  int64_t n;
  int32_t tokens;        // length of the example, as far as bounds reach
  bool as_given = true;  // spans have not run on

  // Returns whether some of these relations are not packed or invalid.
  FC_INLINE bool any_unpacked(int64_t from, int64_t to) const {
    bool unpacked = false;
    for (int64_t i = from; i < to; ++i)
      unpacked |= (kinds[i] & UNPACKED) | ends_after(packed[i], tokens);
    return unpacked;
  }
};

// Both records of a packed relation. Unless a role has several spans, the second one has none.
struct Records {
  static constexpr uint32_t ABSENT = 0xfff;  // no relation has this kind
  Record of[2] = {NOTHING, NOTHING};
  uint32_t kind = ABSENT;

  Records() = default;
  Records(const FewRelations& few, int i) {
    static constexpr Several NO_MORE{NOTHING, 0};  // chosen without a branch
    const bool several = few.kinds[i] == SEVERAL;
    const Several& more = several ? few.more[i] : NO_MORE;
    of[0] = few.packed[i];
    of[1] = more.second;
    kind = several ? more.sequence : few.kinds[i];
  }
};

// The pattern of a pair if a role has several spans.
struct SeveralKey {
  uint64_t of[4] = {0, 0, 0, 0};

  bool operator==(const SeveralKey& other) const {
    uint64_t differ = 0;
    for (int k = 0; k < 4; ++k) differ |= of[k] ^ other.of[k];
    return !differ;
  }
};

inline SeveralKey key_of(const Records& gold, const Records& pred, const KernelTraits& traits) {
  SeveralKey key;
  for (int k = 0; k < 4; ++k) {
    key.of[k] = key_of(compare(gold.of[k / 2], pred.of[k % 2], traits.across), 0, 0, traits);
  }
  key.of[0] |= (gold.kind | uint64_t{pred.kind} << 12) << KINDS;
  return key;
}

// The rows of a relation as read: a packed one may have run on. -1 is no relation.
struct AsRead {
  Unpacked rows;
  Relation relation;

  AsRead(const FewRelations& few, int i) {
    if (i < 0) return;
    relation = few.side->relation(few.first + i);
    if (few.as_given || few.kinds[i] & UNPACKED) return;
    const Records packed(few, i);
    for (const Record& record : packed.of) rows.add(record);
    relation = rows.relation();
  }
  AsRead(const AsRead&) = delete;
  AsRead& operator=(const AsRead&) = delete;
};

// Extends the arguments (roles 0 and 1) of a packed relation as the official scorers read them.
// They must not overlap. A one-token argument runs on to the next argument or to the end, like
// labels::run_on.
FC_INLINE void run_on(const FewRelations& few, int i) {
  Record* const records[2] = {few.packed + i, &few.more[i].second};
  const int n = few.kinds[i] == SEVERAL ? 2 : 1;
  for (int k = 0; k < 2 * n; ++k) {
    Record& own = *records[k / 2];
    const int32_t start = own.start(k % 2);
    if (own.stop(k % 2) - start != 1) continue;
    int32_t next = few.tokens;
    for (int other = 0; other < 2 * n; ++other) {
      const int32_t from = records[other / 2]->start(other % 2);
      if (from > start) next = std::min(next, from);
    }
    own.bounds[4 + k % 2] = static_cast<int16_t>(-std::max(own.stop(k % 2), next));
  }
}

// Adds the tokens that two packed relations share, role by role.
FC_INLINE void add_shared(const FewRelations& a, int i, const FewRelations& b, int j,
                          Tokens& tokens) {
  if (a.kinds[i] != SEVERAL && b.kinds[j] != SEVERAL) return tokens.add(a.packed[i], b.packed[j]);
  const Records of_a(a, i), of_b(b, j);
  for (int k = 0; k < 4; ++k) tokens.add(of_a.of[k / 2], of_b.of[k % 2]);
}

// Returns the tokens that two relations share, role by role.
FC_INLINE int64_t shared(const FewRelations& gold, int i, const FewRelations& pred, int j,
                         int64_t n_roles) {
  if ((gold.kinds[i] | pred.kinds[j]) & UNPACKED) {
    return overlap::common(AsRead(gold, i).relation, AsRead(pred, j).relation, n_roles);
  }
  Tokens tokens;
  add_shared(gold, i, pred, j, tokens);
  return tokens.total();
}

// Returns whether a pair counts otherwise than both relations alone.
inline bool may_pair(const FewRelations& gold, int i, const FewRelations& pred, int j,
                     const Plan& plan) {
  if (!plan.must_meet()) return true;
  if (!is_single(gold.kinds[i]) || !is_single(pred.kinds[j])) {
    return meet(AsRead(gold, i).relation, AsRead(pred, j).relation);
  }
  return compare(gold.packed[i], pred.packed[j], Across::ALL) & MEETINGS;
}

// The packed relations of one side of a block of examples.
class PackedBlock {
 public:
  static constexpr int64_t EXAMPLES = 512;

  // Packs a range of examples. Returns false if offsets are invalid.
  bool pack(const Input& input, int64_t from, int64_t to, const KernelTraits& traits) {
    return traits.sequence ? pack_all<true>(input, from, to, traits)
                           : pack_all<false>(input, from, to, traits);
  }
  bool fits() const { return fits_; }
  FC_INLINE FewRelations of(const Input& input, int64_t example) {
    const int64_t first = input.side.relation_offsets[example];
    const int64_t n = input.side.relation_offsets[example + 1] - first;
    const int64_t at = fits_ ? first - first_ : 0;
    const int32_t length = input.lengths[example];
    const int32_t tokens = length < 0 || length > MOST_TOKENS ? MOST_TOKENS : length;
    return {&input.side, records_ + at, fits_ ? kinds_ + at : nullptr, more_ + at, first,
            n,           tokens};
  }

 private:
  int64_t first_ = 0;
  bool fits_ = false;
  Record records_[FewRelations::MOST * EXAMPLES];
  Kind kinds_[FewRelations::MOST * EXAMPLES];
  Several more_[FewRelations::MOST * EXAMPLES];  // apart, because few relations have it

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
        if (kinds_[at] == UNPACKED && traits.several) {
          kinds_[at] = pack_several(side.rows + row, n, traits, records_[at], more_[at]);
        }
      } else {
        kinds_[at] = UNPACKED;
        records_[at] = {};
      }
    }
    return true;
  }
};

}  // namespace fastcausal

// Pairs and counts one example with at most three packed relations per side.
//
//   read ── packs and checks both sides
//   pair ── looks up every pair, then finds the best pairing
//   each ── calls a function for each chosen pair
//
// Empty relations fill each side up to three, so one search serves every shape. Constants index all
// arrays, so a device keeps them in registers.
#pragma once
#include "patterns.h"
#include "plan.h"

namespace fastcausal {

struct FewPacked {
  static constexpr int MOST = 3;

  // The relations of one side.
  struct Relations {
    int64_t first;
    int n;
    Record packed[MOST];
    Kind kinds[MOST];
    int32_t alone[MOST];  // pattern of each relation alone

    // Returns false if there are too many relations or some cannot be packed.
    FC_INLINE bool read(const Side& side, const Bounds& bounds, int64_t example, int32_t tokens,
                        const KernelTraits& traits) {
      first = side.relation_offsets[example];
      const int64_t last = side.relation_offsets[example + 1];
      if (!bounds.relations(first, last) || last - first > MOST) return false;
      n = static_cast<int>(last - first);
      bool any_unpacked = false;
      FC_UNROLL for (int i = 0; i < MOST; ++i) {
        int64_t row = 0;
        int64_t end = 0;
        if (i < n) {
          row = side.row_offsets[first + i];
          end = side.row_offsets[first + i + 1];
          if (!bounds.rows(row, end)) return false;
        }
        kinds[i] = pack_scalar(side.rows + row, end - row, traits, packed[i]);
        any_unpacked |= (kinds[i] & UNPACKED) || ends_after_scalar(packed[i], tokens);
      }
      return !any_unpacked;
    }

    // Adds the worth of the relations alone. Returns false if it is unknown.
    FC_INLINE bool weigh(const Patterns& patterns, bool is_gold, Worth& worth) {
      bool known = true;
      FC_UNROLL for (int i = 0; i < MOST; ++i) {
        if (i >= n) continue;
        alone[i] = patterns.alone(is_gold, kinds[i]);
        known &= alone[i] != Patterns::NONE;
        if (known) worth += patterns.all()[alone[i]].worth;
      }
      return known;
    }
  };

  Relations gold, pred;
  int32_t pairs[MOST][MOST];  // pattern of each pair
  uint32_t way;               // see way_of_three

  FC_INLINE bool read(const Side& of_gold, const Side& of_pred, const Bounds& gold_bounds,
                      const Bounds& pred_bounds, int64_t example, int32_t length,
                      const KernelTraits& traits) {
    const int32_t tokens = length < 0 || length > MOST_TOKENS ? MOST_TOKENS : length;
    return gold.read(of_gold, gold_bounds, example, tokens, traits) &&
           pred.read(of_pred, pred_bounds, example, tokens, traits);
  }

  // Returns false if a pattern is unknown, or if equal pairings have different counts.
  FC_INLINE bool pair(const Patterns& patterns, const KernelTraits& traits, const Plan& plan) {
    pred.n = static_cast<int>(plan.n_counted(gold.n, pred.n));
    if (plan.official && gold.n && pred.n > gold.n) return false;
    // If pairing may cost, the worth of 0/0 depends on the other pairings: only the host handles
    // that.
    if (!plan.never_costs && gold.n && pred.n && gold.n + pred.n > 2) return false;
    Cell cells[MOST][MOST] = {};
    FC_UNROLL for (int i = 0; i < MOST; ++i) {
      FC_UNROLL for (int j = 0; j < MOST; ++j) {
        if (i >= gold.n || j >= pred.n) continue;
        const uint64_t bits = compare_scalar(gold.packed[i], pred.packed[j], traits.across);
        pairs[i][j] = patterns.find(key_of(bits, gold.kinds[i], pred.kinds[j], traits));
        if (pairs[i][j] == Patterns::NONE) return false;
        cells[i][j].worth = patterns.all()[pairs[i][j]].worth;
        FC_UNROLL for (int r = 0; r < 3; ++r) {
          cells[i][j].shared += tokens_of(gold.packed[i], r, pred.packed[j]);
        }
      }
    }
    Worth none = 0;
    if (!gold.weigh(patterns, true, none) || !pred.weigh(patterns, false, none)) return false;
    return choose(cells, none, plan);
  }

  // An item to count: a pair, or a single relation beside an empty one.
  struct Counted {
    int32_t id;  // its pattern
    int i, j;
    bool of_gold, of_pred;  // present relations
    Record gold, pred;
    Kind gold_kind, pred_kind;

    FC_INLINE bool marks() const { return (of_gold && gold_kind) || (of_pred && pred_kind); }
  };

  template <class Use>
  FC_INLINE void each(const Use& use) const {
    FC_UNROLL for (int i = 0; i < MOST; ++i) {
      const int j = static_cast<int>(way >> 2 * i & 3);
      Counted counted{
          pairs[i][0],  i, j, i < gold.n, j < pred.n, gold.packed[i], pred.packed[0], gold.kinds[i],
          pred.kinds[0]};
      int32_t pred_alone = pred.alone[0];
      FC_UNROLL for (int other = 1; other < MOST; ++other) {
        if (j != other) continue;
        counted.id = pairs[i][other];
        counted.pred = pred.packed[other];
        counted.pred_kind = pred.kinds[other];
        pred_alone = pred.alone[other];
      }
      if (!counted.of_pred) counted.id = gold.alone[i];
      if (!counted.of_gold) counted.id = pred_alone;
      if (counted.of_gold || counted.of_pred) use(counted);
    }
  }

 private:
  // The gain of a pair, and the tokens that it shares role by role.
  struct Cell {
    Worth worth;
    int32_t shared;
  };

  FC_INLINE static Cell sum_of(const Cell cells[MOST][MOST], uint32_t way) {
    const Cell& first = cells[0][way & 3];
    const Cell& second = cells[1][way >> 2 & 3];
    const Cell& third = cells[2][way >> 4];
    return {first.worth + second.worth + third.worth, first.shared + second.shared + third.shared};
  }

  FC_INLINE bool choose(const Cell cells[MOST][MOST], Worth none, const Plan& plan) {
    const uint32_t ways = ways_of_few(gold.n, pred.n);
    way = way_of_three(0);
    Cell best = sum_of(cells, way);
    bool tied = false;
    FC_UNROLL for (int k = 1; k < N_WAYS; ++k) {
      const uint32_t other = way_of_three(k);
      const Cell sum = sum_of(cells, other);
      int64_t more = compare_worth(none + sum.worth, none + best.worth);
      if (!more && plan.by_content) more = sum.shared - best.shared;
      if (more < 0 || !(ways >> k & 1)) continue;
      tied = !more;
      if (tied) continue;
      best = sum;
      way = other;
    }
    if (!tied) return true;
    if (plan.official) {  // the first pairing without a hit
      way = way_of_three(0);
      return !top_of(none + best.worth);
    }
    return plan.by_content && plan.additive && !best.shared && !any_meet();
  }

  // Returns whether some pair has a common token. If none has, all pairings count the same.
  FC_INLINE bool any_meet() const {
    uint64_t bits = 0;
    FC_UNROLL for (int i = 0; i < MOST; ++i) {
      FC_UNROLL for (int j = 0; j < MOST; ++j) {
        if (i >= gold.n || j >= pred.n) continue;
        bits |= compare_scalar(gold.packed[i], pred.packed[j], Across::ALL);
      }
    }
    return bits & MEETINGS;
  }
};

}  // namespace fastcausal

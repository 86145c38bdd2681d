// The examples of a block, ordered for counting, and the rows of counts that they go to.
#pragma once
#include "engine/few_relations.hpp"

namespace fastcausal {

// The row of counts for an example: the row of its group, or a row of its own. With `apart`, each
// group has a second row for examples with several gold relations.
struct Groups {
  const int64_t* of;  // [n_examples], null: all in one group
  int64_t n;          // rows of counts
  bool each;          // every example has its own row
  bool apart;

  int64_t row(int64_t example, int64_t n_gold) const {
    if (each) return example;
    const int64_t group = of ? of[example] : 0;
    return apart ? 2 * group + (n_gold > 1) : group;
  }
};

// The examples of a block by shape: by their numbers of relations per side. Counting one shape
// after another is faster than counting all in turn.
class ShapeLists {
 public:
  static constexpr size_t N_SIZES = FewRelations::MOST + 1;  // possible numbers of relations
  static constexpr size_t N_SHAPES = N_SIZES * N_SIZES;
  // Each shape, each shape with further predictions that do not count, and all other examples.
  static constexpr size_t N = 2 * N_SHAPES + 1;

  // few: the block has few relations in all.
  void split(const Side& gold, const Side& pred, int64_t from, int64_t to, bool few,
             const Plan& plan) {
    const Side golds = gold, preds = pred;  // copies, because lists may alias them
    const bool truncate = plan.truncate, ignore_non_causal = plan.ignore_non_causal;
    from_ = from;
    std::fill_n(n_of_, N, 0);
    for (int64_t e = from; e < to; ++e) {
      const size_t n_gold = static_cast<size_t>(golds.n_relations(e));
      const size_t n_pred = static_cast<size_t>(preds.n_relations(e));
      const bool drops = (n_gold ? truncate : ignore_non_causal) & (n_gold < n_pred);
      const size_t shape = n_gold * N_SIZES + (drops ? n_gold + N_SHAPES : n_pred);
      const bool fits = few & (n_gold < N_SIZES) & (n_pred < N_SIZES);
      const size_t list = fits ? shape : N - 1;
      lists_[list][n_of_[list]++] = static_cast<uint16_t>(e - from);
    }
  }

  bool empty(size_t list) const { return !n_of_[list]; }

  // Calls a function for each example of a list until it returns false. Returns false if it did.
  template <class Use>
  FC_INLINE bool each(size_t list, const Use& use) const {
    for (size_t k = 0; k < n_of_[list]; ++k) {
      if (!use(from_ + lists_[list][k])) return false;
    }
    return true;
  }

 private:
  int64_t from_ = 0;
  uint16_t lists_[N][PackedBlock::EXAMPLES];
  size_t n_of_[N];
};

}  // namespace fastcausal

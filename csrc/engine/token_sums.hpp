// Sums of tokens over pairs of packed relations. Patterns leave them out.
#pragma once
#include "engine/few_relations.hpp"
#include "fastcausal/sinks.h"

namespace fastcausal {

class TokenSums {
 public:
  FC_INLINE void add(const FewRelations& gold, int i, const FewRelations& pred, int j,
                     int64_t length) {
    add_shared(gold, i, gold, i, of_gold_);
    add_shared(pred, j, pred, j, of_pred_);
    add_shared(gold, i, pred, j, of_both_);
    add_length(length, gold.kinds[i] | pred.kinds[j]);
  }

  FC_INLINE void add_alone(const FewRelations& few, int i, bool is_gold, int64_t length) {
    add_shared(few, i, few, i, is_gold ? of_gold_ : of_pred_);
    add_length(length, few.kinds[i]);
  }

  // Adds the sums to a row of counts, and starts anew.
  void flush(int64_t* row) {
    if (!marked_) return;
    CountSink sink{row};
    for (int r = 0; r < ROLES; ++r) {
      const overlap::Marked sums{of_gold_.of[r], of_pred_.of[r], of_both_.of[r]};
      overlap::add_tokens(sums, lengths_, marked_, int64_t{overlap::N_FIELDS} * r, sink);
    }
    *this = TokenSums();
  }

 private:
  Tokens of_gold_, of_pred_, of_both_;
  int64_t lengths_ = 0;
  int64_t marked_ = 0;  // pairs that mark something

  void add_length(int64_t length, int kinds) {
    const int64_t any = kinds != 0;
    lengths_ += any * length;
    marked_ += any;
  }
};

}  // namespace fastcausal

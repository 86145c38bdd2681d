// Lists of counted pairs of relations, from the partners chosen by the engine.
#pragma once
#include <vector>

#include "fastcausal/plan.h"

namespace fastcausal {

// Pairs of relations, example by example; -1 stands for no relation.
struct PairList {
  int64_t* example;
  int64_t* gold;
  int64_t* pred;
};

// Lists for each example the gold relations in order, each with its partner, then the unmatched
// predictions; predictions that the plan does not count are left out. Returns the number of pairs,
// which is at most the number of all relations.
inline int64_t list_chosen(const Side& gold, const Side& pred, const int64_t* partner,
                           int64_t n_examples, const Plan& plan, const PairList& list) {
  int64_t n = 0;
  const auto add = [&](int64_t e, int64_t g, int64_t p) {
    list.example[n] = e;
    list.gold[n] = g;
    list.pred[n++] = p;
  };
  std::vector<char> matched;
  for (int64_t e = 0; e < n_examples; ++e) {
    const int64_t first = pred.relation_offsets[e];
    const int64_t n_gold = gold.n_relations(e);
    const int64_t n_pred = plan.n_counted(n_gold, pred.n_relations(e));
    matched.assign(static_cast<size_t>(pred.n_relations(e)), 0);
    for (int64_t g = gold.relation_offsets[e]; g < gold.relation_offsets[e + 1]; ++g) {
      if (partner[g] >= 0) matched[static_cast<size_t>(partner[g] - first)] = 1;
      add(e, g, partner[g]);
    }
    for (int64_t k = 0; k < n_pred; ++k) {
      if (!matched[static_cast<size_t>(k)]) add(e, -1, first + k);
    }
  }
  return n;
}

}  // namespace fastcausal

// One example with few relations on either side, on fixed memory: nearly every sentence, and all
// that a device takes.
//
//   run_few ── the pairing, then the counts of the chosen pairs to a sink
//     └─ pair_few ── one against one, the official search, or every pairing (assign.h)
#pragma once
#include "assign.h"
#include "span_overlap.h"

namespace fastcausal {

// Tokens of the same role that two relations both mark, and whether any token is marked by both.
// One walk over rows in order of start.
struct Meeting {
  bool any;
  int64_t same_role;
};

// Where a relation begins and ends. Two that are apart share no token.
struct Extent {
  int32_t start;
  int32_t stop;
  FC_HD bool meets(const Extent& other) const { return start < other.stop && other.start < stop; }
};

FC_HD Extent extent(const Side& side, int64_t relation) {
  const int32_t* rows = side.rows(relation);
  const int64_t n = side.n_rows(relation);
  if (!n) return {0, 0};
  Extent found{start_of(rows), stop_of(rows)};
  for (int64_t k = 1; k < n; ++k) {
    if (stop_of(rows + 3 * k) > found.stop) found.stop = stop_of(rows + 3 * k);
  }
  return found;
}

FC_HD Meeting meet(const Side& gold, int64_t g, const Side& pred, int64_t p) {
  Meeting found{false, 0};
  const int32_t* golds = gold.rows(g);
  const int32_t* preds = pred.rows(p);
  const int64_t n_gold = gold.n_rows(g);
  const int64_t n_pred = pred.n_rows(p);
  for (int64_t i = 0; i < n_gold; ++i) {
    const int32_t* a = golds + 3 * i;
    for (int64_t j = 0; j < n_pred; ++j) {
      const int32_t* b = preds + 3 * j;
      if (n_pred > MOST_SPANS && start_of(b) >= stop_of(a)) break;  // for a few, no branch is best
      const int32_t shared = shared_tokens(a, b);
      found.any |= shared > 0;
      found.same_role += role_of(a) == role_of(b) ? shared : 0;
    }
  }
  return found;
}

// Whether spans of one role overlap within a relation: then shared tokens are counted by masks.
FC_HD bool folded(const Side& side, int64_t relation) {
  const int32_t* rows = side.rows(relation);
  const int64_t n = side.n_rows(relation);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n && start_of(rows + 3 * j) < stop_of(rows + 3 * i); ++j) {
      if (role_of(rows + 3 * j) == role_of(rows + 3 * i)) return true;
    }
  }
  return false;
}

FC_HD int64_t tokens_in_common(const Side& gold, int64_t g, const Side& pred, int64_t p,
                               const Plan& plan) {
  int64_t total = 0;
  for (int32_t role = 0; role < plan.params[0]; ++role) {
    total +=
        overlap::tokens_in_common(gold.rows(g), gold.n_rows(g), pred.rows(p), pred.n_rows(p), role);
  }
  return total;
}

// Order by content: row by row, then the shorter relation first.
FC_HD int compare(const Side& a, int64_t x, const Side& b, int64_t y) {
  const int64_t n = 3 * (a.n_rows(x) < b.n_rows(y) ? a.n_rows(x) : b.n_rows(y));
  const int32_t* left = a.rows(x);
  const int32_t* right = b.rows(y);
  for (int64_t k = 0; k < n; ++k) {
    if (left[k] != right[k]) return left[k] < right[k] ? -1 : 1;
  }
  const int64_t difference = a.n_rows(x) - b.n_rows(y);
  return difference < 0 ? -1 : difference > 0;
}

template <class Pair>
FC_HD Value worth(const Pair& pair, const Side& gold, int64_t g, const Side& pred, int64_t p,
                  int64_t length, const Plan& plan) {
  Worth sink(plan);
  count_pair(pair, gold, g, pred, p, length, plan, sink);
  return sink.value;
}

template <class Pair>
FC_HD SpanErrors official_errors(const Pair& pair, const Side& gold, int64_t g, const Side& pred,
                                 int64_t p, int64_t length, const Plan& plan) {
  OfficialErrors sink(plan);
  count_pair(pair, gold, g, pred, p, length, plan, sink);
  return sink.errors;
}

// Officially predictions lead: columns[i] is the gold relation of prediction i. All in file order.
template <int64_t Most, class Pair>
FC_HD void pair_officially(const Pair& pair, const Side& gold, int64_t gold_from, int64_t n_gold,
                           const Side& pred, int64_t pred_from, int64_t n_pred, int64_t length,
                           const Plan& plan, int32_t* columns) {
  OfficialSearch<Most> search;
  search.n_rows = n_pred;
  search.n_columns = n_gold;
  for (int64_t j = 0; j < n_gold; ++j) {
    if (n_pred < n_gold) {
      search.unmatched[j] = official_errors(pair, gold, gold_from + j, pred, -1, length, plan);
    }
    for (int64_t i = 0; i < n_pred; ++i) {
      search.cells[i][j] =
          official_errors(pair, gold, gold_from + j, pred, pred_from + i, length, plan);
    }
  }
  search.solve(columns);
}

// At most FEW relations of one side, in the order in which they are paired.
struct FewRelations {
  const Side* side;
  int64_t from;
  int64_t n;
  int64_t at[FEW];  // numbers from 0

  FC_HD FewRelations(const Side& side_, int64_t from_, int64_t n_)
      : side(&side_), from(from_), n(n_) {
    for (int64_t i = 0; i < n; ++i) at[i] = i;
  }
  FC_HD int compare_to(int64_t mine, const FewRelations& other, int64_t theirs) const {
    return compare(*side, from + mine, *other.side, other.from + theirs);
  }
  FC_HD void sort_by_content() {
    for (int64_t i = 1; i < n; ++i) {
      const int64_t relation = at[i];
      int64_t j = i;
      for (; j > 0 && compare_to(at[j - 1], *this, relation) > 0; --j) at[j] = at[j - 1];
      at[j] = relation;
    }
  }
  FC_HD bool leads(const FewRelations& other) const {
    for (int64_t k = 0; k < n && k < other.n; ++k) {
      const int order = compare_to(at[k], other, other.at[k]);
      if (order) return order < 0;
    }
    return n <= other.n;
  }
};

// The edges of an example, gold relations as rows, in file order; returns the value of no pair.
template <class Pair>
FC_HD Value fill_few(const Pair& pair, const Side& gold, int64_t gold_from, int64_t n_gold,
                     const Side& pred, int64_t pred_from, int64_t n_pred, int64_t length,
                     const Plan& plan, FewEdges& edges) {
  Value unmatched{0, 0, 0};
  Value pred_alone[FEW];
  bool pred_folded[FEW];
  for (int64_t j = 0; j < n_pred; ++j) {
    pred_alone[j] = worth(pair, gold, -1, pred, pred_from + j, length, plan);
    pred_folded[j] = plan.by_content && folded(pred, pred_from + j);
    unmatched = unmatched.plus(pred_alone[j]);
  }
  for (int64_t i = 0; i < n_gold; ++i) {
    const int64_t g = gold_from + i;
    const Value alone = worth(pair, gold, g, pred, -1, length, plan);
    const bool gold_folded = plan.by_content && folded(gold, g);
    unmatched = unmatched.plus(alone);
    for (int64_t j = 0; j < n_pred; ++j) {
      const int64_t p = pred_from + j;
      int64_t shared = 0;
      if (plan.by_content) {
        const Meeting met = meet(gold, g, pred, p);
        if (plan.additive && !met.any) continue;
        const bool masks = gold_folded || pred_folded[j];
        shared = masks ? tokens_in_common(gold, g, pred, p, plan) : met.same_role;
      }
      const Value both = worth(pair, gold, g, pred, p, length, plan);
      edges.there[i][j] = true;
      edges.value[i][j] = both.minus(alone).minus(pred_alone[j]);
      edges.value[i][j].shared = shared;
    }
  }
  if (plan.linear) unmatched.denominator = 1;
  return unmatched;
}

// The best pairing, of equal ones the first; the side that leads gives the rows.
FC_HD void first_of_few(const FewEdges& edges, const FewRelations& golds, const FewRelations& preds,
                        bool gold_leads, const Value& unmatched, int32_t* pred_of) {
  const FewRelations& rows = gold_leads ? golds : preds;
  const FewRelations& others = gold_leads ? preds : golds;
  FewEdges ordered{};
  for (int64_t i = 0; i < rows.n; ++i) {
    for (int64_t j = 0; j < others.n; ++j) {
      const int64_t g = gold_leads ? rows.at[i] : others.at[j];
      const int64_t p = gold_leads ? others.at[j] : rows.at[i];
      ordered.there[i][j] = edges.there[g][p];
      ordered.value[i][j] = edges.value[g][p];
    }
  }
  int32_t columns[FEW];
  assign_few(ordered, rows.n, others.n, unmatched, columns);
  for (int64_t i = 0; i < golds.n; ++i) pred_of[i] = -1;
  for (int64_t i = 0; i < rows.n; ++i) {
    if (columns[i] < 0) continue;
    const int64_t other = others.at[columns[i]];
    pred_of[gold_leads ? rows.at[i] : other] =
        static_cast<int32_t>(gold_leads ? other : rows.at[i]);
  }
}

// pred_of[i] is the prediction (0 to n_pred - 1) of gold relation i, or -1; both sides have some.
template <class Pair>
FC_HD void pair_few(const Pair& pair, const Side& gold, int64_t gold_from, int64_t n_gold,
                    const Side& pred, int64_t pred_from, int64_t n_pred, int64_t length,
                    const Plan& plan, int32_t* pred_of) {
  if (n_gold == 1 && n_pred == 1 && plan.never_costs) {
    const bool apart =
        plan.by_content && plan.additive && !meet(gold, gold_from, pred, pred_from).any;
    pred_of[0] = apart ? -1 : 0;
    return;
  }
  if (plan.official && n_pred <= n_gold) {
    int32_t columns[FEW];
    pair_officially<FEW>(pair, gold, gold_from, n_gold, pred, pred_from, n_pred, length, plan,
                         columns);
    for (int64_t i = 0; i < n_pred; ++i) pred_of[columns[i]] = static_cast<int32_t>(i);
    return;
  }
  FewEdges edges{};
  const Value unmatched =
      fill_few(pair, gold, gold_from, n_gold, pred, pred_from, n_pred, length, plan, edges);
  // One best pairing is the best in whatever order; only ties need the stated one. By content:
  // relations are sorted by their spans and the smaller side leads, so neither the order in a file
  // nor the choice of gold and pred matters. Else predictions lead, in file order.
  if (plan.by_content && assign_few(edges, n_gold, n_pred, unmatched, pred_of)) return;
  FewRelations golds(gold, gold_from, n_gold);
  FewRelations preds(pred, pred_from, n_pred);
  if (plan.by_content) {
    golds.sort_by_content();
    preds.sort_by_content();
  }
  const bool gold_leads = plan.by_content && golds.leads(preds);
  first_of_few(edges, golds, preds, gold_leads, unmatched, pred_of);
}

// Whether all relations of an example fit on the fixed memory of a device.
FC_HD bool fits_device(const Side& side, int64_t from, int64_t n) {
  for (int64_t r = from; r < from + n; ++r) {
    if (side.n_rows(r) > MOST_SPANS) return false;
  }
  return true;
}

// Gives the counts of an example's chosen pairs to a sink; partner, where wanted, is the predicted
// relation of every gold relation, or -1. False, with nothing done: the example does not fit.
template <class Pair, class Sink>
FC_HD bool run_few(const Pair& pair, const Side& gold, const Side& pred, int64_t example,
                   int64_t length, const Plan& plan, int64_t* partner, Sink& sink) {
  const int64_t gold_from = gold.relation_offsets[example];
  const int64_t pred_from = pred.relation_offsets[example];
  const int64_t n_gold = gold.n_relations(example);
  const int64_t n_pred = plan.n_counted(n_gold, pred.n_relations(example));
  if (n_gold > FEW || n_pred > FEW) return false;
  if (FC_ON_DEVICE &&
      !(fits_device(gold, gold_from, n_gold) && fits_device(pred, pred_from, n_pred))) {
    return false;
  }
  int32_t pred_of[FEW] = {-1, -1, -1};
  // Where nobody asks who is whose partner, one against one needs no look.
  const bool one_to_one = n_gold == 1 && n_pred == 1 && plan.never_costs && !partner;
  if (one_to_one) {
    pred_of[0] = 0;
  } else if (n_gold && n_pred) {
    pair_few(pair, gold, gold_from, n_gold, pred, pred_from, n_pred, length, plan, pred_of);
  }
  uint32_t paired = 0;
  for (int64_t i = 0; i < n_gold; ++i) {
    const int64_t p = pred_of[i] < 0 ? -1 : pred_from + pred_of[i];
    if (p >= 0) paired |= 1u << pred_of[i];
    if (partner) partner[gold_from + i] = p;
    count_pair(pair, gold, gold_from + i, pred, p, length, plan, sink);
  }
  for (int64_t j = 0; j < n_pred; ++j) {
    if (!(paired & (1u << j))) count_pair(pair, gold, -1, pred, pred_from + j, length, plan, sink);
  }
  return true;
}

}  // namespace fastcausal

// One example with few relations on either side, on fixed memory: nearly every sentence, and all
// that a device takes.
//
//   run_few ── the pairing, then the counts of the chosen pairs to a sink
//     └─ pair_few ── one against one, the official search, or every pairing (assign.h)
#pragma once
#include "assign.h"
#include "span_overlap.h"

namespace fastcausal {

// Returns the number of roles whose rows a kernel looks up.
template <class Pair>
FC_HD int64_t roles_to_look_up(const Plan& plan) {
  return Pair::LOOKS_UP ? plan.n_roles() : 0;
}

// The objective and the official sums of one pair.
template <class Pair>
FC_HD Value worth(const Pair& pair, const Relation& gold, const Relation& pred, int64_t length,
                  const Plan& plan) {
  ObjectiveSink sink(plan);
  pair(gold, pred, length, plan.params, sink);
  return sink.value;
}

template <class Pair>
FC_HD SpanErrors official_errors(const Pair& pair, const Relation& gold, const Relation& pred,
                                 int64_t length, const Plan& plan) {
  F1Sink sink(plan);
  pair(gold, pred, length, plan.params, sink);
  return sink.errors;
}

// Counts tokens of the same role that both mark; what is folded is counted by masks.
FC_HD int64_t same_role_tokens(const Relation& gold, const Relation& pred, const Meeting& met,
                               bool masks, const Plan& plan) {
  if (!masks) return met.same_role;
  int64_t total = 0;
  for (int32_t role = 0; role < plan.n_roles(); ++role) {
    total += overlap::marked(gold, pred, role).common;
  }
  return total;
}

// Officially predictions lead: columns[i] is the gold relation of prediction i. All in file order.
template <int64_t Most, class Pair>
FC_HD void pair_officially(const Pair& pair, const Relation* golds, int64_t n_gold,
                           const Relation* preds, int64_t n_pred, int64_t length, const Plan& plan,
                           int32_t* columns) {
  OfficialSearch<Most> search;
  search.n_rows = n_pred;
  search.n_columns = n_gold;
  const Relation none(nullptr, 0, roles_to_look_up<Pair>(plan));
  search.alone = {0, 0, 0, 0};
  for (int64_t j = 0; j < n_gold; ++j) {
    SpanErrors missed{0, 0, 0, 0};
    if (n_pred < n_gold) missed = official_errors(pair, golds[j], none, length, plan);
    search.alone = search.alone.plus(missed);
    for (int64_t i = 0; i < n_pred; ++i) {
      const SpanErrors errors = official_errors(pair, golds[j], preds[i], length, plan);
      search.cells[i][j] = errors.minus(missed);
    }
  }
  search.solve(columns);
}

// The relations of one side of an example, and the order in which they are paired.
struct FewRelations {
  int64_t n;
  Relation of[FEW];
  int64_t order[FEW];

  FC_HD FewRelations(const Side& side, int64_t from, int64_t n_, int64_t n_roles) : n(n_) {
    for (int64_t i = 0; i < n; ++i) {
      side.get(from + i, n_roles, of[i]);
      order[i] = i;
    }
  }
  FC_HD void sort_by_content() {
    for (int64_t i = 1; i < n; ++i) {
      int64_t j = i;
      for (; j > 0 && of[order[j - 1]].compare(of[i]) > 0; --j) order[j] = order[j - 1];
      order[j] = i;
    }
  }
  FC_HD bool leads(const FewRelations& other) const {
    for (int64_t k = 0; k < n && k < other.n; ++k) {
      const int found = of[order[k]].compare(other.of[other.order[k]]);
      if (found) return found < 0;
    }
    return n <= other.n;
  }
};

// What every pair of an example adds, gold relations as rows, in file order; returns the value of
// no pair. Only pairs that add something are there.
template <class Pair>
FC_HD Value fill_few(const Pair& pair, const FewRelations& golds, const FewRelations& preds,
                     int64_t length, const Plan& plan, FewEdges& edges) {
  const Relation none(nullptr, 0, roles_to_look_up<Pair>(plan));
  Value unmatched{0, 0, 0};
  Value pred_alone[FEW];
  for (int64_t j = 0; j < preds.n; ++j) {
    pred_alone[j] = worth(pair, none, preds.of[j], length, plan);
    unmatched = unmatched.plus(pred_alone[j]);
  }
  for (int64_t i = 0; i < golds.n; ++i) {
    const Value alone = worth(pair, golds.of[i], none, length, plan);
    unmatched = unmatched.plus(alone);
    for (int64_t j = 0; j < preds.n; ++j) {
      Value& value = edges.value[i][j];
      value = worth(pair, golds.of[i], preds.of[j], length, plan);
      value = value.minus(alone).minus(pred_alone[j]);
      edges.there[i][j] = value.numerator || value.denominator;
    }
  }
  if (plan.linear) unmatched.denominator = 1;
  return unmatched;
}

// What the tie rule needs: the tokens that pairs share, and the pairs that add nothing.
FC_HD void complete_few(const FewRelations& golds, const FewRelations& preds, const Plan& plan,
                        FewEdges& edges) {
  for (int64_t i = 0; i < golds.n; ++i) {
    for (int64_t j = 0; j < preds.n; ++j) {
      edges.there[i][j] = true;
      if (!plan.by_content) continue;
      const Relation& gold = golds.of[i];
      const Relation& pred = preds.of[j];
      const Meeting met(gold, pred);
      edges.there[i][j] = met.any || !plan.additive;
      edges.value[i][j].shared =
          same_role_tokens(gold, pred, met, gold.folded() || pred.folded(), plan);
    }
  }
}

// Tells whether a gold and a predicted relation both stay unmatched.
FC_HD bool leaves_a_pair(const int32_t* pred_of, int64_t n_gold, int64_t n_pred) {
  int64_t n = 0;
  for (int64_t i = 0; i < n_gold; ++i) n += pred_of[i] >= 0;
  return n < n_gold && n < n_pred;
}

// Finds the best pairing, of equal ones the first; the side that leads gives the rows.
FC_HD void first_of_few(const FewEdges& edges, const FewRelations& golds, const FewRelations& preds,
                        bool gold_leads, const Value& unmatched, int32_t* pred_of) {
  const FewRelations& rows = gold_leads ? golds : preds;
  const FewRelations& others = gold_leads ? preds : golds;
  FewEdges ordered{};
  for (int64_t i = 0; i < rows.n; ++i) {
    for (int64_t j = 0; j < others.n; ++j) {
      const int64_t g = gold_leads ? rows.order[i] : others.order[j];
      const int64_t p = gold_leads ? others.order[j] : rows.order[i];
      ordered.there[i][j] = edges.there[g][p];
      ordered.value[i][j] = edges.value[g][p];
    }
  }
  int32_t columns[FEW];
  assign_few(ordered, rows.n, others.n, unmatched, columns);
  for (int64_t i = 0; i < golds.n; ++i) pred_of[i] = -1;
  for (int64_t i = 0; i < rows.n; ++i) {
    if (columns[i] < 0) continue;
    const int64_t row = rows.order[i];
    const int64_t other = others.order[columns[i]];
    pred_of[gold_leads ? row : other] = static_cast<int32_t>(gold_leads ? other : row);
  }
}

// pred_of[i] is the prediction of gold relation i, or -1; both sides have some.
template <class Pair>
FC_HD void pair_few(const Pair& pair, FewRelations& golds, FewRelations& preds, int64_t length,
                    const Plan& plan, int32_t* pred_of) {
  if (golds.n == 1 && preds.n == 1 && plan.never_costs) {
    const bool asked = plan.by_content && plan.additive;
    pred_of[0] = asked && !Meeting(golds.of[0], preds.of[0]).any ? -1 : 0;
    return;
  }
  if (plan.official && preds.n <= golds.n) {
    int32_t columns[FEW];
    pair_officially<FEW>(pair, golds.of, golds.n, preds.of, preds.n, length, plan, columns);
    for (int64_t i = 0; i < preds.n; ++i) pred_of[columns[i]] = static_cast<int32_t>(i);
    return;
  }
  FewEdges edges{};
  const Value unmatched = fill_few(pair, golds, preds, length, plan, edges);
  // A single best pairing that leaves no pair over is the best by any rule.
  if (plan.by_content && assign_few(edges, golds.n, preds.n, unmatched, pred_of) &&
      !leaves_a_pair(pred_of, golds.n, preds.n)) {
    return;
  }
  complete_few(golds, preds, plan, edges);
  // Ties by content: relations are sorted by their spans and the smaller side leads, so neither the
  // order in a file nor the choice of gold and pred matters. Else predictions lead, in file order.
  if (plan.by_content) {
    golds.sort_by_content();
    preds.sort_by_content();
  }
  first_of_few(edges, golds, preds, plan.by_content && golds.leads(preds), unmatched, pred_of);
}

// Tells whether all relations of an example fit on the fixed memory of a device.
FC_HD bool fits_device(const FewRelations& relations) {
  for (int64_t i = 0; i < relations.n; ++i) {
    if (relations.of[i].n > MOST_SPANS) return false;
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
  if (!n_gold && !n_pred) return true;
  const int64_t n_roles = roles_to_look_up<Pair>(plan);
  const Relation none(nullptr, 0, n_roles);
  // Where partners are not asked for, one against one needs no look.
  if (n_gold <= 1 && n_pred <= 1 && plan.never_costs && !partner) {
    Relation g(none);
    Relation p(none);
    if (n_gold) gold.get(gold_from, n_roles, g);
    if (n_pred) pred.get(pred_from, n_roles, p);
    if (FC_ON_DEVICE && (g.n > MOST_SPANS || p.n > MOST_SPANS)) return false;
    pair(g, p, length, plan.params, sink);
    return true;
  }
  FewRelations golds(gold, gold_from, n_gold, n_roles);
  FewRelations preds(pred, pred_from, n_pred, n_roles);
  if (FC_ON_DEVICE && !(fits_device(golds) && fits_device(preds))) return false;
  int32_t pred_of[FEW] = {-1, -1, -1};
  if (n_gold && n_pred) pair_few(pair, golds, preds, length, plan, pred_of);
  uint32_t paired = 0;
  for (int64_t i = 0; i < n_gold; ++i) {
    const int32_t j = pred_of[i];
    if (j >= 0) paired |= 1u << j;
    if (partner) partner[gold_from + i] = j < 0 ? -1 : pred_from + j;
    pair(golds.of[i], j < 0 ? none : preds.of[j], length, plan.params, sink);
  }
  for (int64_t j = 0; j < n_pred; ++j) {
    if (!(paired & (1u << j))) pair(none, preds.of[j], length, plan.params, sink);
  }
  return true;
}

}  // namespace fastcausal

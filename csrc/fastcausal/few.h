// One example with at most FEW relations a side, on fixed memory.
#pragma once
#include "assign.h"
#include "kernels.h"
#include "plan.h"

namespace fastcausal {

constexpr int64_t FEW_FIELDS = 160;
constexpr int64_t FEW_SPANS = 24;

template <class PairKernel, class Sink>
struct Few {
  const PairKernel& kernel;
  const Side& gold;
  const Side& pred;
  const Plan& plan;
  int64_t length;
  Sink& sink;
  int64_t pair[FEW_FIELDS];

  FC_HD void count(int64_t g, int64_t p) {
    kernel(g < 0 ? nullptr : gold.rows(g), g < 0 ? 0 : gold.n_rows(g),
           p < 0 ? nullptr : pred.rows(p), p < 0 ? 0 : pred.n_rows(p), length, plan.params, pair);
  }
  FC_HD int64_t dot(const int64_t* weights) const {
    int64_t total = 0;
    for (int64_t k = 0; k < plan.n_fields; ++k) total += weights[k] * pair[k];
    return total;
  }
  FC_HD Value value(int64_t g, int64_t p) {
    count(g, p);
    return {dot(plan.numerator), dot(plan.denominator), 0};
  }
  FC_HD SpanErrors errors(int64_t g, int64_t p) {
    count(g, p);
    const int64_t n = plan.n_fields;
    return {dot(plan.official), dot(plan.official + n), dot(plan.official + 2 * n),
            dot(plan.official + 3 * n)};
  }
  FC_HD void add(int64_t g, int64_t p) {
    count(g, p);
    for (int64_t k = 0; k < plan.n_fields; ++k) {
      if (pair[k]) sink.add(k, pair[k]);
    }
  }
  FC_HD static int compare(const Side& a, int64_t x, const Side& b, int64_t y) {
    const int64_t n = 3 * (a.n_rows(x) < b.n_rows(y) ? a.n_rows(x) : b.n_rows(y));
    for (int64_t k = 0; k < n; ++k) {
      if (a.rows(x)[k] != b.rows(y)[k]) return a.rows(x)[k] < b.rows(y)[k] ? -1 : 1;
    }
    const int64_t difference = a.n_rows(x) - b.n_rows(y);
    return difference < 0 ? -1 : difference > 0;
  }
  FC_HD static void sort(const Side& side, int64_t* relations, int64_t n) {
    for (int64_t i = 1; i < n; ++i) {
      for (int64_t j = i; j > 0; --j) {
        if (compare(side, relations[j - 1], side, relations[j]) <= 0) break;
        const int64_t r = relations[j];
        relations[j] = relations[j - 1];
        relations[j - 1] = r;
      }
    }
  }
  FC_HD static bool fits(const Side& side, int64_t from, int64_t n) {
    for (int64_t r = from; FC_ON_DEVICE && r < from + n; ++r) {
      if (side.n_rows(r) > FEW_SPANS) return false;
    }
    return n <= FEW;
  }
  FC_HD bool meet(int64_t g, int64_t p) const {
    for (int64_t i = 0; i < gold.n_rows(g); ++i) {
      for (int64_t j = 0; j < pred.n_rows(p); ++j) {
        if (shared_tokens(gold.rows(g) + 3 * i, pred.rows(p) + 3 * j)) return true;
      }
    }
    return false;
  }

  FC_HD bool run(int64_t example, int64_t* partner) {
    const int64_t gold_from = gold.relation_offsets[example];
    const int64_t pred_from = pred.relation_offsets[example];
    const int64_t n_gold = gold.relation_offsets[example + 1] - gold_from;
    int64_t n_pred = pred.relation_offsets[example + 1] - pred_from;
    if (plan.truncate && n_gold && n_gold < n_pred) n_pred = n_gold;
    if (plan.ignore_non_causal && !n_gold) n_pred = 0;
    if (!fits(gold, gold_from, n_gold) || !fits(pred, pred_from, n_pred)) return false;
    int64_t chosen[FEW] = {-1, -1, -1};
    if (n_gold && n_pred) assign(gold_from, n_gold, pred_from, n_pred, chosen);
    uint32_t taken = 0;
    for (int64_t g = 0; g < n_gold; ++g) {
      if (chosen[g] >= 0) taken |= 1u << (chosen[g] - pred_from);
      if (partner) partner[gold_from + g] = chosen[g];
      add(gold_from + g, chosen[g]);
    }
    for (int64_t p = 0; p < n_pred; ++p) {
      if (!(taken >> p & 1u)) add(-1, pred_from + p);
    }
    return true;
  }

  FC_HD void assign(int64_t gold_from, int64_t n_gold, int64_t pred_from, int64_t n_pred,
                    int64_t* chosen) {
    int64_t rows[FEW], columns[FEW];
    int32_t column_of[FEW];
    for (int64_t k = 0; k < n_pred; ++k) rows[k] = pred_from + k;
    for (int64_t k = 0; k < n_gold; ++k) columns[k] = gold_from + k;
    int64_t n_rows = n_pred, n_columns = n_gold;
    bool gold_leads = false;
    if (plan.by_content) {
      sort(gold, columns, n_gold);
      sort(pred, rows, n_pred);
      int order = 0;
      for (int64_t k = 0; !order && k < n_gold && k < n_pred; ++k) {
        order = compare(gold, columns[k], pred, rows[k]);
      }
      if (!order) order = n_gold < n_pred ? -1 : n_gold > n_pred;
      gold_leads = order <= 0;
      for (int64_t k = 0; gold_leads && k < FEW; ++k) {
        const int64_t r = rows[k];
        rows[k] = columns[k];
        columns[k] = r;
      }
      if (gold_leads) {
        n_rows = n_gold;
        n_columns = n_pred;
      }
    }
    if (!plan.by_content && plan.official && n_pred <= n_gold) {
      SpanErrors cells[FEW * FEW], unmatched[FEW];
      for (int64_t j = 0; j < n_gold; ++j) {
        unmatched[j] = errors(columns[j], -1);
        for (int64_t i = 0; i < n_pred; ++i) cells[i * n_gold + j] = errors(columns[j], rows[i]);
      }
      assign_official(cells, unmatched, n_pred, n_gold, column_of);
    } else {
      Edge edges[FEW * FEW];
      int64_t offsets[FEW + 1] = {0};
      Value row_alone[FEW], column_alone[FEW], total{0, 0, 0};
      for (int64_t i = 0; i < n_rows; ++i) {
        row_alone[i] = gold_leads ? value(rows[i], -1) : value(-1, rows[i]);
        total = {total.numerator + row_alone[i].numerator,
                 total.denominator + row_alone[i].denominator, 0};
      }
      for (int64_t j = 0; j < n_columns; ++j) {
        column_alone[j] = gold_leads ? value(-1, columns[j]) : value(columns[j], -1);
        total = {total.numerator + column_alone[j].numerator,
                 total.denominator + column_alone[j].denominator, 0};
      }
      if (plan.linear) total.denominator = 1;
      int64_t n = 0;
      for (int64_t i = 0; i < n_rows; ++i) {
        for (int64_t j = 0; j < n_columns; ++j) {
          const int64_t g = gold_leads ? rows[i] : columns[j];
          const int64_t p = gold_leads ? columns[j] : rows[i];
          if (plan.by_content && plan.additive && !meet(g, p)) continue;
          int64_t shared = 0;
          for (int32_t role = 0; plan.by_content && role < plan.params[0]; ++role) {
            shared += overlap::tokens_in_common(gold.rows(g), gold.n_rows(g), pred.rows(p),
                                                pred.n_rows(p), role);
          }
          const Value v = value(g, p);
          edges[n++] = {static_cast<int32_t>(j),
                        v.numerator - row_alone[i].numerator - column_alone[j].numerator,
                        v.denominator - row_alone[i].denominator - column_alone[j].denominator,
                        shared};
        }
        offsets[i + 1] = n;
      }
      assign_few(edges, offsets, n_rows, total, column_of);
    }
    for (int64_t i = 0; i < n_rows; ++i) {
      if (column_of[i] < 0) continue;
      const int64_t other = columns[column_of[i]];
      if (gold_leads) {
        chosen[rows[i] - gold_from] = other;
      } else {
        chosen[other - gold_from] = rows[i];
      }
    }
  }
};

template <class PairKernel, class Sink>
FC_HD bool run_few(const PairKernel& kernel, const Side& gold, const Side& pred, int64_t example,
                   int64_t length, const Plan& plan, int64_t* partner, Sink& sink) {
  Few<PairKernel, Sink> few{kernel, gold, pred, plan, length, sink, {}};
  return few.run(example, partner);
}

}  // namespace fastcausal

// The two sides of an example, what is done with it, and where its counts go.
#pragma once
#include "relation.h"

namespace fastcausal {

// One side: example -> relation -> row, as two levels of offsets over the rows.
struct Side {
  const int32_t* values;            // [n_rows, 3]
  const int64_t* row_offsets;       // [n_relations + 1]
  const int64_t* relation_offsets;  // [n_examples + 1]

  FC_HD int64_t n_rows(int64_t relation) const {
    return row_offsets[relation + 1] - row_offsets[relation];
  }
  FC_HD void get(int64_t index, int64_t n_roles, Relation& relation) const {
    relation.set(values + 3 * row_offsets[index], n_rows(index), n_roles);
  }
  FC_HD int64_t n_relations(int64_t example) const {
    return relation_offsets[example + 1] - relation_offsets[example];
  }
};

enum Form { NUMERATOR, DENOMINATOR, OFFICIAL_TP, OFFICIAL_FP, OFFICIAL_FN, OFFICIAL_HALF, N_FORMS };

struct Plan {
  int64_t n_fields;
  const int64_t* params;
  const int64_t* weights;   // [n_fields, N_FORMS]: of the objective, and of the official search
  uint64_t wanted;          // fields of a role that the objective uses, a bit each
  uint64_t wanted_overall;  // the same of the overall fields
  bool official;            // that search applies
  bool linear;              // the objective is the numerator alone
  bool additive;            // pairs without a common token count as both unmatched
  bool never_costs;         // pairing never lowers the objective
  bool by_content;          // ties by content, else by file order
  bool truncate;            // no more predictions than gold relations
  bool ignore_non_causal;   // no predictions where there is no gold relation

  FC_HD int64_t n_roles() const { return params[0]; }

  // Predicted relations of an example that count.
  FC_HD int64_t n_counted(int64_t n_gold, int64_t n_pred) const {
    if (!n_gold) return ignore_non_causal ? 0 : n_pred;
    return truncate && n_gold < n_pred ? n_gold : n_pred;
  }
};

// Sinks: what a kernel gives its counts to, field by field. Fields that it does not name are 0; it
// may leave out what the sink does not want, and give the counts of all roles as those of the first
// to one that does not tell roles apart, because weights are the same for every role.

struct Totals {
  static constexpr bool BY_ROLE = true;
  int64_t* counts;
  FC_HD bool wants(uint64_t) const { return true; }
  FC_HD bool wants_overall(uint64_t) const { return true; }
  FC_HD void add(int64_t field, int64_t n) { counts[field] += n; }
};

// A product of two numbers, each without its sign.
struct Product {
  uint64_t high;
  uint64_t low;

  FC_HD Product(uint64_t a, uint64_t b) {
    const uint64_t part = 0xffffffffu;
    const uint64_t cross = (a >> 32) * (b & part) + ((a & part) * (b & part) >> 32);
    const uint64_t middle = (a & part) * (b >> 32) + (cross & part);
    high = (a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32);
    low = a * b;
  }
  FC_HD int compare(const Product& o) const {
    if (high != o.high) return high < o.high ? -1 : 1;
    return low < o.low ? -1 : low > o.low;
  }
};

// Sign of a b - c d for b, d > 0; exact for all numbers but -2^63.
FC_HD int compare_products(int64_t a, int64_t b, int64_t c, int64_t d) {
  if (!(((a < 0 ? -a : a) | b | (c < 0 ? -c : c) | d) >> 31)) {
    return a * b < c * d ? -1 : a * b > c * d;
  }
  if ((a < 0) != (c < 0)) return a < 0 ? -1 : 1;
  const Product left(static_cast<uint64_t>(a < 0 ? -a : a), static_cast<uint64_t>(b));
  const Product right(static_cast<uint64_t>(c < 0 ? -c : c), static_cast<uint64_t>(d));
  return a < 0 ? right.compare(left) : left.compare(right);
}

// What pairing a row with a column adds to the value N / D of leaving both unmatched.
struct Value {
  int64_t numerator;
  int64_t denominator;
  int64_t shared;  // tokens of the same role on both sides: decides between equal values

  FC_HD Value plus(const Value& o) const {
    return {numerator + o.numerator, denominator + o.denominator, shared + o.shared};
  }
  FC_HD Value minus(const Value& o) const {
    return {numerator - o.numerator, denominator - o.denominator, shared - o.shared};
  }
  // 0/0, nothing found and nothing missed, compares like 0.
  FC_HD int64_t bottom() const { return denominator ? denominator : 1; }
  // Sign of N/D - N'/D' by cross products.
  FC_HD int compare(const Value& other) const {
    return compare_products(numerator, other.bottom(), other.numerator, bottom());
  }
};

// The objective alone.
struct Worth {
  static constexpr bool BY_ROLE = false;
  const Plan& plan;
  Value value;
  FC_HD explicit Worth(const Plan& plan_) : plan(plan_), value{0, 0, 0} {}
  FC_HD bool wants(uint64_t fields) const { return plan.wanted & fields; }
  FC_HD bool wants_overall(uint64_t fields) const { return plan.wanted_overall & fields; }
  FC_HD void add(int64_t field, int64_t n) {
    value.numerator += n * plan.weights[field * N_FORMS + NUMERATOR];
    value.denominator += n * plan.weights[field * N_FORMS + DENOMINATOR];
  }
};

// What the official search adds up: tp, fp, fn, and errors charged half to precision and recall.
struct SpanErrors {
  int64_t tp, fp, fn, half;

  FC_HD SpanErrors plus(const SpanErrors& o) const {
    return {tp + o.tp, fp + o.fp, fn + o.fn, half + o.half};
  }
  FC_HD SpanErrors minus(const SpanErrors& o) const {
    return {tp - o.tp, fp - o.fp, fn - o.fn, half - o.half};
  }
  FC_HD double f1() const {
    const double h = 0.5 * static_cast<double>(half);
    const double hits = static_cast<double>(tp);
    const double predicted = static_cast<double>(tp + fp) + h;
    const double wanted = static_cast<double>(tp + fn) + h;
    const double precision = predicted == 0.0 ? 0.0 : hits / predicted;
    const double recall = wanted == 0.0 ? 0.0 : hits / wanted;
    return precision + recall == 0.0 ? 0.0 : 2.0 * (precision * recall) / (precision + recall);
  }
  // Whether the float F1 is higher. F1 is 2 tp / (2 tp + fp + fn + half): fractions of small
  // numbers that differ do so by far more than the rounding errors of f1(), so only equal ones need
  // floats.
  FC_HD bool higher_than(const SpanErrors& o) const {
    const int64_t mine = 2 * tp + fp + fn + half;
    const int64_t theirs = 2 * o.tp + o.fp + o.fn + o.half;
    if ((mine | theirs) >> 20) return f1() > o.f1();
    const int64_t a = tp * (theirs ? theirs : 1);
    const int64_t b = o.tp * (mine ? mine : 1);
    return a == b ? f1() > o.f1() : a > b;
  }
};

struct OfficialErrors {
  static constexpr bool BY_ROLE = false;
  const int64_t* weights;
  SpanErrors errors;
  FC_HD explicit OfficialErrors(const Plan& plan) : weights(plan.weights), errors{0, 0, 0, 0} {}
  FC_HD bool wants(uint64_t) const { return true; }
  FC_HD bool wants_overall(uint64_t) const { return true; }
  FC_HD void add(int64_t field, int64_t n) {
    const int64_t* of_field = weights + field * N_FORMS;
    errors.tp += n * of_field[OFFICIAL_TP];
    errors.fp += n * of_field[OFFICIAL_FP];
    errors.fn += n * of_field[OFFICIAL_FN];
    errors.half += n * of_field[OFFICIAL_HALF];
  }
};

}  // namespace fastcausal

// Sinks, which a kernel gives its counts to, field by field.
//
//   wants(fields)    tells whether any of these fields of a role is used, a bit each
//   wants_overall    the same of overall fields
//   add(field, n)    adds n to the count of a field; fields that are never named are 0
//
// A kernel may leave out what the sink does not want.
#pragma once
#include "plan.h"

namespace fastcausal {

// A row of counts.
struct CountSink {
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

// Returns the sign of a b - c d for b, d > 0; exact for all numbers but -2^63.
FC_HD int compare_products(int64_t a, int64_t b, int64_t c, int64_t d) {
  if (!(((a < 0 ? -a : a) | b | (c < 0 ? -c : c) | d) >> 31)) {
    return a * b < c * d ? -1 : a * b > c * d;
  }
  if ((a < 0) != (c < 0)) return a < 0 ? -1 : 1;
  const Product left(static_cast<uint64_t>(a < 0 ? -a : a), static_cast<uint64_t>(b));
  const Product right(static_cast<uint64_t>(c < 0 ? -c : c), static_cast<uint64_t>(d));
  return a < 0 ? right.compare(left) : left.compare(right);
}

// The gain of pairing a row with a column over the value N / D of leaving both unmatched.
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
  // Returns the sign of N/D - N'/D' by cross products.
  FC_HD int compare(const Value& other) const {
    return compare_products(numerator, other.bottom(), other.numerator, bottom());
  }
};

// The objective's value.
struct ObjectiveSink {
  const Plan& plan;
  Value value;
  FC_HD explicit ObjectiveSink(const Plan& plan_) : plan(plan_), value{0, 0, 0} {}
  FC_HD bool wants(uint64_t fields) const { return plan.wanted & fields; }
  FC_HD bool wants_overall(uint64_t fields) const { return plan.wanted_overall & fields; }
  FC_HD void add(int64_t field, int64_t n) {
    value.numerator += n * plan.weights[field * N_FORMS + NUMERATOR];
    value.denominator += n * plan.weights[field * N_FORMS + DENOMINATOR];
  }
};

// Sums of the official search: tp, fp, fn, and errors charged half to precision and recall.
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
  // Tells whether the float F1 is higher. F1 is 2 tp / (2 tp + fp + fn + half): fractions of small
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

// The sums of the official search.
struct F1Sink {
  const int64_t* weights;
  SpanErrors errors;
  FC_HD explicit F1Sink(const Plan& plan) : weights(plan.weights), errors{0, 0, 0, 0} {}
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

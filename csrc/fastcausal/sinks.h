// Sinks: kernels add their counts to them, field by field.
//
//   wants(fields)    whether the sink uses any of these role fields, one bit each
//   wants_overall    the same for overall fields
//   add(field, n)    adds n to the count of a field; other fields stay 0
//   by_length()      declares that these counts depend on the numbers of tokens that spans have or
//                    share, not only on order and overlap; for relations with several spans of a
//                    role
//
// A kernel may skip fields that the sink does not want.
#pragma once
#include "plan.h"

namespace fastcausal {

// A row of counts.
struct CountSink {
  int64_t* counts;
  FC_HD bool wants(uint64_t) const { return true; }
  FC_HD bool wants_overall(uint64_t) const { return true; }
  FC_HD void add(int64_t field, int64_t n) { counts[field] += n; }
  FC_HD void by_length() {}
};

// Returns the exact sign of a / b - c / d for b, d > 0. Compares the continued fractions term by
// term.
FC_HD int compare_ratios(int64_t a, int64_t b, int64_t c, int64_t d) {
  if (!(((a < 0 ? -a : a) | b | (c < 0 ? -c : c) | d) >> 31)) {
    return a * d < c * b ? -1 : a * d > c * b;
  }
  for (int sign = 1;; sign = -sign) {
    const int64_t left = a / b - (a % b < 0);
    const int64_t right = c / d - (c % d < 0);
    if (left != right) return left < right ? -sign : sign;
    const int64_t rest_of_a = a - left * b, rest_of_c = c - right * d;
    if (!rest_of_a || !rest_of_c) return sign * ((rest_of_a > 0) - (rest_of_c > 0));
    a = b;
    b = rest_of_a;
    c = d;
    d = rest_of_c;
  }
}

// A value N / D, or the gain of a pair over leaving both relations unmatched.
struct Value {
  int64_t numerator;
  int64_t denominator;
  int64_t shared;  // tokens with the same role on both sides: decides between equal values

  FC_HD Value plus(const Value& o) const {
    return {numerator + o.numerator, denominator + o.denominator, shared + o.shared};
  }
  FC_HD Value minus(const Value& o) const {
    return {numerator - o.numerator, denominator - o.denominator, shared - o.shared};
  }
  // 0/0 (nothing found, nothing missed) compares like 0.
  FC_HD int64_t bottom() const { return denominator ? denominator : 1; }
  // Returns the sign of N/D - N'/D'.
  FC_HD int compare(const Value& other) const {
    return compare_ratios(numerator, bottom(), other.numerator, other.bottom());
  }
};

// Sums of the official search: tp, fp, fn, and errors that count half in precision and recall.
struct SpanErrors {
  int64_t tp, fp, fn, half;

  FC_HD SpanErrors plus(const SpanErrors& o) const {
    return {tp + o.tp, fp + o.fp, fn + o.fn, half + o.half};
  }
  FC_HD SpanErrors minus(const SpanErrors& o) const {
    return {tp - o.tp, fp - o.fp, fn - o.fn, half - o.half};
  }
  FC_HD int64_t n() const { return 2 * tp + fp + fn + half; }  // F1 is 2 tp / n
  FC_HD double f1() const {
    const double h = 0.5 * static_cast<double>(half);
    const double hits = static_cast<double>(tp);
    const double predicted = static_cast<double>(tp + fp) + h;
    const double wanted = static_cast<double>(tp + fn) + h;
    const double precision = predicted == 0.0 ? 0.0 : hits / predicted;
    const double recall = wanted == 0.0 ? 0.0 : hits / wanted;
    return precision + recall == 0.0 ? 0.0 : 2.0 * (precision * recall) / (precision + recall);
  }
};

// Sums up the worth of counts: of the official search if it applies, otherwise of the objective.
struct WorthSink {
  const Plan& plan;
  int64_t sum[N_FORMS] = {};

  FC_HD explicit WorthSink(const Plan& plan_) : plan(plan_) {}
  FC_HD bool wants(uint64_t fields) const { return plan.official || plan.wanted & fields; }
  FC_HD bool wants_overall(uint64_t fields) const {
    return plan.official || plan.wanted_overall & fields;
  }
  FC_INLINE void add(int64_t field, int64_t n) {
    const int64_t* weights = plan.weights + field * N_FORMS;
    if (plan.official) {
      for (int f = OFFICIAL_TP; f < N_FORMS; ++f) sum[f] += n * weights[f];
    } else if (weights[NUMERATOR] | weights[DENOMINATOR]) {  // most fields have no weight
      sum[NUMERATOR] += n * weights[NUMERATOR];
      sum[DENOMINATOR] += n * weights[DENOMINATOR];
    }
  }
  FC_HD void by_length() {}

  FC_HD SpanErrors errors() const {
    return {sum[OFFICIAL_TP], sum[OFFICIAL_FP], sum[OFFICIAL_FN], sum[OFFICIAL_HALF]};
  }
  FC_HD Value value() const {
    if (plan.official) return {2 * sum[OFFICIAL_TP], errors().n(), 0};
    return {sum[NUMERATOR], sum[DENOMINATOR], 0};
  }
};

}  // namespace fastcausal

// exp and log of doubles from additions, multiplications and divisions alone. Every compiler,
// machine and device gets the same bits. Mathematical libraries do not promise that. The relative
// error is below 1e-14. decoding/span_selection.py has the same formulas.
#pragma once
#include "config.h"

namespace fastcausal {

constexpr double LN2_HIGH = 0x1.62e42fefa38p-1;  // few bits: small multiples are exact
constexpr double LN2_LOW = 0x1.ef35793c7673p-45;
constexpr double LOG2_E = 0x1.71547652b82fep0;
constexpr int LOG_TERMS = 11;

// Computes exp(x) for x <= 0. Returns 0 below -40: that adds nothing to a sum of at least 1. Sums
// pairs of terms separately, so a processor works on several at once.
FC_HD double exp_of(double x) {
  if (!(x >= -40)) return 0;
  const int32_t n = static_cast<int32_t>(0.5 - x * LOG2_E);  // exp(x) = exp(r) / 2^n
  const double r = (x + n * LN2_HIGH) + n * LN2_LOW, r2 = r * r, r4 = r2 * r2;
  const double low = (1 + r) + (1.0 / 2 + 1.0 / 6 * r) * r2;
  const double middle = (1.0 / 24 + 1.0 / 120 * r) + (1.0 / 720 + 1.0 / 5040 * r) * r2;
  const double high = (1.0 / 40320 + 1.0 / 362880 * r) + (1.0 / 3628800 + 1.0 / 39916800 * r) * r2;
  return ((low + middle * r4) + high * (r4 * r4)) / static_cast<double>(int64_t{1} << n);
}

// Computes log(x) for x >= 1.
FC_HD double log_of(double x) {
  int32_t n = 0;
  while (x > 1.5) {
    x *= 0.5;
    ++n;
  }
  const double f = (x - 1) / (x + 1);  // log(x) = 2 atanh(f)
  double sum = 0;
  for (int k = LOG_TERMS; k >= 0; --k) sum = 1.0 / (2 * k + 1) + f * f * sum;
  return n * LN2_HIGH + (2 * f * sum + n * LN2_LOW);
}

}  // namespace fastcausal

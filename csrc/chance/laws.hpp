// The beta law, which Student's t, proportions and coins are cases of, and the gamma law of
// variances.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace fastcausal {

// Computes log gamma(z) without Stirling's (z - 1/2) log z - z + log sqrt(2 pi): DLMF 5.11.1.
inline double stirling_rest(double z) {
  constexpr double HALF_LOG_2_PI = 0.91893853320467274178;
  if (z < 16) return std::lgamma(z) - ((z - 0.5) * std::log(z) - z + HALF_LOG_2_PI);
  const double w = 1 / (z * z);
  return (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w / 1188)))) / z;
}

// Computes the part of a beta distribution below x = 1 - y: DLMF 8.17.22, by Lentz's method.
inline double beta_share(double x, double y, double a, double b) {
  if (!(x > 0 && y > 0)) return x > 0;
  const double n = a + b, rest = a * y - b * x;  // a - n x
  // x^a y^b / B(a, b), without the difference of large logarithms.
  const double front = std::sqrt(a * b / (6.28318530717958647693 * n)) *
                       std::exp(stirling_rest(n) - stirling_rest(a) - stirling_rest(b) +
                                a * (rest < a / 2 ? std::log1p(-rest / a) : std::log(x * n / a)) +
                                b * (rest > -b / 2 ? std::log1p(rest / b) : std::log(y * n / b)));
  const bool mirrored = x > (a + 1) / (n + 2);  // where the fraction is slow
  if (mirrored) {
    std::swap(a, b);
    x = y;
  }
  double value = 1, above = 1, below = 0, step = 0;
  for (int pair = 0; pair < 100'000 && std::abs(step - 1) > 1e-15; ++pair) {
    const double m = pair, at = a + 2 * m;
    for (const double d : {-(a + m) * (n + m) * x / (at * (at + 1)),
                           (m + 1) * (b - m - 1) * x / ((at + 1) * (at + 2))}) {
      below = 1 / (1 + d * below);
      above = 1 + d / above;
      value *= step = above * below;
    }
  }
  const double part = front / (a * value);
  return mirrored ? 1 - part : part;
}

// Finds the least double from 0 to most at which a condition holds; it holds from there on.
// Positive doubles are in the order of their bits, which are halved.
template <class Condition>
double first_of(double most, const Condition& holds) {
  const auto of_bits = [](uint64_t bits) {
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  };
  uint64_t low = 0, high;
  std::memcpy(&high, &most, sizeof high);
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (holds(of_bits(middle)) ? high : low) = middle;
  }
  return of_bits(high);
}

// Finds the x below which a beta distribution has this part.
inline double beta_bound(double part, double a, double b) {
  return first_of(1, [&](double x) { return beta_share(x, 1 - x, a, b) >= part; });
}

// Computes the part of a gamma distribution of scale 1 below x: its series below the mean, DLMF
// 8.11.4, and above the fraction of DLMF 8.9.2, by Lentz's method.
inline double gamma_share(double x, double shape) {
  if (!(x > 0)) return 0;
  const double off = (x - shape) / shape;
  // x^a e^-x / Gamma(a), without the difference of large logarithms.
  const double front = std::sqrt(shape / 6.28318530717958647693) *
                       std::exp(shape * (std::log1p(off) - off) - stirling_rest(shape));
  if (x < shape + 1) {
    double term = 1 / shape, sum = term;
    for (double k = shape + 1; term > 1e-17 * sum; ++k) sum += term *= x / k;
    return front * sum;
  }
  double at = x + 1 - shape, above = 1e300, below = 1 / at, value = below, step = 0;
  for (int k = 1; k < 100'000 && std::abs(step - 1) > 1e-15; ++k) {
    const double d = k * (shape - k);
    at += 2;
    below = 1 / (at + d * below);
    above = at + d / above;
    value *= step = above * below;
  }
  return 1 - front * value;
}

// Finds the x below which a gamma distribution has this part.
inline double gamma_bound(double part, double shape) {
  constexpr double MOST = std::numeric_limits<double>::max();
  return first_of(MOST, [&](double x) { return gamma_share(x, shape) >= part; });
}

// Computes the share of Student's distribution beyond t, on both sides.
inline double student_share(double t, double freedom) {
  constexpr double FAR = 1e100;  // where the share falls as a power of t, whose square overflows
  if (t > FAR) return student_share(FAR, freedom) * std::pow(FAR / t, freedom);
  const double square = t * t, whole = freedom + square;
  return beta_share(freedom / whole, square / whole, freedom / 2, 0.5);
}

// Finds the t beyond which, on either side, Student's distribution has this share.
inline double student_bound(double beyond, double freedom) {
  constexpr double MOST = std::numeric_limits<double>::max();
  return first_of(MOST, [&](double t) { return student_share(t, freedom) <= beyond; });
}

}  // namespace fastcausal

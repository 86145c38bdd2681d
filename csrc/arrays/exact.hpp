// Numbers that are rounded once: quotients of integers, sums of floats.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

namespace fastcausal {

// Divides 64-bit integers and rounds once. denominator > 0.
inline double exact_ratio(uint64_t numerator, uint64_t denominator) {
  if (!((numerator | denominator) >> 53)) {  // a double holds both
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  uint64_t quotient = numerator / denominator;
  uint64_t rest = numerator % denominator;
  int exponent = 0;
  while (rest && quotient < (uint64_t{1} << 60)) {  // 53 bits, and more to decide the rounding
    const bool carry = rest >= denominator - rest;
    rest = carry ? rest - (denominator - rest) : 2 * rest;
    quotient = 2 * quotient + carry;
    --exponent;
  }
  return std::ldexp(static_cast<double>(quotient | (rest != 0)), exponent);
}

// Binary Krippendorff's alpha.
inline double binary_alpha(int64_t n, int64_t n1, int64_t o01, double undefined) {
  const int64_t both = (n - n1) * n1;
  if (!both) return undefined;
  return 1.0 - exact_ratio(static_cast<uint64_t>((n - 1) * o01), static_cast<uint64_t>(both));
}

// Adds floats without rounding, so order does not matter: digit k counts multiples of
// 2^(LEAST + 32 k). There may be at most 2^31 floats, below 2^62, whose bits are multiples of
// 2^LEAST. Numbers of tokens, alone or times an alpha or a share, are such floats.
struct DigitSum {
  static constexpr int LEAST = -160;
  static constexpr int DIGITS = 8;
  int64_t digits[DIGITS];

  void add_whole(int64_t n) { digits[-LEAST / 32] += n; }

  void add(double value) {
    if (value == 0.0) return;
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    const uint64_t mantissa = (bits & 0xfffffffffffff) | uint64_t{1} << 52;
    const uint64_t shift = (bits >> 52 & 0x7ff) - (1075 + LEAST);
    int64_t* digit = digits + shift / 32;
    const uint64_t low = mantissa << shift % 32;
    const uint64_t high = mantissa >> (32 - shift % 32);
    const int64_t sign = bits >> 63 ? -1 : 1;
    digit[0] += sign * static_cast<int64_t>(low & 0xffffffff);
    digit[1] += sign * static_cast<int64_t>(high & 0xffffffff);
    digit[2] += sign * static_cast<int64_t>(high >> 32);
  }
};

}  // namespace fastcausal

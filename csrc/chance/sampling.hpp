// Resamples of rows that many units share. The result is how often each row is drawn.
//
//   Philox ── random words from (seed, number of the resample): any resample alone, in any thread
//     └─ binomial ── exact, from basic operations alone: the same everywhere
//          ├─ Resampler ── draws as many units as there are, with replacement
//          └─ Exchanger ── takes each unit or its partner
//
// A row of many units gets a conditional binomial. The other rows share the remaining single draws.
// With rare rows alone, that is the plain bootstrap. With frequent rows alone, it is a multinomial.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/stop.hpp"
#include "fastcausal/logarithms.h"

namespace fastcausal {

// Fills 16 blocks of four words from this one on: ten rounds each, side by side in wide registers.
FC_CLONES inline void fill_blocks(const uint32_t* key, const uint32_t* resample, uint64_t block,
                                  uint32_t* words) {
  constexpr size_t BLOCKS = 16;
  constexpr int ROUNDS = 10;
  constexpr uint64_t LOW = 0xFFFFFFFF;
  alignas(64) uint64_t a[BLOCKS], b[BLOCKS], c[BLOCKS], d[BLOCKS];  // numbers below 2^32
  for (size_t k = 0; k < BLOCKS; ++k) {
    const uint64_t at = block + k;
    a[k] = at & LOW;
    b[k] = at >> 32;
    c[k] = resample[0];
    d[k] = resample[1];
  }
  uint64_t key0 = key[0], key1 = key[1];
  for (int round = 0; round < ROUNDS; ++round) {
    for (size_t k = 0; k < BLOCKS; ++k) {
      const uint64_t p = 0xD2511F53 * (a[k] & LOW), q = 0xCD9E8D57 * (c[k] & LOW);
      a[k] = q >> 32 ^ b[k] ^ key0;
      b[k] = q & LOW;
      c[k] = p >> 32 ^ d[k] ^ key1;
      d[k] = p & LOW;
    }
    key0 = (key0 + 0x9E3779B9) & LOW;
    key1 = (key1 + 0xBB67AE85) & LOW;
  }
  for (size_t k = 0; k < BLOCKS; ++k) {
    words[4 * k] = static_cast<uint32_t>(a[k]);
    words[4 * k + 1] = static_cast<uint32_t>(b[k]);
    words[4 * k + 2] = static_cast<uint32_t>(c[k]);
    words[4 * k + 3] = static_cast<uint32_t>(d[k]);
  }
}

// Adds the numbers whose words have the highest bit.
FC_CLONES inline int64_t sum_of_high(const uint32_t* words, const int64_t* numbers, int64_t n) {
  int64_t sum = 0;
  for (int64_t k = 0; k < n; ++k) sum += numbers[k] & -static_cast<int64_t>(words[k] >> 31);
  return sum;
}

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, section 3): ten rounds over a 128-bit counter.
// Here the counter has the number of a block of four words and the number of the resample.
class Philox {
 public:
  Philox(int64_t seed, int64_t resample)
      : key_{low(static_cast<uint64_t>(seed)), high(static_cast<uint64_t>(seed))},
        resample_{low(static_cast<uint64_t>(resample)), high(static_cast<uint64_t>(resample))} {}

  static constexpr int WORDS = 64;  // 16 blocks, so that a processor works on several

  uint32_t word() {
    if (at_ == WORDS) refill();
    return words_[at_++];
  }

  // Returns the next 64 words, between calls of itself alone.
  const uint32_t* next() {
    refill();
    at_ = WORDS;
    return words_;
  }

  // Returns a number inside (0, 1): 52 random bits, then a 1.
  double uniform() {
    const uint64_t first = word() >> 6, second = word() >> 6;
    return (static_cast<double>(first << 26 | second) + 0.5) * 0x1p-52;
  }

  // Returns a number below n: the upper half of a product. Rejects lower halves that would make
  // some numbers more frequent (Lemire 2019, section 4).
  uint32_t below(uint32_t n) {
    uint64_t product = uint64_t{word()} * n;
    if (low(product) < n) {
      const uint32_t surplus = (0u - n) % n;
      while (low(product) < surplus) product = uint64_t{word()} * n;
    }
    return high(product);
  }

 private:
  uint32_t key_[2], resample_[2];
  uint64_t block_ = 0;
  int at_ = WORDS;
  uint32_t words_[WORDS];

  static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  void refill() {
    fill_blocks(key_, resample_, block_, words_);
    block_ += WORDS / 4;
    at_ = 0;
  }
};

// Returns log(x) for any x > 0.
inline double log_of_positive(double x) { return x < 1 ? -log_of(1 / x) : log_of(x); }

// Returns log(k!) minus Stirling's log(2 pi) / 2 + (k + 1/2) log(k + 1) - (k + 1).
inline double stirling_rest(int64_t k) {
  static constexpr double FIRST[] = {0.08106146679532726, 0.04134069595540929, 0.02767792568499834,
                                     0.02079067210376509, 0.01664469118982119, 0.01387612882307075,
                                     0.01189670994589177, 0.01041126526197209, 0.009255462182712733,
                                     0.008330563433362871};
  if (k < 10) return FIRST[k];
  const double x = static_cast<double>(k) + 1, x2 = x * x;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / x2) / x2) / x;
}

// Draws a binomial of n with chance p <= 1/2, for n p < 10. Inverts one uniform number step by
// step.
inline int64_t binomial_by_inversion(Philox& random, int64_t n, double p) {
  const double q = 1 - p, odds = p / q;
  double none = 1, square = q;  // none: q^n
  for (int64_t left = n; left; left >>= 1, square *= square)
    if (left & 1) none *= square;
  for (;;) {
    double u = random.uniform(), chance = none;
    for (int64_t k = 0; k <= n; ++k) {
      if (u <= chance) return k;
      u -= chance;
      chance *= odds * static_cast<double>(n - k) / static_cast<double>(k + 1);
    }  // only rounding leads here: draw again
  }
}

// Draws a binomial for n p >= 10: transformed rejection with squeeze, algorithm BTRS of Hormann
// (1993, "The generation of binomial random variates").
inline int64_t binomial_by_rejection(Philox& random, int64_t n, double p) {
  const double trials = static_cast<double>(n), q = 1 - p, odds = p / q;
  const double deviation = std::sqrt(trials * p * q);
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double center = trials * p + 0.5, squeeze = 0.92 - 4.2 / b;
  for (;;) {
    const double u = random.uniform() - 0.5, v = random.uniform(), us = 0.5 - std::abs(u);
    const double drawn = std::floor((2 * a / us + b) * u + center);
    if (!(drawn >= 0 && drawn <= trials)) continue;
    const int64_t k = static_cast<int64_t>(drawn);
    if (us >= 0.07 && v <= squeeze) return k;
    const double mode = std::floor((trials + 1) * p), rest = trials - mode;
    const double hat = v * (2.83 + 5.1 / b) * deviation / (a / (us * us) + b);
    const double bound =
        (mode + 0.5) * log_of_positive((mode + 1) / (odds * (rest + 1))) +
        (trials + 1) * log_of_positive((rest + 1) / (trials - drawn + 1)) +
        (drawn + 0.5) * log_of_positive(odds * (trials - drawn + 1) / (drawn + 1)) +
        stirling_rest(static_cast<int64_t>(mode)) + stirling_rest(static_cast<int64_t>(rest)) -
        stirling_rest(k) - stirling_rest(n - k);
    if (log_of_positive(hat) <= bound) return k;
  }
}

// Returns how many of n draws hit m of so many units.
inline int64_t binomial(Philox& random, int64_t n, int64_t m, int64_t units) {
  if (m == 0 || n == 0) return 0;
  if (m == units) return n;
  const bool most = m > units - m;  // then it draws the other units
  const double p = static_cast<double>(most ? units - m : m) / static_cast<double>(units);
  const int64_t k = p * static_cast<double>(n) < 10 ? binomial_by_inversion(random, n, p)
                                                    : binomial_by_rejection(random, n, p);
  return most ? n - k : k;
}

// Draws as many units as there are: n_heavy rows by binomials in this order, the others singly.
struct Resampler {
  const int64_t* heavy;        // rows
  const int64_t* heavy_times;  // units of each heavy row
  int64_t n_heavy;
  const int32_t* light;  // the row of each other unit
  int64_t n_light;

  int64_t cost() const { return 60 * n_heavy + 5 * n_light; }

  void operator()(Philox& random, int64_t* weights) const {
    int64_t units = n_light;
    for (int64_t k = 0; k < n_heavy; ++k) units += heavy_times[k];
    int64_t left = units;
    for (int64_t k = 0; k < n_heavy; ++k) {
      const int64_t drawn = binomial(random, left, heavy_times[k], units);
      weights[heavy[k]] = drawn;
      left -= drawn;
      units -= heavy_times[k];
    }
    const uint32_t n = static_cast<uint32_t>(n_light);
    for (; left; --left) ++weights[light[random.below(n)]];
  }
};

// Exchanges each unit of each row with its partner, with chance 1/2.
struct Exchanger {
  const int64_t* times;
  int64_t n_rows;
  static constexpr int64_t BITS = 32;

  int64_t cost() const { return 20 * n_rows; }

  void operator()(Philox& random, int64_t* weights) const {
    for (int64_t k = 0; k < n_rows; ++k) {
      weights[k] = times[k] > BITS ? binomial(random, times[k], 1, 2)
                                   : count_ones(uint64_t{random.word()} >> (BITS - times[k]));
    }
  }
};

// Fills row k of weights with resample first + k. weights are 0 on entry.
template <class Draw>
void draw_all(const Draw& draw, int64_t seed, int64_t first, int64_t n_resamples, int64_t n_rows,
              int64_t* weights, int64_t n_threads, StopRequested stop_requested) {
  for_blocks(n_resamples, n_threads, stop_requested, [&](int64_t k, CostMeter& meter) {
    Philox random(seed, first + k);
    draw(random, weights + k * n_rows);
    meter.add_cost(draw.cost());
  });
}

// Sums parts under the weights of a resample, which stay in the cache of its thread.
template <class Draw>
void sum_parts(const Draw& draw, Philox& random, int64_t n_rows, const int64_t* parts,
               int64_t n_parts, int64_t* sums) {
  thread_local std::vector<int64_t> weights;
  weights.assign(static_cast<size_t>(n_rows), 0);
  draw(random, weights.data());
  for (int64_t p = 0; p < n_parts; ++p) {
    const int64_t* part = parts + p * n_rows;
    int64_t sum = 0;
    for (int64_t row = 0; row < n_rows; ++row) sum += weights[row] * part[row];
    sums[p] = sum;
  }
}

// Exchanges rows of one unit each: the highest bit of the word of a row is its weight.
struct SingleExchanger {
  int64_t n_rows;

  int64_t cost() const { return 3 * n_rows; }
};

inline void sum_parts(const SingleExchanger&, Philox& random, int64_t n_rows, const int64_t* parts,
                      int64_t n_parts, int64_t* sums) {
  std::fill(sums, sums + n_parts, 0);
  for (int64_t row = 0; row < n_rows; row += Philox::WORDS) {
    const uint32_t* words = random.next();
    const int64_t n = std::min<int64_t>(Philox::WORDS, n_rows - row);
    for (int64_t p = 0; p < n_parts; ++p)
      sums[p] += sum_of_high(words, parts + p * n_rows + row, n);
  }
}

// Fills row k of sums with the weighted sum of each part under resample first + k. No sum may leave
// 64 bits.
// parts: int64[n_parts, n_rows], sums: int64[n_resamples, n_parts].
template <class Draw>
void sum_all(const Draw& draw, int64_t seed, int64_t first, int64_t n_resamples, int64_t n_rows,
             const int64_t* parts, int64_t n_parts, int64_t* sums, int64_t n_threads,
             StopRequested stop_requested) {
  for_blocks(n_resamples, n_threads, stop_requested, [&](int64_t k, CostMeter& meter) {
    Philox random(seed, first + k);
    sum_parts(draw, random, n_rows, parts, n_parts, sums + k * n_parts);
    meter.add_cost(draw.cost() + n_parts * n_rows);
  });
}

}  // namespace fastcausal

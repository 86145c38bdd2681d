// Strays of the differences of many systems from their values, under the same resamples.
//
//   spreads ── two systems after each other: the standard deviation of their difference
//   largest ── 64 resamples after each other: the largest difference of all, in such deviations
//
// Sums are added up by the place of a resample modulo LANES, then in order: no number of threads
// and no width of vectors changes a bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stop.hpp"

namespace fastcausal {

// Scores less what they are over all units: [n_systems][n_places], NaN where undefined, and in
// places beyond the last resample. n_places is a multiple of PLACES.
struct Deviations {
  static constexpr int64_t LANES = 4;
  static constexpr int64_t PLACES = 64;

  const double* values;
  int64_t n_systems;
  int64_t n_places;

  const double* of(int64_t system) const { return values + system * n_places; }
};

// Standard deviation of a - b over the places where both are defined; 0 of fewer than two.
inline double spread(const double* a, const double* b, int64_t n_places) {
  constexpr int64_t LANES = Deviations::LANES;
  double n[LANES] = {}, sum[LANES] = {}, squares[LANES] = {};
  for (int64_t at = 0; at < n_places; at += LANES) {
    for (int64_t lane = 0; lane < LANES; ++lane) {
      const double difference = a[at + lane] - b[at + lane];
      const bool defined = difference == difference;
      const double d = defined ? difference : 0.0;
      n[lane] += defined ? 1.0 : 0.0;
      sum[lane] += d;
      squares[lane] += d * d;
    }
  }
  for (int64_t lane = 1; lane < LANES; ++lane) {
    n[0] += n[lane];
    sum[0] += sum[lane];
    squares[0] += squares[lane];
  }
  if (n[0] < 2) return 0;
  return std::sqrt(std::max(0.0, squares[0] - sum[0] * sum[0] / n[0]) / (n[0] - 1));
}

// found is [n_systems][n_systems], symmetric; its diagonal stays as it is.
inline void spreads(const Deviations& strays, double* found, int64_t n_threads,
                    StopRequested stop_requested) {
  constexpr int64_t TILE = 16;  // systems that stay in the cache
  const int64_t n = strays.n_systems;
  for_blocks((n + TILE - 1) / TILE, n_threads, stop_requested,
             [&](int64_t block, CostMeter& meter) {
               const int64_t first = block * TILE;
               for (int64_t b = first + 1; b < n; ++b) {
                 for (int64_t a = first; a < std::min(first + TILE, b); ++a) {
                   found[a * n + b] = found[b * n + a] =
                       spread(strays.of(a), strays.of(b), strays.n_places);
                   meter.add_cost(2 * strays.n_places);
                 }
               }
             });
}

// The largest |a - b| * scales[a][b] over the pairs of a scale in each place, -1 where all their
// differences are undefined: found is [n_places].
inline void largest(const Deviations& strays, const double* scales, double* found,
                    int64_t n_threads, StopRequested stop_requested) {
  constexpr int64_t PLACES = Deviations::PLACES;
  const int64_t n = strays.n_systems;
  const auto work = [&](int64_t block, CostMeter& meter) {
    std::vector<double> near(static_cast<size_t>(n * PLACES));  // these places, side by side
    for (int64_t a = 0; a < n; ++a)
      std::copy_n(strays.of(a) + block * PLACES, PLACES, near.data() + a * PLACES);
    double most[PLACES];
    std::fill_n(most, PLACES, -1.0);
    for (int64_t a = 0; a < n; ++a) {
      const double* of_a = near.data() + a * PLACES;
      for (int64_t b = a + 1; b < n; ++b) {
        const double* of_b = near.data() + b * PLACES;
        const double scale = scales[a * n + b];
        if (scale == 0) continue;
        for (int64_t place = 0; place < PLACES; ++place) {
          const double far = std::abs(of_a[place] - of_b[place]) * scale;
          most[place] = far > most[place] ? far : most[place];
        }
      }
      meter.add_cost(PLACES * (n - a));
    }
    std::copy_n(most, PLACES, found + block * PLACES);
  };
  for_blocks(strays.n_places / PLACES, n_threads, stop_requested, work);
}

}  // namespace fastcausal

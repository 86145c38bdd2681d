// Differences between many systems under the same resamples.
//
//   spreads ── the standard deviation of the difference, for each pair of systems
//   largest ── the largest difference of all pairs in each resample, in standard deviations
//
// There are LANES partial sums, each of every LANES-th resample, which are then added in order. So
// no number of threads and no vector width changes a bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/stop.hpp"

namespace fastcausal {

// Scores in resamples minus scores on all units: [n_systems][n_places]. Undefined scores and places
// beyond the last resample are NaN. n_places is a multiple of PLACES.
struct Deviations {
  static constexpr int64_t LANES = 4;
  static constexpr int64_t PLACES = 64;

  const double* values;
  int64_t n_systems;
  int64_t n_places;

  const double* of(int64_t system) const { return values + system * n_places; }
};

// Returns the standard deviation of a - b over the places that define both, 0 for fewer than two.
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

// Fills found[n_systems][n_systems] with the spread of each pair, but not its diagonal.
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

// Sets most[PLACES] to |a - b| * scale at each place if that is larger.
FC_CLONES inline void raise_to(const double* a, const double* b, double scale, double* most) {
  for (int64_t place = 0; place < Deviations::PLACES; ++place) {
    const double far = std::abs(a[place] - b[place]) * scale;
    most[place] = far > most[place] ? far : most[place];
  }
}

// Fills found[n_places] with the largest |a - b| * scales[a][b] over the pairs whose scale is not
// 0, or with -1 if all these differences are undefined.
inline void largest(const Deviations& strays, const double* scales, double* found,
                    int64_t n_threads, StopRequested stop_requested) {
  constexpr int64_t PLACES = Deviations::PLACES;
  const int64_t n = strays.n_systems;
  const auto work = [&](int64_t block, CostMeter& meter) {
    // A contiguous copy of these places of all systems.
    std::vector<double> near(static_cast<size_t>(n * PLACES));
    for (int64_t a = 0; a < n; ++a)
      std::copy_n(strays.of(a) + block * PLACES, PLACES, near.data() + a * PLACES);
    double most[PLACES];
    std::fill_n(most, PLACES, -1.0);
    for (int64_t a = 0; a < n; ++a) {
      const double* of_a = near.data() + a * PLACES;
      for (int64_t b = a + 1; b < n; ++b) {
        const double scale = scales[a * n + b];
        if (scale != 0) raise_to(of_a, near.data() + b * PLACES, scale, most);
      }
      meter.add_cost(PLACES * (n - a));
    }
    std::copy_n(most, PLACES, found + block * PLACES);
  };
  for_blocks(strays.n_places / PLACES, n_threads, stop_requested, work);
}

}  // namespace fastcausal

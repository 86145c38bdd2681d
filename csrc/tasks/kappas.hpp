// Sums Cohen's kappa over all pairs of raters that share units.
//
//   add_kappas ── collects the labels of a rater and every later one on common units
//     └─ Kappas::add ── one pair: costs as integers, one division, then an exact sum
//
// Time is linear in the pairs of ratings of one unit. Raters without common units cost nothing.
// Memory is linear in the ratings.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "arrays/stop.hpp"

namespace fastcausal {

enum class Weights : int64_t { none, linear, quadratic };

// The sum of kappas, which are multiples of 2^-53. In such units it is high * 2^27 + low.
struct KappaSum {
  int64_t n = 0;
  int64_t high = 0;
  int64_t low = 0;
};

// Places of two raters' labels for one unit, and the number of times that this unit counts.
struct LabelPair {
  int32_t a, b;
  int64_t times;

  LabelPair(int64_t place_a, int64_t place_b, int64_t n)
      : a(static_cast<int32_t>(place_a)), b(static_cast<int32_t>(place_b)), times(n) {}
};

class Kappas {
 public:
  Kappas(Weights weights, int64_t n_labels)
      : weights_(weights),
        most_(static_cast<double>(cost(n_labels - 1))),
        of_a_(n_labels),
        of_b_(n_labels) {}

  // Adds the kappa of a pair. Returns false if a double cannot hold the costs exactly.
  bool add(const std::vector<LabelPair>& units, KappaSum& sum) {
    int64_t n = 0;
    for (const LabelPair& u : units) n += u.times;
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    if (pairs * most_ >= 0x1p53) return false;
    int64_t observed = 0;
    for (const LabelPair& u : units) observed += u.times * cost(std::abs(u.a - u.b));
    const int64_t expected = weights_ == Weights::none     ? expected_unequal(n, units)
                             : weights_ == Weights::linear ? expected_linear(n, units)
                                                           : expected_quadratic(n, units);
    if (!expected) return true;
    const double kappa = 1 - static_cast<double>(n * observed) / static_cast<double>(expected);
    const int64_t whole = static_cast<int64_t>(kappa * 0x1p53);
    const int64_t low = whole & ((int64_t{1} << 27) - 1);
    sum.low += low;
    sum.high += (whole - low) / (int64_t{1} << 27);
    ++sum.n;
    return true;
  }

 private:
  Weights weights_;
  double most_;                       // highest cost of a disagreement
  std::vector<int64_t> of_a_, of_b_;  // uses of each label by each rater; zero between pairs
  std::vector<int64_t> used_;         // labels of the current pair

  int64_t cost(int64_t distance) const {
    if (weights_ == Weights::none) return distance > 0;
    return weights_ == Weights::linear ? distance : distance * distance;
  }

  // The functions below return the cost of all n * n pairs of a rating of a and one of b.

  int64_t expected_unequal(int64_t n, const std::vector<LabelPair>& units) {
    int64_t alike = 0;
    for (const LabelPair& u : units) of_a_[u.a] += u.times;
    for (const LabelPair& u : units) alike += u.times * of_a_[u.b];
    for (const LabelPair& u : units) of_a_[u.a] = 0;
    return n * n - alike;
  }

  // Walks from label to label. Each pair with one rating on either side costs that distance.
  int64_t expected_linear(int64_t n, const std::vector<LabelPair>& units) {
    used_.clear();
    const auto use = [&](int64_t label) {
      if (!of_a_[label] && !of_b_[label]) used_.push_back(label);
    };
    for (const LabelPair& u : units) {
      use(u.a);
      of_a_[u.a] += u.times;
      use(u.b);
      of_b_[u.b] += u.times;
    }
    std::sort(used_.begin(), used_.end());
    int64_t below_a = 0, below_b = 0, total = 0;
    for (size_t k = 0; k < used_.size(); ++k) {
      const int64_t label = used_[k];
      if (k) total += (below_a * (n - below_b) + (n - below_a) * below_b) * (label - used_[k - 1]);
      below_a += std::exchange(of_a_[label], 0);
      below_b += std::exchange(of_b_[label], 0);
    }
    return total;
  }

  // Adds (a - b)^2 from the sums of a, of b and of their squares.
  static int64_t expected_quadratic(int64_t n, const std::vector<LabelPair>& units) {
    int64_t sum_a = 0, sum_b = 0, squares = 0;
    for (const LabelPair& u : units) {
      sum_a += u.times * u.a;
      sum_b += u.times * u.b;
      squares += u.times * (int64_t{u.a} * u.a + int64_t{u.b} * u.b);
    }
    return n * squares - 2 * sum_a * sum_b;
  }
};

// Ratings come unit by unit, within a unit by rater. raters, places and units are [n]. The ratings
// of unit u end before stops[u] and count times[u] times. rows[starts[a]] up to rows[starts[a + 1]]
// are the ratings of rater a.
struct Rated {
  const int64_t* raters;
  const int64_t* places;
  const int64_t* units;
  const int64_t* stops;
  const int64_t* times;
  const int64_t* rows;
  const int64_t* starts;
};

// Adds the kappas of every two raters. wide receives the pairs with too large costs.
inline void add_kappas(Weights weights, int64_t n_labels, int64_t n_raters, const Rated& rated,
                       KappaSum& sum, std::vector<int64_t>& wide, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Kappas kappas(weights, n_labels);
  // Common units of one rater and each later one.
  std::vector<std::vector<LabelPair>> shared(n_raters);
  std::vector<int64_t> others;  // raters with common units
  for (int64_t b = 1; b < n_raters; ++b) shared[b].reserve(rated.starts[b + 1] - rated.starts[b]);
  for (int64_t a = 0; a < n_raters; ++a) {
    others.clear();
    for (int64_t k = rated.starts[a]; k < rated.starts[a + 1]; ++k) {
      const int64_t row = rated.rows[k], unit = rated.units[row];
      for (int64_t i = row + 1; i < rated.stops[unit]; ++i) {
        const int64_t b = rated.raters[i];
        if (shared[b].empty()) others.push_back(b);
        shared[b].emplace_back(rated.places[row], rated.places[i], rated.times[unit]);
      }
    }
    for (const int64_t b : others) {
      meter.add_cost(20 * static_cast<int64_t>(shared[b].size()));
      if (!kappas.add(shared[b], sum)) {
        wide.push_back(a);
        wide.push_back(b);
      }
      shared[b].clear();
    }
  }
}

}  // namespace fastcausal

// Cohen's kappa of every two raters that share units, added up.
//
//   add_kappas ── raters a from, to ── what a and every later rater said of their common units
//     └─ Kappas::add ── one pair: costs as integers, one division, and into an exact sum
//
// Time is linear in the pairs of ratings of one unit; raters that share none cost nothing. Memory
// is linear in the ratings.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace fastcausal {

enum class Weights : int64_t { none, linear, quadratic };

// The sum of kappas in units of 2^-53, which they all are multiples of: high * 2^27 + low.
struct KappaSum {
  int64_t n = 0;
  int64_t high = 0;
  int64_t low = 0;
};

// Places of the labels that two raters gave to one unit, which counts so many times.
struct Both {
  int32_t a, b;
  int64_t times;
};

class Kappas {
 public:
  Kappas(Weights weights, int64_t n_labels)
      : weights_(weights),
        most_(static_cast<double>(cost(n_labels - 1))),
        of_a_(n_labels),
        of_b_(n_labels) {}

  // Returns false where the costs of so many units are integers that no double holds.
  bool add(const Both* from, const Both* to, KappaSum& sum) {
    int64_t n = 0;
    for (const Both* p = from; p < to; ++p) n += p->times;
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    if (pairs * most_ >= 0x1p53) return false;
    int64_t observed = 0;
    for (const Both* p = from; p < to; ++p) observed += p->times * cost(std::abs(p->a - p->b));
    const int64_t expected = weights_ == Weights::none     ? unlike(n, from, to)
                             : weights_ == Weights::linear ? distance(n, from, to)
                                                           : square(n, from, to);
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
  double most_;                       // cost of a disagreement
  std::vector<int64_t> of_a_, of_b_;  // how often each rater used a label; zero between pairs
  std::vector<int32_t> used_;         // labels of the pair at hand

  int64_t cost(int64_t distance) const {
    if (weights_ == Weights::none) return distance > 0;
    return weights_ == Weights::linear ? distance : distance * distance;
  }

  // What all n * n pairs of a rating of a and one of b cost.

  int64_t unlike(int64_t n, const Both* from, const Both* to) {
    int64_t alike = 0;
    for (const Both* p = from; p < to; ++p) of_a_[p->a] += p->times;
    for (const Both* p = from; p < to; ++p) alike += p->times * of_a_[p->b];
    for (const Both* p = from; p < to; ++p) of_a_[p->a] = 0;
    return n * n - alike;
  }

  // From one label to the next, every pair with one rating on either side goes that far.
  int64_t distance(int64_t n, const Both* from, const Both* to) {
    used_.clear();
    const auto use = [&](int32_t label) {
      if (!of_a_[label] && !of_b_[label]) used_.push_back(label);
    };
    for (const Both* p = from; p < to; ++p) {
      use(p->a);
      of_a_[p->a] += p->times;
      use(p->b);
      of_b_[p->b] += p->times;
    }
    std::sort(used_.begin(), used_.end());
    int64_t below_a = 0, below_b = 0, total = 0;
    for (size_t k = 0; k < used_.size(); ++k) {
      const int32_t label = used_[k];
      if (k) total += (below_a * (n - below_b) + (n - below_a) * below_b) * (label - used_[k - 1]);
      below_a += std::exchange(of_a_[label], 0);
      below_b += std::exchange(of_b_[label], 0);
    }
    return total;
  }

  // (a - b)^2 from the sums of a, of b and of their squares.
  static int64_t square(int64_t n, const Both* from, const Both* to) {
    int64_t sum_a = 0, sum_b = 0, squares = 0;
    for (const Both* p = from; p < to; ++p) {
      sum_a += p->times * p->a;
      sum_b += p->times * p->b;
      squares += p->times * (int64_t{p->a} * p->a + int64_t{p->b} * p->b);
    }
    return n * squares - 2 * sum_a * sum_b;
  }
};

// Ratings come unit by unit, in a unit by rater: raters and places are [n], units[n] too. Those of
// unit u end before stops[u] and count times[u] times. rows[starts[a]] up to rows[starts[a + 1]]
// are the ratings of a.
struct Rated {
  const int64_t* raters;
  const int64_t* places;
  const int64_t* units;
  const int64_t* stops;
  const int64_t* times;
  const int64_t* rows;
  const int64_t* starts;
};

// Adds the kappas of raters first up to last with all later ones; wide gets the pairs whose costs
// are too large for it.
inline void add_kappas(Weights weights, int64_t n_labels, int64_t n_raters, const Rated& rated,
                       int64_t first, int64_t last, KappaSum& sum, std::vector<int64_t>& wide) {
  Kappas kappas(weights, n_labels);
  std::vector<int64_t> shared(n_raters), ends(n_raters), others;
  std::vector<Both> both;
  const auto each = [&](int64_t a, const auto& call) {
    for (int64_t k = rated.starts[a]; k < rated.starts[a + 1]; ++k) {
      const int64_t row = rated.rows[k];
      for (int64_t i = row + 1; i < rated.stops[rated.units[row]]; ++i) call(row, i);
    }
  };
  for (int64_t a = first; a < last; ++a) {
    others.clear();
    each(a, [&](int64_t, int64_t i) {
      if (!shared[rated.raters[i]]++) others.push_back(rated.raters[i]);
    });
    int64_t n = 0;
    for (const int64_t b : others) {
      ends[b] = n;
      n += shared[b];
    }
    both.resize(n);
    each(a, [&](int64_t row, int64_t i) {
      both[ends[rated.raters[i]]++] = {static_cast<int32_t>(rated.places[row]),
                                       static_cast<int32_t>(rated.places[i]),
                                       rated.times[rated.units[row]]};
    });
    for (const int64_t b : others) {
      const Both* to = both.data() + ends[b];
      if (!kappas.add(to - std::exchange(shared[b], 0), to, sum)) {
        wide.push_back(a);
        wide.push_back(b);
      }
    }
  }
}

}  // namespace fastcausal

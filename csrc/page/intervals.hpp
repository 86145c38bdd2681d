// Percentile intervals of the bootstrap, with the draws of sampling.hpp, as
// fastcausal/significance/ computes them.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "arrays/distinct.hpp"
#include "chance/sampling.hpp"

namespace fastcausal::page {

using Scores = std::vector<double>;
using ScoresOf = std::function<Scores(const int64_t* sums)>;  // of the terms of rows

class Bootstrap {
 public:
  // rows: int64[n_rows, width]; the last column marks examples of several gold relations. Terms are
  // the other columns, followed by the same columns for such examples only.
  void set(const std::vector<int64_t>& rows, size_t width, int64_t seed) {
    const auto n_rows = static_cast<int64_t>(rows.size() / width);
    std::vector<int64_t> first(static_cast<size_t>(n_rows)), place(static_cast<size_t>(n_rows));
    n_ =
        distinct_rows(rows.data(), n_rows, static_cast<int64_t>(width), first.data(), place.data());
    seed_ = seed;
    n_terms_ = 2 * (width - 1);
    times_.assign(static_cast<size_t>(n_), 0);
    for (const int64_t k : place) ++times_[static_cast<size_t>(k)];
    parts_.assign(n_terms_ * static_cast<size_t>(n_), 0);
    for (size_t k = 0; k < static_cast<size_t>(n_); ++k) {
      const int64_t* row = rows.data() + static_cast<size_t>(first[k]) * width;
      for (size_t t = 0; t < n_terms_; ++t) {
        const bool of_several = t >= width - 1;
        const int64_t value = row[of_several ? t - (width - 1) : t];
        parts_[t * static_cast<size_t>(n_) + k] = of_several && !row[width - 1] ? 0 : value;
      }
    }
    set_draws();
    drawn_.clear();
  }

  int64_t n_units() const {
    int64_t n = 0;
    for (const int64_t times : times_) n += times;
    return n;
  }

  // Draws resamples first to last - 1.
  void draw(int64_t first, int64_t last, const ScoresOf& scores_of) {
    const Resampler resampler{heavy_.data(), heavy_times_.data(),
                              static_cast<int64_t>(heavy_.size()), light_.data(),
                              static_cast<int64_t>(light_.size())};
    const size_t n_used = used_.size();
    std::vector<int64_t> sums(n_used), whole(n_terms_);
    for (int64_t k = first; k < last; ++k) {
      Philox random(seed_, k);
      sum_parts(resampler, random, n_, used_parts_.data(), static_cast<int64_t>(n_used),
                sums.data());
      for (size_t t = 0; t < n_used; ++t) whole[used_[t]] = sums[t];
      drawn_.push_back(scores_of(whole.data()));
    }
  }

  struct Interval {
    double low, high;
  };

  // Returns the interval of each score; shares marks scores to which each unit adds its part.
  std::vector<Interval> intervals(const Scores& values, const std::vector<uint8_t>& shares,
                                  double confidence, const ScoresOf& scores_of) const {
    constexpr double NAN_ = std::numeric_limits<double>::quiet_NaN();
    std::vector<Interval> made(values.size(), {NAN_, NAN_});
    if (n_units() < 2) return made;
    for (size_t s = 0; s < values.size(); ++s) {
      std::vector<double> ascending;
      for (const Scores& scores : drawn_)
        if (!std::isnan(scores[s])) ascending.push_back(scores[s]);
      std::sort(ascending.begin(), ascending.end());
      const double low = quantile(ascending, (1 - confidence) / 2),
                   high = quantile(ascending, (1 + confidence) / 2);
      if (!std::isnan(values[s]) && high - low > EQUAL) made[s] = {low, high};
    }
    unvaried(values, shares, confidence, scores_of, made);
    return made;
  }

 private:
  static constexpr double EQUAL = 1e-12;
  static constexpr int64_t HEAVY = 32;

  int64_t n_ = 0, seed_ = 0;
  size_t n_terms_ = 0;
  std::vector<int64_t> times_, parts_, heavy_, heavy_times_, used_parts_;
  std::vector<size_t> used_;  // terms that any row has
  std::vector<int32_t> light_;
  std::vector<Scores> drawn_;

  void set_draws() {
    heavy_.clear();
    heavy_times_.clear();
    light_.clear();
    used_.clear();
    used_parts_.clear();
    for (int64_t k = 0; k < n_; ++k) {
      const int64_t times = times_[static_cast<size_t>(k)];
      if (times > HEAVY)
        heavy_.push_back(k);
      else
        light_.insert(light_.end(), static_cast<size_t>(times), static_cast<int32_t>(k));
    }
    std::stable_sort(heavy_.begin(), heavy_.end(), [this](int64_t a, int64_t b) {
      return times_[static_cast<size_t>(a)] > times_[static_cast<size_t>(b)];
    });
    for (const int64_t k : heavy_) heavy_times_.push_back(times_[static_cast<size_t>(k)]);
    for (size_t t = 0; t < n_terms_; ++t) {
      const auto from = parts_.begin() + static_cast<std::ptrdiff_t>(t) * n_;
      if (std::all_of(from, from + n_, [](int64_t value) { return value == 0; })) continue;
      used_.push_back(t);
      used_parts_.insert(used_parts_.end(), from, from + n_);
    }
  }

  static double quantile(const std::vector<double>& ascending, double level) {
    if (ascending.empty()) return std::numeric_limits<double>::quiet_NaN();
    const size_t n = ascending.size();
    const double place = level * static_cast<double>(n - 1);
    const size_t k = n > 1 ? std::min(static_cast<size_t>(place), n - 2) : 0;
    const double low = ascending[k], high = ascending[std::min(k + 1, n - 1)];
    return low + (high - low) * (place - static_cast<double>(k));
  }

  // Bounds a share that is the same in every unit, by Clopper and Pearson.
  void unvaried(const Scores& values, const std::vector<uint8_t>& shares, double confidence,
                const ScoresOf& scores_of, std::vector<Interval>& made) const {
    std::vector<Scores> alone;
    std::vector<int64_t> terms(n_terms_, 0);
    const Scores none = scores_of(terms.data());
    for (size_t k = 0; k < static_cast<size_t>(n_); ++k) {
      for (size_t t = 0; t < n_terms_; ++t) terms[t] = parts_[t * static_cast<size_t>(n_) + k];
      alone.push_back(scores_of(terms.data()));
    }
    for (size_t s = 0; s < values.size(); ++s) {
      const double value = values[s];
      if (!std::isnan(made[s].low) || !(value >= 0 && value <= 1) || !shares[s]) continue;
      int64_t n = 0;
      bool all = true;
      for (size_t k = 0; k < alone.size(); ++k) {
        const bool near = std::abs(alone[k][s] - value) <= EQUAL;
        const bool empty = std::isnan(alone[k][s]) || std::abs(alone[k][s] - none[s]) <= EQUAL;
        all &= near != empty;
        n += near ? times_[k] : 0;
      }
      if (!all || n < 2) continue;
      const double unlike = -std::expm1(std::log((1 - confidence) / 2) / static_cast<double>(n));
      made[s] = {value * (1 - unlike), value + (1 - value) * unlike};
    }
  }
};

}  // namespace fastcausal::page

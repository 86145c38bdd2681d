// Intervals of scores by the jackknife, as fastcausal/significance/intervals.py computes them.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "arrays/distinct.hpp"

namespace fastcausal::page {

using Scores = std::vector<double>;
using ScoresOf = std::function<Scores(const int64_t* sums)>;  // of the terms of rows

constexpr double CONFIDENCE = 0.95, EQUAL = 1e-12;  // EQUAL: closer scores count as equal

struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
};

// The range of a score, and whether each unit adds its part to it, as to a share.
struct Scale {
  double least, most;
  bool adds_parts;
};

// Computes the share of Student's t from -t to t: Abramowitz and Stegun, 26.7.3 and 26.7.4.
inline double student_share(double t, int64_t freedom) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  int64_t power = odd;
  double term = odd ? cosine : 1, sum = power <= freedom - 2 ? term : 0;
  for (; power + 2 <= freedom - 2; power += 2) {
    term *= cosine * cosine * static_cast<double>(power + 1) / static_cast<double>(power + 2);
    sum += term;
  }
  constexpr double HALF_PI = 1.57079632679489661923;
  return odd ? (angle + std::sin(angle) * sum) / HALF_PI : std::sin(angle) * sum;
}

// Finds the t within which Student's distribution has this share, by halving an interval.
inline double student_bound(double share, int64_t freedom) {
  double low = 0, high = 1;
  while (student_share(high, freedom) < share) high *= 2;
  for (int n = 0; n < 60; ++n) {
    const double middle = (low + high) / 2;
    (student_share(middle, freedom) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

class Jackknife {
 public:
  // rows: int64[n_rows, width]; the last column marks examples of several gold relations. Terms are
  // the other columns, followed by the same columns for such examples only.
  Jackknife(const std::vector<int64_t>& rows, size_t width, const ScoresOf& scores_of)
      : n_units_(static_cast<int64_t>(rows.size() / width)) {
    std::vector<int64_t> first(rows.size() / width), place(first.size());
    const int64_t n = distinct_rows(rows.data(), n_units_, static_cast<int64_t>(width),
                                    first.data(), place.data());
    times_.assign(static_cast<size_t>(n), 0);
    for (const int64_t k : place) ++times_[static_cast<size_t>(k)];
    const size_t n_terms = 2 * (width - 1);
    std::vector<int64_t> whole(n_terms), part(n_terms), rest(n_terms);
    none_ = scores_of(whole.data());
    const auto take = [&](size_t k) {
      const int64_t* row = rows.data() + static_cast<size_t>(first[k]) * width;
      for (size_t t = 0; t < width - 1; ++t) {
        part[t] = row[t];
        part[width - 1 + t] = row[width - 1] ? row[t] : 0;
      }
    };
    for (size_t k = 0; k < times_.size(); ++k) {
      take(k);
      for (size_t t = 0; t < n_terms; ++t) whole[t] += times_[k] * part[t];
    }
    for (size_t k = 0; k < times_.size(); ++k) {
      take(k);
      for (size_t t = 0; t < n_terms; ++t) rest[t] = whole[t] - part[t];
      alone_.push_back(scores_of(part.data()));
      left_out_.push_back(scores_of(rest.data()));
    }
  }

  // Returns the interval of each score.
  std::vector<Interval> intervals(const Scores& values, const std::vector<Scale>& scales) const {
    std::vector<Interval> made(values.size());
    if (n_units_ < 2) return made;
    const double bound = student_bound(CONFIDENCE, n_units_ - 1);
    for (size_t s = 0; s < values.size(); ++s) {
      const Interval varied = around(values[s], error_of(s) * bound, scales[s]);
      if (varied.high - varied.low > rounding(values[s]))
        made[s] = varied;
      else if (scales[s].adds_parts && values[s] >= 0 && values[s] <= 1)
        made[s] = unvaried(s, values[s]);
    }
    return made;
  }

 private:
  const int64_t n_units_;
  std::vector<int64_t> times_;            // of each different unit
  std::vector<Scores> alone_, left_out_;  // of each unit alone, and of all without it
  Scores none_;                           // of no unit

  static double rounding(double value) { return EQUAL * std::max(1.0, std::abs(value)); }

  // Computes the standard error of a score; NaN if it is constant, or undefined without a unit.
  double error_of(size_t s) const {
    double least = left_out_[0][s], most = least, sum = 0, squares = 0;
    for (size_t k = 0; k < times_.size(); ++k) {
      const double value = left_out_[k][s];
      if (std::isnan(value)) return value;
      least = std::min(least, value);
      most = std::max(most, value);
      sum += static_cast<double>(times_[k]) * value;
    }
    if (!(most - least > rounding(left_out_[0][s]))) return std::nan("");
    const auto n = static_cast<double>(n_units_);
    for (size_t k = 0; k < times_.size(); ++k) {
      const double away = sum / n - left_out_[k][s];
      squares += static_cast<double>(times_[k]) * away * away;
    }
    return std::sqrt(squares * (n - 1) / n);
  }

  // Returns bounds at this distance from a value, on the logit scale of its range.
  static Interval around(double value, double half, const Scale& scale) {
    const double below = value - scale.least, above = scale.most - value;
    const double width = scale.most - scale.least;
    if (!(below > 0 && above > 0))
      return {std::clamp(value - half, scale.least, scale.most),
              std::clamp(value + half, scale.least, scale.most)};
    const double center = std::log(below / above), away = half * width / (below * above);
    const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
    return {scale.least + width * logistic(center - away),
            scale.least + width * logistic(center + away)};
  }

  // Bounds a share that is the same in every unit, by Clopper and Pearson.
  Interval unvaried(size_t s, double value) const {
    int64_t n = 0;
    for (size_t k = 0; k < times_.size(); ++k) {
      const double own = alone_[k][s];
      const bool near = std::abs(own - value) <= EQUAL;
      if (near == (std::isnan(own) || std::abs(own - none_[s]) <= EQUAL)) return {};
      n += near ? times_[k] : 0;
    }
    if (n < 2) return {};
    const double unlike = -std::expm1(std::log((1 - CONFIDENCE) / 2) / static_cast<double>(n));
    return {value * (1 - unlike), value + (1 - value) * unlike};
  }
};

}  // namespace fastcausal::page

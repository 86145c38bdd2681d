// Intervals of scores by the jackknife, and of proportions, as
// fastcausal/significance/intervals.py computes them.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "arrays/distinct.hpp"
#include "capi/formulas.hpp"
#include "chance/laws.hpp"

namespace fastcausal::page {

using Scores = std::vector<double>;
using ScoresOf = std::function<Scores(const int64_t* sums)>;  // of terms
using Fractions = std::vector<capi::Fraction>;
using FractionsOf = std::function<Fractions(const int64_t* sums)>;

constexpr double CONFIDENCE = 0.95, EQUAL = 1e-12;  // EQUAL: closer scores count as equal

struct Interval {
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
};

// The range of a score, and whether each unit adds its part to it, as to a share.
struct Scale {
  double least, most;
  bool adds_parts;
};

// Examples, or clusters of examples.
struct Units {
  size_t width;                // the number of terms
  std::vector<int64_t> terms;  // int64[n, width]
  bool are_clusters;
  double worth;  // for scores that are no quotients: by numbers of examples

  int64_t n() const { return static_cast<int64_t>(terms.size() / width); }
};

// Adds up how many equal units tell as much as units of given sizes (Kish 1965).
struct Worth {
  double total = 0, squares = 0;

  void add(double size, int64_t times) {
    total += static_cast<double>(times) * size;
    squares += static_cast<double>(times) * size * size;
  }
  double value() const { return squares > 0 ? total / squares * total : 0; }
};

// Bounds a proportion exactly (Clopper and Pearson 1934).
inline Interval binomial(double right, double n) {
  constexpr double LEVEL = (1 - CONFIDENCE) / 2;
  return {right > 0 ? beta_bound(LEVEL, right, n - right + 1) : 0,
          right < n ? beta_bound(1 - LEVEL, right + 1, n - right) : 1};
}

class Jackknife {
 public:
  Jackknife(const Units& units, const ScoresOf& scores_of, const FractionsOf& fractions_of)
      : n_units_(units.n()), are_clusters_(units.are_clusters), worth_(units.worth) {
    const size_t width = units.width;
    std::vector<int64_t> first(static_cast<size_t>(n_units_)), place(first.size());
    const int64_t n = distinct_rows(units.terms.data(), n_units_, static_cast<int64_t>(width),
                                    first.data(), place.data());
    times_.assign(static_cast<size_t>(n), 0);
    for (const int64_t k : place) ++times_[static_cast<size_t>(k)];
    std::vector<int64_t> whole(width), rest(width);
    none_ = scores_of(whole.data());
    const auto part = [&](size_t k) {
      return units.terms.data() + static_cast<size_t>(first[k]) * width;
    };
    for (size_t k = 0; k < times_.size(); ++k)
      for (size_t t = 0; t < width; ++t) whole[t] += times_[k] * part(k)[t];
    for (size_t k = 0; k < times_.size(); ++k) {
      for (size_t t = 0; t < width; ++t) rest[t] = whole[t] - part(k)[t];
      alone_.push_back(scores_of(part(k)));
      left_out_.push_back(scores_of(rest.data()));
      fractions_.push_back(fractions_of(part(k)));
    }
  }

  // Returns how many equal units tell as much about a score as these do.
  double worth(size_t s) const {
    if (fractions_.empty() || std::isnan(fractions_[0][s].denominator)) return worth_;
    Worth made;
    for (size_t k = 0; k < times_.size(); ++k) made.add(fractions_[k][s].denominator, times_[k]);
    return made.value();
  }

  // Returns the interval of each score.
  std::vector<Interval> intervals(const Scores& values, const std::vector<Scale>& scales) const {
    std::vector<Interval> made(values.size());
    if (n_units_ < 2) return made;
    for (size_t s = 0; s < values.size(); ++s) {
      const Interval varied = is_proportion(s) ? proportion(s) : around(s, values[s], scales[s]);
      if (!std::isnan(values[s]) && varied.high - varied.low > rounding(values[s]))
        made[s] = varied;
      else if (scales[s].adds_parts && values[s] >= 0 && values[s] <= 1)
        made[s] = unvaried(s, values[s]);
    }
    return made;
  }

 private:
  const int64_t n_units_;
  const bool are_clusters_;
  const double worth_;
  std::vector<int64_t> times_;            // of each different unit
  std::vector<Scores> alone_, left_out_;  // of each unit alone, and of all without it
  std::vector<Fractions> fractions_;      // of each unit alone
  Scores none_;                           // of no unit

  static double rounding(double value) { return EQUAL * std::max(1.0, std::abs(value)); }

  // Tells if single units are right, wrong or not counted.
  bool is_proportion(size_t s) const {
    if (are_clusters_) return false;
    return std::all_of(fractions_.begin(), fractions_.end(), [&](const Fractions& unit) {
      const auto [right, counted] = unit[s];
      return (right == 0 || right == 1) && (counted == 0 || counted == 1) && right <= counted;
    });
  }

  Interval proportion(size_t s) const {
    double right = 0, n = 0;
    for (size_t k = 0; k < times_.size(); ++k) {
      right += fractions_[k][s].numerator > 0 ? static_cast<double>(times_[k]) : 0;
      n += fractions_[k][s].denominator > 0 ? static_cast<double>(times_[k]) : 0;
    }
    return binomial(right, n);
  }

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

  // Returns bounds by Student's t, on the logit scale of the range of a score.
  Interval around(size_t s, double value, const Scale& scale) const {
    const double freedom = std::max(1.0, std::min(static_cast<double>(n_units_), worth(s)) - 1);
    const double half = error_of(s) * student_bound(1 - CONFIDENCE, freedom);
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

// Disagreement within units and between any two ratings. Krippendorff's alpha and Fleiss' kappa
// follow from both. A call solves many problems: each is a group of units or a resample.
//
//   disagreements ── one row of numbers for every problem
//     └─ Reliability::problem ── one problem: distances within its units, and between any ratings
//          └─ ExactSum ── terms in any order, the same bits
//
// Time is linear in the ratings (times the log of a unit's ratings), except for the level ratio.
// That level compares every two different values of a problem. Memory is always linear.
// Limit: fewer than 2^31 ratings in a problem.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays/stop.hpp"
#include "tasks/confusions.hpp"
#include "tasks/ratings.hpp"

namespace fastcausal {

enum class Level : int64_t { nominal, ordinal, interval, ratio };

// The results of a problem, in this order.
struct Disagreement {
  double n_units = 0;    // with two ratings or more; all members ignore other units
  double n_ratings = 0;  // of these units
  double by_rating = 0;  // mean squared distance of two ratings of a unit, weighted by its ratings
  double by_unit = 0;    // the same, with equal weight for every unit
  double expected = 0;   // mean squared distance of any two ratings; 0 without variation
};

constexpr int64_t PAGE = 512;  // values

// Returns the greatest magnitude, and at least `least`. Ignores NaN.
inline double most_of(const double* from, const double* to, double least) {
  constexpr size_t LANES = 8;
  double lanes[LANES] = {};
  const auto meet = [](double& most, double value) {
    most = std::abs(value) > most ? std::abs(value) : most;
  };
  for (; from + LANES <= to; from += LANES) {
    FC_PREFETCH(from + PAGE);
    for (size_t lane = 0; lane < LANES; ++lane) meet(lanes[lane], from[lane]);
  }
  for (; from < to; ++from) meet(lanes[0], *from);
  return std::max(least, *std::max_element(lanes, lanes + LANES));
}

class Reliability {
 public:
  // Unit u has the ratings values[offsets[u]] up to values[offsets[u + 1]]. NaN is a missing
  // rating.
  Reliability(Level level, const double* values, const int64_t* offsets, int64_t n_units,
              CostMeter& meter)
      : meter_(meter), level_(level), kind_of_(n_units) {
    std::vector<int64_t> firsts;  // the first unit of each kind
    const int64_t n_keyed = find_kinds(values, offsets, n_units, firsts);
    const double* const end = values + offsets[n_units];
    double most = 0;
    if (n_keyed < n_units) {
      most = most_of(values + offsets[0], end, most);
      kinds_.reserve(n_units);
    } else {
      for (const int64_t u : firsts) {
        most = most_of(values + offsets[u], values + offsets[u + 1], most);
      }
    }
    const double scale = level == Level::interval ? scale_of(most) : 1;
    const auto add = [&](int64_t u) {
      return add_kind(values + offsets[u], values + offsets[u + 1], scale);
    };
    for (const int64_t u : firsts) add(u);
    for (int64_t u = n_keyed; u < n_units; ++u) kind_of_[u] = add(u);
    values_ = numbering_.sorted(numbers_);
    counts_.resize(values_.size());
    ranks_.resize(values_.size());
    uses_.resize(kinds_.size());
  }

  // Solves a problem: units by index, or the first n, each times[unit] times, or once.
  Disagreement problem(const int64_t* units, int64_t n_units, const int32_t* times) {
    chosen_.clear();
    Disagreement found;
    meter_.add_cost(10 * n_units);
    for (int64_t i = 0; i < n_units; ++i) {
      const int64_t u = units ? units[i] : i;
      const int64_t weight = times ? times[u] : 1;
      const int32_t kind = kind_of_[u];
      if (!weight) continue;
      if (!uses_[kind]) chosen_.push_back({&kinds_[kind], 0});
      uses_[kind] += weight;
    }
    int64_t n = 0;
    int64_t n_rated = 0;
    for (Chosen& c : chosen_) c.times = std::exchange(uses_[c.unit - kinds_.data()], 0);
    const auto is_unpaired = [](const Chosen& c) { return c.unit->n == 0; };
    chosen_.erase(std::remove_if(chosen_.begin(), chosen_.end(), is_unpaired), chosen_.end());
    for (const Chosen& c : chosen_) {
      n_rated += c.times;
      n += c.times * c.unit->n;
    }
    if (!n) return found;
    meter_.add_cost(100 * n);
    if (level_ != Level::interval) count_values();
    if (level_ == Level::ordinal) spread_ranks();
    double square = 1;  // scale of squared distances: disagreements are at most 1
    switch (level_) {
      case Level::nominal:
        found.expected = expected_nominal(n);
        break;
      case Level::ratio:
        found.expected = expected_ratio(n, square);
        break;
      default:
        found.expected = expected_spread(n, square);
    }
    ExactSum by_rating, by_unit;
    for (const Chosen& c : chosen_) {
      const double disagreement = c.unit->disagreement * square;
      by_rating.add(disagreement, c.times * c.unit->n);
      by_unit.add(disagreement, c.times);
    }
    for (const int32_t value : present_) counts_[value] = 0;
    found.n_units = static_cast<double>(n_rated);
    found.n_ratings = static_cast<double>(n);
    found.by_rating = by_rating.value() / found.n_ratings;
    found.by_unit = by_unit.value() / found.n_units;
    return found;
  }

 private:
  struct Unit {
    int64_t first = 0;  // its numbers: numbers_[first] up to numbers_[first + n]
    int64_t n = 0;      // ratings, 0 for fewer than two
    double low = 0, high = 0;
    double rise = 0;          // mean of the ratings, minus low
    double disagreement = 0;  // mean squared distance of two of the ratings
  };

  struct Chosen {
    Unit* unit;
    int64_t times;
  };

  CostMeter& meter_;
  static constexpr double HALF = std::numeric_limits<double>::max() / 2;
  static constexpr size_t BLOCK = 512;  // values

  Level level_;
  std::vector<Unit> kinds_;       // of ratings: units with equal ratings share one
  std::vector<int32_t> kind_of_;  // by unit
  std::vector<int64_t> uses_;     // by kind; zero between problems
  Numbering numbering_;
  std::vector<int32_t> numbers_;  // of values, in ascending order of the values
  std::vector<double> values_;    // the different values, ascending
  std::vector<int64_t> counts_;   // by value in the current problem; zero between problems
  std::vector<int32_t> present_;  // numbers of these values, ascending
  std::vector<Chosen> chosen_;
  std::vector<double> ratings_, ranks_, ranks_of_unit_, different_, times_;

  // Finds units with equal ratings by their keys, while these have room. Returns the first unit
  // without a kind.
  int64_t find_kinds(const double* values, const int64_t* offsets, int64_t n_units,
                     std::vector<int64_t>& firsts) {
    int64_t most = 0;
    for (int64_t u = 0; u < n_units; ++u) most = std::max(most, offsets[u + 1] - offsets[u]);
    UnitKeys keys(most);
    for (int64_t start = 0; start < n_units; start += BLOCK) {
      const int64_t stop = std::min(start + int64_t{BLOCK}, n_units);
      meter_.add_cost(20 * (offsets[stop] - offsets[start]));
      for (int64_t u = start; u < stop; ++u) {
        FC_PREFETCH(values + offsets[u] + PAGE);
        const int64_t key = keys(values + offsets[u], values + offsets[u + 1]);
        if (!keys.has_room()) return u;
        if (key == static_cast<int64_t>(firsts.size())) firsts.push_back(u);
        kind_of_[u] = static_cast<int32_t>(key);
      }
    }
    return n_units;
  }

  // Adds the kind of a unit with these ratings, and returns it.
  int32_t add_kind(const double* from, const double* to, double scale) {
    ratings_.clear();
    for (; from < to; ++from) {
      if (!std::isnan(*from)) ratings_.push_back(*from * scale + 0.0);  // turns -0 into 0
    }
    Unit unit;
    if (ratings_.size() > 1) measure(unit);
    kinds_.push_back(unit);
    return static_cast<int32_t>(kinds_.size()) - 1;
  }

  // Sorts the ratings and computes the disagreement between them.
  void measure(Unit& unit) {
    meter_.add_cost(80 * static_cast<int64_t>(ratings_.size()));
    unit.first = static_cast<int64_t>(numbers_.size());
    unit.n = static_cast<int64_t>(ratings_.size());
    std::sort(ratings_.begin(), ratings_.end());
    if (level_ == Level::interval) spread(ratings_.data(), unit);
    if (level_ == Level::nominal) unit.disagreement = share_unequal(ratings_);
    if (level_ == Level::ratio) unit.disagreement = ratio_between(ratings_);
    if (level_ != Level::interval) {
      for (const double rating : ratings_) numbers_.push_back(numbering_(rating));
    }
  }

  // Returns the power of two that scales every magnitude to at most 1. Then no square overflows.
  static double scale_of(double most) {
    int exponent = 0;
    std::frexp(most, &exponent);
    return std::ldexp(1.0, std::min(-exponent, 1023));
  }

  // Returns the share of pairs of unequal ratings. Ratings are sorted.
  static double share_unequal(const std::vector<double>& ratings) {
    const int64_t n = static_cast<int64_t>(ratings.size());
    int64_t alike = 0;
    for (int64_t from = 0, to = 0; from < n; from = to) {
      while (to < n && ratings[to] == ratings[from]) ++to;
      alike += (to - from) * (to - from);
    }
    return static_cast<double>(n * n - alike) / static_cast<double>(n * (n - 1));
  }

  // The mean squared distance of two numbers is twice their sample variance. Distances start from
  // the lowest number. So equal numbers give an exact 0, and a common offset costs no digits.
  static void spread(const double* ratings, Unit& unit) {
    const double n = static_cast<double>(unit.n);
    unit.low = ratings[0];
    unit.high = ratings[unit.n - 1];
    double sum = 0;
    for (int64_t i = 0; i < unit.n; ++i) sum += ratings[i] - unit.low;
    unit.rise = sum / n;
    double squares = 0;
    for (int64_t i = 0; i < unit.n; ++i) {
      const double distance = ratings[i] - unit.low - unit.rise;
      squares += distance * distance;
    }
    unit.disagreement = 2 * squares / (n - 1);
  }

  double ratio_between(const std::vector<double>& ratings) {
    different_.clear();
    times_.clear();
    for (size_t from = 0, to = 0; from < ratings.size(); from = to) {
      while (to < ratings.size() && ratings[to] == ratings[from]) ++to;
      different_.push_back(ratings[from]);
      times_.push_back(static_cast<double>(to - from));
    }
    const double square = ratio_unit();
    return mean_ratio(static_cast<int64_t>(ratings.size()), square) / square;
  }

  // A sum of two numbers may overflow, but a sum of their halves cannot. Halving a low number loses
  // far less than the last digit of the result.
  static double part_of(double high) { return high < HALF ? 1 : 0.5; }

  static double ratio(double high, double low) { return (high - low) / (high + low); }

  // Returns the power of two that scales the greatest squared distance of different_ to 1/4 to 1.
  // Every sum uses this unit, so close ratings keep as many digits as others.
  double ratio_unit() const {
    if (different_.size() < 2) return 1;
    int exponent = 0;
    const double part = part_of(different_.back());
    std::frexp(ratio(different_.back() * part, different_.front() * part), &exponent);
    return std::ldexp(1.0, -2 * exponent);
  }

  // Returns the mean of ((a - b) / (a + b))^2, times square, over pairs of n ratings. different_
  // are the values, times_ their counts. Adds up row by row. Each block of a row is short enough to
  // keep its last digits.
  double mean_ratio(int64_t n, double square) const {
    ExactSum total;
    for (size_t i = 1; i < different_.size(); ++i) {
      meter_.add_cost(static_cast<int64_t>(i));
      double row = 0;
      for (size_t j = 0; j < i; j += BLOCK) row += ratio_block(i, j, std::min(j + BLOCK, i));
      total.add(row * square / static_cast<double>(n), static_cast<int64_t>(times_[i]));
    }
    return 2 * total.value() / (static_cast<double>(n) - 1);
  }

  // Sums distances of value i to the values from j up to stop, with their counts.
  double ratio_block(size_t i, size_t j, size_t stop) const {
    constexpr size_t LANES = 8;
    double lanes[LANES] = {};
    const double part = part_of(different_[i]);
    const double high = different_[i] * part;
    const double* value = different_.data() + j;
    const double* times = times_.data() + j;
    const size_t n = stop - j;
    for (size_t k = 0; k + LANES <= n; k += LANES) {
      for (size_t lane = 0; lane < LANES; ++lane) {
        const double distance = ratio(high, value[k + lane] * part);
        lanes[lane] += times[k + lane] * (distance * distance);
      }
    }
    for (size_t k = n - n % LANES; k < n; ++k) {
      const double distance = ratio(high, value[k] * part);
      lanes[0] += times[k] * (distance * distance);
    }
    return std::accumulate(lanes, lanes + LANES, 0.0);
  }

  void count_values() {
    present_.clear();
    for (const Chosen& c : chosen_) {
      for (int64_t i = c.unit->first; i < c.unit->first + c.unit->n; ++i) {
        int64_t& count = counts_[numbers_[i]];
        if (!count) present_.push_back(numbers_[i]);
        count += c.times;
      }
    }
    std::sort(present_.begin(), present_.end());
  }

  // Ordinal is interval on mean ranks. The distance is half of the two values' ratings plus all
  // ratings between them. Doubled ranks are whole numbers.
  void spread_ranks() {
    int64_t below = 0;
    for (const int32_t value : present_) {
      ranks_[value] = static_cast<double>(2 * below + counts_[value]);
      below += counts_[value];
    }
    for (const Chosen& c : chosen_) {
      const int32_t* numbers = numbers_.data() + c.unit->first;
      ranks_of_unit_.resize(c.unit->n);
      for (int64_t i = 0; i < c.unit->n; ++i) ranks_of_unit_[i] = ranks_[numbers[i]];
      spread(ranks_of_unit_.data(), *c.unit);
    }
  }

  double expected_nominal(int64_t n) const {
    int64_t alike = 0;
    for (const int32_t value : present_) alike += counts_[value] * counts_[value];
    return static_cast<double>(n * n - alike) /
           (static_cast<double>(n) * (static_cast<double>(n) - 1));
  }

  // Returns twice the sample variance of all ratings, from means and variances of the units. Its
  // unit of distance is at least the range.
  double expected_spread(int64_t n, double& square) const {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Chosen& c : chosen_) {
      low = std::min(low, c.unit->low);
      high = std::max(high, c.unit->high);
    }
    if (low == high) return 0;
    int exponent = 0;
    std::frexp(high - low, &exponent);
    const double scale = std::ldexp(1.0, std::min(-exponent, 500));
    square = scale * scale;
    const auto mean_of = [&](const Unit& u) { return (u.low - low + u.rise) * scale; };
    ExactSum sum;
    for (const Chosen& c : chosen_) sum.add(mean_of(*c.unit), c.times * c.unit->n);
    const double mean = sum.value() / static_cast<double>(n);
    ExactSum squares;
    for (const Chosen& c : chosen_) {
      const double units = static_cast<double>(c.unit->n);
      const double distance = mean_of(*c.unit) - mean;
      const double within = c.unit->disagreement * square / 2 * (units - 1) / units;
      squares.add(distance * distance + within, c.times * c.unit->n);
    }
    return 2 * squares.value() / (static_cast<double>(n) - 1);
  }

  double expected_ratio(int64_t n, double& square) {
    different_.clear();
    times_.clear();
    for (const int32_t value : present_) {
      different_.push_back(values_[value]);
      times_.push_back(static_cast<double>(counts_[value]));
    }
    square = ratio_unit();
    return mean_ratio(n, square);
  }
};

// Solves a problem for every group of units, or with all units for every row of times. times is
// [n_problems, n_units]. groups and times may be null. found is [n_problems].
inline void disagreements(Level level, const double* values, const int64_t* offsets,
                          int64_t n_units, const int64_t* groups, const int32_t* times,
                          int64_t n_problems, Disagreement* found, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Reliability reliability(level, values, offsets, n_units, meter);
  if (!groups) {
    for (int64_t p = 0; p < n_problems; ++p) {
      found[p] = reliability.problem(nullptr, n_units, times ? times + p * n_units : nullptr);
    }
    return;
  }
  std::vector<int64_t> starts(n_problems + 1), units(n_units);
  places_by_key(groups, n_units, n_problems, starts.data(), units.data());
  for (int64_t p = 0; p < n_problems; ++p) {
    found[p] = reliability.problem(units.data() + starts[p], starts[p + 1] - starts[p], nullptr);
  }
}

}  // namespace fastcausal

// Correlations of scores with labels in each segment of rows. Rows may have weights.
//
//   arrange ─ rows in order of segment, score and label ─ Correlator ─ Correlations
//
// Counts are integers: pairs of rows that both sides order alike, or tie. Sums of floats follow the
// groups of equal rows, so the order of rows does not change a bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace fastcausal {

// Rows in order of segment, score and label.
struct SortedRows {
  double* scores;
  double* labels;
  int64_t* score_places;   // equal for equal scores of a segment
  int64_t* label_places;   // from 0 in each segment, in order of the labels
  const int64_t* offsets;  // of the segments
  int64_t n_segments;
};

// The results for one segment in one draw, NaN if undefined.
struct Correlations {
  double pearson, spearman, kendall, accuracy, auc;
};

constexpr std::size_t FEW_LABELS = 16;

// Lists the different values of a segment, ascending.
inline void distinct_labels(const double* labels, int64_t n, std::vector<double>& into) {
  into.clear();
  for (int64_t k = 0; k < n && into.size() <= FEW_LABELS; ++k) {
    bool is_new = true;  // no early exit: mispredicting it takes longer
    for (const double label : into) is_new &= label != labels[k];
    if (is_new) into.push_back(labels[k]);
  }
  if (into.size() > FEW_LABELS) into.assign(labels, labels + n);
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

// Returns the place of a label among the different labels; without branches if they are few.
inline int64_t place_of(double label, const std::vector<double>& different) {
  if (different.size() > FEW_LABELS) {
    return std::lower_bound(different.begin(), different.end(), label) - different.begin();
  }
  int64_t place = 0;
  for (const double lower : different) place += lower < label;
  return place;
}

// Scales values (from least to most) by a power of two: squares neither vanish nor overflow.
inline void scale(double* values, int64_t n, double least, double most) {
  int exponent = 0;
  std::frexp(std::max(std::fabs(least), std::fabs(most)), &exponent);
  if (std::abs(exponent) < 200) return;
  for (int64_t k = 0; k < n; ++k) values[k] = std::ldexp(values[k], -exponent);
}

// Fills rows in their order. `order` must ascend by segment and score. Sorts rows with equal scores
// by label.
inline void arrange(const double* scores, const double* labels, int64_t* order, SortedRows& rows) {
  std::vector<double> different;
  for (int64_t segment = 0; segment < rows.n_segments; ++segment) {
    const int64_t first = rows.offsets[segment], last = rows.offsets[segment + 1];
    if (first == last) continue;
    for (int64_t row = first; row < last;) {
      int64_t end = row + 1;
      while (end < last && scores[order[end]] == scores[order[row]]) ++end;
      if (end - row > 1) {
        std::sort(order + row, order + end,
                  [&](int64_t a, int64_t b) { return labels[a] < labels[b]; });
      }
      for (const int64_t place = row; row < end; ++row) rows.score_places[row] = place;
    }
    for (int64_t row = first; row < last; ++row) {
      rows.scores[row] = scores[order[row]];
      rows.labels[row] = labels[order[row]];
    }
    distinct_labels(rows.labels + first, last - first, different);
    for (int64_t row = first; row < last; ++row) {
      rows.label_places[row] = place_of(rows.labels[row], different);
    }
    scale(rows.scores + first, last - first, rows.scores[first], rows.scores[last - 1]);
    scale(rows.labels + first, last - first, different.front(), different.back());
  }
}

// A Fenwick tree: counts the rows so far with a label below a place.
class FenwickTree {
 public:
  void reset(int64_t n) { counts_.assign(n + 1, 0); }

  void add(int64_t place, int64_t n) {
    const int64_t size = static_cast<int64_t>(counts_.size());
    for (int64_t k = place + 1; k < size; k += k & -k) counts_[k] += n;
  }

  int64_t count(int64_t place) const {
    int64_t n = 0;
    for (int64_t k = place; k > 0; k -= k & -k) n += counts_[k];
    return n;
  }

 private:
  std::vector<int64_t> counts_;
};

// Subtracts the mean from the values of one side. Subtracts one of the values first: so differences
// of values far from 0 keep their digits. Scales by a power of two, so that squares do not vanish.
class Centred {
 public:
  void start(double value) {
    from_ = least_ = most_ = value;
    sum_ = 0;
  }
  void add(double value, int64_t n) {
    sum_ += static_cast<double>(n) * (value - from_);
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }
  void end(int64_t n) {
    int exponent = 0;
    std::frexp(most_ - least_, &exponent);
    factor_ = exponent < -400 ? std::ldexp(1.0, std::min(-exponent, 1000)) : 1.0;
    mean_ = factor_ * sum_ / static_cast<double>(n);
  }
  double of(double value) const { return factor_ * (value - from_) - mean_; }

 private:
  double from_ = 0, least_ = 0, most_ = 0, sum_ = 0, factor_ = 1, mean_ = 0;
};

class Correlator {
 public:
  explicit Correlator(const SortedRows& rows) : rows_(rows) {}

  // weights: of the rows, null for 1 each.
  Correlations of(int64_t segment, const int64_t* weights) {
    group(rows_.offsets[segment], rows_.offsets[segment + 1], weights);
    rank_labels();
    count_pairs();
    return result();
  }

 private:
  // Equal rows, by their first.
  struct Group {
    int64_t row, n;
  };

  void group(int64_t first, int64_t last, const int64_t* weights) {
    groups_.clear();
    n_ = n_labels_ = 0;
    for (int64_t row = first; row < last;) {
      const int64_t start = row, place = rows_.score_places[row], label = rows_.label_places[row];
      int64_t n = 0;
      while (row < last && rows_.score_places[row] == place && rows_.label_places[row] == label) {
        n += weights ? weights[row] : 1;
        ++row;
      }
      if (!n) continue;
      if (groups_.empty()) {
        scores_.start(rows_.scores[start]);
        labels_.start(rows_.labels[start]);
      }
      groups_.push_back({start, n});
      n_ += n;
      n_labels_ = std::max(n_labels_, label + 1);
      scores_.add(rows_.scores[start], n);
      labels_.add(rows_.labels[start], n);
    }
    scores_.end(n_);
    labels_.end(n_);
  }

  // Computes twice the ranks, minus their mean.
  void rank_labels() {
    of_label_.assign(n_labels_, 0);
    ranks_.resize(n_labels_);
    for (const Group& g : groups_) of_label_[rows_.label_places[g.row]] += g.n;
    int64_t before = 0;
    label_ties_ = 0;
    for (int64_t k = 0; k < n_labels_; ++k) {
      const int64_t n = of_label_[k];
      ranks_[k] = static_cast<double>(2 * before + n - n_);
      before += n;
      label_ties_ += pairs(n);
    }
  }

  void count_pairs() {
    below_.reset(n_labels_);
    alike_ = score_ties_ = both_ties_ = 0;
    xx_ = yy_ = xy_ = rank_xx_ = rank_yy_ = rank_xy_ = 0;
    int64_t before = 0;
    for (std::size_t k = 0; k < groups_.size();) {
      std::size_t end = k;
      int64_t n = 0;
      const int64_t place = rows_.score_places[groups_[k].row];
      for (; end < groups_.size() && rows_.score_places[groups_[end].row] == place; ++end) {
        n += groups_[end].n;
      }
      score_ties_ += pairs(n);
      for (std::size_t j = k; j < end; ++j) add(groups_[j], before, n);
      for (; k < end; ++k) below_.add(rows_.label_places[groups_[k].row], groups_[k].n);
      before += n;
    }
  }

  // before: rows of lower scores; n: rows of this score.
  void add(const Group& g, int64_t before, int64_t n) {
    const int64_t place = rows_.label_places[g.row];
    both_ties_ += pairs(g.n);
    alike_ += g.n * below_.count(place);
    const double w = static_cast<double>(g.n);
    const double x = scores_.of(rows_.scores[g.row]), y = labels_.of(rows_.labels[g.row]);
    xx_ += w * x * x;
    yy_ += w * y * y;
    xy_ += w * x * y;
    const double rank = static_cast<double>(2 * before + n - n_), of_label = ranks_[place];
    rank_xx_ += w * rank * rank;
    rank_yy_ += w * of_label * of_label;
    rank_xy_ += w * rank * of_label;
  }

  Correlations result() const {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Correlations result{nan, nan, nan, nan, nan};
    const int64_t all = pairs(n_);
    const int64_t unlike = all - score_ties_ - label_ties_ + both_ties_ - alike_;
    const auto number = [](int64_t n) { return static_cast<double>(n); };
    if (all > 0) result.accuracy = number(alike_ + both_ties_) / number(all);
    if (all > label_ties_) {
      const int64_t halves = 2 * alike_ + score_ties_ - both_ties_;
      result.auc = number(halves) / number(2 * (all - label_ties_));
    }
    if (all > label_ties_ && all > score_ties_) {
      result.pearson = bounded(xy_ / (std::sqrt(xx_) * std::sqrt(yy_)));
      result.spearman = bounded(rank_xy_ / std::sqrt(rank_xx_ * rank_yy_));
      const double untied = std::sqrt(number(all - label_ties_) * number(all - score_ties_));
      result.kendall = bounded(number(alike_ - unlike) / untied);
    }
    return result;
  }

  static int64_t pairs(int64_t n) { return n * (n - 1) / 2; }
  static double bounded(double r) { return std::max(-1.0, std::min(1.0, r)); }

  const SortedRows& rows_;
  int64_t n_ = 0, n_labels_ = 0;
  int64_t alike_ = 0, score_ties_ = 0, label_ties_ = 0, both_ties_ = 0;
  Centred scores_, labels_;
  double xx_ = 0, yy_ = 0, xy_ = 0, rank_xx_ = 0, rank_yy_ = 0, rank_xy_ = 0;
  std::vector<Group> groups_;
  std::vector<int64_t> of_label_;
  std::vector<double> ranks_;
  FenwickTree below_;
};

// weights: [n_draws, n_rows], or null for one draw of every row. into: [n_draws, n_segments].
inline void correlate(const SortedRows& rows, const int64_t* weights, int64_t n_draws,
                      Correlations* into) {
  Correlator correlator(rows);
  const int64_t n_rows = rows.offsets[rows.n_segments];
  for (int64_t draw = 0; draw < n_draws; ++draw) {
    for (int64_t segment = 0; segment < rows.n_segments; ++segment) {
      into[draw * rows.n_segments + segment] =
          correlator.of(segment, weights ? weights + draw * n_rows : nullptr);
    }
  }
}

}  // namespace fastcausal

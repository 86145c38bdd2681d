// Agreement of annotators as sums over examples: EM, OSB, TO and alpha of their pairs of relations,
// and alpha over the masks of all annotators at once.
//
// Within an example, floats are added in the order of numpy's reductions; sums over examples are
// exact. So no order of examples, annotators or relations changes a bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "arrays/exact.hpp"
#include "arrays/rows.hpp"
#include "arrays/stop.hpp"
#include "engine/chosen.hpp"
#include "fastcausal/sinks.h"
#include "fastcausal/span_overlap.h"
#include "tasks/unitized.hpp"

namespace fastcausal {

enum Measure { ALPHA, FIRST_SHARE, N_MEASURES = FIRST_SHARE + 3 };  // the shares: EM, OSB, TO

// Adds numbers in the order of numpy.add.reduce: fewer than eight one by one, more in eight
// columns, more than 128 in two halves.
inline double sum_of(const double* values, size_t n) {
  if (n > 128) {
    const size_t half = n / 2 - n / 2 % 8;
    return sum_of(values, half) + sum_of(values + half, n - half);
  }
  size_t k = 0;
  double sum = 0;
  if (n >= 8) {
    double columns[8];
    std::copy_n(values, 8, columns);
    for (k = 8; k + 8 <= n; k += 8) {
      for (size_t c = 0; c < 8; ++c) columns[c] += values[k + c];
    }
    const double* c = columns;
    sum = ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
  }
  for (; k < n; ++k) sum += values[k];
  return sum;
}

// Sums of a group (a role or the total) over the pairs of an example.
struct GroupSums {
  std::vector<double> alphas;  // alpha times its weight, for each pair
  int64_t marked = 0;          // the sum of the weights
  int64_t shares[N_MEASURES - FIRST_SHARE] = {};

  // Returns the sum of weighted alphas, sorted first, so that the order of relations does not
  // matter.
  double alpha() {
    const size_t n = alphas.size();
    if (n > 2) std::sort(alphas.begin(), alphas.end());
    return alphas[0] + sum_of(alphas.data() + 1, n - 1);
  }
};

// Measures pairs of two annotators' relations, one example after the other.
class PairSums {
 public:
  // params has the number of roles, then the track of each. With by_example, EM, OSB and TO are
  // means over the pairs of an example.
  PairSums(const int64_t* params, bool unitized, bool by_example)
      : params_(params),
        unitized_(unitized),
        by_example_(by_example),
        groups_(static_cast<size_t>(params[0] + 1)),
        counts_(static_cast<size_t>(overlap::N_FIELDS * params[0] + overlap::N_OVERALL)),
        alphas_(static_cast<size_t>(params[0])) {}

  void add_pair(const Relation& a, const Relation& b, int64_t length) {
    std::fill(counts_.begin(), counts_.end(), 0);
    CountSink sink{counts_.data()};
    span_overlap(a, b, length, params_, sink);
    GroupSums& total = groups_.back();
    const int64_t* of_role = counts_.data();
    for (size_t role = 0; role < alphas_.size(); ++role, of_role += overlap::N_FIELDS) {
      const int64_t weight = unitized_ ? unitized_alpha(a, b, static_cast<int32_t>(role), length)
                                       : masks_alpha(of_role, role);
      groups_[role].alphas.push_back(alphas_[role]);
      groups_[role].marked += weight;
      total.marked += weight;
      for (int k = 0; k < 3; ++k) groups_[role].shares[k] += of_role[overlap::EM + k];
    }
    total.alphas.push_back(sum_of(alphas_.data(), alphas_.size()));
    for (int k = 0; k < 3; ++k) total.shares[k] += of_role[overlap::ALL_EM + k];
    ++n_pairs_;
  }

  // Ends an example. Adds its measures to sums[2, n_groups, N_MEASURES], numerators first. Writes
  // them to rows in the same order, unless rows is null.
  void end_example(DigitSum* sums, double* rows) {
    const size_t n_cells = groups_.size() * N_MEASURES;
    const int64_t n = by_example_ ? n_pairs_ : 1;  // the denominator of a share
    const int64_t of_pairs = by_example_ ? 1 : n_pairs_;
    for (size_t g = 0; g < groups_.size(); ++g) {
      GroupSums& group = groups_[g];
      const double alpha = group.alpha();
      DigitSum* top = sums + g * N_MEASURES;
      DigitSum* bottom = top + n_cells;
      top[ALPHA].add(alpha);
      bottom[ALPHA].add_whole(group.marked);
      for (int m = FIRST_SHARE; m < N_MEASURES; ++m) {
        const int64_t hits = group.shares[m - FIRST_SHARE];
        if (n == 1 || !hits) {
          top[m].add_whole(hits);
        } else {
          top[m].add(static_cast<double>(hits) / static_cast<double>(n));
        }
        bottom[m].add_whole(of_pairs);
      }
      if (rows) write(group, alpha, n, of_pairs, rows + g * N_MEASURES, n_cells);
      group.alphas.clear();
      group.marked = 0;
      std::fill(std::begin(group.shares), std::end(group.shares), 0);
    }
    n_pairs_ = 0;
  }

 private:
  const int64_t* params_;
  const bool unitized_, by_example_;
  std::vector<GroupSums> groups_;  // sums of each role, then of the total
  std::vector<int64_t> counts_;    // counts of the current pair
  std::vector<double> alphas_;     // its alpha times the weight, for each role
  Unitized units_;
  int64_t n_pairs_ = 0;

  // Sets alpha times its weight for a role and returns the weight; both are 0 if alpha is
  // undefined.
  int64_t masks_alpha(const int64_t* counts, size_t role) {
    const int64_t marked = counts[overlap::N1];
    const double alpha = binary_alpha(counts[overlap::N], marked, counts[overlap::O01], NAN);
    const bool defined = !std::isnan(alpha);
    alphas_[role] = defined ? alpha * static_cast<double>(marked) : 0;
    return defined ? marked : 0;
  }

  // Does the same for unitised alpha. A pair without one of the relations has no weight.
  int64_t unitized_alpha(const Relation& a, const Relation& b, int32_t role, int64_t length) {
    const size_t at = static_cast<size_t>(role);
    alphas_[at] = 0;
    if (!a.n || !b.n) return 0;
    units_.compare(a, b, role, length);
    alphas_[at] = units_.alpha * static_cast<double>(units_.weight);
    return units_.weight;
  }

  static void write(const GroupSums& group, double alpha, int64_t n, int64_t of_pairs, double* top,
                    size_t n_cells) {
    double* bottom = top + n_cells;
    top[ALPHA] = alpha;
    bottom[ALPHA] = static_cast<double>(group.marked);
    for (int m = FIRST_SHARE; m < N_MEASURES; ++m) {
      const int64_t hits = group.shares[m - FIRST_SHARE];
      top[m] = static_cast<double>(hits) / static_cast<double>(n);
      bottom[m] = static_cast<double>(of_pairs);
    }
  }
};

// Adds the measures of listed pairs to sums[2, n_groups, N_MEASURES]. Writes the measures of each
// example to rows[n_examples, 2, n_groups, N_MEASURES], unless rows is null.
inline void sum_pairs(const Side& a, const Side& b, const int32_t* lengths, const PairList& pairs,
                      int64_t n_pairs, PairSums& of_example, DigitSum* sums, double* rows,
                      int64_t row_width, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  for (int64_t k = 0; k < n_pairs; ++k) {
    const int64_t e = pairs.example[k];
    const int64_t g = pairs.gold[k];
    const int64_t p = pairs.pred[k];
    const Relation of_a = g < 0 ? Relation() : a.relation(g);
    const Relation of_b = p < 0 ? Relation() : b.relation(p);
    meter.add_cost(8 * of_a.n * of_b.n + 100);
    of_example.add_pair(of_a, of_b, lengths[e]);
    if (k + 1 < n_pairs && pairs.example[k + 1] == e) continue;
    of_example.end_example(sums, rows ? rows + e * row_width : nullptr);
  }
}

// The relations of an annotator. row_of has, for each example of all annotators, the row of this
// annotator's example, -1 if missing; it is null if rows are the same.
struct Annotator {
  Side side;
  const int32_t* lengths;
  const int64_t* row_of;
};

// The masks of all annotators of an example: for each role, disjoint intervals of each annotator.
class Masks {
 public:
  explicit Masks(size_t n_roles) : of_role_(n_roles) {}

  void clear() {
    n_masks_ = 0;
    for (Role& role : of_role_) role.intervals.clear();
  }

  // Adds the relations of an annotator.
  void add(const Side& side, int64_t e) {
    const int64_t first = side.relation_offsets[e];
    const int64_t last = side.relation_offsets[e + 1];
    const Row* from = side.rows + side.row_offsets[first];
    const Row* to = side.rows + side.row_offsets[last];
    if (last - first > 1) {
      rows_.assign(from, to);
      std::sort(rows_.begin(), rows_.end(), before);
      from = rows_.data();
      to = from + rows_.size();
    }
    for (Role& role : of_role_) role.n_earlier = role.intervals.size();
    for (const Row* row = from; row < to; ++row) {
      Role& role = of_role_[static_cast<size_t>(row->role)];
      std::vector<Row>& own = role.intervals;
      if (own.size() > role.n_earlier && row->start <= own.back().stop) {
        own.back().stop = std::max(own.back().stop, row->stop);
      } else {
        own.push_back(*row);
      }
    }
    ++n_masks_;
  }
  int64_t n_masks() const { return n_masks_; }

  // Sets the numbers of marked tokens of a role, summed over annotators, and of common tokens,
  // summed over pairs of annotators.
  void count(size_t role, int64_t& marked, int64_t& common) {
    std::vector<Row>& all = of_role_[role].intervals;
    const bool sorted = all.size() > FEW;
    if (sorted) std::sort(all.begin(), all.end(), before);
    marked = common = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      marked += all[i].stop - all[i].start;
      for (size_t j = i + 1; j < all.size(); ++j) {
        if (sorted && all[j].start >= all[i].stop) break;
        common += shared_tokens(all[i], all[j]);
      }
    }
  }

 private:
  static constexpr size_t FEW = 8;  // for so few intervals sorting does not pay
  struct Role {
    std::vector<Row> intervals;
    size_t n_earlier;  // number of other annotators' intervals
  };
  std::vector<Role> of_role_;
  std::vector<Row> rows_;
  int64_t n_masks_ = 0;
};

// Adds alpha over the masks of all annotators at once to sums[2, n_roles + 1], numerators first. A
// token marked by c of m annotators disagrees in c (m - c) of their pairs.
inline void sum_masks(const std::vector<Annotator>& annotators, int64_t n_examples, size_t n_roles,
                      DigitSum* sums, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Masks masks(n_roles);
  std::vector<double> tops(n_roles);
  for (int64_t e = 0; e < n_examples; ++e) {
    masks.clear();
    int64_t length = -1;
    for (const Annotator& of : annotators) {
      const int64_t row = of.row_of ? of.row_of[e] : e;
      if (row < 0) continue;
      masks.add(of.side, row);
      length = std::max<int64_t>(length, of.lengths[row]);
    }
    const int64_t others = masks.n_masks() - 1;
    meter.add_cost(100 * (others + 1));
    if (others < 1) continue;
    const double n = static_cast<double>((others + 1) * length);
    int64_t weight = 0;
    for (size_t role = 0; role < n_roles; ++role) {
      int64_t marked, common;
      masks.count(role, marked, common);
      const double n1 = static_cast<double>(marked);
      const double o01 =
          static_cast<double>(others * marked - 2 * common) / static_cast<double>(others);
      const double both = (n - n1) * n1;
      tops[role] = both > 0 ? (1.0 - (n - 1) * o01 / both) * n1 : 0;
      sums[role].add(tops[role]);
      if (both > 0) weight += marked;
      sums[n_roles + 1 + role].add_whole(both > 0 ? marked : 0);
    }
    sums[n_roles].add(sum_of(tops.data(), n_roles));
    sums[2 * n_roles + 1].add_whole(weight);
  }
}

}  // namespace fastcausal

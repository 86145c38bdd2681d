// The scores of cnc-2022: a running mean of label scores, weighted by gold spans. The Python twin
// is fastcausal/tasks/extraction/cnc2022.py.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "capi/formulas.hpp"
#include "engine/cpu.hpp"

namespace fastcausal::capi {

constexpr int64_t MOST_ORDERED = 8;  // relations of an example: 40,320 orders

// Precision, recall and F1, and the gold spans that they are weighted by.
struct LabelScore {
  double values[3] = {0.0, 0.0, 0.0};
  int64_t number = 0;
};

class MeanOfMeans {
 public:
  MeanOfMeans(const Protocol& protocol, const Input& gold, const Input& pred, int64_t n_examples)
      : protocol_(protocol), gold_(gold), pred_(pred), n_examples_(n_examples) {}

  // Returns the first example with too many relations, or -1.
  int64_t run() {
    std::vector<int64_t> pooled(n_fields());
    for (int64_t e = 0; e < n_examples_; ++e) {
      const int64_t n = gold_.side.n_relations(e);
      if (n > MOST_ORDERED) return e;
      if (n != 1) continue;
      fill_cells(e, n);
      add_cell(0, pooled);
    }
    result_ = label_scores(pooled);
    for (int64_t e = 0; e < n_examples_; ++e) {
      if (gold_.side.n_relations(e) > 1) merge(best_order(e));
    }
    return -1;
  }

  NamedScores scores() const {
    LabelScore overall = mean(result_);
    overall.number = 0;  // each track counts once, by its first role
    const int64_t* track_of = protocol_.plan.params + 1;
    for (size_t role = 0; role < n_roles(); ++role) {
      if (std::find(track_of, track_of + role, track_of[role]) == track_of + role) {
        overall.number += result_[role].number;
      }
    }
    NamedScores all;
    add(overall, "overall", all);
    for (size_t role = 0; role < n_roles(); ++role) add(result_[role], protocol_.roles[role], all);
    return all;
  }

 private:
  using LabelScores = std::vector<LabelScore>;  // of each role

  const Protocol& protocol_;
  const Input gold_, pred_;
  const int64_t n_examples_;
  LabelScores result_;
  std::vector<int64_t> cells_;  // [n, n, n_fields]: of every gold with every predicted relation

  size_t n_roles() const { return protocol_.roles.size(); }
  size_t n_fields() const { return static_cast<size_t>(protocol_.plan.n_fields); }

  static void add(const LabelScore& score, const std::string& group, NamedScores& all) {
    all.emplace_back(group + "_precision", score.values[0]);
    all.emplace_back(group + "_recall", score.values[1]);
    all.emplace_back(group + "_f1", score.values[2]);
    all.emplace_back(group + "_number", static_cast<double>(score.number));
  }

  // Counts every gold with every predicted relation of an example. Missing predictions are empty.
  void fill_cells(int64_t e, int64_t n) {
    cells_.assign(static_cast<size_t>(n * n) * n_fields(), 0);
    const int64_t first = pred_.side.relation_offsets[e], stop = pred_.side.relation_offsets[e + 1];
    std::vector<int64_t> golds, preds;
    for (int64_t g = 0; g < n; ++g) {
      for (int64_t p = 0; p < n; ++p) {
        golds.push_back(gold_.side.relation_offsets[e] + g);
        preds.push_back(first + p < stop ? first + p : -1);
      }
    }
    const std::vector<int32_t> lengths(golds.size(), gold_.lengths[e]);
    count_pairs({protocol_.kernel->name, nullptr, nullptr}, gold_.side, pred_.side, golds.data(),
                preds.data(), lengths.data(), n * n, protocol_.plan, cells_.data(),
                [] { return false; });
  }

  void add_cell(size_t cell, std::vector<int64_t>& sum) const {
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += cells_[cell * sum.size() + k];
  }

  // Returns the scores of the order of gold relations with the highest overall F1, of the first if
  // several have it.
  LabelScores best_order(int64_t e) {
    const int64_t n = gold_.side.n_relations(e);
    fill_cells(e, n);
    std::vector<size_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), size_t{0});
    LabelScores chosen;
    double best = -1.0;
    do {
      std::vector<int64_t> sum(n_fields());
      for (size_t p = 0; p < order.size(); ++p) add_cell(order[p] * order.size() + p, sum);
      LabelScores scores = label_scores(sum);
      const double f1 = mean(scores).values[2];
      if (f1 > best) {
        best = f1;
        chosen = std::move(scores);
      }
    } while (std::next_permutation(order.begin(), order.end()));
    return chosen;
  }

  void merge(const LabelScores& scores) {
    for (size_t role = 0; role < n_roles(); ++role) {
      result_[role] = mean({result_[role], scores[role]});
    }
  }

  LabelScores label_scores(const std::vector<int64_t>& counts) const {
    LabelScores scores(n_roles());
    for (size_t role = 0; role < n_roles(); ++role) {
      const int64_t tp = counts[3 * role], fp = counts[3 * role + 1], fn = counts[3 * role + 2];
      const NamedScores exact =
          scores_of_group(*protocol_.kernel, {{"tp", tp}, {"fp", fp}, {"fn", fn}}, 0.0);
      for (size_t k = 0; k < 3; ++k) scores[role].values[k] = exact[k].second;
      scores[role].number = tp + fn;
    }
    return scores;
  }

  static LabelScore mean(const LabelScores& scores) {
    LabelScore mean;
    for (const LabelScore& score : scores) mean.number += score.number;
    if (!mean.number) return mean;
    for (size_t k = 0; k < 3; ++k) {
      for (const LabelScore& score : scores) {
        mean.values[k] += score.values[k] * static_cast<double>(score.number);
      }
      mean.values[k] /= static_cast<double>(mean.number);
    }
    return mean;
  }
};

}  // namespace fastcausal::capi

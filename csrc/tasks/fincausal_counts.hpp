// Counts of FinCausal's sections: their rows paired, labels of words and rows counted.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/stop.hpp"
#include "engine/assign.hpp"
#include "tasks/fincausal_marks.hpp"

namespace fastcausal::fincausal {

// Hits, predicted and gold words of no span, of causes and of effects, then counts of rows, then
// of two guesses: first half cause and second half effect, and nothing.
enum Field : int {
  HITS,
  PREDICTED,
  WANTED,
  PER_CLASS = 3,
  N_CLASSES = 3,
  ROWS = PER_CLASS * N_CLASSES,
  EXACT,
  EXACT_IN_PAIRS,
  HALF_CAUSE,
  HALF_CAUSE_HITS,
  HALF_EFFECT_HITS,
  HALF_EXACT,
  NOTHING_EXACT,
  N_FIELDS
};

// The rows of all sections, and the changes to how the program counts.
struct SectionBatch {
  int64_t n = 0;
  const int64_t* starts = nullptr;   // [n + 1]: of each section in `order`
  const int64_t* order = nullptr;    // rows, section by section
  const int64_t* offsets = nullptr;  // [n_rows + 1]: of each row in the labels
  const char* labels[2] = {nullptr, nullptr};
  bool best = false;  // pair rows for the most words labelled alike
  bool both = false;  // a word may be cause and effect
};

class SectionCounts {
 public:
  explicit SectionCounts(const SectionBatch& batch) : batch_(batch) {}

  void count(int64_t section, int64_t* fields, CostMeter& meter) {
    const int64_t* rows = batch_.order + batch_.starts[section];
    const int64_t n = batch_.starts[section + 1] - batch_.starts[section];
    std::fill(fields, fields + N_FIELDS, 0);
    fields[ROWS] = n;
    partners_.resize(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) partners_[static_cast<size_t>(k)] = static_cast<int32_t>(k);
    if (n > 1) batch_.best ? pair_best(rows, n, meter) : pair_greedily(rows, n, meter);
    for (int64_t k = 0; k < n; ++k) {
      const int64_t partner = rows[partners_[static_cast<size_t>(k)]];
      fields[EXACT] += is_exact(rows[k], rows[k]);
      fields[EXACT_IN_PAIRS] += is_exact(rows[k], partner);
      add(rows[k], partner, fields);
      guess(rows[k], fields);
      meter.add_cost(4 * size(rows[k]));
    }
  }

 private:
  const SectionBatch& batch_;
  Assignment assignment_;
  std::vector<Edge> edges_;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> partners_, left_;

  int64_t size(int64_t row) const { return batch_.offsets[row + 1] - batch_.offsets[row]; }
  const char* labels(int side, int64_t row) const {
    return batch_.labels[side] + batch_.offsets[row];
  }
  // Marks as labels: the effect lies over the cause, unless both are kept.
  char seen(char marks) const { return !batch_.both && marks & EFFECT ? char{EFFECT} : marks; }

  bool is_exact(int64_t gold, int64_t pred) const {
    const char *a = labels(GOLD, gold), *b = labels(PRED, pred);
    for (int64_t k = 0; k < size(gold); ++k) {
      if (seen(a[k]) != seen(b[k])) return false;
    }
    return true;
  }

  void add(int64_t gold, int64_t pred, int64_t* fields) const {
    const char *a = labels(GOLD, gold), *b = labels(PRED, pred);
    int64_t times[4][4] = {};
    for (int64_t k = 0; k < size(gold); ++k) {
      ++times[static_cast<unsigned char>(seen(a[k]))][static_cast<unsigned char>(seen(b[k]))];
    }
    for (int of_gold = 0; of_gold < 4; ++of_gold) {
      for (int of_pred = 0; of_pred < 4; ++of_pred) {
        const int64_t n = times[of_gold][of_pred];
        for (int role = 0; role < N_CLASSES; ++role) {
          const bool is_gold = belongs(of_gold, role), is_pred = belongs(of_pred, role);
          fields[PER_CLASS * role + HITS] += is_gold && is_pred ? n : 0;
          fields[PER_CLASS * role + PREDICTED] += is_pred ? n : 0;
          fields[PER_CLASS * role + WANTED] += is_gold ? n : 0;
        }
      }
    }
  }

  static bool belongs(int marks, int role) { return role ? (marks & role) != 0 : !marks; }

  void guess(int64_t row, int64_t* fields) const {
    const char* gold = labels(GOLD, row);
    const int64_t n = size(row), half = n / 2;
    bool is_half = true, is_nothing = true;
    for (int64_t k = 0; k < n; ++k) {
      const char wanted = seen(gold[k]);
      const int role = k < half ? CAUSE : EFFECT;
      fields[k < half ? HALF_CAUSE_HITS : HALF_EFFECT_HITS] += belongs(wanted, role);
      is_half &= wanted == role;
      is_nothing &= !wanted;
    }
    fields[HALF_CAUSE] += half;
    fields[HALF_EXACT] += is_half;
    fields[NOTHING_EXACT] += is_nothing;
  }

  // The F1 by which the program pairs: of each class, weighted by its words in gold.
  double weighted_f1(int64_t gold, int64_t pred) const {
    int64_t counts[N_FIELDS] = {};
    add(gold, pred, counts);
    double sum = 0, weights = 0;
    const int64_t* of = counts;
    for (int role = 0; role < N_CLASSES; ++role, of += PER_CLASS) {
      const auto both = static_cast<double>(of[PREDICTED] + of[WANTED]);
      const double f1 = both > 0 ? 2 * static_cast<double>(of[HITS]) / both : 0;
      sum += f1 * static_cast<double>(of[WANTED]);
      weights += static_cast<double>(of[WANTED]);
    }
    return weights > 0 ? sum / weights : 0;
  }

  // Gives each row of gold, in turn, the best row that is left, the earlier one of equals.
  void pair_greedily(const int64_t* rows, int64_t n, CostMeter& meter) {
    left_.resize(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) left_[static_cast<size_t>(k)] = static_cast<int32_t>(k);
    for (int64_t k = 0; k < n; ++k) {
      size_t best = 0;
      double best_f1 = -1;
      for (size_t j = 0; j < left_.size(); ++j) {
        const double f1 = weighted_f1(rows[k], rows[left_[j]]);
        if (f1 > best_f1) {
          best = j;
          best_f1 = f1;
        }
        meter.add_cost(100 + 2 * size(rows[k]));
      }
      partners_[static_cast<size_t>(k)] = left_[best];
      left_.erase(left_.begin() + static_cast<ptrdiff_t>(best));
    }
  }

  void pair_best(const int64_t* rows, int64_t n, CostMeter& meter) {
    edges_.clear();
    offsets_.assign(1, 0);
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t j = 0; j < n; ++j) {
        int64_t counts[N_FIELDS] = {};
        add(rows[k], rows[j], counts);
        int64_t alike = 0;
        for (int role = 0; role < N_CLASSES; ++role) alike += counts[PER_CLASS * role + HITS];
        edges_.push_back({static_cast<int32_t>(j), {alike, 0, 0}});
        meter.add_cost(100 + 2 * size(rows[k]));
      }
      offsets_.push_back(static_cast<int64_t>(edges_.size()));
    }
    assignment_.solve(edges_, offsets_, n, {-1, 0, 0}, true, meter, partners_.data());
    complete(n);
  }

  // Gives the rows without a partner those that are left, in turn.
  void complete(int64_t n) {
    left_.assign(static_cast<size_t>(n), 0);
    for (const int32_t partner : partners_) {
      if (partner >= 0) left_[static_cast<size_t>(partner)] = 1;
    }
    size_t next = 0;
    for (int32_t& partner : partners_) {
      if (partner >= 0) continue;
      while (left_[next]) ++next;
      partner = static_cast<int32_t>(next++);
    }
  }
};

inline void count_sections(const SectionBatch& batch, int64_t* fields, int64_t n_threads,
                           StopRequested stop_requested) {
  constexpr int64_t BLOCK = 1024;
  for_blocks((batch.n + BLOCK - 1) / BLOCK, n_threads, stop_requested,
             [&](int64_t block, CostMeter& meter) {
               SectionCounts counts(batch);
               const int64_t end = std::min(batch.n, (block + 1) * BLOCK);
               for (int64_t k = block * BLOCK; k < end; ++k) {
                 counts.count(k, fields + N_FIELDS * k, meter);
               }
             });
}

}  // namespace fastcausal::fincausal

// The CPU driver: for every example, pair gold with predicted relations and add up their counts.
//
//   run_all ── threads over blocks of examples
//     └─ run_few ── one example with few relations (csrc/fastcausal/few.h)
//     └─ Worker::run ── one with many: order the relations, fill the edges, assign, count
//          └─ Pair ── one pair of relations (csrc/fastcausal/<kernel>.h, or a function pointer)
//
// Integers only, so neither the block nor the thread that an example falls to shows in the result.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "assign.hpp"
#include "fastcausal/few.h"
#include "fastcausal/kernels.h"

namespace fastcausal {

// A kernel from elsewhere, and the counts that it writes.
class CalledPair {
 public:
  CalledPair(Kernel kernel, int64_t n_fields) : kernel_(kernel), counts_(n_fields) {}

  template <class Sink>
  void operator()(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                  int64_t length, const int64_t* params, Sink& sink) const {
    std::fill(counts_.begin(), counts_.end(), 0);
    kernel_(gold, n_gold, pred, n_pred, length, params, counts_.data());
    for (size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k]) sink.add(static_cast<int64_t>(k), counts_[k]);
    }
  }

 private:
  Kernel kernel_;
  mutable std::vector<int64_t> counts_;
};

// Calls job with the kernel of this name, or with the function where there is one.
template <class Job>
void with_kernel(const char* name, Kernel function, int64_t n_fields, const Job& job) {
  if (function) return job(CalledPair(function, n_fields));
#define FC_KERNEL(kernel) \
  if (!std::strcmp(name, #kernel)) return job(kernel##_pair());
#include "fastcausal/kernels.def"
#undef FC_KERNEL
  throw std::invalid_argument(std::string("no native kernel ") + name);
}

constexpr int64_t MOST_EDGES = int64_t{1} << 22;  // of one example: minutes at the worst

// Its text is the number of the example.
class TooManyPairs : public std::overflow_error {
 public:
  explicit TooManyPairs(int64_t example) : std::overflow_error(std::to_string(example)) {}
};

template <class Pair>
class Worker {
 public:
  Worker(const Side& gold, const Side& pred, const int32_t* lengths, const Plan& plan,
         const Pair& pair)
      : gold_(gold), pred_(pred), lengths_(lengths), plan_(plan), pair_(pair) {}

  // Adds the counts of the chosen pairs to counts; partner[g], where wanted, is the predicted
  // relation of gold relation g, or -1.
  void run(int64_t example, int64_t* partner, int64_t* counts) {
    Totals totals{counts};
    length_ = lengths_[example];
    if (run_few(pair_, gold_, pred_, example, length_, plan_, partner, totals)) return;
    const int64_t gold_from = gold_.relation_offsets[example];
    const int64_t pred_from = pred_.relation_offsets[example];
    const int64_t n_gold = gold_.n_relations(example);
    const int64_t n_pred = plan_.n_counted(n_gold, pred_.n_relations(example));
    pred_of_.assign(n_gold, -1);
    paired_.assign(n_pred, 0);
    if (n_gold && n_pred) assign(example, gold_from, n_gold, pred_from, n_pred);
    for (int64_t i = 0; i < n_gold; ++i) {
      const int64_t p = pred_of_[i];
      if (p >= 0) paired_[p - pred_from] = 1;
      if (partner) partner[gold_from + i] = p;
      count_pair(pair_, gold_, gold_from + i, pred_, p, length_, plan_, totals);
    }
    for (int64_t p = 0; p < n_pred; ++p) {
      if (paired_[p]) continue;
      count_pair(pair_, gold_, -1, pred_, pred_from + p, length_, plan_, totals);
    }
  }

 private:
  const Side& gold_;
  const Side& pred_;
  const int32_t* lengths_;
  const Plan& plan_;
  const Pair& pair_;
  int64_t length_ = 0;
  std::vector<char> paired_, row_folded_, column_folded_;
  std::vector<int64_t> rows_, columns_, edge_offsets_, pred_of_;
  std::vector<Extent> row_extent_, column_extent_;
  std::vector<Value> row_alone_, column_alone_;
  std::vector<Edge> edges_;
  std::vector<int32_t> column_of_;
  Assignment assignment_;

  // As pair_few, for any number of relations.
  void assign(int64_t example, int64_t gold_from, int64_t n_gold, int64_t pred_from,
              int64_t n_pred) {
    bool gold_leads = false;
    fill(columns_, gold_from, n_gold);
    fill(rows_, pred_from, n_pred);
    if (plan_.by_content) {
      sort_by_content(gold_, columns_);
      sort_by_content(pred_, rows_);
      gold_leads = compare(gold_, columns_, pred_, rows_) <= 0;
      if (gold_leads) std::swap(rows_, columns_);
    } else if (plan_.official && n_pred <= n_gold && n_gold <= OFFICIAL_MOST) {
      column_of_.resize(n_pred);
      pair_officially<OFFICIAL_MOST>(pair_, gold_, gold_from, n_gold, pred_, pred_from, n_pred,
                                     length_, plan_, column_of_.data());
      return write(gold_from, gold_leads);
    }
    fill_edges(example, gold_leads);
    column_of_.resize(rows_.size());
    assignment_.solve(edges_, edge_offsets_, static_cast<int64_t>(columns_.size()), total_alone(),
                      plan_.linear, column_of_.data());
    write(gold_from, gold_leads);
  }

  static void fill(std::vector<int64_t>& relations, int64_t from, int64_t n) {
    relations.resize(n);
    std::iota(relations.begin(), relations.end(), from);
  }

  void write(int64_t gold_from, bool gold_leads) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (column_of_[i] < 0) continue;
      const int64_t other = columns_[column_of_[i]];
      if (gold_leads) {
        pred_of_[rows_[i] - gold_from] = other;
      } else {
        pred_of_[other - gold_from] = rows_[i];
      }
    }
  }

  static int compare(const Side& a, const std::vector<int64_t>& x, const Side& b,
                     const std::vector<int64_t>& y) {
    for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
      if (const int order = fastcausal::compare(a, x[k], b, y[k])) return order;
    }
    return x.size() < y.size() ? -1 : x.size() > y.size();
  }

  static void sort_by_content(const Side& side, std::vector<int64_t>& relations) {
    std::sort(relations.begin(), relations.end(), [&](int64_t x, int64_t y) {
      const int order = fastcausal::compare(side, x, side, y);
      return order ? order < 0 : x < y;
    });
  }

  // What is known of each relation alone.
  void look_at(const std::vector<int64_t>& relations, bool is_gold, std::vector<Value>& alone,
               std::vector<char>& is_folded, std::vector<Extent>& extents) const {
    const Side& side = is_gold ? gold_ : pred_;
    alone.clear();
    is_folded.clear();
    extents.clear();
    for (const int64_t r : relations) {
      alone.push_back(is_gold ? worth(pair_, gold_, r, pred_, -1, length_, plan_)
                              : worth(pair_, gold_, -1, pred_, r, length_, plan_));
      is_folded.push_back(folded(side, r));
      extents.push_back(extent(side, r));
    }
  }

  void fill_edges(int64_t example, bool gold_leads) {
    look_at(rows_, gold_leads, row_alone_, row_folded_, row_extent_);
    look_at(columns_, !gold_leads, column_alone_, column_folded_, column_extent_);
    edges_.clear();
    edge_offsets_.assign(1, 0);
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = 0; j < columns_.size(); ++j) {
        const bool apart = !row_extent_[i].meets(column_extent_[j]);
        if (apart && plan_.by_content && plan_.additive) continue;
        const int64_t gold = gold_leads ? rows_[i] : columns_[j];
        const int64_t pred = gold_leads ? columns_[j] : rows_[i];
        int64_t shared = 0;
        if (plan_.by_content && !apart) {
          const Meeting met = meet(gold_, gold, pred_, pred);
          if (plan_.additive && !met.any) continue;
          shared = row_folded_[i] || column_folded_[j]
                       ? tokens_in_common(gold_, gold, pred_, pred, plan_)
                       : met.same_role;
        }
        Value value = worth(pair_, gold_, gold, pred_, pred, length_, plan_);
        value = value.minus(row_alone_[i]).minus(column_alone_[j]);
        value.shared = shared;
        edges_.push_back({static_cast<int32_t>(j), value});
      }
      edge_offsets_.push_back(static_cast<int64_t>(edges_.size()));
      if (edge_offsets_.back() > MOST_EDGES) throw TooManyPairs(example);
    }
  }

  Value total_alone() const {
    Value total{0, 0, 0};
    for (const auto* side : {&row_alone_, &column_alone_}) {
      for (const Value& v : *side) total = total.plus(v);
    }
    if (plan_.linear) total.denominator = 1;
    return total;
  }
};

// Where the counts of an example are added: in the row of its group, or in a row of its own; with
// apart, a group has two rows, the second for examples of several gold relations.
struct Groups {
  const int64_t* of;  // [n_examples], null: all in one group
  int64_t n;          // rows of counts
  bool each;          // every example has its own row
  bool apart;

  int64_t row(int64_t example, const Side& gold) const {
    if (each) return example;
    const int64_t group = of ? of[example] : 0;
    return apart ? 2 * group + (gold.n_relations(example) > 1) : group;
  }
};

// counts is [groups.n, n_fields], zero on entry; partner may be null.
template <class Pair>
void run_with(const Pair& pair, const Side& gold, const Side& pred, const int32_t* lengths,
              int64_t n_examples, const Plan& plan, const Groups& groups, int64_t* partner,
              int64_t* counts, int64_t n_threads) {
  constexpr int64_t BLOCK = 256;
  std::atomic<int64_t> next{0};
  std::mutex merging;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      const Pair own_pair(pair);  // it may have memory of its own
      Worker<Pair> worker(gold, pred, lengths, plan, own_pair);
      std::vector<int64_t> own(groups.each ? 0 : groups.n * plan.n_fields);
      int64_t* rows = groups.each ? counts : own.data();
      for (int64_t from; (from = next.fetch_add(BLOCK)) < n_examples;) {
        for (int64_t e = from; e < std::min(from + BLOCK, n_examples); ++e) {
          worker.run(e, partner, rows + groups.row(e, gold) * plan.n_fields);
        }
      }
      const std::lock_guard<std::mutex> lock(merging);
      for (size_t k = 0; k < own.size(); ++k) counts[k] += own[k];
    } catch (...) {
      const std::lock_guard<std::mutex> lock(merging);
      failure = std::current_exception();
      next = n_examples;
    }
  };
  std::vector<std::thread> threads;
  n_threads = std::min(n_threads, (n_examples + BLOCK - 1) / BLOCK);
  try {
    for (int64_t t = 1; t < n_threads; ++t) threads.emplace_back(work);
  } catch (const std::system_error&) {  // no more to be had: those there are do the work
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

inline void run_all(const char* name, Kernel function, const Side& gold, const Side& pred,
                    const int32_t* lengths, int64_t n_examples, const Plan& plan,
                    const Groups& groups, int64_t* partner, int64_t* counts, int64_t n_threads) {
  with_kernel(name, function, plan.n_fields, [&](const auto& pair) {
    run_with(pair, gold, pred, lengths, n_examples, plan, groups, partner, counts, n_threads);
  });
}

// Counts of given pairs, -1 for no relation: counts is [n_pairs, n_fields], zero on entry.
inline void count_pairs(const char* name, Kernel function, const Side& gold, const Side& pred,
                        const int64_t* gold_index, const int64_t* pred_index,
                        const int32_t* lengths, int64_t n_pairs, const Plan& plan,
                        int64_t* counts) {
  with_kernel(name, function, plan.n_fields, [&](const auto& pair) {
    for (int64_t k = 0; k < n_pairs; ++k) {
      Totals totals{counts + k * plan.n_fields};
      count_pair(pair, gold, gold_index[k], pred, pred_index[k], lengths[k], plan, totals);
    }
  });
}

}  // namespace fastcausal

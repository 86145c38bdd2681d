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
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "assign.hpp"
#include "fastcausal/few.h"
#include "fastcausal/kernels.h"
#include "memory.hpp"
#include "patterns.hpp"
#include "stop.hpp"

namespace fastcausal {

// A kernel from elsewhere, and the counts that it writes; with a memory it is ordinal.
class CalledPair {
 public:
  static constexpr bool LOOKS_UP = false;
  CalledPair(Kernel kernel, Memory* memory, int64_t n_fields)
      : kernel_(kernel), memory_(memory), counts_(n_fields) {}

  template <class Sink>
  void operator()(const Relation& gold, const Relation& pred, int64_t length, const int64_t* params,
                  Sink& sink) const {
    const auto call = [&] {
      std::fill(counts_.begin(), counts_.end(), 0);
      kernel_(gold.rows, gold.n, pred.rows, pred.n, length, params, counts_.data());
    };
    if (memory_) {
      memory_->recall(gold, pred, params, key_, counts_, call);
    } else {
      call();
    }
    for (size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k]) sink.add(static_cast<int64_t>(k), counts_[k]);
    }
  }

  bool ordinal() const { return memory_; }

 private:
  Kernel kernel_;
  Memory* memory_;
  mutable std::vector<int64_t> counts_;
  mutable Memory::Key key_;
};

inline Looks looks_of(const CalledPair& pair, const Plan&) {
  Looks looks;
  looks.ordinal = looks.sequence = pair.ordinal();
  looks.across = Across::ALL;
  return looks;
}

// A kernel: the name of one of these, or a function from elsewhere and what it has counted.
struct Named {
  const char* name;
  Kernel function;
  Memory* memory;
};

template <class Job>
void with_kernel(const Named& kernel_, int64_t n_fields, const Job& job) {
  if (kernel_.function) return job(CalledPair(kernel_.function, kernel_.memory, n_fields));
#define FC_KERNEL(kernel, looks_up) \
  if (!std::strcmp(kernel_.name, #kernel)) return job(kernel##_pair());
  FC_KERNELS(FC_KERNEL)
#undef FC_KERNEL
  throw std::invalid_argument(std::string("no native kernel ") + kernel_.name);
}

// Pairs that are compared at most: minutes at the worst.
constexpr int64_t MOST_EDGES = int64_t{1} << 22;          // of relations, in an example
constexpr int64_t MOST_SPAN_PAIRS = int64_t{1} << 32;     // of spans, in an example
constexpr int64_t MOST_SPANS_OF_PAIR = int64_t{1} << 26;  // of spans, in a pair or few relations

// The exception that ends the pairing of an example that is too large.
struct TooLarge : std::exception {
  explicit TooLarge(int64_t example_) : example(example_) {}
  int64_t example;
};

// Counts the rows of a range of examples.
inline int64_t n_rows(const Side& side, int64_t from, int64_t to) {
  return side.row_offsets[side.relation_offsets[to]] -
         side.row_offsets[side.relation_offsets[from]];
}

template <class Pair>
class Worker {
 public:
  Worker(const Side& gold, const Side& pred, const int32_t* lengths, const Plan& plan,
         const Pair& pair, Steps& steps)
      : gold_(gold), pred_(pred), lengths_(lengths), plan_(plan), pair_(pair), steps_(steps) {}

  // Does what run does, for an example that may have many spans.
  void run_large(int64_t example, int64_t* partner, int64_t* counts) {
    const int64_t n = std::max(gold_.n_relations(example), pred_.n_relations(example));
    if (n <= std::max(FEW, OFFICIAL_MOST)) {  // else fill_edges looks at each pair
      const int64_t spans =
          n_rows(gold_, example, example + 1) * n_rows(pred_, example, example + 1);
      if (spans > MOST_SPANS_OF_PAIR) throw TooLarge(example);
      steps_.took(8 * spans);
    }
    run(example, partner, counts);
  }

  // Adds the counts of the chosen pairs to counts; partner[g], where wanted, is the predicted
  // relation of gold relation g, or -1.
  void run(int64_t example, int64_t* partner, int64_t* counts) {
    CountSink sink{counts};
    length_ = lengths_[example];
    if (run_few(pair_, gold_, pred_, example, length_, plan_, partner, sink)) return;
    const int64_t gold_from = gold_.relation_offsets[example];
    const int64_t pred_from = pred_.relation_offsets[example];
    const int64_t n_gold = gold_.n_relations(example);
    const int64_t n_pred = plan_.n_counted(n_gold, pred_.n_relations(example));
    fill(golds_, gold_, gold_from, n_gold);
    fill(preds_, pred_, pred_from, n_pred);
    pred_of_.assign(n_gold, -1);
    paired_.assign(n_pred, 0);
    if (n_gold && n_pred) assign(example);
    const Relation none(nullptr, 0, roles_to_look_up<Pair>(plan_));
    for (int64_t i = 0; i < n_gold; ++i) {
      const int64_t j = pred_of_[i];
      if (j >= 0) paired_[j] = 1;
      if (partner) partner[gold_from + i] = j < 0 ? -1 : pred_from + j;
      pair_(golds_[i], j < 0 ? none : preds_[j], length_, plan_.params, sink);
    }
    for (int64_t j = 0; j < n_pred; ++j) {
      if (!paired_[j]) pair_(none, preds_[j], length_, plan_.params, sink);
    }
  }

 private:
  const Side& gold_;
  const Side& pred_;
  const int32_t* lengths_;
  const Plan& plan_;
  const Pair& pair_;
  Steps& steps_;
  int64_t length_ = 0;
  std::vector<Relation> golds_, preds_;
  std::vector<int64_t> pred_of_;
  std::vector<char> paired_;
  // Rows and columns of the assignment: numbers of relations, and what is known of each alone.
  std::vector<int64_t> rows_, columns_;
  std::vector<Value> row_alone_, column_alone_;
  std::vector<char> row_folded_, column_folded_;
  std::vector<Extent> row_extent_, column_extent_;
  std::vector<Edge> edges_;
  std::vector<int64_t> edge_offsets_;
  std::vector<int32_t> column_of_;
  Assignment assignment_;

  void fill(std::vector<Relation>& relations, const Side& side, int64_t from, int64_t n) const {
    relations.resize(n);
    for (int64_t i = 0; i < n; ++i) side.get(from + i, roles_to_look_up<Pair>(plan_), relations[i]);
  }

  // Does what pair_few does, for any number of relations.
  void assign(int64_t example) {
    const int64_t n_gold = static_cast<int64_t>(golds_.size());
    const int64_t n_pred = static_cast<int64_t>(preds_.size());
    bool gold_leads = false;
    rows_.resize(n_pred);
    columns_.resize(n_gold);
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
    if (plan_.by_content) {
      sort_by_content(golds_, columns_);
      sort_by_content(preds_, rows_);
      gold_leads = compare(golds_, columns_, preds_, rows_) <= 0;
      if (gold_leads) std::swap(rows_, columns_);
    } else if (plan_.official && n_pred <= n_gold && n_gold <= OFFICIAL_MOST) {
      column_of_.resize(n_pred);
      pair_officially<OFFICIAL_MOST>(pair_, golds_.data(), n_gold, preds_.data(), n_pred, length_,
                                     plan_, column_of_.data());
      return write(gold_leads);
    }
    fill_edges(example, gold_leads);
    column_of_.resize(rows_.size());
    const Value alone = total_alone();
    if (!Assignment::fits(edges_, edge_offsets_, alone)) throw TooLarge(example);
    assignment_.solve(edges_, edge_offsets_, static_cast<int64_t>(columns_.size()), alone,
                      plan_.linear, steps_, column_of_.data());
    write(gold_leads);
  }

  void write(bool gold_leads) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (column_of_[i] < 0) continue;
      const int64_t other = columns_[column_of_[i]];
      if (gold_leads) {
        pred_of_[rows_[i]] = other;
      } else {
        pred_of_[other] = rows_[i];
      }
    }
  }

  static int compare(const std::vector<Relation>& a, const std::vector<int64_t>& x,
                     const std::vector<Relation>& b, const std::vector<int64_t>& y) {
    for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
      if (const int order = a[x[k]].compare(b[y[k]])) return order;
    }
    return x.size() < y.size() ? -1 : x.size() > y.size();
  }

  static void sort_by_content(const std::vector<Relation>& relations, std::vector<int64_t>& order) {
    std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
      const int order_of_content = relations[x].compare(relations[y]);
      return order_of_content ? order_of_content < 0 : x < y;
    });
  }

  // Collects what is known of each relation alone.
  void look_at(const std::vector<int64_t>& numbers, bool is_gold, std::vector<Value>& alone,
               std::vector<char>& folded, std::vector<Extent>& extents) const {
    const Relation none(nullptr, 0, roles_to_look_up<Pair>(plan_));
    alone.clear();
    folded.clear();
    extents.clear();
    for (const int64_t k : numbers) {
      const Relation& own = is_gold ? golds_[k] : preds_[k];
      alone.push_back(worth(pair_, is_gold ? own : none, is_gold ? none : own, length_, plan_));
      folded.push_back(own.folded());
      extents.emplace_back(own);
    }
  }

  void fill_edges(int64_t example, bool gold_leads) {
    look_at(rows_, gold_leads, row_alone_, row_folded_, row_extent_);
    look_at(columns_, !gold_leads, column_alone_, column_folded_, column_extent_);
    edges_.clear();
    edge_offsets_.assign(1, 0);
    int64_t n_spans = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      steps_.took(static_cast<int64_t>(columns_.size()));
      for (size_t j = 0; j < columns_.size(); ++j) {
        const bool apart = !row_extent_[i].meets(column_extent_[j]);
        if (apart && plan_.by_content && plan_.additive) continue;
        const Relation& gold = golds_[gold_leads ? rows_[i] : columns_[j]];
        const Relation& pred = preds_[gold_leads ? columns_[j] : rows_[i]];
        const int64_t spans = gold.n * pred.n;
        n_spans += spans;
        if (spans > MOST_SPANS_OF_PAIR || n_spans > MOST_SPAN_PAIRS) throw TooLarge(example);
        steps_.took(8 * spans + 50);
        int64_t shared = 0;
        if (plan_.by_content && !apart) {
          const Meeting met(gold, pred);
          if (plan_.additive && !met.any) continue;
          shared = same_role_tokens(gold, pred, met, row_folded_[i] || column_folded_[j], plan_);
        }
        Value value = worth(pair_, gold, pred, length_, plan_);
        value = value.minus(row_alone_[i]).minus(column_alone_[j]);
        value.shared = shared;
        edges_.push_back({static_cast<int32_t>(j), value});
      }
      edge_offsets_.push_back(static_cast<int64_t>(edges_.size()));
      if (edge_offsets_.back() > MOST_EDGES) throw TooLarge(example);
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

// The row that the counts of an example are added to: the row of its group, or in a row of its own;
// with apart, a group has two rows, the second for examples of several gold relations.
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

// All that a run is given and fills: counts is [groups.n, n_fields], zero on entry; partner may be
// null.
struct Run {
  Given gold;
  Given pred;
  int64_t n_examples;
  Plan plan;
  Groups groups;
  int64_t* partner;
  int64_t* counts;
  int64_t n_threads;
  bool check;             // rows are as a user made them
  int64_t patterns_from;  // examples from which patterns pay
  Asked asked;
};
constexpr int64_t ALL_WELL = -1;
constexpr int64_t FAULTY = -2;

// Tells what a kernel looks at in relations whose counts patterns can tell, for this plan and rows.
template <class Pair>
Looks pattern_looks(const Run& run, const Pair& pair) {
  const Plan& plan = run.plan;
  Looks looks = looks_of(pair, plan);
  looks.ordinal &= run.n_examples >= run.patterns_from && plan.n_roles() == 3;
  looks.ordinal &= plan.by_content || plan.official;
  for (int64_t k = 0; k < plan.n_fields && !plan.linear; ++k) {  // less must not be more
    looks.ordinal &= plan.weights[k * N_FORMS + NUMERATOR] >= 0;
  }
  return looks;
}

// Checks all rows.
inline bool all_right(const Run& run) {
  for (const Given* given : {&run.gold, &run.pred}) {
    int64_t where[2];
    if (check_rows(given->side, given->n_rows, given->n_relations, run.n_examples, given->lengths,
                   run.plan.n_roles(), where) != Fault::NONE) {
      return false;
    }
  }
  return true;
}

// Checks the offsets of relations that no example has; the others are checked as they are packed.
inline bool ends_rise(const Run& run) {
  for (const Given* given : {&run.gold, &run.pred}) {
    const Side& side = given->side;
    const int64_t first = side.relation_offsets[0];
    const int64_t last = side.relation_offsets[run.n_examples];
    if (first < 0 || last < first || given->n_relations < last) return false;
    if (!rising(side.row_offsets, first, given->n_rows)) return false;
    if (!rising(side.row_offsets + last, given->n_relations - last, given->n_rows)) return false;
  }
  return true;
}

// The work of one thread: blocks of examples, counted by pattern where looks says so.
template <class Pair>
class BlockWorker {
 public:
  static constexpr int64_t BLOCK = PackedBlock::EXAMPLES;

  BlockWorker(const Run& run, const Pair& pair, const Looks& looks, Steps& steps)
      : run_(run),
        own_(run.groups.each ? 0 : run.groups.n * run.plan.n_fields),
        rows_(run.groups.each ? run.counts : own_.data()),
        tallied_(!run.groups.each && run.groups.n <= 2),
        steps_(steps),
        worker_(run.gold.side, run.pred.side, run.gold.lengths, run.plan, pair, steps) {
    if (looks.ordinal) {
      patterns_ = std::make_unique<PatternCounter<Pair>>(run.gold, run.pred, run.plan, pair, looks,
                                                         run.check, tallied_);
    }
  }

  // False: something is wrong with the block.
  bool work(int64_t from) {
    constexpr int64_t FEW_SPAN_PAIRS = int64_t{1} << 24;  // they take no tenth of a second
    const int64_t to = std::min(from + BLOCK, run_.n_examples);
    if (patterns_ && !patterns_->pack(from, to)) return false;
    const int64_t span_pairs = n_rows(run_.gold.side, from, to) * n_rows(run_.pred.side, from, to);
    steps_.took(span_pairs);
    const bool large = span_pairs > FEW_SPAN_PAIRS;
    for (int64_t e = from; e < to; ++e) {
      const int64_t group = run_.groups.row(e, run_.gold.side);
      int64_t* row = rows_ + group * run_.plan.n_fields;
      const Added added =
          patterns_ ? patterns_->add(e, large, tallied_ ? group : 0, row, run_.partner) : Added::NO;
      if (added == Added::WRONG) return false;
      if (added == Added::YES) continue;
      large ? worker_.run_large(e, run_.partner, row) : worker_.run(e, run_.partner, row);
    }
    if (patterns_) patterns_->end_block(rows_);
    return true;
  }

  void end() {
    if (patterns_) patterns_->add_chosen(rows_);
    for (size_t k = 0; k < own_.size(); ++k) run_.counts[k] += own_[k];
  }

 private:
  const Run& run_;
  std::vector<int64_t> own_;
  int64_t* rows_;
  const bool tallied_;
  Steps& steps_;
  Worker<Pair> worker_;
  std::unique_ptr<PatternCounter<Pair>> patterns_;
};

// Returns the first example that is too large, FAULTY, or ALL_WELL. Every block before that of a
// large example is worked on to its end, so the first one does not depend on threads.
template <class Pair>
int64_t run_with(const Pair& pair, const Run& run) {
  constexpr int64_t BLOCK = BlockWorker<Pair>::BLOCK;
  const Looks looks = pattern_looks(run, pair);
  if (run.check && !(looks.ordinal ? ends_rise(run) : all_right(run))) return FAULTY;
  Stop stop(run.asked);
  std::atomic<int64_t> next{0};
  std::mutex merging;
  std::exception_ptr failure;
  int64_t too_large = run.n_examples;
  bool faulty = false;
  const auto work = [&] {
    try {
      // It may have memory of its own.
      const Pair own_pair(pair);  // NOLINT(performance-unnecessary-copy-initialization)
      Steps steps(stop);
      BlockWorker<Pair> worker(run, own_pair, looks, steps);
      bool wrong = false;
      for (int64_t from; !wrong && (from = next.fetch_add(BLOCK)) < run.n_examples;) {
        wrong = !worker.work(from);
      }
      const std::lock_guard<std::mutex> lock(merging);
      if (wrong) next = run.n_examples;
      faulty |= wrong;
      worker.end();
    } catch (const TooLarge& error) {
      const std::lock_guard<std::mutex> lock(merging);
      too_large = std::min(too_large, error.example);
      next = run.n_examples;
    } catch (...) {
      const std::lock_guard<std::mutex> lock(merging);
      failure = std::current_exception();
      next = run.n_examples;
    }
  };
  in_threads(std::min(run.n_threads, (run.n_examples + BLOCK - 1) / BLOCK), stop, work);
  if (failure) std::rethrow_exception(failure);
  const bool large = too_large < run.n_examples;  // what comes after it may not have been checked
  if (faulty || (large && run.check && !all_right(run))) return FAULTY;
  return large ? too_large : ALL_WELL;
}

// Calls run_with with the kernel of this name, or with the function where there is one.
inline int64_t run_all(const Named& kernel, const Run& run) {
  int64_t outcome = ALL_WELL;
  with_kernel(kernel, run.plan.n_fields, [&](const auto& pair) { outcome = run_with(pair, run); });
  return outcome;
}

// Counts given pairs, -1 for a missing relation: counts is [n_pairs, n_fields], zero on entry.
inline void count_pairs(const Named& kernel, const Side& gold, const Side& pred,
                        const int64_t* gold_index, const int64_t* pred_index,
                        const int32_t* lengths, int64_t n_pairs, const Plan& plan, int64_t* counts,
                        Asked asked) {
  Stop stop(asked);
  Steps steps(stop);
  with_kernel(kernel, plan.n_fields, [&](const auto& pair) {
    const int64_t n_roles = roles_to_look_up<std::decay_t<decltype(pair)>>(plan);
    const Relation none(nullptr, 0, n_roles);
    for (int64_t k = 0; k < n_pairs; ++k) {
      const int64_t g = gold_index[k];
      const int64_t p = pred_index[k];
      CountSink sink{counts + k * plan.n_fields};
      Relation of_gold(none), of_pred(none);
      if (g >= 0) gold.get(g, n_roles, of_gold);
      if (p >= 0) pred.get(p, n_roles, of_pred);
      steps.took(8 * of_gold.n * of_pred.n + 50);
      pair(of_gold, of_pred, lengths[k], plan.params, sink);
    }
  });
}

// Returns the pattern of a pair of three roles, as a kernel from elsewhere sees it; -1 where
// patterns do not tell its counts.
inline int64_t pattern_of(const Row* gold, int64_t n_gold, const Row* pred, int64_t n_pred) {
  Looks looks;
  looks.sequence = true;
  Record of_gold, of_pred;
  uint32_t last = 0;
  const Kind kinds[2] = {pack(gold, n_gold, looks, of_gold, last),
                         pack(pred, n_pred, looks, of_pred, last)};
  if ((kinds[0] | kinds[1]) & ODD) return -1;
  return static_cast<int64_t>(key_of(of_gold, kinds[0], of_pred, kinds[1], Across::ALL));
}

}  // namespace fastcausal

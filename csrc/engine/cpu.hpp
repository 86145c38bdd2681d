// The CPU driver: pairs gold with predicted relations in every example, and adds up their counts.
//
//   run_all ── threads over blocks of examples
//     └─ FewCounter ── examples with few relations (few_counter.hpp)
//     └─ Worker::run ── all other examples (worker.hpp)
//          └─ Pair ── one pair of relations (csrc/fastcausal/<kernel>.h, or a function pointer)
//
// Counts are integers, so the results depend on neither blocks nor threads.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays/stop.hpp"
#include "engine/few_counter.hpp"
#include "engine/memory.hpp"
#include "engine/official.hpp"
#include "engine/worker.hpp"
#include "fastcausal/kernels.h"

namespace fastcausal {

// A user's kernel and its row of counts. A memory marks it as ordinal.
class FunctionPair {
 public:
  FunctionPair(Kernel kernel, Memory* memory, int64_t n_fields)
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

  KernelTraits traits(const Plan&) const {
    KernelTraits promised;
    promised.ordinal = promised.sequence = memory_;
    promised.across = Across::ALL;
    return promised;
  }

 private:
  Kernel kernel_;
  Memory* memory_;
  mutable std::vector<int64_t> counts_;
  mutable Memory::Key key_;
};

// A kernel: the name of a native one, or a user's function, with its memory.
struct NamedKernel {
  const char* name;
  Kernel function;
  Memory* memory;  // null: keeps nothing
};

template <class Job>
void with_kernel(const NamedKernel& kernel_, int64_t n_fields, const Job& job) {
  if (kernel_.function) return job(FunctionPair(kernel_.function, kernel_.memory, n_fields));
#define FC_KERNEL(kernel) \
  if (!std::strcmp(kernel_.name, #kernel)) return job(kernel##_pair());
  FC_KERNELS(FC_KERNEL)
#undef FC_KERNEL
  fail(std::invalid_argument(std::string("no native kernel ") + kernel_.name));
}

// The input and output of a run. counts is [groups.n, n_fields], zero on entry. partner may be
// null.
struct Run {
  Input gold;
  Input pred;
  int64_t n_examples;
  Plan plan;
  Groups groups;
  int64_t* partner;
  int64_t* counts;
  int64_t n_threads;
  bool check;           // rows come from a user and must be checked
  ReadAs reading;       // how to read the spans of checked rows
  int64_t* n_as_given;  // total of relations that tags cannot hold
  StopRequested stop_requested;
};
constexpr int64_t ALL_WELL = -1;
constexpr int64_t FAULTY = -2;

// Returns the traits of a kernel for this plan and reading, if patterns can count for it.
template <class Pair>
KernelTraits pattern_traits(const Plan& plan, ReadAs reading, const Pair& pair) {
  if (plan.n_roles() != 3) return KernelTraits();  // tables need the params of three roles
  KernelTraits traits = pair.traits(plan);
  traits.run_on = reading != ReadAs::GIVEN;
  // Packing comes before running on. Then a span may be too long or meet a signal of its track.
  traits.ordinal &=
      !traits.run_on || (traits.longest_span == MOST_TOKENS && traits.disjoint_roles <= 1);
  traits.disjoint_roles |=
      traits.run_on;  // overlapping causes and effects need all their tags for reading
  return traits.ordinal ? traits : KernelTraits();
}

// Returns whether a largest pairing is always among the best, if no pair costs.
inline bool full_pairing_is_best(const Plan& plan) {
  for (int64_t k = 0; k < plan.n_fields && !plan.linear; ++k) {
    if (plan.weights[k * N_FORMS + NUMERATOR] < 0) return false;
  }
  return true;
}

// Checks all rows.
inline bool all_rows_valid(const Run& run) {
  for (const Input* input : {&run.gold, &run.pred}) {
    int64_t where[2];
    if (check_rows(input->side, input->n_rows, input->n_relations, run.n_examples, input->lengths,
                   run.plan.n_roles(), where) != Fault::NONE) {
      return false;
    }
  }
  return true;
}

// Checks the offsets of relations outside all examples. Packing checks the other offsets.
inline bool outer_offsets_valid(const Run& run) {
  for (const Input* input : {&run.gold, &run.pred}) {
    const Side& side = input->side;
    const int64_t first = side.relation_offsets[0];
    const int64_t last = side.relation_offsets[run.n_examples];
    if (first < 0 || last < first || input->n_relations < last) return false;
    if (!rising(side.row_offsets, first, input->n_rows)) return false;
    if (!rising(side.row_offsets + last, input->n_relations - last, input->n_rows)) return false;
  }
  return true;
}

// The work of one thread: blocks of examples.
template <class Pair>
class BlockWorker {
 public:
  static constexpr int64_t BLOCK = PackedBlock::EXAMPLES;

  BlockWorker(const Run& run, const Pair& pair, const KernelTraits& traits, Memory& memory,
              CostMeter& meter)
      : run_(run),
        patterns_(traits.ordinal),
        gold_(run.gold),
        pred_(run.pred),
        own_(run.groups.each ? 0 : run.groups.n * run.plan.n_fields),
        rows_(run.groups.each ? run.counts : own_.data()),
        meter_(meter),
        worker_(gold_.side, pred_.side, run.gold.lengths, run.plan, pair, meter),
        counter_(pair_counter(pair, run.plan)) {
    if (full_pairing_is_best(run.plan)) {
      few_ = std::make_unique<FewCounter>(gold_, pred_, run.plan, counter_, traits, run.check,
                                          run.groups, run.n_examples, rows_, run.partner, memory);
      if (patterns_) worker_.use_patterns(few_->table(), traits);
    }
  }

  // Returns false if the block is invalid.
  bool work(int64_t from) {
    const int64_t to = std::min(from + BLOCK, run_.n_examples);
    gold_ = run_.gold;
    pred_ = run_.pred;
    if (!patterns_ && !read(from, to)) return false;
    meter_.add_cost(50 * (to - from));
    if (few_) {
      if (!few_->pack(from, to) || !few_->add(from, to, left_)) return false;
    } else {
      left_.resize(static_cast<size_t>(to - from));
      std::iota(left_.begin(), left_.end(), from);
    }
    for (const int64_t e : left_) {
      if (patterns_ && !read(e, e + 1)) return false;
      int64_t* row = rows_ + run_.groups.row(e, gold_.side.n_relations(e)) * run_.plan.n_fields;
      worker_.run(e, run_.partner, row);
    }
    return true;
  }

  void end() {
    if (few_) few_->end();
    for (size_t k = 0; k < own_.size(); ++k) run_.counts[k] += own_[k];
    if (run_.n_as_given) *run_.n_as_given += golds_.n_as_given + preds_.n_as_given;
  }

 private:
  // Reads examples as if they were written with tags, if the run needs it.
  // Returns false if rows are invalid.
  bool read(int64_t from, int64_t to) {
    return run_.reading == ReadAs::GIVEN ||
           (read(run_.gold, from, to, golds_, gold_) && read(run_.pred, from, to, preds_, pred_));
  }
  bool read(const Input& input, int64_t from, int64_t to, ReadAsTagged& tagged, Input& side) const {
    const int32_t n_roles = static_cast<int32_t>(run_.plan.n_roles());
    side = input;
    if (tagged.read(input, from, to, n_roles, run_.reading)) {
      side.n_rows = tagged.base + static_cast<int64_t>(tagged.rows.size());
      side.side.rows = tagged.rows.data() - tagged.base;
      side.side.row_offsets = tagged.row_offsets.data() - tagged.first;
    }
    return !tagged.invalid;
  }

  const Run& run_;
  const bool patterns_;  // patterns can count for the kernel
  Input gold_, pred_;    // as read: the current block alone
  ReadAsTagged golds_, preds_;
  std::vector<int64_t> own_;
  int64_t* rows_;
  CostMeter& meter_;
  Worker<Pair> worker_;
  const PairCounter counter_;
  std::unique_ptr<FewCounter> few_;
  std::vector<int64_t> left_;  // examples of the block for the general path
};

// Returns the first example that is too large, FAULTY, or ALL_WELL. Threads finish every block
// before the block of a large example. So the result does not depend on threads.
template <class Pair>
int64_t run_with(const Pair& pair, Memory* memory, const Run& run) {
  constexpr int64_t BLOCK = BlockWorker<Pair>::BLOCK;
  const KernelTraits traits = memory ? pattern_traits(run.plan, run.reading, pair) : KernelTraits();
  Memory own;  // if nothing is kept
  if (run.check &&
      !(full_pairing_is_best(run.plan) ? outer_offsets_valid(run) : all_rows_valid(run))) {
    return FAULTY;
  }
  // A thread takes several blocks in a row, because continuing is faster than jumping. They are few
  // enough that all threads end together.
  const int64_t n_blocks = std::max<int64_t>((run.n_examples + BLOCK - 1) / BLOCK, 1);
  const int64_t n_threads = std::min(run.n_threads, n_blocks);
  const int64_t taken = BLOCK * std::clamp<int64_t>(n_blocks / (8 * n_threads), 1, 16);
  Stop stop(run.stop_requested);
  std::atomic<int64_t> next{0};
  Mutex merging;
  int64_t too_large = run.n_examples;
  bool faulty = false;
  const auto work = [&] {
    const LeavesNothing on_exit{next, run.n_examples};
    // The copy may have memory of its own.
    const Pair own_pair(pair);  // NOLINT(performance-unnecessary-copy-initialization)
    CostMeter meter(stop);
    BlockWorker<Pair> worker(run, own_pair, traits, memory ? *memory : own, meter);
    bool wrong = false;
    for (int64_t from; !wrong && (from = next.fetch_add(taken)) < run.n_examples;) {
      const int64_t to = std::min(from + taken, run.n_examples);
      for (; !wrong && from < to; from += BLOCK) wrong = !worker.work(from);
    }
    const Lock lock(merging);
    faulty |= wrong;
    worker.end();
  };
  in_threads(n_threads, stop, [&] {
    catching<TooLarge>(work, [&](const TooLarge& fault) {
      const Lock lock(merging);
      too_large = std::min(too_large, fault.example);
    });
  });
  const bool large = too_large < run.n_examples;  // later examples may be unchecked
  if (faulty || (large && run.check && !all_rows_valid(run))) return FAULTY;
  return large ? too_large : ALL_WELL;
}

// Calls run_with with the kernel of this name, or with the function.
inline int64_t run_all(const NamedKernel& kernel, const Run& run) {
  int64_t outcome = ALL_WELL;
  with_kernel(kernel, run.plan.n_fields,
              [&](const auto& pair) { outcome = run_with(pair, kernel.memory, run); });
  return outcome;
}

// Writes the patterns that a kernel's memory has learnt from rows as given. The result is empty if
// patterns cannot count for this plan.
inline std::vector<char> serialize_patterns(const NamedKernel& kernel, const Plan& plan) {
  std::vector<char> bytes;
  with_kernel(kernel, plan.n_fields, [&](const auto& pair) {
    const KernelTraits traits = pattern_traits(plan, ReadAs::GIVEN, pair);
    if (traits.ordinal && kernel.memory) bytes = kernel.memory->serialize(traits, plan.n_fields);
  });
  return bytes;
}

// Counts given pairs. -1 stands for a missing relation. counts is [n_pairs, n_fields], zero on
// entry.
inline void count_pairs(const NamedKernel& kernel, const Side& gold, const Side& pred,
                        const int64_t* gold_index, const int64_t* pred_index,
                        const int32_t* lengths, int64_t n_pairs, const Plan& plan, int64_t* counts,
                        StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  with_kernel(kernel, plan.n_fields, [&](const auto& pair) {
    for (int64_t k = 0; k < n_pairs; ++k) {
      const int64_t g = gold_index[k];
      const int64_t p = pred_index[k];
      CountSink sink{counts + k * plan.n_fields};
      const Relation of_gold = g < 0 ? Relation() : gold.relation(g);
      const Relation of_pred = p < 0 ? Relation() : pred.relation(p);
      meter.add_cost(8 * of_gold.n * of_pred.n + 50);
      pair(of_gold, of_pred, lengths[k], plan.params, sink);
    }
  });
}

// Returns the pattern of a pair with three roles, as a user's kernel sees it.
// Returns -1 if patterns cannot count it.
inline int64_t pattern_of(const Row* gold, int64_t n_gold, const Row* pred, int64_t n_pred) {
  KernelTraits traits;
  traits.sequence = true;
  traits.across = Across::ALL;
  Record of_gold, of_pred;
  const Kind kinds[2] = {pack<true>(gold, n_gold, traits, of_gold),
                         pack<true>(pred, n_pred, traits, of_pred)};
  if ((kinds[0] | kinds[1]) & UNPACKED) return -1;
  const uint64_t bits = compare(of_gold, of_pred, traits.across);
  return static_cast<int64_t>(key_of(bits, kinds[0], kinds[1], traits));
}

}  // namespace fastcausal

// The device driver of rows: a thread takes one example at a time.
//
//   packed            counts examples by patterns that the host has learnt (few_packed.h)
//   settle            adds the counts of the chosen patterns
//   score_<kernel>    the kernel itself pairs and counts examples (few_rows.h)
//
// `packed` lists examples that patterns cannot count for score_<kernel>. That lists examples for
// the host: too many relations or spans for fixed memory, or invalid rows. NVRTC compiles the
// drivers at first use, and so does nvcc. The tests compile them with a host compiler that emulates
// the grid.
#include "device/examples.cuh"
#include "fastcausal/few_packed.h"
#include "fastcausal/few_rows.h"
#include "fastcausal/kernels.h"

namespace fastcausal {

// Returns whether the relations of an example are valid.
__device__ bool is_valid(const Task& task, const Side& side, int64_t example) {
  const Bounds bounds(side, task.launch.first, task.launch.last);
  const int64_t from = side.relation_offsets[example];
  const int64_t to = side.relation_offsets[example + 1];
  if (!bounds.relations(from, to)) return false;
  for (int64_t r = from; r < to; ++r) {
    if (!bounds.rows(side.row_offsets[r], side.row_offsets[r + 1])) return false;
  }
  int64_t where[2];
  return check_example(side, example, task.lengths[example], task.launch.plan.n_roles(), where) ==
         Fault::NONE;
}

// Gives counts to the objective, or to a row.
struct EitherSink {
  WorthSink worth;
  SharedCountSink row;
  bool to_row;

  __device__ bool wants(uint64_t fields) const { return to_row || worth.wants(fields); }
  __device__ bool wants_overall(uint64_t fields) const {
    return to_row || worth.wants_overall(fields);
  }
  __device__ void by_length() {}
  __device__ void add(int64_t field, int64_t n) {
    if (to_row) {
      row.add(field, n);
    } else {
      worth.add(field, n);
    }
  }
};

// The only copy of the kernel's code: it compiles sooner and takes fewer registers than several.
template <class Pair>
__device__ __noinline__ void count_pair(const Pair& pair, const Relation& gold,
                                        const Relation& pred, int64_t length, EitherSink& sink) {
  pair(gold, pred, length, sink.worth.plan.params, sink);
}

// Returns false and does nothing if rows are invalid, or if they or their numbers are too large.
template <class Pair>
__device__ bool score_one(const Pair& pair, const Task& task, int64_t e, const Plan& plan,
                          const Totals& totals) {
  if (task.check && !(is_valid(task, task.gold, e) && is_valid(task, task.pred, e))) return false;
  FewRows few;
  if (!few.read(task.gold, task.pred, e, plan)) return false;
  const int64_t length = task.lengths[e];
  const auto weigh = [&](const Relation& gold, const Relation& pred) {
    EitherSink sink{WorthSink(plan), {}, false};
    count_pair(pair, gold, pred, length, sink);
    return sink.worth;
  };
  if (!few.pair(plan, weigh)) return false;
  EitherSink sink{WorthSink(plan), sink_of(task, totals, e), true};
  few.each([&](const Relation& gold, const Relation& pred) {
    count_pair(pair, gold, pred, length, sink);
  });
  if (task.partner) few.write_partners(plan, task.partner);
  return true;
}

template <class Pair>
__device__ void score(const Pair& pair, const Task& task) {
  const Plan plan = task.launch.plan;  // a copy in registers, because its address is taken
  const Totals totals(task.launch);
  totals.begin();
  const int64_t* left = task.patterns ? task.lists : nullptr;
  const int64_t n = left ? static_cast<int64_t>(task.n_listed[LEFT_BY_PATTERNS]) : n_examples(task);
  for_all(task, left, n, [&](int64_t e) {
    if (!score_one(pair, task, e, plan, totals)) append(task, LEFT_BY_KERNEL, e);
  });
  totals.end();
}

// Adds the token sums of an example.
__device__ void add_tokens(const FewPacked& few, int64_t length, SharedCountSink& sink) {
  overlap::Marked sums[ROLES] = {};
  int64_t n_marked = 0;
  few.each([&](const FewPacked::Counted& c) {
    FC_UNROLL for (int r = 0; r < ROLES; ++r) {
      if (c.of_gold) sums[r].in_gold += tokens_of(c.gold, r, c.gold);
      if (c.of_pred) sums[r].in_pred += tokens_of(c.pred, r, c.pred);
      if (c.of_gold && c.of_pred) sums[r].common += tokens_of(c.gold, r, c.pred);
    }
    n_marked += c.marks();
  });
  FC_UNROLL for (int r = 0; r < ROLES; ++r) {
    overlap::add_tokens(sums[r], n_marked * length, n_marked, int64_t{overlap::N_FIELDS} * r, sink);
  }
}

// Sets the predicted partner of every gold relation.
__device__ void write_partners(const FewPacked& few, const Plan& plan, int64_t* partner) {
  const bool must_meet = plan.must_meet();
  few.each([&](const FewPacked::Counted& c) {
    if (!c.of_gold) return;
    const bool paired =
        c.of_pred && (!must_meet || (compare_scalar(c.gold, c.pred, Across::ALL) & MEETINGS));
    partner[few.gold.first + c.i] = paired ? few.pred.first + c.j : -1;
  });
}

__device__ void score_packed(const Task& task) {
  const Plan plan = task.launch.plan;
  const Patterns& patterns = *task.patterns;
  const KernelTraits traits = patterns.traits;
  const Bounds gold(task.gold, task.launch.first, task.launch.last);
  const Bounds pred(task.pred, task.launch.first, task.launch.last);
  const Totals totals(task.launch);
  const Totals chosen(task.chosen, task.n_chosen, task.n_chosen_lanes, totals);
  totals.begin();
  chosen.begin();
  for_all(task, nullptr, n_examples(task), [&](int64_t e) {
    FewPacked few;
    if (!few.read(task.gold, task.pred, gold, pred, e, task.lengths[e], traits) ||
        !few.pair(patterns, traits, plan)) {
      return append(task, LEFT_BY_PATTERNS, e);
    }
    SharedCountSink sink = sink_of(task, totals, e);
    const int64_t first_of_row = task.n_chosen ? row_of(task, e) * patterns.n : 0;
    few.each([&](const FewPacked::Counted& c) {
      if (task.n_chosen) {
        chosen.sink_at(first_of_row + c.id).add(0, 1);
        return;
      }
      const int64_t* counts = patterns.counts(c.id);
      for (int64_t k = 0; k < plan.n_fields; ++k) sink.add(k, counts[k]);
    });
    if (traits.token_sums) add_tokens(few, task.lengths[e], sink);
    if (task.partner) write_partners(few, plan, task.partner);
  });
  totals.end();
  chosen.end();
}

__device__ void settle_chosen(const Task& task) {
  const int64_t n_fields = task.launch.plan.n_fields;
  const int64_t n = task.patterns->n;
  const Totals totals(task.launch);
  totals.begin();
  for (int64_t k = thread_number(); k < task.n_chosen; k += n_threads()) {
    const int64_t times = static_cast<int64_t>(task.chosen[k]);
    const int64_t* counts = task.patterns->counts(k % n);
    SharedCountSink sink = totals.sink_at(k / n * n_fields);
    for (int64_t f = 0; times && f < n_fields; ++f) sink.add(f, times * counts[f]);
  }
  totals.end();
}

}  // namespace fastcausal

#define FC_SCORE(name)                                                   \
  extern "C" __global__ void score_##name(const fastcausal::Task task) { \
    fastcausal::score(fastcausal::name##_pair(), task);                  \
  }
#define FC_PACKED() \
  extern "C" __global__ void packed(const fastcausal::Task task) { fastcausal::score_packed(task); }
#define FC_SETTLE()                                                \
  extern "C" __global__ void settle(const fastcausal::Task task) { \
    fastcausal::settle_chosen(task);                               \
  }
#ifdef FC_ONLY  // FC_SCORE(name), FC_PACKED() or similar: one compiles sooner than all
FC_ONLY
#else
FC_PACKED()
FC_SETTLE()
FC_KERNELS(FC_SCORE)
#endif

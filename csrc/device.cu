// The device driver: grid-stride loops over examples. A thread or a warp takes one example at a
// time.
//
//   packed            rows: counts examples by patterns that the host has learnt (few_packed.h)
//   settle            adds the counts of the chosen patterns
//   score_<kernel>    rows: the kernel itself pairs and counts examples (few_rows.h)
//   labels_<kernel>   label ids: a warp reads the spans of both sequences, one relation per side
//
// Counts are integers, so the order of adding threads never shows. `packed` lists examples that
// patterns cannot count for score_<kernel>. That lists examples for the host: too many relations or
// spans for fixed memory, or invalid rows. labels_<kernel> marks its own. NVRTC compiles this file
// at first use, and so does nvcc. The tests compile it with a host compiler that emulates the grid.
#include "fastcausal/few_packed.h"
#include "fastcausal/few_rows.h"
#include "fastcausal/kernels.h"
#include "fastcausal/label_spans.h"
#include "fastcausal/sinks.h"

namespace fastcausal {

using Total = unsigned long long;  // the type of 64-bit atomics; wraps like two's complement

// The arguments of every launch. engine/device/scoring.py has the same NumPy records. All members
// take 8 bytes.
struct Launch {
  Total* counts;        // [n_totals] to add to, or [n_examples, n_fields] to write
  int64_t first, last;  // examples first, first + 1, ..., last - 1
  int64_t n_totals;     // counts that all examples share, 0 if every example has its own
  int64_t n_lanes;      // columns of counters in a block's memory, 0 for none
  Plan plan;            // with params and weights on the device
};

// Addresses are shifted, so absolute numbers of examples, relations and rows are valid in a part.
struct Task {
  Side gold;
  Side pred;
  const int32_t* lengths;  // [n_examples]
  const int64_t* groups;   // [n_examples], or null: all in one group
  int64_t* partner;        // [n_gold_relations], or null
  int64_t apart;           // each group has a second row for examples with several gold relations
  int64_t check;           // rows come from a user: leave out invalid ones
  const Patterns* patterns;
  Total* chosen;           // [n_chosen] number of uses
  int64_t n_chosen;        // patterns of each row of counts; 0: counts are added at once
  int64_t n_chosen_lanes;  // like n_lanes
  int64_t* lists;          // [2, n_examples] examples that patterns left, and that the kernel left
  Total* n_listed;         // [2] lengths of the lists
  Launch launch;
};

// counts: the counts of the kernel, then the sequences with any span in gold, and in pred.
struct LabelTask {
  const void* gold_ids;  // [n_examples, n_tokens]
  const void* pred_ids;
  const int32_t* marks;  // by label
  int64_t n_labels;
  int64_t ignored;
  int64_t n_tokens;
  int64_t gold_itemsize;
  int64_t pred_itemsize;
  int64_t run_on;     // arguments of one token run on, see label_spans.h
  uint8_t* left_out;  // [n_examples] for the host
  Launch launch;
};

// A row of counts. If all threads share few rows, a block counts the low 32 bits in its own memory.
// Each lane of a warp has a column, so lanes do not wait for each other. The block adds the columns
// up at its end. Anything beyond 32 bits is rare and goes to the row at once, so nothing can
// overflow.
struct SharedCountSink {
  Total* row;
  uint32_t* cells;  // [n_fields, n_lanes] of this row, at the thread's column; or null
  int64_t n_lanes;

  __device__ bool wants(uint64_t) const { return true; }
  __device__ bool wants_overall(uint64_t) const { return true; }
  __device__ void by_length() {}
  __device__ void add(int64_t field, int64_t n) {
    if (!n) return;
    if (!cells) {
      atomicAdd(row + field, static_cast<Total>(n));
      return;
    }
    const uint32_t low = static_cast<uint32_t>(n);
    const uint32_t before = atomicAdd(cells + field * n_lanes, low);
    const int64_t high = (n >> 32) + (before + low < before);
    if (high) atomicAdd(row + field, static_cast<Total>(high) << 32);
  }
};

extern __shared__ uint32_t counters[];  // of all totals in turn

// Numbers that all threads add to, and the block's memory for them.
struct Totals {
  Total* all;
  int64_t n;
  int64_t n_lanes;
  uint32_t* cells;  // [n, n_lanes]

  __device__ explicit Totals(const Launch& launch)
      : all(launch.counts), n(launch.n_totals), n_lanes(launch.n_lanes), cells(counters) {}
  __device__ Totals(const Task& task, const Totals& before)
      : all(task.chosen),
        n(task.n_chosen),
        n_lanes(task.n_chosen_lanes),
        cells(before.end_of_cells()) {}

  __device__ uint32_t* end_of_cells() const { return cells + n * n_lanes; }
  __device__ SharedCountSink sink_at(int64_t at) const {
    uint32_t* own = n_lanes ? cells + at * n_lanes + threadIdx.x % n_lanes : nullptr;
    return {all + at, own, n_lanes};
  }
  __device__ void begin() const {
    for (int64_t k = threadIdx.x; k < n * n_lanes; k += blockDim.x) cells[k] = 0;
    __syncthreads();
  }
  __device__ void end() const {
    __syncthreads();
    for (int64_t k = threadIdx.x; n_lanes && k < n; k += blockDim.x) {
      Total sum = 0;
      for (int64_t lane = 0; lane < n_lanes; ++lane) sum += cells[k * n_lanes + lane];
      if (sum) atomicAdd(all + k, sum);
    }
  }
};

__device__ int64_t thread_number() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ int64_t n_threads() { return int64_t{gridDim.x} * blockDim.x; }
__device__ int64_t n_examples(const Task& task) { return task.launch.last - task.launch.first; }

// The examples that a block takes at a time, sorted by their numbers of relations. The threads of a
// warp then take the same branches.
struct Tile {
  static constexpr int64_t OF_THREAD = 16;              // examples, at most
  static constexpr uint64_t MOST = MOST_RELATIONS + 1;  // relations told apart
  static constexpr uint64_t N_SHAPES = (MOST + 1) * (MOST + 1);
  const Task& task;
  const int64_t* listed;  // the examples, or null: all of the launch
  uint32_t* sizes;        // [N_SHAPES]
  uint32_t* places;       // [N_SHAPES]
  uint16_t* order;        // [OF_THREAD * blockDim.x]

  __device__ Tile(const Task& task_, const int64_t* listed_, uint32_t* memory)
      : task(task_),
        listed(listed_),
        sizes(memory),
        places(sizes + N_SHAPES),
        order(reinterpret_cast<uint16_t*>(places + N_SHAPES)) {}

  __device__ int64_t example(int64_t k) const { return listed ? listed[k] : task.launch.first + k; }

  // Sorts the n examples from number `first` on. order[k] is a number less the first one.
  __device__ void sort(int64_t first, int64_t n) const {
    for (uint64_t k = threadIdx.x; k < N_SHAPES; k += blockDim.x) sizes[k] = 0;
    __syncthreads();
    for (int64_t k = threadIdx.x; k < n; k += blockDim.x) {
      atomicAdd(sizes + shape_of(example(first + k)), uint32_t{1});
    }
    __syncthreads();
    for (uint64_t k = threadIdx.x; k < N_SHAPES; k += blockDim.x) {
      uint32_t before = 0;
      for (uint64_t shape = 0; shape < k; ++shape) before += sizes[shape];
      places[k] = before;
    }
    __syncthreads();
    for (int64_t k = threadIdx.x; k < n; k += blockDim.x) {
      const uint32_t place = atomicAdd(places + shape_of(example(first + k)), uint32_t{1});
      order[place] = static_cast<uint16_t>(k);
    }
    __syncthreads();
  }

 private:
  __device__ uint64_t shape_of(int64_t e) const {
    return n_of(task.gold, e) * (MOST + 1) + n_of(task.pred, e);
  }
  // Offsets that fall make a large number.
  __device__ static uint64_t n_of(const Side& side, int64_t e) {
    const uint64_t n = static_cast<uint64_t>(side.relation_offsets[e + 1]) -
                       static_cast<uint64_t>(side.relation_offsets[e]);
    return n > MOST ? MOST : n;
  }
};

// Calls one(example) for the n examples of a list, or all n of the launch. memory: of a tile.
template <class One>
__device__ void for_all(const Task& task, const int64_t* listed, int64_t n, uint32_t* memory,
                        const One& one) {
  const Tile tile(task, listed, memory);
  int64_t of_thread = n / n_threads();
  of_thread = of_thread < 1 ? 1 : of_thread > Tile::OF_THREAD ? Tile::OF_THREAD : of_thread;
  const int64_t size = of_thread * blockDim.x;
  for (int64_t first = blockIdx.x * size; first < n; first += gridDim.x * size) {
    const int64_t n_here = n - first < size ? n - first : size;
    __syncthreads();  // the tile before is done
    tile.sort(first, n_here);
    for (int64_t k = threadIdx.x; k < n_here; k += blockDim.x) {
      one(tile.example(first + int64_t{tile.order[k]}));
    }
  }
}

enum List { LEFT_BY_PATTERNS, LEFT_BY_KERNEL };

// Appends an example to a list, in any order.
__device__ void append(const Task& task, List list, int64_t example) {
  const int64_t at = static_cast<int64_t>(atomicAdd(task.n_listed + list, Total{1}));
  task.lists[list * n_examples(task) + at] = example;
}

// Returns the row of counts for an example.
__device__ int64_t row_of(const Task& task, int64_t example) {
  if (!task.launch.n_totals) return example;
  const int64_t group = task.groups ? task.groups[example] : 0;
  return task.apart ? 2 * group + (task.gold.n_relations(example) > 1) : group;
}

// Returns the row for an example. Clears it if it is the example's own.
__device__ SharedCountSink sink_of(const Task& task, const Totals& totals, int64_t example) {
  const int64_t n_fields = task.launch.plan.n_fields;
  const int64_t at = row_of(task, example) * n_fields;
  for (int64_t k = 0; !task.launch.n_totals && k < n_fields; ++k) totals.all[at + k] = 0;
  return totals.sink_at(at);
}

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
  FewRows<MOST_RELATIONS> few;
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
  for_all(task, left, n, totals.end_of_cells(), [&](int64_t e) {
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
  const bool must_meet = plan.by_content && plan.additive;
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
  const Totals chosen(task, totals);
  totals.begin();
  chosen.begin();
  for_all(task, nullptr, n_examples(task), chosen.end_of_cells(), [&](int64_t e) {
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

__device__ int64_t id_at(const void* ids, int64_t itemsize, int64_t at) {
  switch (itemsize) {
    case 1:
      return static_cast<const int8_t*>(ids)[at];
    case 2:
      return static_cast<const int16_t*>(ids)[at];
    case 4:
      return static_cast<const int32_t*>(ids)[at];
    default:
      return static_cast<const int64_t*>(ids)[at];
  }
}

// Exchanges between the lanes of a warp. All lanes must call them.
__device__ uint32_t lanes_where(bool yes) { return __ballot_sync(~0u, yes); }
__device__ int32_t from_lane(int32_t number, int lane) { return __shfl_sync(~0u, number, lane); }
__device__ int lowest(uint32_t lanes) { return __ffs(static_cast<int>(lanes)) - 1; }
__device__ int highest(uint32_t lanes) { return 31 - __clz(static_cast<int>(lanes)); }
__device__ int32_t n_below(uint32_t lanes, int lane) {
  return __popc(lanes & ((uint32_t{1} << lane) - 1));
}

// The spans of one sequence, as one relation. A warp reads it, one token per lane, and one lane
// keeps it. The rule is that
// of labels::Spans: a token depends on its own mark and on the previous mark.
struct Sequence {
  enum : int32_t { IGNORED = -8, UNKNOWN = -12 };  // marks besides the marks of a scheme
  Row rows[MOST_SPANS + 1];
  int64_t row_offsets[2];
  int64_t relation_offsets[2];
  int32_t length;

  // Reads a sequence by all lanes. One lane keeps it.
  // Returns false for too many spans or an unknown label. The host finds out which.
  __device__ bool read(const LabelTask& task, int64_t e, bool is_gold, bool keeps) {
    int64_t n = 0;
    int32_t n_tokens = 0;            // so far
    int32_t last = labels::OUTSIDE;  // mark of the last token so far
    for (int64_t first = 0; first < task.n_tokens; first += warpSize) {
      const int32_t mark = mark_of(task, e, first + threadIdx.x % warpSize, is_gold);
      if (lanes_where(mark == UNKNOWN)) return false;
      const uint32_t there = lanes_where(mark != IGNORED);
      if (!there) continue;
      const uint32_t begin = lanes_where(begins(mark, there, last));
      if (n + __popc(begin) > MOST_SPANS) return false;
      const uint32_t marked = lanes_where(mark >= 0);
      for (uint32_t rest = begin;; rest &= rest - 1) {
        const uint32_t span = marked & ((rest & (~rest + 1)) - 1);  // the last one before the rest
        if (span && keeps) rows[n - 1].stop = n_tokens + n_below(there, highest(span)) + 1;
        if (!rest) break;
        const int lane = lowest(rest);
        const int32_t role = from_lane(mark, lane) / labels::ROLE;
        if (keeps) rows[n] = {role, n_tokens + n_below(there, lane), 0};
        ++n;
      }
      n_tokens += __popc(there);
      last = from_lane(mark, highest(there));
    }
    if (!keeps) return true;
    length = n_tokens;
    if (task.run_on) labels::run_on(rows, n, length);
    row_offsets[0] = relation_offsets[0] = 0;
    row_offsets[1] = n;
    relation_offsets[1] = n > 0;
    return true;
  }
  __device__ Side side() const { return {rows, row_offsets, relation_offsets}; }

 private:
  // Returns the mark of a token. Tokens that gold ignores are ignored on both sides.
  __device__ static int32_t mark_of(const LabelTask& task, int64_t e, int64_t t, bool is_gold) {
    if (t >= task.n_tokens) return IGNORED;
    const int64_t at = e * task.n_tokens + t;
    int64_t id = id_at(task.gold_ids, task.gold_itemsize, at);
    if (id == task.ignored) return IGNORED;
    if (!is_gold) id = id_at(task.pred_ids, task.pred_itemsize, at);
    return id < 0 || id >= task.n_labels ? int32_t{UNKNOWN} : task.marks[id];
  }
  __device__ static bool begins(int32_t mark, uint32_t there, int32_t last) {
    const uint32_t before = there & ((uint32_t{1} << threadIdx.x % warpSize) - 1);
    const int32_t in_warp = from_lane(mark, before ? highest(before) : 0);
    const int32_t previous = before ? in_warp : last;
    const bool open = previous >= 0 && !(previous & labels::ENDS);
    return mark >= 0 &&
           ((mark & labels::BEGINS) || !open || mark / labels::ROLE != previous / labels::ROLE);
  }
};

// A warp reads up to 32 examples in turn, then each lane counts one of them. If examples are fewer
// than that, each warp takes one.
template <class Pair>
__device__ void score_labels(const Pair& pair, const LabelTask& task) {
  const Launch& launch = task.launch;
  const Plan plan = launch.plan;  // a copy in registers, because its address is taken
  const Totals totals(launch);
  totals.begin();
  const int64_t n = launch.last - launch.first;
  const int64_t n_warps = n_threads() / warpSize;
  const int64_t lane = threadIdx.x % warpSize;
  int64_t taken = n / n_warps < 1 ? 1 : n / n_warps;
  if (taken > warpSize) taken = warpSize;
  for (int64_t k = thread_number() / warpSize * taken; k < n; k += n_warps * taken) {
    Sequence gold, pred;
    bool done = false;
    const int64_t n_read = n - k < taken ? n - k : taken;
    for (int64_t turn = 0; turn < n_read; ++turn) {
      const int64_t e = launch.first + k + turn;
      const bool own = turn == lane;
      const bool read = gold.read(task, e, true, own) && pred.read(task, e, false, own);
      if (own) done = read;
    }
    if (lane >= n_read) continue;
    if (done) {
      SharedCountSink sink = totals.sink_at(0);
      FewRows<1> few;
      done = few.read(gold.side(), pred.side(), 0, plan) && few.pair_unweighed(plan);
      if (done) {
        few.each([&](const Relation& g, const Relation& p) {
          pair(g, p, gold.length, plan.params, sink);
        });
      }
      sink.add(plan.n_fields, done * gold.relation_offsets[1]);
      sink.add(plan.n_fields + 1, done * pred.relation_offsets[1]);
    }
    task.left_out[launch.first + k + lane] = !done;
  }
  totals.end();
}

}  // namespace fastcausal

#define FC_SCORE(name)                                                   \
  extern "C" __global__ void score_##name(const fastcausal::Task task) { \
    fastcausal::score(fastcausal::name##_pair(), task);                  \
  }
#define FC_LABELS(name)                                                                   \
  extern "C" __global__ void __launch_bounds__(128, 6) /* six blocks fit: 80 registers */ \
      labels_##name(const fastcausal::LabelTask task) {                                   \
    fastcausal::score_labels(fastcausal::name##_pair(), task);                            \
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
#define FC_KERNEL(name) FC_SCORE(name) FC_LABELS(name)
FC_KERNELS(FC_KERNEL)
#undef FC_KERNEL
#endif

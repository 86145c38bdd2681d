// The device driver: grid-stride loops over examples, one thread an example at a time.
//
//   score_<kernel>    rows: pair the relations of every example and add up their counts
//   labels_<kernel>   label ids: the spans of both sequences first, one relation a side
//     └─ run_few      one example (csrc/fastcausal/few.h), the same text as on the host
//
// Counts are integers, so the order in which threads add them never shows. An example that does not
// fit (too many relations or spans for fixed memory) is marked in left_out and goes to the host.
// Compiled by NVRTC at first use, by nvcc, and for the tests by a host compiler that plays the
// grid.
#include "fastcausal/few.h"
#include "fastcausal/kernels.h"
#include "fastcausal/label_spans.h"

namespace fastcausal {

// The arguments of every launch; engine/device/scoring.py has the same as NumPy records. All
// members take 8 bytes.
struct Launch {
  int64_t* counts;      // [n_totals] to add to, or [n_examples, n_fields] to write
  uint8_t* left_out;    // [n_examples]
  int64_t first, last;  // examples first, first + 1, ..., last - 1
  int64_t n_totals;     // counts that all examples share, 0 where every example has its own
  int64_t n_lanes;      // columns of counters a block keeps, 0 for none
  Plan plan;            // with params and weights on the device
};

// Addresses are moved so that absolute example, relation and row numbers hold in a part.
struct Task {
  Side gold;
  Side pred;
  const int32_t* lengths;  // [n_examples]
  const int64_t* groups;   // [n_examples], or null: all in one
  int64_t* partner;        // [n_gold_relations], or null
  int64_t apart;           // a group has a second row for examples of several gold relations
  Launch launch;
};

// counts are those of the kernel, then how many sequences mark anything in gold, and in pred.
struct LabelTask {
  const void* gold_ids;  // [n_examples, n_tokens]
  const void* pred_ids;
  const int32_t* marks;  // of each label
  int64_t n_labels;
  int64_t ignored;
  int64_t n_tokens;
  int64_t gold_itemsize;
  int64_t pred_itemsize;
  int64_t run_on;  // whether arguments of one token run on, see label_spans.h
  Launch launch;
};

// A kernel as a function that is called, one for each kind of sink: spread out at every place that
// needs it, it takes several times as long to compile.
template <class Pair>
struct Called {
  static constexpr bool LOOKS_UP = Pair::LOOKS_UP;
  template <class Sink>
  __host__ __device__ __noinline__ void operator()(const Relation& gold, const Relation& pred,
                                                   int64_t length, const int64_t* params,
                                                   Sink& sink) const {
    Pair()(gold, pred, length, params, sink);
  }
};

using Total = unsigned long long;  // what 64-bit atomics take; wraps as two's complement does

// A row of counts. Where few rows are shared by all threads, a block counts the low 32 bits in its
// own memory, a column for each lane of a warp so that lanes do not wait for each other, and adds
// them up when it ends. What exceeds 32 bits, rarely anything, goes to the row at once; so nothing
// can overflow.
struct SharedCountSink {
  static constexpr bool BY_ROLE = true;
  Total* row;
  uint32_t* cells;  // [n_fields, n_lanes] of this row, at the column of the thread, or null
  int64_t n_lanes;

  __device__ bool wants(uint64_t) const { return true; }
  __device__ bool wants_overall(uint64_t) const { return true; }
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

static_assert(SinkMembers<SharedCountSink>::there, "a sink");

extern __shared__ uint32_t counters[];  // [n_totals, n_lanes]

__device__ SharedCountSink sink_at(const Launch& launch, int64_t at) {
  uint32_t* cells = nullptr;
  if (launch.n_lanes) cells = counters + at * launch.n_lanes + threadIdx.x % launch.n_lanes;
  return {reinterpret_cast<Total*>(launch.counts) + at, cells, launch.n_lanes};
}

__device__ void clear_counters(const Launch& launch) {
  for (int64_t k = threadIdx.x; k < launch.n_totals * launch.n_lanes; k += blockDim.x)
    counters[k] = 0;
  __syncthreads();
}

__device__ void flush_counters(const Launch& launch) {
  __syncthreads();
  for (int64_t k = threadIdx.x; launch.n_lanes && k < launch.n_totals; k += blockDim.x) {
    Total sum = 0;
    for (int64_t lane = 0; lane < launch.n_lanes; ++lane)
      sum += counters[k * launch.n_lanes + lane];
    if (sum) atomicAdd(reinterpret_cast<Total*>(launch.counts) + k, sum);
  }
}

// one(example, plan) counts an example, or returns false.
template <class One>
__device__ void for_all(const Launch& launch, const One& one) {
  const Plan plan = launch.plan;  // in registers, as its address is taken
  clear_counters(launch);
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t e = launch.first + int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < launch.last;
       e += step) {
    launch.left_out[e] = !one(e, plan);
  }
  flush_counters(launch);
}

// Finds the row of counts that an example is added to.
__device__ int64_t row_of(const Task& task, int64_t example) {
  if (!task.launch.n_totals) return example;
  const int64_t group = task.groups ? task.groups[example] : 0;
  return task.apart ? 2 * group + (task.gold.n_relations(example) > 1) : group;
}

template <class Pair>
__device__ void score(const Pair& pair, const Task& task) {
  const Launch& launch = task.launch;
  for_all(launch, [&](int64_t e, const Plan& plan) {
    const int64_t at = row_of(task, e) * launch.plan.n_fields;
    for (int64_t k = 0; !launch.n_totals && k < launch.plan.n_fields; ++k)
      launch.counts[at + k] = 0;
    SharedCountSink sink = sink_at(launch, at);
    return run_few(pair, task.gold, task.pred, e, task.lengths[e], plan, task.partner, sink);
  });
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

// The spans of one sequence, as one relation.
struct Sequence {
  Row rows[MOST_SPANS + 1];
  int64_t row_offsets[2];
  int64_t relation_offsets[2];
  int32_t length;

  // Returns false for too many spans or an unknown label: the host will see which.
  // A token that gold ignores is not there on either side.
  __device__ bool read(const LabelTask& task, int64_t e, bool is_gold) {
    const labels::Scheme scheme{task.marks, task.n_labels, task.ignored};
    labels::Spans spans{rows, 0, -1};
    length = 0;
    for (int64_t t = 0; t < task.n_tokens; ++t) {
      const int64_t at = e * task.n_tokens + t;
      int64_t id = id_at(task.gold_ids, task.gold_itemsize, at);
      if (id == scheme.ignored) continue;
      if (!is_gold) id = id_at(task.pred_ids, task.pred_itemsize, at);
      if (id < 0 || id >= scheme.n_labels) return false;
      spans.token(scheme.marks[id], length++);
      if (spans.n_rows > MOST_SPANS) return false;
    }
    if (task.run_on) labels::run_on(rows, spans.n_rows, length);
    row_offsets[0] = relation_offsets[0] = 0;
    row_offsets[1] = spans.n_rows;
    relation_offsets[1] = spans.n_rows > 0;
    return true;
  }
  __device__ Side side() const { return {rows, row_offsets, relation_offsets}; }
};

template <class Pair>
__device__ void score_labels(const Pair& pair, const LabelTask& task) {
  const Launch& launch = task.launch;
  for_all(launch, [&](int64_t e, const Plan& plan) {
    Sequence gold, pred;
    if (!gold.read(task, e, true) || !pred.read(task, e, false)) return false;
    SharedCountSink sink = sink_at(launch, 0);
    if (!run_few(pair, gold.side(), pred.side(), 0, gold.length, plan, nullptr, sink)) return false;
    sink.add(launch.plan.n_fields, gold.relation_offsets[1]);
    sink.add(launch.plan.n_fields + 1, pred.relation_offsets[1]);
    return true;
  });
}

}  // namespace fastcausal

#define FC_SCORE(name)                                                      \
  extern "C" __global__ void score_##name(const fastcausal::Task task) {    \
    fastcausal::score(fastcausal::Called<fastcausal::name##_pair>(), task); \
  }
#define FC_LABELS(name)                                                            \
  extern "C" __global__ void labels_##name(const fastcausal::LabelTask task) {     \
    fastcausal::score_labels(fastcausal::Called<fastcausal::name##_pair>(), task); \
  }
#ifdef FC_ONLY  // FC_SCORE(name) or FC_LABELS(name): one is compiled sooner than all
FC_ONLY
#else
#define FC_KERNEL(name, looks_up) FC_SCORE(name) FC_LABELS(name)
FC_KERNELS(FC_KERNEL)
#undef FC_KERNEL
#endif

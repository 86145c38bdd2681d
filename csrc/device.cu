// The device driver: grid-stride loops over examples, one thread an example at a time.
//
//   score_<kernel> ── pair the relations of every example that fits and add up their counts
//     └─ run_few ── one example (csrc/fastcausal/few.h), the same text as on the host
//
// Counts are integers, so the order in which threads add them never shows. An example that does not
// fit (too many relations or spans for fixed memory) is marked in left_out and goes to the host.
// Compiled by NVRTC at first use, by nvcc, and for the tests by a host compiler that plays the
// grid.
#include "fastcausal/few.h"
#include "fastcausal/kernels.h"

namespace fastcausal {

// What a launch works on; engine/device.py has the same as a NumPy record. All members take 8
// bytes. Addresses are moved so that absolute example, relation and row numbers hold in a part.
struct Task {
  Side gold;
  Side pred;
  const int32_t* lengths;  // [n_examples]
  const int64_t* groups;   // [n_examples], or null: every example has its own row of counts
  const int64_t* params;   // number of roles, then the track of each role
  const int64_t* weights;  // [6, n_fields]
  int64_t* partner;        // [n_gold_relations]
  int64_t* counts;         // [n_groups or n_examples, n_fields], to be added to
  uint8_t* left_out;       // [n_examples]
  int64_t first, last;     // examples first, first + 1, ..., last - 1
  int64_t n_fields;
  int64_t n_groups;
  int64_t n_lanes;  // columns of counters a block keeps, 0 for none
  int64_t official, linear, additive, never_costs, by_content, truncate, ignore_non_causal;
};

FC_HD Plan plan_of(const Task& task) {
  Plan plan{};
  plan.n_fields = task.n_fields;
  plan.params = task.params;
  plan.numerator = task.weights;
  plan.denominator = task.weights + task.n_fields;
  plan.official = task.official ? task.weights + 2 * task.n_fields : nullptr;
  plan.linear = task.linear;
  plan.additive = task.additive;
  plan.never_costs = task.never_costs;
  plan.by_content = task.by_content;
  plan.truncate = task.truncate;
  plan.ignore_non_causal = task.ignore_non_causal;
  return plan;
}

using Total = unsigned long long;  // what 64-bit atomics take; wraps as two's complement does

// A row of counts. Where few rows are shared by all threads, a block counts the low 32 bits in its
// own memory, a column for each lane of a warp so that lanes do not wait for each other, and adds
// them up when it ends. What exceeds 32 bits, rarely anything, goes to the row at once; so nothing
// can overflow.
struct Row {
  Total* row;
  uint32_t* cells;  // [n_fields, n_lanes] of this row, at the column of the thread, or null
  int64_t n_lanes;

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

extern __shared__ uint32_t counters[];  // [n_groups * n_fields, n_lanes]

__device__ void clear_counters(int64_t n_cells) {
  for (int64_t k = threadIdx.x; k < n_cells; k += blockDim.x) counters[k] = 0;
  __syncthreads();
}

__device__ void flush_counters(Total* totals, int64_t n_totals, int64_t n_lanes) {
  __syncthreads();
  for (int64_t k = threadIdx.x; k < n_totals; k += blockDim.x) {
    Total sum = 0;
    for (int64_t lane = 0; lane < n_lanes; ++lane) sum += counters[k * n_lanes + lane];
    if (sum) atomicAdd(totals + k, sum);
  }
}

template <class PairKernel>
__device__ void score(const PairKernel& kernel, const Task& task) {
  const Plan plan = plan_of(task);
  const int64_t n_totals = task.n_groups * task.n_fields;
  Total* totals = reinterpret_cast<Total*>(task.counts);
  if (task.n_lanes) clear_counters(n_totals * task.n_lanes);
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t e = task.first + int64_t{blockIdx.x} * blockDim.x + threadIdx.x; e < task.last;
       e += step) {
    const int64_t at = (task.groups ? task.groups[e] : e) * task.n_fields;
    for (int64_t k = 0; !task.groups && k < task.n_fields; ++k) totals[at + k] = 0;
    uint32_t* cells = nullptr;
    if (task.n_lanes) cells = counters + at * task.n_lanes + threadIdx.x % task.n_lanes;
    Row row{totals + at, cells, task.n_lanes};
    const bool fits =
        run_few(kernel, task.gold, task.pred, e, task.lengths[e], plan, task.partner, row);
    task.left_out[e] = !fits;
  }
  if (task.n_lanes) flush_counters(totals, n_totals, task.n_lanes);
}

}  // namespace fastcausal

#define FC_KERNEL(name)                                                       \
  extern "C" __global__ void score_##name(const fastcausal::Task task) {      \
    fastcausal::score([](auto... pair) { fastcausal::name(pair...); }, task); \
  }
#define FC_EXPANDED(name) FC_KERNEL(name)
#ifdef FC_ONLY  // one kernel is compiled sooner than all
FC_EXPANDED(FC_ONLY)
#else
#include "fastcausal/kernels.def"
#endif
#undef FC_EXPANDED
#undef FC_KERNEL

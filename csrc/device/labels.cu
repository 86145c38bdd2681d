// The device driver of label ids: a warp reads 32 sequences, then each of its threads counts one.
//
//   Tile       marks of 32 tokens of these sequences: lanes load neighbouring tokens
//   BothSides  the spans of a sequence: a lane walks through the runs of its own row of the tile
//   count      one relation per side
//
// A batch of few sequences gives each warp fewer, down to one. labels_<kernel> marks the sequences
// that it leaves to the host: an unknown label, too many spans, or pairing that may cost.
#include "device/counters.cuh"
#include "fastcausal/kernels.h"
#include "fastcausal/label_spans.h"

namespace fastcausal {

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

namespace labels {

// Marks of tokens on both sides: gold in the low half. A row for each sequence; its odd width leads
// lanes to different banks of the memory.
struct Tile {
  uint32_t both[LANES][LANES + 1];
};
__shared__ Tile tiles[WARPS];

__device__ uint32_t both_of(int32_t gold, int32_t pred) {
  return (static_cast<uint32_t>(gold) & 0xffff) | static_cast<uint32_t>(pred) << 16;
}
__device__ int32_t gold_of(uint32_t both) { return static_cast<int16_t>(both); }
__device__ int32_t pred_of(uint32_t both) { return static_cast<int16_t>(both >> 16); }

constexpr int AT_ONCE = LANES / 4;  // loads of a side that a lane waits for together

// Loads AT_ONCE ids at a distance of `step`; only n exist, the last one is repeated.
template <class Id>
__device__ void load_as(const void* ids, int64_t n, int64_t step, int64_t* found) {
  FC_UNROLL for (int k = 0; k < AT_ONCE; ++k) {
    found[k] = int64_t{static_cast<const Id*>(ids)[(k < n ? k : n - 1) * step]};
  }
}
__device__ void load(const void* ids, int64_t itemsize, int64_t at, int64_t n, int64_t step,
                     int64_t* found) {
  const void* from = static_cast<const char*>(ids) + at * itemsize;
  switch (itemsize) {
    case 1:
      return load_as<int8_t>(from, n, step, found);
    case 2:
      return load_as<int16_t>(from, n, step, found);
    case 4:
      return load_as<int32_t>(from, n, step, found);
    default:
      return load_as<int64_t>(from, n, step, found);
  }
}

__device__ int32_t mark_of(const LabelTask& task, int64_t id) {
  return id < 0 || id >= task.n_labels ? int32_t{UNKNOWN} : task.marks[id];
}

// Reads tokens of n sequences from number `token` on. Tokens that gold ignores are ignored on both
// sides.
__device__ void read_tile(const LabelTask& task, int64_t first, int64_t n, int64_t token,
                          Tile& tile) {
  const int64_t lane = threadIdx.x % LANES;
  const bool is_there = token + lane < task.n_tokens;
  const int64_t own = is_there ? token + lane : task.n_tokens - 1;
  for (int64_t s = 0; s < n; s += AT_ONCE) {
    const int64_t at = (first + s) * task.n_tokens + own;
    int64_t gold[AT_ONCE], pred[AT_ONCE];
    load(task.gold_ids, task.gold_itemsize, at, n - s, task.n_tokens, gold);
    load(task.pred_ids, task.pred_itemsize, at, n - s, task.n_tokens, pred);
    FC_UNROLL for (int k = 0; k < AT_ONCE; ++k) {
      tile.both[s + k][lane] = !is_there || gold[k] == task.ignored
                                   ? both_of(IGNORED, IGNORED)
                                   : both_of(mark_of(task, gold[k]), mark_of(task, pred[k]));
    }
  }
}

// Both sides of one sequence.
struct BothSides {
  Row gold_rows[MOST_SPANS + 1];
  Row pred_rows[MOST_SPANS + 1];
  Spans gold{gold_rows}, pred{pred_rows};
  int32_t length = 0;
  bool fits = true;  // so far: all labels are known, and spans are few enough

  // Reads the next tokens, run by run.
  __device__ void read(const uint32_t* both) {
    constexpr uint32_t ALONE = (BEGINS | ENDS) * 0x10001;
    uint32_t begins = 1;  // tokens that begin a run, one bit each
    FC_UNROLL for (int t = 1; t < LANES; ++t) {
      begins |= uint32_t{both[t] != both[t - 1] || (both[t] & ALONE)} << t;
    }
    while (begins && fits) {
      const int first = __ffs(static_cast<int>(begins)) - 1;
      begins &= begins - 1;
      const int stop = begins ? __ffs(static_cast<int>(begins)) - 1 : LANES;
      read_run(both[first], stop - first);
    }
  }

  // Counts one relation of each side. Returns false and does nothing if the host must do it.
  template <class Pair, class Sink>
  __device__ bool count(const Pair& pair, const Plan& plan, bool runs_on, Sink& sink) {
    if (!fits || (gold.n_rows && pred.n_rows && !plan.never_costs)) return false;
    if (runs_on) {
      run_on(gold_rows, gold.n_rows, length);
      run_on(pred_rows, pred.n_rows, length);
    }
    const bool has_gold = gold.n_rows;
    const bool has_pred = pred.n_rows;
    const bool counts = plan.n_counted(has_gold, has_pred);
    if (has_gold || counts) {
      const Relation counted = counts ? Relation{pred_rows, pred.n_rows} : Relation();
      pair({gold_rows, gold.n_rows}, counted, length, plan.params, sink);
    }
    sink.add(plan.n_fields, has_gold);
    sink.add(plan.n_fields + 1, has_pred);
    return true;
  }

 private:
  __device__ void read_run(uint32_t both, int32_t width) {
    if (gold_of(both) == IGNORED) return;
    gold.run(gold_of(both), length, width);
    pred.run(pred_of(both), length, width);
    length += width;
    fits = gold_of(both) != UNKNOWN && pred_of(both) != UNKNOWN && gold.n_rows <= MOST_SPANS &&
           pred.n_rows <= MOST_SPANS;
  }
};

template <class Pair>
__device__ void score(const Pair& pair, const LabelTask& task) {
  const Plan plan = task.launch.plan;  // a copy in registers, because its address is taken
  const Totals totals(task.launch);
  totals.begin();
  const int64_t n = task.launch.last - task.launch.first;
  const int64_t n_warps = n_threads() / LANES;
  const int64_t of_warp = n < n_warps ? 1 : n / n_warps < LANES ? n / n_warps : LANES;
  const int64_t lane = threadIdx.x % LANES;
  Tile& tile = tiles[threadIdx.x / LANES];
  for (int64_t k = thread_number() / LANES * of_warp; k < n; k += n_warps * of_warp) {
    const int64_t first = task.launch.first + k;
    const int64_t n_read = n - k < of_warp ? n - k : of_warp;
    BothSides sides;
    for (int64_t token = 0; token < task.n_tokens; token += LANES) {
      read_tile(task, first, n_read, token, tile);
      __syncwarp();
      if (lane < n_read) sides.read(tile.both[lane]);
      __syncwarp();
    }
    if (lane >= n_read) continue;
    SharedCountSink sink = totals.sink_at(0);
    task.left_out[first + lane] = !sides.count(pair, plan, task.run_on, sink);
  }
  totals.end();
}

}  // namespace labels
}  // namespace fastcausal

#define FC_LABELS(name)                                                                      \
  extern "C" __global__ void __launch_bounds__(FC_THREADS, 6) /* six blocks: 80 registers */ \
      labels_##name(const fastcausal::LabelTask task) {                                      \
    fastcausal::labels::score(fastcausal::name##_pair(), task);                              \
  }
#ifdef FC_ONLY  // FC_LABELS(name): one compiles sooner than all
FC_ONLY
#else
FC_KERNELS(FC_LABELS)
#endif

// The examples of a launch, sorted by their numbers of relations, and what becomes of each: it adds
// to its row of counts, or goes to a list.
#pragma once
#include "device/counters.cuh"
#include "fastcausal/patterns.h"

namespace fastcausal {

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

__device__ int64_t n_examples(const Task& task) { return task.launch.last - task.launch.first; }

constexpr uint64_t MOST_SHOWN = MOST_RELATIONS + 1;  // numbers of relations told apart
constexpr uint64_t N_SHAPES = (MOST_SHOWN + 1) * (MOST_SHOWN + 1);
constexpr int64_t MOST_OF_THREAD = 16;  // examples

// The examples that a block takes at a time, sorted by their numbers of relations. The threads of a
// warp then take the same branches.
struct Tile {
  uint32_t sizes[N_SHAPES];
  uint32_t places[N_SHAPES];
  uint16_t order[MOST_OF_THREAD * FC_THREADS];  // numbers less the first one
};
__shared__ Tile tile;

// Offsets that fall make a large number.
__device__ uint64_t n_shown(const Side& side, int64_t example) {
  const uint64_t n = static_cast<uint64_t>(side.relation_offsets[example + 1]) -
                     static_cast<uint64_t>(side.relation_offsets[example]);
  return n > MOST_SHOWN ? MOST_SHOWN : n;
}

// Sorts n examples. example(k) is the number of one of them.
template <class Example>
__device__ void sort_tile(const Task& task, int64_t n, const Example& example) {
  const auto shape_of = [&](int64_t k) {
    return n_shown(task.gold, example(k)) * (MOST_SHOWN + 1) + n_shown(task.pred, example(k));
  };
  for (uint64_t k = threadIdx.x; k < N_SHAPES; k += FC_THREADS) tile.sizes[k] = 0;
  __syncthreads();
  for (int64_t k = threadIdx.x; k < n; k += FC_THREADS) {
    atomicAdd(tile.sizes + shape_of(k), uint32_t{1});
  }
  __syncthreads();
  for (uint64_t k = threadIdx.x; k < N_SHAPES; k += FC_THREADS) {
    uint32_t before = 0;
    for (uint64_t shape = 0; shape < k; ++shape) before += tile.sizes[shape];
    tile.places[k] = before;
  }
  __syncthreads();
  for (int64_t k = threadIdx.x; k < n; k += FC_THREADS) {
    tile.order[atomicAdd(tile.places + shape_of(k), uint32_t{1})] = static_cast<uint16_t>(k);
  }
  __syncthreads();
}

// Calls one(example) for the n examples of a list, or all n of the launch.
template <class One>
__device__ void for_all(const Task& task, const int64_t* listed, int64_t n, const One& one) {
  int64_t of_thread = n / n_threads();
  of_thread = of_thread < 1 ? 1 : of_thread > MOST_OF_THREAD ? MOST_OF_THREAD : of_thread;
  const int64_t size = of_thread * FC_THREADS;
  for (int64_t first = blockIdx.x * size; first < n; first += gridDim.x * size) {
    const int64_t n_here = n - first < size ? n - first : size;
    const auto example = [&](int64_t k) {
      return listed ? listed[first + k] : task.launch.first + first + k;
    };
    __syncthreads();  // the tile before is done
    sort_tile(task, n_here, example);
    for (int64_t k = threadIdx.x; k < n_here; k += FC_THREADS) one(example(tile.order[k]));
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

}  // namespace fastcausal

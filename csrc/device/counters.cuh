// What grids that count share: the arguments of a launch, and counters in the memory of a block.
//
// Counts are integers, so the order of adding threads never shows. The compiler is given the size
// of blocks and warps as FC_THREADS and FC_LANES (engine/device/launches.py).
#pragma once
#include "fastcausal/plan.h"

namespace fastcausal {

constexpr int LANES = FC_LANES;               // threads of a warp
constexpr int WARPS = FC_THREADS / FC_LANES;  // of a block

using Total = unsigned long long;  // the type of 64-bit atomics; wraps like two's complement

// The arguments of every launch. engine/device/launches.py has the same NumPy records. All members
// take 8 bytes.
struct Launch {
  Total* counts;        // [n_totals] to add to, or [n_examples, n_fields] to write
  int64_t first, last;  // examples first, first + 1, ..., last - 1
  int64_t n_totals;     // counts that all examples share, 0 if every example has its own
  int64_t n_lanes;      // columns of counters in a block's memory, 0 for none
  Plan plan;            // with params and weights on the device
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
  __device__ Totals(Total* all_, int64_t n_, int64_t n_lanes_, const Totals& before)
      : all(all_), n(n_), n_lanes(n_lanes_), cells(before.cells + before.n * before.n_lanes) {}

  __device__ SharedCountSink sink_at(int64_t at) const {
    uint32_t* own = n_lanes ? cells + at * n_lanes + threadIdx.x % n_lanes : nullptr;
    return {all + at, own, n_lanes};
  }
  __device__ void begin() const {
    for (int64_t k = threadIdx.x; k < n * n_lanes; k += FC_THREADS) cells[k] = 0;
    __syncthreads();
  }
  __device__ void end() const {
    __syncthreads();
    for (int64_t k = threadIdx.x; n_lanes && k < n; k += FC_THREADS) {
      Total sum = 0;
      for (int64_t lane = 0; lane < n_lanes; ++lane) sum += cells[k * n_lanes + lane];
      if (sum) atomicAdd(all + k, sum);
    }
  }
};

__device__ int64_t thread_number() { return int64_t{blockIdx.x} * FC_THREADS + threadIdx.x; }
__device__ int64_t n_threads() { return int64_t{gridDim.x} * FC_THREADS; }

}  // namespace fastcausal

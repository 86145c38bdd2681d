// What differs between the compilers that read the item code: host C++17, nvcc and NVRTC.
// No other file looks at the compiler's macros.
#pragma once

#if defined(__CUDACC_RTC__)
#include <cuda/std/cstdint>
#else
#include <cstdint>
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FC_HD __host__ __device__ inline
#else
#define FC_HD inline
#endif

#if defined(__CUDA_ARCH__)
#define FC_ON_DEVICE 1
#else
#define FC_ON_DEVICE 0
#endif

namespace fastcausal {

// A kernel: one gold relation against one predicted relation; either may have no rows (unmatched).
// Rows are (role, start, stop), sorted by (start, stop, role). params: the number of roles, then
// the track of each role. The kernels here are templates that give their counts to a sink; a kernel
// from elsewhere is a pointer to a function that writes them to counts, which are 0 before.
using Kernel = void (*)(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                        int64_t length, const int64_t* params, int64_t* counts);

constexpr int64_t MOST_SPANS = 24;  // of one relation on a device

// Working space for n items: on the stack up to Bound, on the heap beyond (host only; relations
// with more spans than Bound are not sent to a device).
template <int64_t Bound>
struct Scratch {
  int32_t fixed[Bound];
  int32_t* at;
  FC_HD explicit Scratch(int64_t n) : at(fixed) {
#if !FC_ON_DEVICE
    if (n > Bound) at = new int32_t[n];
#endif
    (void)n;
  }
  FC_HD ~Scratch() {
#if !FC_ON_DEVICE
    if (at != fixed) delete[] at;
#endif
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

// Views of one row.
FC_HD int32_t role_of(const int32_t* row) { return row[0]; }
FC_HD int32_t start_of(const int32_t* row) { return row[1]; }
FC_HD int32_t stop_of(const int32_t* row) { return row[2]; }

FC_HD int32_t shared_tokens(const int32_t* a, const int32_t* b) {
  const int32_t start = start_of(a) > start_of(b) ? start_of(a) : start_of(b);
  const int32_t stop = stop_of(a) < stop_of(b) ? stop_of(a) : stop_of(b);
  return stop > start ? stop - start : 0;
}

FC_HD bool same_bounds(const int32_t* a, const int32_t* b) {
  return start_of(a) == start_of(b) && stop_of(a) == stop_of(b);
}

// The order of rows: start, stop, role.
FC_HD int compare_rows(const int32_t* a, const int32_t* b) {
  if (start_of(a) != start_of(b)) return start_of(a) < start_of(b) ? -1 : 1;
  if (stop_of(a) != stop_of(b)) return stop_of(a) < stop_of(b) ? -1 : 1;
  return role_of(a) < role_of(b) ? -1 : role_of(a) > role_of(b);
}

}  // namespace fastcausal

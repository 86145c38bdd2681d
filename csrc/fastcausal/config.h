// Differences between the compilers that read the item code: host C++17, nvcc and NVRTC.
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

// Where a call costs more than what it does.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FC_INLINE __host__ __device__ __forceinline__
#elif defined(_MSC_VER)
#define FC_INLINE __forceinline
#else
#define FC_INLINE __attribute__((always_inline)) inline
#endif

// Before a loop of few and constantly many steps: without a branch at the end of each.
#if defined(__clang__) || defined(__CUDACC__)
#define FC_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define FC_UNROLL _Pragma("GCC unroll 24")
#else
#define FC_UNROLL
#endif

// Instructions for sixteen bytes at once; FASTCAUSAL_PLAIN does without.
#if (defined(__SSE2__) || defined(_M_X64)) && !defined(__CUDACC_RTC__) && !defined(FASTCAUSAL_PLAIN)
#define FC_SSE2 1
#else
#define FC_SSE2 0
#endif

namespace fastcausal {

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

}  // namespace fastcausal

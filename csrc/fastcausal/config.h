// Differences between the three compilers of the item code: host C++17, nvcc and NVRTC. Only this
// file tests the compiler's macros.
#pragma once

#if defined(__CUDACC_RTC__)
#include <cuda/std/cstdint>
#else
#include <cstddef>
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

// For functions whose call costs more than their body.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FC_INLINE __host__ __device__ __forceinline__
#elif defined(_MSC_VER)
#define FC_INLINE __forceinline
#else
#define FC_INLINE __attribute__((always_inline)) inline
#endif

// For loops with a small constant number of steps: the loop compiles without branches.
#if defined(__clang__) || defined(__CUDACC__)
#define FC_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define FC_UNROLL _Pragma("GCC unroll 24")
#else
#define FC_UNROLL
#endif

// 1 if SSE2 handles sixteen bytes at once. FASTCAUSAL_PLAIN turns it off.
#if (defined(__SSE2__) || defined(_M_X64)) && !defined(__CUDACC_RTC__) && !defined(FASTCAUSAL_PLAIN)
#define FC_SSE2 1
#else
#define FC_SSE2 0
#endif

// Asks for memory that a loop reads a page later: hardware fetches ahead within a page alone. The
// address may lie outside all arrays.
#if defined(__GNUC__)
#define FC_PREFETCH(at) __builtin_prefetch(at)
#else
#define FC_PREFETCH(at) static_cast<void>(at)
#endif

// 1 on WebAssembly, which has neither threads nor exceptions (stop.hpp).
#if defined(__wasm__)
#define FC_WASM 1
#else
#define FC_WASM 0
#endif

namespace fastcausal {

constexpr int64_t MOST_SPANS = 24;  // per relation on a device
constexpr int MOST_RELATIONS = 5;   // per side on a device

// Working space for n items: on the stack up to Bound items, on the heap beyond. Only the host uses
// the heap: relations with more spans than Bound never reach a device.
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

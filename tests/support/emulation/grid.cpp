// csrc/*.cu on the host: threads emulate the threads of a block, one block after another. Shared
// memory starts as rubbish on purpose, because a device promises nothing about it.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__
#define __host__
#define __noinline__
#define __launch_bounds__(...)

struct Index {
  unsigned x;
};
static thread_local Index threadIdx, blockIdx;
static Index blockDim, gridDim;

class Barrier {
 public:
  explicit Barrier(unsigned n) : n_(n), waiting_(0), round_(0) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const unsigned mine = round_;
    if (++waiting_ == n_) {
      waiting_ = 0;
      ++round_;
      all_.notify_all();
    } else {
      all_.wait(lock, [&] { return round_ != mine; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  unsigned n_, waiting_, round_;
};
static Barrier* barrier;

static void __syncthreads() { barrier->wait(); }

// A warp is narrow here, so it reads a sequence in many steps.
static constexpr int warpSize = 4;

struct Warp {
  Barrier barrier{warpSize};
  uint32_t numbers[warpSize];
};
static std::vector<Warp>* warps;

// Gives every lane the result of read(numbers), from the numbers of all lanes of its warp.
template <class Read>
static auto exchange(uint32_t mine, const Read& read) {
  Warp& warp = (*warps)[threadIdx.x / warpSize];
  warp.numbers[threadIdx.x % warpSize] = mine;
  warp.barrier.wait();
  const auto found = read(warp.numbers);
  warp.barrier.wait();
  return found;
}
static uint32_t __ballot_sync(uint32_t, bool yes) {
  return exchange(yes, [](const uint32_t* numbers) {
    uint32_t lanes = 0;
    for (int k = 0; k < warpSize; ++k) lanes |= numbers[k] << k;
    return lanes;
  });
}
static int32_t __shfl_sync(uint32_t, int32_t number, int lane) {
  return exchange(static_cast<uint32_t>(number),
                  [=](const uint32_t* numbers) { return static_cast<int32_t>(numbers[lane]); });
}
static int __ffs(int lanes) { return __builtin_ffs(lanes); }
static int __clz(int lanes) { return __builtin_clz(static_cast<unsigned>(lanes)); }
static int __popc(uint32_t lanes) { return __builtin_popcount(lanes); }

template <class T>
T atomicAdd(T* at, T n) {
  return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

#include "decoding.cu"
#include "device.cu"

namespace fastcausal {
uint32_t counters[48 << 8];  // the most bytes that engine/device/launches.py requests
}

static void enter(const char* name, const void* task) {
  if (!std::strcmp(name, "packed")) return packed(*static_cast<const fastcausal::Task*>(task));
  if (!std::strcmp(name, "settle")) return settle(*static_cast<const fastcausal::Task*>(task));
#define FC_KERNEL(kernel) \
  if (!std::strcmp(name, "score_" #kernel))                             \
    return score_##kernel(*static_cast<const fastcausal::Task*>(task)); \
  if (!std::strcmp(name, "labels_" #kernel))                            \
    return labels_##kernel(*static_cast<const fastcausal::LabelTask*>(task));
  FC_KERNELS(FC_KERNEL)
#undef FC_KERNEL
#define ENTER(decoder)                        \
  if (!std::strcmp(name, "decode_" #decoder)) \
    return decode_##decoder(*static_cast<const fastcausal::decoder##_task*>(task));
  ENTER(labels)
  ENTER(selections)
  ENTER(rows)
#undef ENTER
}

extern "C" int64_t decode_labels_bytes() { return sizeof(fastcausal::labels_task); }
extern "C" int64_t decode_selections_bytes() { return sizeof(fastcausal::selections_task); }
extern "C" int64_t decode_rows_bytes() { return sizeof(fastcausal::rows_task); }
extern "C" int64_t selection_bytes() { return sizeof(fastcausal::selection::Selection); }
extern "C" int64_t scratch_of(int64_t n) { return fastcausal::selection::scratch_of(n); }

extern "C" void launch(const char* entry, const void* task, unsigned n_blocks, unsigned n_threads) {
  Barrier all(n_threads);
  barrier = &all;
  std::vector<Warp> of_block(n_threads / warpSize);
  warps = &of_block;
  gridDim.x = n_blocks;
  blockDim.x = n_threads;
  const auto play = [&](unsigned thread) {
    threadIdx.x = thread;
    for (unsigned block = 0; block < n_blocks; ++block) {
      blockIdx.x = block;
      if (!thread) std::memset(fastcausal::counters, 0xA5, sizeof fastcausal::counters);
      all.wait();
      enter(entry, task);
      all.wait();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < n_threads; ++t) threads.emplace_back(play, t);
  for (std::thread& thread : threads) thread.join();
}

// csrc/device/ on the host: threads emulate the threads of a block, one block after another. Shared
// memory starts as rubbish on purpose, because a device promises nothing about it.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__
#define __host__
#define __noinline__
#define __launch_bounds__(...)
// Few enough that every thread sees several examples, and a warp reads a sequence in many steps.
#define FC_THREADS 8
#define FC_LANES 4

struct Index {
  unsigned x;
};
static thread_local Index threadIdx, blockIdx;
static Index gridDim;

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

static std::deque<Barrier>* warps;

static void __syncwarp() { (*warps)[threadIdx.x / FC_LANES].wait(); }

static int __ffs(int lanes) { return __builtin_ffs(lanes); }

template <class T>
T atomicAdd(T* at, T n) {
  return __atomic_fetch_add(at, n, __ATOMIC_RELAXED);
}

#include "device/decoding.cu"
#include "device/labels.cu"
#include "device/relations.cu"

namespace fastcausal {
uint32_t counters[48 << 8];  // the most bytes that engine/device/launches.py requests
}

// Nothing is promised about the memory of a block.
static void fill_with_rubbish() {
  std::memset(fastcausal::counters, 0xA5, sizeof fastcausal::counters);
  std::memset(&fastcausal::tile, 0xA5, sizeof fastcausal::tile);
  std::memset(fastcausal::labels::tiles, 0xA5, sizeof fastcausal::labels::tiles);
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

extern "C" void launch(const char* entry, const void* task, unsigned n_blocks) {
  Barrier all(FC_THREADS);
  barrier = &all;
  std::deque<Barrier> of_block;
  for (int k = 0; k < fastcausal::WARPS; ++k) of_block.emplace_back(FC_LANES);
  warps = &of_block;
  gridDim.x = n_blocks;
  const auto play = [&](unsigned thread) {
    threadIdx.x = thread;
    for (unsigned block = 0; block < n_blocks; ++block) {
      blockIdx.x = block;
      if (!thread) fill_with_rubbish();
      all.wait();
      enter(entry, task);
      all.wait();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < FC_THREADS; ++t) threads.emplace_back(play, t);
  for (std::thread& thread : threads) thread.join();
}

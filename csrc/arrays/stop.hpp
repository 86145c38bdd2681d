// Long work that its caller can stop. Threads check from time to time whether to go on.
//
//   Stop ── one per call, shared by its threads; the calling thread asks the caller
//     └─ CostMeter ── one per thread: adds up the cost of work, so checks are rare
//
// On WebAssembly the calling thread does all the work, and a fault prints its text and ends the
// program.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <vector>

#include "fastcausal/config.h"

#if !FC_WASM
#include <future>
#include <mutex>
#include <system_error>
#include <thread>
#endif

namespace fastcausal {

#if FC_WASM
struct Mutex {};
struct Lock {
  explicit Lock(Mutex&) {}
  ~Lock() {}
};

template <class Exception>
[[noreturn]] void fail(const Exception& fault) {
  std::fputs(fault.what(), stderr);
  std::abort();
}

template <class Exception, class Work, class Handle>
void catching(const Work& work, const Handle&) {
  work();
}
#else
using Mutex = std::mutex;
using Lock = std::lock_guard<std::mutex>;

template <class Exception>
[[noreturn]] void fail(const Exception& fault) {
  throw fault;
}

// Calls work, and handle with an exception of this type.
template <class Exception, class Work, class Handle>
void catching(const Work& work, const Handle& handle) {
  try {
    work();
  } catch (const Exception& fault) {
    handle(fault);
  }
}
#endif

// The exception that ends stopped work. The caller knows the reason.
class Stopped : public std::exception {};

using StopRequested = bool (*)();  // the calling thread calls it some times a second

class Stop {
 public:
  static constexpr std::chrono::milliseconds PERIOD{50};

  explicit Stop(StopRequested stop_requested) : stop_requested_(stop_requested) {}

  // Only for the calling thread.
  void poll() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < PERIOD || stopped_) return;
    last_ = now;
    if (stop_requested_()) stopped_ = true;
  }

  void check() {
    if (called_from_here()) poll();
    if (stopped_) fail(Stopped());
  }

 private:
  using Clock = std::chrono::steady_clock;
  const StopRequested stop_requested_;
  Clock::time_point last_;
  std::atomic<bool> stopped_{false};

#if FC_WASM
  static bool called_from_here() { return true; }
#else
  const std::thread::id caller_ = std::this_thread::get_id();
  bool called_from_here() const { return std::this_thread::get_id() == caller_; }
#endif
};

class CostMeter {
 public:
  explicit CostMeter(Stop& stop) : stop_(stop) {}

  // Adds the cost of work that is done. It took at most about so many nanoseconds.
  void add_cost(int64_t nanoseconds) {
    left_ -= nanoseconds;
    if (left_ < 0) check();
  }

 private:
  static constexpr int64_t PER_CHECK = 4'000'000;
  Stop& stop_;
  int64_t left_ = PER_CHECK;

  void check() {
    left_ = PER_CHECK;
    stop_.check();
  }
};

// Sets the next block past the end when the work of a thread ends, so that after an exception no
// other thread begins a block.
struct LeavesNothing {
  std::atomic<int64_t>& next;
  int64_t end;
  ~LeavesNothing() { next = end; }
};

#if FC_WASM
template <class Work>
void in_threads(int64_t, Stop&, const Work& work) {
  work();
}
#else
// Calls work in this thread and in others, as far as the system has threads.
// Returns when all are done, or throws the exception of one of them.
template <class Work>
void in_threads(int64_t n_threads, Stop& stop, const Work& work) {
  std::vector<std::future<void> > others;
  try {
    for (int64_t t = 1; t < n_threads; ++t) {
      others.push_back(std::async(std::launch::async, std::cref(work)));
    }
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // the system has no more threads: the existing ones do the work
  }
  work();
  for (std::future<void>& other : others) {
    while (other.wait_for(Stop::PERIOD) == std::future_status::timeout) stop.poll();
    other.get();
  }
}
#endif

// Calls work(block, meter) for each block, from threads.
template <class Work>
void for_blocks(int64_t n_blocks, int64_t n_threads, StopRequested stop_requested,
                const Work& work) {
  Stop stop(stop_requested);
  std::atomic<int64_t> next{0};
  in_threads(std::min(n_threads, n_blocks), stop, [&] {
    const LeavesNothing on_exit{next, n_blocks};
    CostMeter meter(stop);
    for (int64_t block; (block = next++) < n_blocks;) work(block, meter);
  });
}

}  // namespace fastcausal

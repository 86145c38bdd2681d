// Long work that its caller can stop. Threads check from time to time whether to go on.
//
//   Stop ── one per call, shared by its threads; the calling thread asks the caller
//     └─ CostMeter ── one per thread: adds up the cost of work, so checks are rare
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace fastcausal {

// The exception that ends stopped work. The caller knows the reason.
class Stopped : public std::exception {};

using StopRequested = bool (*)();  // the calling thread calls it some times a second

class Stop {
 public:
  static constexpr std::chrono::milliseconds PERIOD{50};

  explicit Stop(StopRequested stop_requested)
      : stop_requested_(stop_requested), caller_(std::this_thread::get_id()) {}

  // Only for the calling thread.
  void poll() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < PERIOD || stopped_) return;
    last_ = now;
    if (stop_requested_()) stopped_ = true;
  }

  void check() {
    if (std::this_thread::get_id() == caller_) poll();
    if (stopped_) throw Stopped();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const StopRequested stop_requested_;
  const std::thread::id caller_;
  Clock::time_point last_;
  std::atomic<bool> stopped_{false};
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

// Calls work in this thread and in others, as far as the system has threads.
// Returns when all are done, or throws the exception of one of them.
template <class Work>
void in_threads(int64_t n_threads, Stop& stop, const Work& work) {
  std::vector<std::future<void>> others;
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

// Calls work(block, meter) for each block, from threads.
template <class Work>
void for_blocks(int64_t n_blocks, int64_t n_threads, StopRequested stop_requested,
                const Work& work) {
  Stop stop(stop_requested);
  std::atomic<int64_t> next{0};
  in_threads(std::min(n_threads, n_blocks), stop, [&] {
    try {
      CostMeter meter(stop);
      for (int64_t block; (block = next++) < n_blocks;) work(block, meter);
    } catch (...) {
      next = n_blocks;  // leaves nothing for the other threads
      throw;
    }
  });
}

}  // namespace fastcausal

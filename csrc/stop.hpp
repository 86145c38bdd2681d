// Long work that its caller can stop: threads look from time to time whether it is still wanted.
//
//   Stop ── one of a call, shared by its threads; in the calling thread it asks the caller
//     └─ Steps ── one of a thread: adds up what work costs, so that most of it needs no look
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fastcausal {

// The exception that ends stopped work; the caller knows why.
class Stopped : public std::exception {};

using Asked = bool (*)();  // whether to stop: called in the calling thread, some times a second

class Stop {
 public:
  static constexpr std::chrono::milliseconds PERIOD{50};

  explicit Stop(Asked asked) : asked_(asked), caller_(std::this_thread::get_id()) {}

  // In the calling thread alone.
  void ask() {
    const Clock::time_point now = Clock::now();
    if (now - last_ < PERIOD || stopped_) return;
    last_ = now;
    if (asked_()) stopped_ = true;
  }

  void look() {
    if (std::this_thread::get_id() == caller_) ask();
    if (stopped_) throw Stopped();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Asked asked_;
  const std::thread::id caller_;
  Clock::time_point last_;
  std::atomic<bool> stopped_{false};
};

class Steps {
 public:
  explicit Steps(Stop& stop) : stop_(stop) {}

  // Some work was done, of at most about so many nanoseconds.
  void took(int64_t nanoseconds) {
    left_ -= nanoseconds;
    if (left_ < 0) look();
  }

 private:
  static constexpr int64_t PER_LOOK = 4'000'000;
  Stop& stop_;
  int64_t left_ = PER_LOOK;

  void look() {
    left_ = PER_LOOK;
    stop_.look();
  }
};

// Calls work in this thread and, as far as there are more to be had, in others; returns when all
// are done. work may not throw.
template <class Work>
void in_threads(int64_t n_threads, Stop& stop, const Work& work) {
  std::mutex mutex;
  std::condition_variable finished;
  size_t n_finished = 0;
  const auto work_there = [&] {
    work();
    const std::lock_guard<std::mutex> lock(mutex);
    ++n_finished;
    finished.notify_one();
  };
  std::vector<std::thread> threads;
  try {
    for (int64_t t = 1; t < n_threads; ++t) threads.emplace_back(work_there);
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    // no more to be had: those there are do the work
  }
  work();
  std::unique_lock<std::mutex> lock(mutex);
  while (!finished.wait_for(lock, Stop::PERIOD, [&] { return n_finished == threads.size(); })) {
    lock.unlock();
    stop.ask();  // the other threads see what comes of it
    lock.lock();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
}

// Calls work(block, steps) for each block, from threads.
template <class Work>
void for_blocks(int64_t n_blocks, int64_t n_threads, Asked asked, const Work& work) {
  Stop stop(asked);
  std::atomic<int64_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  in_threads(std::min(n_threads, n_blocks), stop, [&] {
    try {
      Steps steps(stop);
      for (int64_t block; (block = next++) < n_blocks;) work(block, steps);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing);
      failure = std::current_exception();
      next = n_blocks;
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fastcausal

// Relations of both sides of an example as token sets, and the run over all examples.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/shape_lists.hpp"
#include "engine/worker.hpp"

namespace fastcausal {

// One side of the input. Types may be null: no relation has one.
struct Related {
  Side side;
  const int64_t* types;  // [n_relations]
};

struct Interval {
  int32_t start, stop;
};

// The tokens of one role in a relation: ascending intervals that neither meet nor touch.
struct TokenSet {
  const Interval* from;
  const Interval* to;

  bool empty() const { return from == to; }

  bool equals(const TokenSet& other) const {
    const Interval* b = other.from;
    if (to - from != other.to - b) return false;
    for (const Interval* a = from; a != to; ++a, ++b) {
      if (a->start != b->start || a->stop != b->stop) return false;
    }
    return true;
  }

  // Orders sets as their sorted lists of tokens.
  int compare(const TokenSet& other) const {
    const Interval *a = from, *b = other.from;
    for (; a != to && b != other.to; ++a, ++b) {
      if (a->start != b->start) return a->start < b->start ? -1 : 1;
      // The shorter interval is followed by a later token than that of the longer, or by none.
      if (a->stop < b->stop) return a + 1 == to ? -1 : 1;
      if (a->stop > b->stop) return b + 1 == other.to ? 1 : -1;
    }
    return (b == other.to) - (a == to);
  }

  int64_t size() const {
    int64_t n = 0;
    for (const Interval* a = from; a != to; ++a) n += a->stop - a->start;
    return n;
  }

  int64_t common(const TokenSet& other) const {
    int64_t n = 0;
    for (const Interval *a = from, *b = other.from; a != to && b != other.to;) {
      n += std::max(0, std::min(a->stop, b->stop) - std::max(a->start, b->start));
      ++(a->stop < b->stop ? a : b);
    }
    return n;
  }
};

// Adds the intervals of a role. Rows ascend by start.
inline void add_role(const Relation& relation, int64_t role, std::vector<Interval>& intervals) {
  const size_t first = intervals.size();
  for (int64_t k = 0; k < relation.n; ++k) {
    const Row& row = relation.row(k);
    if (row.role != role) continue;
    if (intervals.size() > first && row.start <= intervals.back().stop) {
      intervals.back().stop = std::max(intervals.back().stop, row.stop);
    } else {
      intervals.push_back({row.start, row.stop});
    }
  }
}

// The input and output of a run. counts is [groups.n, n_fields], zero on entry.
template <class Rules>
struct RelatedRun {
  Rules rules;
  Related gold, pred;
  int64_t n_examples;
  Groups groups;
  int64_t* counts;
  int64_t n_threads;
  StopRequested stop_requested;
};

// Counts all examples by counters made of the run, one for each thread. Returns the first example
// that is too large, or -1. Threads finish every block before that of a large example.
template <class Counter, class Run>
int64_t count_related(const Run& run) {
  constexpr int64_t BLOCK = 1024;
  const int64_t n_fields = run.rules.n_fields();
  const int64_t n_blocks = (run.n_examples + BLOCK - 1) / BLOCK;
  Stop stop(run.stop_requested);
  std::atomic<int64_t> next{0};
  Mutex merging;
  int64_t too_large = run.n_examples;
  const auto work = [&] {
    const LeavesNothing on_exit{next, n_blocks};
    CostMeter meter(stop);
    Counter counter(run);
    std::vector<int64_t> own(run.groups.each ? 0 : static_cast<size_t>(run.groups.n * n_fields));
    int64_t* rows = run.groups.each ? run.counts : own.data();
    for (int64_t block; (block = next++) < n_blocks;) {
      const int64_t to = std::min((block + 1) * BLOCK, run.n_examples);
      for (int64_t e = block * BLOCK; e < to; ++e) {
        const int64_t row = run.groups.row(e, run.gold.side.n_relations(e));
        counter.count(e, rows + row * n_fields, meter);
      }
      meter.add_cost(200 * BLOCK);
    }
    const Lock lock(merging);
    for (size_t k = 0; k < own.size(); ++k) run.counts[k] += own[k];
  };
  in_threads(std::min(run.n_threads, n_blocks), stop, [&] {
    catching<TooLarge>(work, [&](const TooLarge& fault) {
      const Lock lock(merging);
      too_large = std::min(too_large, fault.example);
    });
  });
  return too_large < run.n_examples ? too_large : -1;
}

}  // namespace fastcausal

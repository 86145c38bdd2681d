// What an ordinal kernel from elsewhere has counted, kept from call to call by the order in which
// the bounds of a pair's spans lie. At most 65,536 pairs of at most 16 spans are kept.
#pragma once
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "fastcausal/relation.h"

namespace fastcausal {

class Memory {
 public:
  using Key = std::vector<int32_t>;  // and memory for it, of one thread

  // Fills counts with those of a pair of this order, or by a call that does so.
  template <class Call>
  void recall(const Relation& gold, const Relation& pred, const int64_t* params, Key& key,
              std::vector<int64_t>& counts, const Call& call) {
    if (gold.n + pred.n > MOST_ROWS) return call();
    fill(gold, pred, params, key);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto known = known_.find(key);
      if (known != known_.end()) {
        counts = known->second;
        return;
      }
    }
    call();  // which may wait for others that are here
    const std::lock_guard<std::mutex> lock(mutex_);
    if (known_.size() < MOST_PAIRS) known_.emplace(key, counts);
  }

  void clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_.clear();
  }

 private:
  static constexpr int64_t MOST_ROWS = 16;
  static constexpr size_t MOST_PAIRS = 1 << 16;
  std::mutex mutex_;
  struct Hash {
    size_t operator()(const Key& key) const {
      uint64_t hash = key.size();
      for (const int32_t k : key) hash = (hash ^ static_cast<uint32_t>(k)) * 0x9E3779B97F4A7C15u;
      return static_cast<size_t>(hash >> 20);
    }
  };
  std::unordered_map<Key, std::vector<int64_t>, Hash> known_;

  // Params, the number of gold spans, then of each span its role and how many bounds
  // lie before its own.
  static void fill(const Relation& gold, const Relation& pred, const int64_t* params, Key& key) {
    int32_t bounds[2 * MOST_ROWS];
    int32_t* end = bounds;
    key.assign(params, params + 1 + params[0]);
    key.push_back(static_cast<int32_t>(gold.n));
    for (const Relation* relation : {&gold, &pred}) {
      for (int64_t k = 0; k < relation->n; ++k) {
        *end++ = relation->row(k).start;
        *end++ = relation->row(k).stop;
      }
    }
    const auto rank = [&](int32_t bound) {  // few, so that counting costs less than sorting
      return static_cast<int32_t>(
          std::count_if(bounds, end, [&](int32_t other) { return other < bound; }));
    };
    for (const Relation* relation : {&gold, &pred}) {
      for (int64_t k = 0; k < relation->n; ++k) {
        const Row& row = relation->row(k);
        key.insert(key.end(), {row.role, rank(row.start), rank(row.stop)});
      }
    }
  }
};

}  // namespace fastcausal

// What a kernel has counted under a plan, kept from call to call: tables of patterns, one for each
// thread that counts at a time; and pairs that a kernel from elsewhere was called for, by the order
// in which the bounds of their spans lie, at most 65,536 of at most 16 spans.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "patterns.hpp"

namespace fastcausal {

class Memory {
 public:
  using Key = std::string;  // of bytes; and memory for it, of one thread

  Memory* of_kernel = nullptr;  // keeps the pairs, for all plans of a kernel

  // Fills counts with those of a pair of this order, or by a call that does so.
  template <class Call>
  void recall(const Relation& gold, const Relation& pred, const int64_t* params, Key& key,
              std::vector<int64_t>& counts, const Call& call) {
    if (of_kernel) return of_kernel->recall(gold, pred, params, key, counts, call);
    if (gold.n + pred.n > MOST_ROWS || params[0] > MOST_ROLES) return call();
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

  std::unique_ptr<PatternTable> lend(uint64_t sums) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<PatternTable> table;
    if (tables_.empty()) {
      table = std::make_unique<PatternTable>(sums);
    } else {
      table = std::move(tables_.back());
      tables_.pop_back();
    }
    table->lent_at = n_clears_;
    return table;
  }

  // Drops a table that is full, for what is counted now may look otherwise.
  void take_back(std::unique_ptr<PatternTable> table) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (table->lent_at == n_clears_ && !table->full()) tables_.push_back(std::move(table));
  }

  // Writes the table that is lent next, for a device; nothing where there is none.
  std::vector<char> serialize(const KernelTraits& traits, int64_t n_fields) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (tables_.empty()) return {};
    return tables_.back()->serialize(traits, n_fields);
  }

  // Forgets all of it, also what is lent.
  void clear() {
    if (of_kernel) of_kernel->clear();
    const std::lock_guard<std::mutex> lock(mutex_);
    known_.clear();
    tables_.clear();
    ++n_clears_;
  }

 private:
  static constexpr int64_t MOST_ROWS = 16;
  static constexpr int64_t MOST_ROLES = 256;  // that differ in a byte
  static constexpr size_t MOST_PAIRS = 1 << 16;
  std::mutex mutex_;
  std::unordered_map<Key, std::vector<int64_t>> known_;
  std::vector<std::unique_ptr<PatternTable>> tables_;
  int64_t n_clears_ = 0;

  // Params, the number of gold spans, then of each span its role and how many bounds
  // lie before its own.
  static void fill(const Relation& gold, const Relation& pred, const int64_t* params, Key& key) {
    int32_t bounds[2 * MOST_ROWS];
    int32_t* end = bounds;
    for (const Relation* relation : {&gold, &pred}) {
      for (int64_t k = 0; k < relation->n; ++k) {
        *end++ = relation->row(k).start;
        *end++ = relation->row(k).stop;
      }
    }
    const auto rank = [&](int32_t bound) {  // few, so that counting costs less than sorting
      return static_cast<char>(
          std::count_if(bounds, end, [&](int32_t other) { return other < bound; }));
    };
    key.assign(reinterpret_cast<const char*>(params), sizeof(int64_t) * (1 + params[0]));
    key.push_back(static_cast<char>(gold.n));
    for (const Relation* relation : {&gold, &pred}) {
      for (int64_t k = 0; k < relation->n; ++k) {
        const Row& row = relation->row(k);
        key.append({static_cast<char>(row.role), rank(row.start), rank(row.stop)});
      }
    }
  }
};

}  // namespace fastcausal

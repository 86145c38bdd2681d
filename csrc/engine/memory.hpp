// The counts that a kernel found under a plan, kept between calls. Each counting thread borrows a
// table of patterns. A user's kernel also has a cache of pairs, by the order of the bounds of their
// spans. It keeps at most 65,536 pairs of at most 16 spans.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrays/stop.hpp"
#include "engine/patterns.hpp"

namespace fastcausal {

class Memory {
 public:
  using Key = std::string;  // bytes, in a buffer that one thread uses again

  Memory* of_kernel = nullptr;  // keeps the pairs of a kernel for all its plans

  // Fills counts from the cache, or by `call` if this order is new.
  template <class Call>
  void recall(const Relation& gold, const Relation& pred, const int64_t* params, Key& key,
              std::vector<int64_t>& counts, const Call& call) {
    if (of_kernel) return of_kernel->recall(gold, pred, params, key, counts, call);
    if (gold.n + pred.n > MOST_ROWS || params[0] > MOST_ROLES) return call();
    fill(gold, pred, params, key);
    {
      const Lock lock(mutex_);
      const auto known = known_.find(key);
      if (known != known_.end()) {
        counts = known->second;
        return;
      }
    }
    call();  // without the lock, because it may wait for other threads
    const Lock lock(mutex_);
    if (known_.size() < MOST_PAIRS) known_.emplace(key, counts);
  }

  std::unique_ptr<PatternTable> lend(uint64_t sums) {
    const Lock lock(mutex_);
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

  // Drops a full table: it holds old patterns, and later data may have others.
  void take_back(std::unique_ptr<PatternTable> table) {
    const Lock lock(mutex_);
    if (table->lent_at == n_clears_ && !table->full()) tables_.push_back(std::move(table));
  }

  // Writes the next table to lend, for a device. The result is empty without a table.
  std::vector<char> serialize(const KernelTraits& traits, int64_t n_fields) {
    const Lock lock(mutex_);
    if (tables_.empty()) return {};
    return tables_.back()->serialize(traits, n_fields);
  }

  // Forgets everything, lent tables included.
  void clear() {
    if (of_kernel) of_kernel->clear();
    const Lock lock(mutex_);
    known_.clear();
    tables_.clear();
    ++n_clears_;
  }

 private:
  static constexpr int64_t MOST_ROWS = 16;
  static constexpr int64_t MOST_ROLES = 256;  // so that a role fits into a byte
  static constexpr size_t MOST_PAIRS = 1 << 16;
  Mutex mutex_;
  std::unordered_map<Key, std::vector<int64_t>> known_;
  std::vector<std::unique_ptr<PatternTable>> tables_;
  int64_t n_clears_ = 0;

  // Makes a key of params, the number of gold spans, and three bytes per span. The bytes are its
  // role and the ranks of both bounds.
  static void fill(const Relation& gold, const Relation& pred, const int64_t* params, Key& key) {
    int32_t bounds[2 * MOST_ROWS];
    int32_t* end = bounds;
    for (const Relation* relation : {&gold, &pred}) {
      for (int64_t k = 0; k < relation->n; ++k) {
        *end++ = relation->row(k).start;
        *end++ = relation->row(k).stop;
      }
    }
    const auto rank = [&](int32_t bound) {  // bounds are few: counting costs less than sorting
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

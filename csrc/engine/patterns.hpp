// Counts of relations by pattern. The kernel counts each pattern of order and overlap once. Later
// pairs of the same pattern look their counts up.
//
//   FewCounter ── packs, checks, pairs and counts a block of examples
//     └─ PatternTable ── counts, worth and number of uses of each pattern of a kernel
//
// Memory per thread: a block, and 100 bytes and a row of counts for each of at most 16,384
// patterns.
#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "engine/few_relations.hpp"
#include "engine/slots.hpp"
#include "fastcausal/kernels.h"
#include "fastcausal/patterns.h"
#include "fastcausal/sinks.h"

namespace fastcausal {

// Fills a row of counts and adds up their worth.
struct PatternSink {
  int64_t* counts;
  WorthSink* worth;                // null: not needed
  uint64_t wanted = ~uint64_t{0};  // fields of a role
  bool measured = false;           // counts depend on numbers of tokens

  bool wants(uint64_t fields) const { return fields & wanted; }
  bool wants_overall(uint64_t) const { return true; }
  FC_INLINE void add(int64_t field, int64_t n) {
    counts[field] += n;
    if (worth) worth->add(field, n);
  }
  void by_length() { measured = true; }
};

// Counts a pair of relations by a kernel. A missing relation has no rows. counts are 0 on entry.
using PairCounter =
    std::function<void(const Relation& gold, const Relation& pred, int64_t length, PatternSink&)>;

template <class Pair>
PairCounter pair_counter(const Pair& pair, const Plan& plan) {
  return [&](const Relation& gold, const Relation& pred, int64_t length, PatternSink& sink) {
    pair(gold, pred, length, plan.params, sink);
  };
}

class PatternTable {
 public:
  using Id = int32_t;
  static constexpr Id NONE = 0;  // only the general path can count it
  // The first entries serve relations of one example that have no pattern.
  static constexpr Id BY_KERNEL = 1;  // not counted yet: the kernel counts it when it is added
  static constexpr Id TEMPORARY = 2;
  static constexpr Id FIRST_PATTERN = TEMPORARY + FewRelations::MOST * (FewRelations::MOST + 2);
  static constexpr size_t MOST = 16384;

  // The entries of two relations alone.
  struct Alone {
    Id gold, pred;
  };

  int64_t lent_at = 0;  // value of Memory's clear counter when it lent this table

  explicit PatternTable(uint64_t sums) : sums_(sums), entries_(FIRST_PATTERN) {}

  // Starts another run of the same kernel and plan.
  void begin(const PairCounter& counter, const Plan& plan) {
    counter_ = &counter;
    plan_ = &plan;
    resize(entries_.size());
  }
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  bool full() const { return entries_.size() >= MOST; }

  // Returns the entry with this key, or -1 if it is new.
  FC_INLINE Id find(uint64_t key) const {
    const Id id = slots_.find(key, [&](Id other) { return entries_[other].key == key; });
    return id ? known_id(id) : -1;
  }

  // Counts the pair of packed relations with a new key.
  Id learn(uint64_t key, const Record& gold, Kind of_gold, const Record& pred, Kind of_pred,
           int64_t length) {
    const Alone both{alone(true, of_gold, gold, length), alone(false, of_pred, pred, length)};
    if (!both.gold || !both.pred || full()) return NONE;
    const Id id = add();
    entries_[id].key = key;
    slots_.add(id, [&](Id other) { return entries_[other].key; });
    const Unpacked rows[2] = {Unpacked(gold), Unpacked(pred)};
    return count(id, rows[0].relation(), rows[1].relation(), length, &both, false);
  }

  // Both in turn.
  FC_INLINE Id pair(uint64_t key, const Record& gold, Kind of_gold, const Record& pred,
                    Kind of_pred, int64_t length) {
    const Id id = find(key);
    return id >= 0 ? id : learn(key, gold, of_gold, pred, of_pred, length);
  }

  // Returns the entry for unmatched relations of a kind. Counts the relation if the kind is new.
  FC_INLINE Id alone(bool is_gold, Kind kind, const Record& relation, int64_t length) {
    const Id id = alone_[is_gold][kind];
    return id ? known_id(id) : learn_alone(is_gold, kind, relation, length);
  }

  // The same for relations with several spans of a role.
  Id find(const SeveralKey& key) const {
    const uint64_t hash = hash_of(key);
    const Id id = slots_of_several_.find(
        hash, [&](Id other) { return entries_[other].key == hash && keys_[other] == key; });
    return id ? known_id(id) : -1;
  }
  Id learn(const SeveralKey& key, const Relation& gold, const Relation& pred, int64_t length,
           const Alone& alone) {
    if (!alone.gold || !alone.pred || full()) return NONE;
    const Id id = add();
    entries_[id].key = hash_of(key);
    keys_[id] = key;
    slots_of_several_.add(id, [&](Id other) { return entries_[other].key; });
    return count(id, gold, pred, length, &alone, true);
  }
  Id alone(bool is_gold, uint32_t kind) const { return known_id(several_alone_[is_gold][kind]); }
  Id learn_alone(bool is_gold, uint32_t kind, const Relation& own, int64_t length) {
    if (several_alone_[is_gold][kind] || full()) return NONE;
    const Id id = several_alone_[is_gold][kind] = add();
    return count(id, is_gold ? own : Relation(), is_gold ? Relation() : own, length, nullptr, true);
  }

  // Counts a pair without a pattern. Its entry, from TEMPORARY on, is valid until the next use.
  // alone: null if one relation is missing.
  Id count_temporary(Id place, const Relation& gold, const Relation& pred, int64_t length,
                     const Alone* alone) {
    std::fill_n(rows_.data() + place * plan_->n_fields, plan_->n_fields, 0);
    WorthSink worth(*plan_);
    PatternSink sink{rows_.data() + place * plan_->n_fields, &worth};
    (*counter_)(gold, pred, length, sink);
    return weigh(place, worth, alone);
  }

  // Adds the counts of a pair without a pattern.
  void add_unpacked(int64_t* counts, Id id, const Relation& gold, const Relation& pred,
                    int64_t length) const {
    if (id != BY_KERNEL) return add_to(counts, id);
    PatternSink sink{counts, nullptr};
    (*counter_)(gold, pred, length, sink);
  }

  Worth worth(Id id) const { return entries_[id].worth; }
  const SpanErrors& errors(Id id) const { return errors_[id]; }  // of the official search
  void choose(Id id, int64_t group) { ++entries_[id].n[group]; }

  void add_to(int64_t* counts, Id id, int64_t times = 1) const {
    const int64_t* of_id = rows_.data() + id * plan_->n_fields;
    for (int64_t k = 0; k < plan_->n_fields; ++k) counts[k] += times * of_id[k];
  }

  // Adds the counts of all chosen entries and resets their uses. Group g goes to row g.
  void add_chosen(int64_t* counts) {
    for (size_t id = FIRST_PATTERN; id < entries_.size(); ++id) {
      for (int group = 0; group < 2; ++group) {
        int64_t& n = entries_[id].n[group];
        if (n) add_to(counts + group * plan_->n_fields, static_cast<Id>(id), n);
        n = 0;
      }
    }
  }

  // Writes the table in the layout of `Patterns`, for a device.
  std::vector<char> serialize(const KernelTraits& traits, int64_t n_fields) const {
    Patterns head{static_cast<int32_t>(entries_.size()), slots_.shift(), traits, {}, n_fields};
    std::memcpy(head.of_alone, alone_, sizeof alone_);
    std::vector<char> bytes;
    const auto write = [&](const auto* items, size_t n) {
      const char* from = reinterpret_cast<const char*>(items);
      bytes.insert(bytes.end(), from, from + n * sizeof *items);
    };
    write(&head, 1);
    write(entries_.data(), entries_.size());
    write(rows_.data(), rows_.size());
    write(slots_.all().data(), slots_.all().size());
    return bytes;
  }

 private:
  const PairCounter* counter_ = nullptr;
  const Plan* plan_ = nullptr;
  const uint64_t sums_;
  std::vector<Pattern> entries_;
  std::vector<int64_t> rows_;
  std::vector<SpanErrors> errors_;
  std::vector<SeveralKey> keys_;  // of entries that `several` added
  Slots slots_, slots_of_several_;
  Id alone_[2][UNPACKED + 1] = {};
  Id several_alone_[2][Records::ABSENT] = {};

  static uint64_t hash_of(const SeveralKey& key) {
    uint64_t hash = 0;
    for (const uint64_t word : key.of) hash = hash * 0x9E3779B97F4A7C15u + word;
    return hash;
  }
  Id known_id(Id id) const { return entries_[id].worth == Pattern::UNKNOWN ? NONE : id; }

  Id learn_alone(bool is_gold, Kind kind, const Record& relation, int64_t length) {
    if (!is_single(kind)) return NONE;
    const Id id = alone_[is_gold][kind] = add();
    const Unpacked own(relation);
    const Unpacked none{};
    return count(id, (is_gold ? own : none).relation(), (is_gold ? none : own).relation(), length,
                 nullptr, false);
  }

  void resize(size_t n) {
    entries_.resize(n);
    rows_.resize(n * plan_->n_fields);
    errors_.resize(n);
    keys_.resize(n);
  }

  Id add() {
    resize(entries_.size() + 1);
    return static_cast<Id>(entries_.size() - 1);
  }

  // several: a role may have several spans, so a kernel may count by length.
  Id count(Id id, const Relation& gold, const Relation& pred, int64_t length, const Alone* alone,
           bool several) {
    WorthSink worth(*plan_);
    PatternSink sink{rows_.data() + id * plan_->n_fields, &worth, ~sums_};
    (*counter_)(gold, pred, length, sink);
    weigh(id, worth, alone);
    if (several && sink.measured) entries_[id].worth = Pattern::UNKNOWN;
    return known_id(id);
  }

  // Sets the worth of an entry. The worth of a pair is its gain over both relations alone.
  Id weigh(Id id, const WorthSink& found, const Alone* alone) {
    errors_[id] = found.errors();
    const Value value = found.value();
    const int64_t most = plan_->official ? MOST_OFFICIAL : MOST_WORTH;
    const bool fits = std::abs(value.numerator) <= most && std::abs(value.denominator) <= most;
    Worth& own = entries_[id].worth;
    own = fits ? worth_of(value.numerator, value.denominator) : 0;
    if (fits && alone) own -= worth(alone->gold) + worth(alone->pred);
    const bool costs = alone && !plan_->official && (top_of(own) < 0 || bottom_of(own) > 0);
    if (!fits || costs)
      own = Pattern::UNKNOWN;  // not pairing may be better: this path always pairs
    return known_id(id);
  }
};

}  // namespace fastcausal

// Counts of relations by pattern: what order and overlap of their spans say is counted once for
// each way in which it occurs, by the kernel itself, and then looked up.
//
//   PatternCounter ── a block of examples: packed and checked, paired, counted
//     └─ PatternTable ── a kernel's counts of each pattern, what it adds to the objective, how
//     often
//                        it was chosen
//
// Memory of a thread: a block, 40 bytes and a row of counts for each of at most 8,192 patterns.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "fastcausal/kernels.h"
#include "fastcausal/patterns.h"
#include "fastcausal/sinks.h"
#include "packed.hpp"
#include "ways.hpp"

namespace fastcausal {

// What the kernels look at; of spans of different tracks none looks at both.
inline Looks looks_of(const exact_spans_pair&, const Plan&) {
  Looks looks;
  looks.ordinal = true;
  return looks;
}

inline Looks looks_of(const fair_spans_pair&, const Plan& plan) {
  Looks looks;
  const int64_t* track = plan.params + 1;
  looks.ordinal = track[0] != track[1] || track[0] != track[2];
  for (int r = 0; r < 3 && looks.ordinal; ++r) {
    const int other = (r + 1) % 3;
    if (track[r] != track[other]) continue;
    looks.across = r ? Across::ALL : Across::FIRST_TWO;
    looks.apart = 1u << r;
  }
  return looks;
}

inline Looks looks_of(const span_overlap_pair&, const Plan& plan) {
  Looks looks;
  looks.sums = overlap::TOKENS;
  looks.sides = false;
  looks.ordinal = !(plan.wanted & looks.sums);
  return looks;
}

inline Looks looks_of(const partial_spans_pair&, const Plan&) {
  Looks looks;
  looks.ordinal = looks.sequence = true;
  looks.sides = false;
  looks.across = Across::ALL;
  looks.longest = 100;  // of a longer span one token is not 1%
  return looks;
}

// Counts of everything but sums of tokens.
struct PatternSink {
  int64_t* counts;
  uint64_t sums;
  bool wants(uint64_t fields) const { return fields & ~sums; }
  bool wants_overall(uint64_t) const { return true; }
  void add(int64_t field, int64_t n) { counts[field] += n; }
};

// Counts a pair of relations by a kernel, one of no rows for a missing one. counts are 0 on entry;
// sums: fields to leave out.
using PairCounter = std::function<void(const Unpacked& gold, const Unpacked& pred, int64_t length,
                                       uint64_t sums, int64_t* counts)>;

template <class Pair>
PairCounter pair_counter(const Pair& pair, const Plan& plan) {
  return [&](const Unpacked& gold, const Unpacked& pred, int64_t length, uint64_t sums,
             int64_t* counts) {
    PatternSink sink{counts, sums};
    pair({gold.rows, gold.n}, {pred.rows, pred.n}, length, plan.params, sink);
  };
}

class PatternTable {
 public:
  using Id = int32_t;
  static constexpr Id NONE = 0;  // the general path has to look at it
  static constexpr size_t MOST = 8192;
  static constexpr int FEWEST = 9;  // bits of slots at first, so that they lie close together

  int64_t lent_at = 0;  // when its owner lent it

  explicit PatternTable(uint64_t sums) : sums_(sums), entries_(1) {}

  // Counts with these from here on: another run, but of the same kernel and plan.
  void begin(const PairCounter& counter, const Plan& plan) {
    counter_ = &counter;
    plan_ = &plan;
    rows_.resize(entries_.size() * plan.n_fields);
  }
  bool full() const { return entries_.size() >= MOST; }

  // Finds or makes the entry of a pair of packed relations that has this key.
  FC_INLINE Id pair(uint64_t key, const Record& gold, Kind of_gold, const Record& pred,
                    Kind of_pred, int64_t length) {
    const Id id = find(key);
    return id >= 0 ? id : learn(key, gold, of_gold, pred, of_pred, length);
  }

  // Finds or makes the entry of relations of a kind that stay unmatched.
  FC_INLINE Id alone(bool is_gold, Kind kind, const Record& relation, int64_t length) {
    const Id id = alone_[is_gold][kind];
    return id ? told(id) : learn_alone(is_gold, kind, relation, length);
  }

  Worth worth(Id id) const { return entries_[id].worth; }
  void choose(Id id, int64_t group) { ++entries_[id].n[group]; }

  void add_to(int64_t* counts, Id id, int64_t times = 1) const {
    const int64_t* of_id = rows_.data() + id * plan_->n_fields;
    for (int64_t k = 0; k < plan_->n_fields; ++k) counts[k] += times * of_id[k];
  }

  // Adds the counts of all that was chosen, which then is no longer; group g has the g-th row.
  void add_chosen(int64_t* counts) {
    for (size_t id = 1; id < entries_.size(); ++id) {
      for (int group = 0; group < 2; ++group) {
        int64_t& n = entries_[id].n[group];
        if (n) add_to(counts + group * plan_->n_fields, static_cast<Id>(id), n);
        n = 0;
      }
    }
  }

  // Writes all as a device finds it: `Patterns` and what follows.
  std::vector<char> written(const Looks& looks, int64_t n_fields) const {
    Patterns head{static_cast<int32_t>(entries_.size()), shift_, looks, {}, n_fields};
    std::memcpy(head.of_alone, alone_, sizeof alone_);
    std::vector<char> bytes;
    const auto write = [&](const auto* items, size_t n) {
      const char* from = reinterpret_cast<const char*>(items);
      bytes.insert(bytes.end(), from, from + n * sizeof *items);
    };
    write(&head, 1);
    write(entries_.data(), entries_.size());
    write(rows_.data(), rows_.size());
    write(slots_.data(), slots_.size());
    return bytes;
  }

  SpanErrors errors(Id id) const {
    F1Sink sink(*plan_);
    for (int64_t k = 0; k < plan_->n_fields; ++k) sink.add(k, rows_[id * plan_->n_fields + k]);
    return sink.errors;
  }

 private:
  const PairCounter* counter_ = nullptr;
  const Plan* plan_ = nullptr;
  const uint64_t sums_;
  std::vector<Pattern> entries_;
  std::vector<int64_t> rows_;
  std::vector<uint16_t> slots_ = std::vector<uint16_t>(size_t{1} << FEWEST);
  int shift_ = 64 - FEWEST;
  Id alone_[2][ODD] = {};

  Id told(Id id) const { return entries_[id].worth == Pattern::UNTOLD ? NONE : id; }
  size_t slot_of(uint64_t key) const { return Patterns::slot_of(key, shift_); }
  size_t next(size_t at) const { return (at + 1) & (slots_.size() - 1); }

  // Finds the entry of a key; -1 where it is to be learnt.
  FC_INLINE Id find(uint64_t key) const {
    for (size_t at = slot_of(key); slots_[at]; at = next(at)) {
      const Id id = slots_[at];
      if (entries_[id].key == key) return told(id);
    }
    return -1;
  }

  void place(Id id) {
    size_t at = slot_of(entries_[id].key);
    while (slots_[at]) at = next(at);
    slots_[at] = static_cast<uint16_t>(id);
  }

  void grow() {
    std::vector<uint16_t> old(2 * slots_.size());
    old.swap(slots_);
    --shift_;
    for (const uint16_t id : old) {
      if (id) place(id);
    }
  }

  Id learn(uint64_t key, const Record& gold, Kind of_gold, const Record& pred, Kind of_pred,
           int64_t length) {
    const Id ids[2] = {alone(true, of_gold, gold, length), alone(false, of_pred, pred, length)};
    if (!ids[0] || !ids[1] || full()) return NONE;
    if (8 * entries_.size() >= slots_.size()) grow();
    const Id id = add();
    entries_[id].key = key;
    place(id);
    const Worth both = worth(ids[0]) + worth(ids[1]);
    return count(id, Unpacked(gold), Unpacked(pred), length, &both);
  }

  Id learn_alone(bool is_gold, Kind kind, const Record& relation, int64_t length) {
    const Id id = alone_[is_gold][kind] = add();
    const Unpacked own(relation);
    const Unpacked none{};
    return count(id, is_gold ? own : none, is_gold ? none : own, length, nullptr);
  }

  Id add() {
    const Id id = static_cast<Id>(entries_.size());
    entries_.emplace_back();
    rows_.resize(rows_.size() + plan_->n_fields);
    return id;
  }

  // Fills an entry by the kernel; alone is what both of a pair are worth without each other.
  Id count(Id id, const Unpacked& gold, const Unpacked& pred, int64_t length, const Worth* alone) {
    int64_t* counts = rows_.data() + id * plan_->n_fields;
    (*counter_)(gold, pred, length, sums_, counts);
    Pattern& entry = entries_[id];
    const bool fits = weigh(counts, entry.worth);
    if (alone) entry.worth -= *alone;
    const bool costs =
        alone && !plan_->official && (top_of(entry.worth) < 0 || bottom_of(entry.worth) > 0);
    if (!fits || costs)
      entry.worth = Pattern::UNTOLD;  // without it a pairing may be better: not looked at here
    return told(id);
  }

  bool weigh(const int64_t* counts, Worth& worth) const {
    int64_t sum[N_FORMS] = {};
    for (int64_t k = 0; k < plan_->n_fields; ++k) {
      if (!counts[k]) continue;
      for (int f = 0; f < N_FORMS; ++f) sum[f] += counts[k] * plan_->weights[k * N_FORMS + f];
    }
    const int64_t tp = sum[OFFICIAL_TP];
    const int64_t top = plan_->official ? tp : sum[NUMERATOR];
    const int64_t bottom = plan_->official
                               ? 2 * tp + sum[OFFICIAL_FP] + sum[OFFICIAL_FN] + sum[OFFICIAL_HALF]
                               : sum[DENOMINATOR];
    const int64_t most = plan_->official ? MOST_OFFICIAL : MOST_WORTH;
    const bool fits = std::abs(top) <= most && std::abs(bottom) <= most;
    worth = fits ? worth_of(top, bottom) : 0;
    return fits;
  }
};

}  // namespace fastcausal

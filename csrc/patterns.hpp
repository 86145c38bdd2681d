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
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "fastcausal/few.h"
#include "fastcausal/kernels.h"
#include "packed.hpp"
#include "rows.hpp"

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
    looks.apart[0] = r;
    looks.apart[1] = other;
  }
  return looks;
}

inline Looks looks_of(const span_overlap_pair&, const Plan& plan) {
  Looks looks;
  looks.sums = overlap::TOKENS;
  looks.ordinal = !(plan.wanted & looks.sums);
  return looks;
}

inline Looks looks_of(const partial_spans_pair&, const Plan&) {
  Looks looks;
  looks.ordinal = looks.sequence = true;
  looks.across = Across::ALL;
  looks.longest = 100;  // of a longer span one token is not 1%
  return looks;
}

// Counts of everything but sums of tokens.
struct PatternSink : CountSink {
  uint64_t sums;
  bool wants(uint64_t fields) const { return fields & ~sums; }
};

// Two numbers that are added and compared together: of an objective N and D, of the official search
// TP and the denominator of F1.
using Worth = int64_t;
constexpr int64_t MOST_WORTH = int64_t{1} << 24;     // of a pair, so that products stay in 64 bits
constexpr int64_t MOST_OFFICIAL = int64_t{1} << 16;  // where integers say which float is higher
inline Worth worth_of(int64_t top, int64_t bottom) { return top * (int64_t{1} << 32) + bottom; }
inline int64_t bottom_of(Worth worth) { return static_cast<int32_t>(worth); }
inline int64_t top_of(Worth worth) { return (worth - bottom_of(worth)) >> 32; }

// Has the sign of a - b.
inline int64_t compare_worth(Worth a, Worth b) {
  const int64_t a_bottom = bottom_of(a);
  const int64_t b_bottom = bottom_of(b);
  return top_of(a) * (b_bottom ? b_bottom : 1) - top_of(b) * (a_bottom ? a_bottom : 1);
}

template <class Pair>
class PatternTable {
 public:
  using Id = int32_t;
  static constexpr Id NONE = 0;   // the general path has to look at it
  static constexpr Id KEPT = 25;  // ids below are of pairs that have no pattern
  static constexpr size_t MOST = 8192;
  static constexpr size_t SLOTS = 2 * MOST;

  PatternTable(const Pair& pair, const Side& gold, const Side& pred, const Plan& plan,
               const Looks& looks)
      : pair_(pair), gold_(gold), pred_(pred), plan_(plan), looks_(looks) {
    entries_.resize(KEPT);
    rows_.resize(KEPT * plan.n_fields);
  }

  // Finds the entry of a key; -1 where it is to be learnt.
  FC_INLINE Id find(uint64_t key) const {
    for (size_t at = slot_of(key); slots_[at]; at = (at + 1) % SLOTS) {
      const Entry& entry = entries_[slots_[at]];
      if (entry.key == key) return entry.id;
    }
    return -1;
  }

  // Makes the entry of a key from a pair that has it; alone is what both are worth without.
  Id learn(uint64_t key, int64_t gold, int64_t pred, int64_t length, Worth alone) {
    if (entries_.size() >= MOST) return NONE;
    size_t at = slot_of(key);
    while (slots_[at]) at = (at + 1) % SLOTS;
    const Id id = add();
    slots_[at] = static_cast<uint16_t>(id);
    entries_[id].key = key;
    return count(id, gold, pred, length, looks_.sums, alone);
  }

  Id alone(bool is_gold, Kind kind, int64_t relation, int64_t length) {
    Id& id = alone_[is_gold][kind];
    if (id) return entries_[id].id;
    id = add();
    return count(id, is_gold ? relation : -1, is_gold ? -1 : relation, length, looks_.sums);
  }

  // Counts what has no pattern; its place is free again with the next example.
  Id keep(Id id, int64_t gold, int64_t pred, int64_t length, Worth alone = 0) {
    return count(id, gold, pred, length, 0, alone);
  }

  Worth worth(Id id) const { return entries_[id].worth; }
  void choose(Id id, int64_t group) { ++entries_[id].n[group]; }

  void add_to(int64_t* counts, Id id, int64_t times = 1) const {
    const int64_t* of_id = rows_.data() + id * plan_.n_fields;
    for (int64_t k = 0; k < plan_.n_fields; ++k) counts[k] += times * of_id[k];
  }

  // Adds the counts of all that was chosen; group g has the g-th row.
  void add_chosen(int64_t* counts) const {
    for (size_t id = KEPT; id < entries_.size(); ++id) {
      for (int group = 0; group < 2; ++group) {
        const int64_t n = entries_[id].n[group];
        if (n) add_to(counts + group * plan_.n_fields, static_cast<Id>(id), n);
      }
    }
  }

  SpanErrors errors(Id id) const {
    F1Sink sink(plan_);
    for (int64_t k = 0; k < plan_.n_fields; ++k) sink.add(k, rows_[id * plan_.n_fields + k]);
    return sink.errors;
  }

 private:
  struct Entry {
    uint64_t key = 0;
    Worth worth = 0;        // of a pair: what it adds to both alone
    int64_t n[2] = {0, 0};  // how often it was chosen, by group
    Id id = NONE;
  };
  const Pair& pair_;
  const Side& gold_;
  const Side& pred_;
  const Plan& plan_;
  const Looks looks_;
  std::vector<Entry> entries_;
  std::vector<int64_t> rows_;
  uint16_t slots_[SLOTS] = {};
  Id alone_[2][ODD] = {};

  static size_t slot_of(uint64_t key) { return (key * 0x9E3779B97F4A7C15u) >> 50; }
  static_assert(SLOTS == size_t{1} << (64 - 50), "the first bits of a product say which slot");

  Id add() {
    const Id id = static_cast<Id>(entries_.size());
    entries_.emplace_back();
    entries_.back().id = id;
    rows_.resize(rows_.size() + plan_.n_fields);
    return id;
  }

  // Fills an entry by the kernel; alone is what both are worth without each other.
  Id count(Id id, int64_t gold, int64_t pred, int64_t length, uint64_t sums, Worth alone = 0) {
    const int64_t n_roles = roles_to_look_up<Pair>(plan_);
    Relation of_gold(nullptr, 0, n_roles);
    Relation of_pred(of_gold);
    if (gold >= 0) gold_.get(gold, n_roles, of_gold);
    if (pred >= 0) pred_.get(pred, n_roles, of_pred);
    int64_t* counts = rows_.data() + id * plan_.n_fields;
    std::fill(counts, counts + plan_.n_fields, 0);
    PatternSink sink{{counts}, sums};
    pair_(of_gold, of_pred, length, plan_.params, sink);
    Entry& entry = entries_[id];
    const bool fits = weigh(counts, entry.worth);
    entry.worth -= alone;
    const bool costs = gold >= 0 && pred >= 0 && !plan_.official &&
                       (top_of(entry.worth) < 0 || bottom_of(entry.worth) > 0);
    entry.id =
        fits && !costs ? id : NONE;  // without it a pairing may be better: not looked at here
    return entry.id;
  }

  bool weigh(const int64_t* counts, Worth& worth) const {
    int64_t sum[N_FORMS] = {};
    for (int64_t k = 0; k < plan_.n_fields; ++k) {
      if (!counts[k]) continue;
      for (int f = 0; f < N_FORMS; ++f) sum[f] += counts[k] * plan_.weights[k * N_FORMS + f];
    }
    const int64_t tp = sum[OFFICIAL_TP];
    const int64_t top = plan_.official ? tp : sum[NUMERATOR];
    const int64_t bottom = plan_.official
                               ? 2 * tp + sum[OFFICIAL_FP] + sum[OFFICIAL_FN] + sum[OFFICIAL_HALF]
                               : sum[DENOMINATOR];
    const int64_t most = plan_.official ? MOST_OFFICIAL : MOST_WORTH;
    const bool fits = std::abs(top) <= most && std::abs(bottom) <= most;
    worth = fits ? worth_of(top, bottom) : 0;
    return fits;
  }
};

// The ways to pair R relations with C others, each with one: the partner of every one, in
// lexicographic order.
using Way = std::array<int8_t, 4>;

constexpr int n_ways(int r, int c) { return r ? c * n_ways(r - 1, c - 1) : 1; }

template <int R, int C>
constexpr std::array<Way, n_ways(R, C)> all_ways() {
  std::array<Way, n_ways(R, C)> ways{};
  size_t n = 0;
  for (int code = 0; code < (C == 1 ? 1 : 256); ++code) {  // two bits a row, the first row leads
    Way way{};
    bool right = code >> 2 * R == 0;
    for (int r = 0; r < R; ++r) {
      way[r] = static_cast<int8_t>(code >> 2 * (R - 1 - r) & 3);
      right = right && way[r] < C;
      for (int before = 0; before < r; ++before) right = right && way[r] != way[before];
    }
    if (right) ways[n++] = way;
  }
  return ways;
}
template <int R, int C>
inline constexpr auto WAYS = all_ways<R, C>();

// What every way is worth, which is best, and whether another is as good.
struct Search {
  static constexpr int MOST = n_ways(4, 4);
  const Way* ways;
  int n;
  int best = 0;
  bool tied = false;
  Worth worth[MOST];
};

template <int R, int C, int K, size_t... Rows>
Worth worth_of_way(const Worth* pairs, Worth alone, std::index_sequence<Rows...>) {
  return (alone + ... + pairs[Rows * C + WAYS<R, C>[K][Rows]]);
}

template <int R, int C, size_t... K>
void fill_ways(const Worth* pairs, Worth alone, Search& search, std::index_sequence<K...>) {
  search.ways = WAYS<R, C>.data();
  search.n = sizeof...(K);
  ((search.worth[K] = worth_of_way<R, C, K>(pairs, alone, std::make_index_sequence<R>())), ...);
  for (int k = 1; k < static_cast<int>(sizeof...(K)); ++k) {
    const int64_t more = compare_worth(search.worth[k], search.worth[search.best]);
    search.tied = more == 0 || (search.tied && more < 0);
    search.best = more > 0 ? k : search.best;
  }
}

// Looks for the best way to pair r relations, the fewer, with c; pairs: worth of each pair.
inline void search_ways(int64_t r, int64_t c, const Worth* pairs, Worth alone, Search& search) {
#define FC_WAYS(R, C)                                                                \
  if (r == R && c == C) {                                                            \
    fill_ways<R, C>(pairs, alone, search, std::make_index_sequence<n_ways(R, C)>()); \
    return;                                                                          \
  }
  FC_WAYS(2, 2)
  FC_WAYS(1, 2)
  FC_WAYS(1, 3)
  FC_WAYS(1, 4)
  FC_WAYS(2, 3)
  FC_WAYS(2, 4)
  FC_WAYS(3, 3)
  FC_WAYS(3, 4)
  FC_WAYS(4, 4)
#undef FC_WAYS
}

enum class Added { YES, NO, WRONG };  // NO: another has to add it

template <class Pair>
class PatternCounter {
 public:
  PatternCounter(const Given& gold, const Given& pred, const Plan& plan, const Pair& pair,
                 const Looks& looks, bool check, bool tallied)
      : gold_(gold),
        pred_(pred),
        plan_(plan),
        looks_(looks),
        check_(check),
        tallied_(tallied),
        table_(pair, gold.side, pred.side, plan, looks) {}

  // Packs a block of examples; false: its offsets are wrong.
  bool pack(int64_t from, int64_t to) {
    return golds_.pack(gold_, from, to, looks_) && preds_.pack(pred_, from, to, looks_);
  }

  // Adds the counts of one example of the block; large: it may have very many spans.
  Added add(int64_t example, bool large, int64_t group, int64_t* row, int64_t* partner) {
    bool odd = false;
    const Few gold = golds_.take(gold_, example, odd);
    Few pred = preds_.take(pred_, example, odd);
    if (!(gold.n | pred.n)) return Added::YES;
    if (odd && check_ && !right(example)) return Added::WRONG;
    if (gold.n > Few::MOST || pred.n > Few::MOST || (odd && large)) return Added::NO;
    pred.n = plan_.n_counted(gold.n, pred.n);
    length_ = gold_.lengths[example];
    group_ = group;
    row_ = row;
    partner_ = partner;
    return add_few(gold, pred, odd) ? Added::YES : Added::NO;
  }

  // Adds sums of tokens of either group to its row.
  void end_block(int64_t* counts) {
    for (int group = 0; group < 2 && marked_[group]; ++group) {
      give_tokens(group, counts + group * plan_.n_fields);
    }
  }

  void add_chosen(int64_t* counts) const { table_.add_chosen(counts); }

 private:
  using Table = PatternTable<Pair>;
  using Id = typename Table::Id;
  // What an example's kept counts are those of, in the table.
  static constexpr Id KEPT_PAIRS = 1, KEPT_GOLD = 17, KEPT_PRED = 21;

  const Given& gold_;
  const Given& pred_;
  const Plan& plan_;
  const Looks looks_;
  const bool check_;
  const bool tallied_;  // counts are wanted of two groups at most, not of each example
  Table table_;
  PackedBlock golds_, preds_;
  int64_t length_ = 0;  // of the example, as the following
  int64_t group_ = 0;
  int64_t* row_ = nullptr;
  int64_t* partner_ = nullptr;
  // By group: tokens of each side and of both, of all relations; pairs, and those of something.
  Tokens of_gold_[2], of_pred_[2], of_both_[2];
  int64_t lengths_[2] = {0, 0};
  int64_t marked_[2] = {0, 0};

  bool right(int64_t example) const {
    int64_t where[2];
    for (const Given* given : {&gold_, &pred_}) {
      if (check_example(given->side, example, given->lengths[example], ROLES, where) !=
          Fault::NONE) {
        return false;
      }
    }
    return true;
  }

  bool add_few(const Few& gold, const Few& pred, bool odd) {
    if (gold.n == 1 && pred.n == 1) {
      const Id id = odd ? Table::NONE : pair(gold, 0, pred, 0);
      if (id) take(id, gold, 0, pred, 0);
      if (id && looks_.sums) end_example();
      return id != Table::NONE;
    }
    if (gold.n && pred.n) return add_several(gold, pred, odd);
    Id alone[2][Few::MOST];
    if (!find_alone(gold, true, alone[0]) || !find_alone(pred, false, alone[1])) return false;
    for (int64_t i = 0; i < gold.n; ++i) take_alone(alone[0][i], gold, i, true);
    for (int64_t j = 0; j < pred.n; ++j) take_alone(alone[1][j], pred, j, false);
    if (looks_.sums) end_example();
    return true;
  }

  bool find_alone(const Few& few, bool is_gold, Id* ids) {
    Id least = 1;
    for (int64_t i = 0; i < few.n; ++i) {
      ids[i] = alone(few, i, is_gold);
      least = std::min(least, ids[i]);
    }
    return least != Table::NONE;
  }

  Id alone(const Few& few, int64_t i, bool is_gold) {
    const int64_t relation = few.first + i;
    if (few.kinds[i] != ODD) return table_.alone(is_gold, few.kinds[i], relation, length_);
    return is_gold ? table_.keep(KEPT_GOLD + static_cast<Id>(i), relation, -1, length_)
                   : table_.keep(KEPT_PRED + static_cast<Id>(i), -1, relation, length_);
  }

  // Looks a pair of packed relations up.
  FC_INLINE Id pair(const Few& gold, int64_t i, const Few& pred, int64_t j) {
    const uint64_t key =
        key_of(gold.packed[i], gold.kinds[i], pred.packed[j], pred.kinds[j], looks_.across);
    const Id id = table_.find(key);
    return id >= 0 ? id : learn(key, gold, i, pred, j);
  }

  Id learn(uint64_t key, const Few& gold, int64_t i, const Few& pred, int64_t j) {
    const Id ids[2] = {alone(gold, i, true), alone(pred, j, false)};
    if (!ids[0] || !ids[1]) return Table::NONE;
    return table_.learn(key, gold.first + i, pred.first + j, length_,
                        table_.worth(ids[0]) + table_.worth(ids[1]));
  }

  // Counts a pair of which one is not packed; alone is what both are worth.
  Id keep(const Few& gold, int64_t i, const Few& pred, int64_t j, Worth both) {
    return table_.keep(static_cast<Id>(KEPT_PAIRS + Few::MOST * i + j), gold.first + i,
                       pred.first + j, length_, both);
  }

  bool add_several(const Few& gold, const Few& pred, bool odd) {
    if (plan_.official && pred.n > gold.n) return false;
    const bool preds_lead = pred.n <= gold.n;  // as they do officially
    const Few& rows = preds_lead ? pred : gold;
    const Few& columns = preds_lead ? gold : pred;
    Id row_alone[Few::MOST], column_alone[Few::MOST];
    if (!find_alone(rows, !preds_lead, row_alone)) return false;
    if (!find_alone(columns, preds_lead, column_alone)) return false;
    Id ids[Few::MOST * Few::MOST];
    Worth worth[Few::MOST * Few::MOST];
    Worth none = 0;
    for (int64_t c = 0; c < columns.n; ++c) none += table_.worth(column_alone[c]);
    for (int64_t r = 0; r < rows.n; ++r) {
      const Worth of_row = table_.worth(row_alone[r]);
      none += of_row;
      for (int64_t c = 0; c < columns.n; ++c) {
        const int64_t g = preds_lead ? c : r;
        const int64_t p = preds_lead ? r : c;
        const bool kept = odd && ((gold.kinds[g] | pred.kinds[p]) & ODD);
        const Id id = kept ? keep(gold, g, pred, p, of_row + table_.worth(column_alone[c]))
                           : pair(gold, g, pred, p);
        if (!id) return false;
        ids[r * columns.n + c] = id;
        worth[r * columns.n + c] = table_.worth(id);
      }
    }
    Search search;
    search_ways(rows.n, columns.n, worth, none, search);
    if (search.tied && !break_tie(rows, columns, odd, ids, column_alone, search)) return false;
    const Way& way = search.ways[search.best];
    uint32_t paired = 0;
    if (partner_) std::fill(partner_ + gold.first, partner_ + gold.first + gold.n, -1);
    for (int64_t r = 0; r < rows.n; ++r) {
      const int64_t c = way[r];
      paired |= 1u << c;
      take(ids[r * columns.n + c], gold, preds_lead ? c : r, pred, preds_lead ? r : c);
    }
    for (int64_t c = 0; c < columns.n && columns.n > rows.n; ++c) {
      if (!(paired >> c & 1)) take_alone(column_alone[c], columns, c, preds_lead);
    }
    if (looks_.sums) end_example();
    return true;
  }

  void take(Id id, const Few& gold, int64_t i, const Few& pred, int64_t j) {
    choose(id);
    if (partner_) {
      const bool apart = plan_.by_content && plan_.additive && !meet(gold, i, pred, j);
      partner_[gold.first + i] = apart ? -1 : pred.first + j;
    }
    if (!looks_.sums || id < Table::KEPT) return;
    of_gold_[group_].add(gold.packed[i], gold.packed[i]);
    of_pred_[group_].add(pred.packed[j], pred.packed[j]);
    of_both_[group_].add(gold.packed[i], pred.packed[j]);
    took_tokens(gold.kinds[i] | pred.kinds[j]);
  }

  void take_alone(Id id, const Few& few, int64_t i, bool is_gold) {
    choose(id);
    if (partner_ && is_gold) partner_[few.first + i] = -1;
    if (!looks_.sums || id < Table::KEPT) return;
    (is_gold ? of_gold_ : of_pred_)[group_].add(few.packed[i], few.packed[i]);
    took_tokens(few.kinds[i]);
  }

  void choose(Id id) {
    if (tallied_ && id >= Table::KEPT) {
      table_.choose(id, group_);
    } else {
      table_.add_to(row_, id);
    }
  }

  void took_tokens(int roles) {
    lengths_[group_] += length_;
    marked_[group_] += roles != 0;
  }

  void end_example() {
    if (!tallied_) give_tokens(0, row_);
  }

  void give_tokens(int group, int64_t* row) {
    CountSink sink{row};
    for (int r = 0; r < 3; ++r) {
      const overlap::Overlap sums{of_gold_[group].of[r], of_pred_[group].of[r],
                                  of_both_[group].of[r], 0, 0};
      overlap::add_tokens(sums, lengths_[group], marked_[group], overlap::N_FIELDS * r, sink);
    }
    of_gold_[group] = of_pred_[group] = of_both_[group] = Tokens();
    lengths_[group] = marked_[group] = 0;
  }

  bool meet(const Few& gold, int64_t i, const Few& pred, int64_t j) const {
    if (!((gold.kinds[i] | pred.kinds[j]) & ODD)) {
      return compare(gold.packed[i], pred.packed[j], Across::ALL) & MEETINGS;
    }
    Relation of_gold, of_pred;
    gold_.side.get(gold.first + i, 0, of_gold);
    pred_.side.get(pred.first + j, 0, of_pred);
    return Meeting(of_gold, of_pred).any;
  }

  // Decides between equal ways; false where their counts, or partners that are asked for, differ.
  bool break_tie(const Few& rows, const Few& columns, bool odd, const Id* ids, const Id* alone,
                 Search& search) const {
    if (plan_.official) {
      first_official(rows.n, columns.n, ids, alone, search);
      return true;
    }
    if (odd) return false;
    const Worth best = search.worth[search.best];
    Tokens most;
    int32_t n_most = -1;
    bool alike = true;
    std::array<Id, Few::MOST> chosen{};
    for (int k = 0; k < search.n; ++k) {
      if (compare_worth(search.worth[k], best)) continue;
      Tokens shared;
      for (int64_t r = 0; r < rows.n; ++r) {
        shared.add(rows.packed[r], columns.packed[search.ways[k][r]]);
      }
      const int32_t n = shared.of[0] + shared.of[1] + shared.of[2];
      if (n < n_most) continue;
      const std::array<Id, Few::MOST> of_way =
          counted(rows.n, columns.n, ids, alone, search.ways[k]);
      if (n == n_most) {
        alike = alike && !partner_ && of_way == chosen && same_sums(shared, most);
        continue;
      }
      n_most = n;
      most = shared;
      chosen = of_way;
      alike = true;
      search.best = k;
    }
    return alike;
  }

  bool same_sums(const Tokens& a, const Tokens& b) const {
    return !looks_.sums || std::equal(a.of, a.of + 3, b.of);
  }

  // What a way counts, in order: of each column its pair, or itself alone.
  static std::array<Id, Few::MOST> counted(int64_t n_rows, int64_t n_columns, const Id* ids,
                                           const Id* alone, const Way& way) {
    std::array<Id, Few::MOST> of_way{};
    std::copy(alone, alone + n_columns, of_way.begin());
    for (int64_t r = 0; r < n_rows; ++r) of_way[way[r]] = ids[r * n_columns + way[r]];
    std::sort(of_way.begin(), of_way.end());
    return of_way;
  }

  // The first way of the highest float F1, as the official search finds it.
  void first_official(int64_t n_rows, int64_t n_columns, const Id* ids, const Id* alone,
                      Search& search) const {
    search.best = 0;
    for (int k = 1; k < search.n; ++k) {
      const int64_t more = compare_worth(search.worth[k], search.worth[search.best]);
      if (more < 0 || (more == 0 && !top_of(search.worth[k]))) continue;
      const auto errors = [&](int way) {
        SpanErrors sum{0, 0, 0, 0};
        for (const Id id : counted(n_rows, n_columns, ids, alone, search.ways[way])) {
          if (id) sum = sum.plus(table_.errors(id));
        }
        return sum;
      };
      if (more > 0 || errors(k).higher_than(errors(search.best))) search.best = k;
    }
  }
};

}  // namespace fastcausal

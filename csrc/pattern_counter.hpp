// Blocks of examples with at most four relations a side, counted by pattern. What patterns cannot
// tell is left to others: ties whose candidates count differently, and pairs that cost.
#pragma once
#include "patterns.hpp"
#include "rows.hpp"

namespace fastcausal {

enum class Added { YES, NO, WRONG };  // NO: another has to add it

class PatternCounter {
 public:
  PatternCounter(const Given& gold, const Given& pred, const Plan& plan, const PairCounter& counter,
                 const Looks& looks, bool check, bool tallied)
      : gold_(gold),
        pred_(pred),
        plan_(plan),
        looks_(looks),
        check_(check),
        tallied_(tallied),
        table_(counter, plan, looks.sums) {}

  // Packs a block of examples; false: its offsets are wrong.
  bool pack(int64_t from, int64_t to) {
    return golds_.pack(gold_, from, to, looks_) && preds_.pack(pred_, from, to, looks_);
  }

  // Adds the counts of one example of the block; large: it may have very many spans.
  Added add(int64_t example, bool large, int64_t group, int64_t* row, int64_t* partner) {
    const Few gold = golds_.of(gold_, example);
    Few pred = preds_.of(pred_, example);
    if (!(gold.n | pred.n)) return Added::YES;
    const int64_t n_counted = plan_.n_counted(gold.n, pred.n);
    if (gold.n > Few::MOST || pred.n > Few::MOST || !gold.kinds || !pred.kinds) {
      return check_ && !right(example) ? Added::WRONG : Added::NO;
    }
    if (n_counted < pred.n && check_ && pred.is_odd(n_counted, pred.n) && !right(example)) {
      return Added::WRONG;
    }
    pred.n = n_counted;
    example_ = example;
    large_ = large;
    length_ = gold_.lengths[example];
    group_ = group;
    row_ = row;
    partner_ = partner;
    return (this->*SHAPES[gold.n * (Few::MOST + 1) + pred.n])(gold, pred);
  }

  // Adds sums of tokens of either group to its row.
  void end_block(int64_t* counts) {
    for (int group = 0; group < 2; ++group) {
      if (pairs_[group]) give_tokens(group, counts + group * plan_.n_fields);
    }
  }

  void add_chosen(int64_t* counts) const { table_.add_chosen(counts); }

 private:
  using Table = PatternTable;
  using Id = Table::Id;
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
  int64_t example_ = 0;  // and what is known of it
  bool large_ = false;
  int64_t length_ = 0;
  int64_t group_ = 0;
  int64_t* row_ = nullptr;
  int64_t* partner_ = nullptr;
  // By group: tokens of each side and of both, of all relations; lengths, pairs, those of
  // something.
  Tokens of_gold_[2], of_pred_[2], of_both_[2];
  int64_t lengths_[2] = {0, 0};
  int64_t pairs_[2] = {0, 0};
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

  // Adds an example of so many gold and predicted relations.
  template <int G, int P>
  Added add_shape(const Few& gold, const Few& pred) {
    const bool odd = gold.is_odd(0, G) | pred.is_odd(0, P);
    if (odd && check_ && !right(example_)) return Added::WRONG;
    if (odd && (large_ || (G == 1 && P == 1))) return Added::NO;
    if constexpr (G == 1 && P == 1) {
      const Id id = pair(gold, 0, pred, 0);
      if (id == Table::NONE) return Added::NO;
      take(id, gold, 0, pred, 0);
    } else if constexpr (G && P) {
      if (!add_several<G, P>(gold, pred, odd)) return Added::NO;
    } else {
      Id ids[Few::MOST];
      if (!find_alone<G + P>(G ? gold : pred, G > 0, ids)) return Added::NO;
      for (int i = 0; i < G + P; ++i) take_alone(ids[i], G ? gold : pred, i, G > 0);
    }
    if (looks_.sums) end_example();
    return Added::YES;
  }

  using Shape = Added (PatternCounter::*)(const Few&, const Few&);
  template <size_t... N>
  static constexpr std::array<Shape, sizeof...(N)> shapes(std::index_sequence<N...>) noexcept {
    return {&PatternCounter::add_shape<N / (Few::MOST + 1), N % (Few::MOST + 1)>...};
  }
  static const std::array<Shape, (Few::MOST + 1) * (Few::MOST + 1)> SHAPES;

  template <int N>
  bool find_alone(const Few& few, bool is_gold, Id* ids) {
    Id least = 1;
    for (int i = 0; i < N; ++i) {
      ids[i] = alone(few, i, is_gold);
      least = std::min(least, ids[i]);
    }
    return least != Table::NONE;
  }

  FC_INLINE Id alone(const Few& few, int64_t i, bool is_gold) {
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

  template <int G, int P>
  bool add_several(const Few& gold, const Few& pred, bool odd) {
    constexpr bool PREDS_LEAD = P <= G;  // as they do officially
    constexpr int R = PREDS_LEAD ? P : G;
    constexpr int C = PREDS_LEAD ? G : P;
    if (!PREDS_LEAD && plan_.official) return false;
    const Few& rows = PREDS_LEAD ? pred : gold;
    const Few& columns = PREDS_LEAD ? gold : pred;
    Id row_alone[Few::MOST], column_alone[Few::MOST];
    if (!find_alone<R>(rows, !PREDS_LEAD, row_alone)) return false;
    if (!find_alone<C>(columns, PREDS_LEAD, column_alone)) return false;
    Id ids[R * C];
    Worth worth[R * C];
    Worth none = 0;
    for (int c = 0; c < C; ++c) none += table_.worth(column_alone[c]);
    for (int r = 0; r < R; ++r) {
      const Worth of_row = table_.worth(row_alone[r]);
      none += of_row;
      for (int c = 0; c < C; ++c) {
        const int g = PREDS_LEAD ? c : r;
        const int p = PREDS_LEAD ? r : c;
        const bool kept = odd && ((gold.kinds[g] | pred.kinds[p]) & ODD);
        const Id id = kept ? keep(gold, g, pred, p, of_row + table_.worth(column_alone[c]))
                           : pair(gold, g, pred, p);
        if (id == Table::NONE) return false;
        ids[r * C + c] = id;
        worth[r * C + c] = table_.worth(id);
      }
    }
    Search search = WaySearch<R, C>(worth, none).search;
    if (search.tied && !break_tie(rows, R, columns, C, odd, ids, column_alone, search))
      return false;
    const Way& way = search.ways[search.best];
    uint32_t paired = 0;
    if (partner_) std::fill(partner_ + gold.first, partner_ + gold.first + G, -1);
    for (int r = 0; r < R; ++r) {
      const int c = static_cast<unsigned char>(way[r]);
      paired |= 1u << c;
      take(ids[r * C + c], gold, PREDS_LEAD ? c : r, pred, PREDS_LEAD ? r : c);
    }
    for (int c = 0; c < C && C > R; ++c) {
      if (!(paired >> c & 1)) take_alone(column_alone[c], columns, c, PREDS_LEAD);
    }
    return true;
  }

  FC_INLINE void take(Id id, const Few& gold, int64_t i, const Few& pred, int64_t j) {
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

  FC_INLINE void take_alone(Id id, const Few& few, int64_t i, bool is_gold) {
    choose(id);
    if (partner_ && is_gold) partner_[few.first + i] = -1;
    if (!looks_.sums || id < Table::KEPT) return;
    (is_gold ? of_gold_ : of_pred_)[group_].add(few.packed[i], few.packed[i]);
    took_tokens(few.kinds[i]);
  }

  FC_INLINE void choose(Id id) {
    if (tallied_ && id >= Table::KEPT) {
      table_.choose(id, group_);
    } else {
      table_.add_to(row_, id);
    }
  }

  void took_tokens(int roles) {
    ++pairs_[group_];
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
      overlap::add_tokens(sums, lengths_[group], marked_[group], int64_t{overlap::N_FIELDS} * r,
                          sink);
    }
    of_gold_[group] = of_pred_[group] = of_both_[group] = Tokens();
    pairs_[group] = lengths_[group] = marked_[group] = 0;
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
  bool break_tie(const Few& rows, int n_rows, const Few& columns, int n_columns, bool odd,
                 const Id* ids, const Id* alone, Search& search) const {
    if (plan_.official) {
      first_official(n_rows, n_columns, ids, alone, search);
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
      for (int64_t r = 0; r < n_rows; ++r) {
        shared.add(rows.packed[r], columns.packed[search.ways[k][r]]);
      }
      const int32_t n = shared.of[0] + shared.of[1] + shared.of[2];
      if (n < n_most) continue;
      const std::array<Id, Few::MOST> of_way =
          counted(n_rows, n_columns, ids, alone, search.ways[k]);
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

inline const std::array<PatternCounter::Shape, (Few::MOST + 1) * (Few::MOST + 1)>
    PatternCounter::SHAPES = shapes(std::make_index_sequence<(Few::MOST + 1) * (Few::MOST + 1)>());

}  // namespace fastcausal

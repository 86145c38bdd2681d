// Blocks of examples with at most five relations per side. Patterns count them, or the kernel if a
// relation has no pattern. Others must count ties with different counts, and pairs that cost.
#pragma once
#include "arrays/rows.hpp"
#include "engine/memory.hpp"
#include "engine/patterns.hpp"
#include "engine/shape_lists.hpp"
#include "engine/ties.hpp"
#include "engine/token_sums.hpp"

namespace fastcausal {

class FewCounter {
 public:
  // partner may be null.
  FewCounter(const Input& gold, const Input& pred, const Plan& plan, const PairCounter& counter,
             const KernelTraits& traits, bool check, const Groups& groups, int64_t n_examples,
             int64_t* counts, int64_t* partner, Memory& memory)
      : gold_(gold),
        pred_(pred),
        plan_(plan),
        traits_(traits),
        check_(check),
        run_on_(traits.run_on),
        groups_(groups),
        counts_(counts),
        partner_(partner),
        memory_(memory),
        lent_(memory.lend(traits.token_sums)),
        table_(*lent_),
        few_groups_(!groups.each && groups.n <= 2 && table_.size() < MOST_SEEN * n_examples),
        ties_(plan, table_) {
    table_.begin(counter, plan);
  }

  // Packs a block of examples. Returns false if offsets are invalid.
  bool pack(int64_t from, int64_t to) {
    return golds_.pack(gold_, from, to, traits_) && preds_.pack(pred_, from, to, traits_);
  }

  PatternTable& table() { return table_; }

  // Adds the counts of the block. Lists the examples for the general path in `left`, in order.
  // Returns false if rows are invalid.
  bool add(int64_t from, int64_t to, std::vector<int64_t>& left) {
    left.clear();
    lists_.split(gold_.side, pred_.side, from, to, golds_.fits() && preds_.fits(), plan_);
    for (size_t list = 1; list < ShapeLists::N; ++list) {  // the first one has no relations
      if (!lists_.empty(list) && !add_list(list, left, Shapes())) return false;
    }
    std::sort(left.begin(), left.end());
    for (int64_t group = 0; group < 2; ++group) sums_[group].flush(row(group));
    return true;
  }

  void end() {
    if (few_groups_) table_.add_chosen(counts_);
    memory_.take_back(std::move(lent_));
  }

 private:
  using Table = PatternTable;
  using Id = Table::Id;
  // Entries per example: more of them take longer to look through than to add counts one by one.
  static constexpr int64_t MOST_SEEN = 32;
  // Pairs of spans, in an example with unpacked relations.
  static constexpr int64_t FEW_PAIRS = 1024;

  const Input& gold_;
  const Input& pred_;
  const Plan& plan_;
  const KernelTraits traits_;
  const bool check_;   // rows come from a user and must be checked
  const bool run_on_;  // rows must be read as tagged
  const Groups& groups_;
  int64_t* const counts_;
  int64_t* const partner_;
  Memory& memory_;
  std::unique_ptr<Table> lent_;
  Table& table_;
  const bool few_groups_;  // one or two of enough examples, so the table counts uses by group
  Ties ties_;
  PackedBlock golds_, preds_;
  ShapeLists lists_;   // of the block
  TokenSums sums_[2];  // by group

  enum class Outcome { ADDED, LEFT, INVALID };  // LEFT: for the general path

  struct Example {
    int64_t number;
    int64_t length;
    int64_t group;  // 0 unless groups are few
    int64_t* row;
    FewRelations gold, pred;
  };

  int64_t* row(int64_t group) const { return counts_ + group * plan_.n_fields; }

  FC_INLINE Example example(int64_t e, int64_t n_gold) {
    const int64_t group = groups_.row(e, n_gold);
    return {e,          gold_.lengths[e],    few_groups_ ? group : 0,
            row(group), golds_.of(gold_, e), preds_.of(pred_, e)};
  }

  bool is_valid(int64_t example) const {
    int64_t where[2];
    for (const Input* input : {&gold_, &pred_}) {
      if (check_example(input->side, example, input->lengths[example], plan_.n_roles(), where) !=
          Fault::NONE) {
        return false;
      }
    }
    return true;
  }

  // Adds the examples of a list. Returns false if rows are invalid.
  using Shapes = std::make_index_sequence<ShapeLists::N_SHAPES>;
  template <size_t... Shape>
  bool add_list(size_t list, std::vector<int64_t>& left, std::index_sequence<Shape...>) {
    using Add = bool (FewCounter::*)(size_t, std::vector<int64_t>&);
    constexpr size_t N = ShapeLists::N_SIZES;
    static constexpr Add ADD[] = {&FewCounter::add_shape<Shape / N, Shape % N>...,
                                  &FewCounter::add_shape<Shape / N, Shape % N>...,
                                  &FewCounter::leave};
    return (this->*ADD[list])(list, left);
  }

  template <int G, int P>
  bool add_shape(size_t list, std::vector<int64_t>& left) {
    return lists_.each(list, [&](int64_t number) {
      Example e = example(number, G);
      const Outcome outcome = add<G, P>(e);
      if (outcome == Outcome::LEFT) left.push_back(number);
      return outcome != Outcome::INVALID;
    });
  }

  bool leave(size_t list, std::vector<int64_t>& left) {
    return lists_.each(list, [&](int64_t number) {
      left.push_back(number);
      return !check_ || is_valid(number);
    });
  }

  // Adds an example with G gold and P predicted relations. Further predictions do not count.
  template <int G, int P>
  FC_INLINE Outcome add(Example& e) {
    const bool unpacked = e.gold.any_unpacked(0, G) | e.pred.any_unpacked(0, P);
    if (unpacked || (e.pred.n > P && e.pred.any_unpacked(P, e.pred.n))) {
      if (run_on_) return Outcome::LEFT;  // its reading needs all tags
      if (check_ && !is_valid(e.number)) return Outcome::INVALID;
      if (unpacked && !are_few(e)) return Outcome::LEFT;
    }
    e.pred.n = P;
    if (run_on_) {
      if (std::max(e.gold.tokens, e.pred.tokens) == MOST_TOKENS) return Outcome::LEFT;
      for (int i = 0; i < G; ++i) run_on(e.gold, i);
      for (int i = 0; i < P; ++i) run_on(e.pred, i);
      e.gold.as_given = e.pred.as_given = false;
    }
    if constexpr (G == 1 && P == 1) {
      const Id id = pair(key(e, 0, 0), e, 0, 0);
      if (id == Table::NONE && !plan_.never_costs) return Outcome::LEFT;
      take(id == Table::NONE ? Table::BY_KERNEL : id, e, 0, 0);
    } else if constexpr (G && P) {
      if (!add_several<G, P>(e)) return Outcome::LEFT;
    } else {
      for (int i = 0; i < G + P; ++i) {
        const Id id = alone(e, i, G > 0);
        take_alone(id == Table::NONE ? Table::BY_KERNEL : id, e, i, G > 0);
      }
    }
    if (traits_.token_sums && !few_groups_) sums_[0].flush(e.row);
    return Outcome::ADDED;
  }

  template <int N>
  FC_INLINE bool find_alone(const Example& e, bool is_gold, Id* ids) {
    bool all = true;
    for (int i = 0; i < N; ++i) {
      ids[i] = alone(e, i, is_gold);
      if (ids[i] == Table::NONE)
        ids[i] = count_unpacked(e, is_gold ? i : -1, is_gold ? -1 : i, nullptr);
      all &= ids[i] != Table::NONE;
    }
    return all;
  }

  FC_INLINE Id alone(const Example& e, int i, bool is_gold) {
    const FewRelations& few = is_gold ? e.gold : e.pred;
    if (few.kinds[i] == SEVERAL) {
      const Id id = table_.alone(is_gold, few.more[i].sequence);
      return id ? id
                : table_.learn_alone(is_gold, few.more[i].sequence, AsRead(few, i).relation,
                                     e.length);
    }
    return table_.alone(is_gold, few.kinds[i], few.packed[i], e.length);
  }

  FC_INLINE uint64_t key(const Example& e, int i, int j) const {
    return key_of(compare(e.gold.packed[i], e.pred.packed[j], traits_.across), e.gold.kinds[i],
                  e.pred.kinds[j], traits_);
  }

  FC_INLINE Id pair(uint64_t key, const Example& e, int i, int j) {
    const Id id = table_.find(key);
    return id >= 0 ? id : new_pair(key, e, i, j);
  }

  // Returns the entry of a pair whose key is unknown, perhaps because it has none.
  Id new_pair(uint64_t key, const Example& e, int i, int j) {
    const Kind kinds[2] = {e.gold.kinds[i], e.pred.kinds[j]};
    if ((kinds[0] | kinds[1]) & UNPACKED) return Table::NONE;
    if (is_single(kinds[0]) && is_single(kinds[1])) {
      return table_.learn(key, e.gold.packed[i], kinds[0], e.pred.packed[j], kinds[1], e.length);
    }
    const SeveralKey several = key_of(Records(e.gold, i), Records(e.pred, j), traits_);
    const Id id = table_.find(several);
    if (id >= 0) return id;
    return table_.learn(several, AsRead(e.gold, i).relation, AsRead(e.pred, j).relation, e.length,
                        {alone(e, i, true), alone(e, j, false)});
  }

  // Returns whether an example has few spans, so that counting it delays nobody.
  bool are_few(const Example& e) const {
    const auto n_rows = [&](const Input& input) {
      const int64_t* relations = input.side.relation_offsets + e.number;
      return input.side.row_offsets[relations[1]] - input.side.row_offsets[relations[0]];
    };
    return n_rows(gold_) * n_rows(pred_) <= FEW_PAIRS;
  }

  // Counts a pair without a pattern. -1 leaves one relation out; alone is null then.
  Id count_unpacked(const Example& e, int i, int j, const Table::Alone* alone) {
    const bool patterned =
        (i < 0 || is_single(e.gold.kinds[i])) && (j < 0 || is_single(e.pred.kinds[j]));
    if (patterned) return Table::NONE;
    const Id place = Table::TEMPORARY + (i + 1) * (FewRelations::MOST + 1) + j;
    return table_.count_temporary(place, AsRead(e.gold, i).relation, AsRead(e.pred, j).relation,
                                  e.length, alone);
  }

  template <int G, int P>
  bool add_several(const Example& e) {
    constexpr bool PREDS_LEAD = P <= G;  // as in the official search
    constexpr int R = PREDS_LEAD ? P : G;
    constexpr int C = PREDS_LEAD ? G : P;
    if (!PREDS_LEAD && plan_.official) return false;
    Id row_alone[R], column_alone[C];
    if (!find_alone<R>(e, !PREDS_LEAD, row_alone)) return false;
    if (!find_alone<C>(e, PREDS_LEAD, column_alone)) return false;
    Id ids[R * C];
    Worth worth[R * C];
    uint64_t keys[R * C];  // computed first, because they depend on nothing
    FC_UNROLL
    for (int k = 0; k < R * C; ++k) {
      keys[k] = key(e, PREDS_LEAD ? k % C : k / C, PREDS_LEAD ? k / C : k % C);
    }
    Worth none = 0;
    for (int c = 0; c < C; ++c) none += table_.worth(column_alone[c]);
    FC_UNROLL
    for (int r = 0; r < R; ++r) {
      none += table_.worth(row_alone[r]);
      FC_UNROLL
      for (int c = 0; c < C; ++c) {
        const int g = PREDS_LEAD ? c : r;
        const int p = PREDS_LEAD ? r : c;
        Id id = pair(keys[r * C + c], e, g, p);
        if (id == Table::NONE) {
          const Id both[2] = {row_alone[r], column_alone[c]};
          const Table::Alone alone{both[PREDS_LEAD], both[!PREDS_LEAD]};
          id = count_unpacked(e, g, p, &alone);
          if (id == Table::NONE) return false;
        }
        ids[r * C + c] = id;
        worth[r * C + c] = table_.worth(id);
      }
    }
    WaySearch<R, C> search(worth, none);
    // If a way finds nothing and misses nothing, only the general path knows the worth of 0/0.
    if (!plan_.never_costs && std::count(search.worth, search.worth + search.n, 0)) return false;
    const Pairing pairing{e.gold, e.pred, PREDS_LEAD, R, C, ids, column_alone};
    const Way way = search.tied ? ties_.decide(pairing, search) : search.ways[search.best];
    if (partner_) std::fill(partner_ + e.gold.first, partner_ + e.gold.first + G, -1);
    FC_UNROLL
    for (int r = 0; r < R; ++r) {
      const int c = static_cast<unsigned char>(way[r]);
      take(ids[r * C + c], e, PREDS_LEAD ? c : r, PREDS_LEAD ? r : c);
    }
    FC_UNROLL
    for (int k = R; k < C; ++k) {
      const int c = static_cast<unsigned char>(way[k]);
      take_alone(column_alone[c], e, c, PREDS_LEAD);
    }
    return true;
  }

  FC_INLINE void take(Id id, const Example& e, int i, int j) {
    if (partner_) {
      const bool paired = may_pair(e.gold, i, e.pred, j, plan_);
      partner_[e.gold.first + i] = paired ? e.pred.first + j : -1;
    }
    if (id < Table::FIRST_PATTERN) return take_unpacked(id, e, i, j);
    choose(id, e);
    if (traits_.token_sums) sums_[e.group].add(e.gold, i, e.pred, j, e.length);
  }

  FC_INLINE void take_alone(Id id, const Example& e, int i, bool is_gold) {
    const FewRelations& few = is_gold ? e.gold : e.pred;
    if (partner_ && is_gold) partner_[few.first + i] = -1;
    if (id < Table::FIRST_PATTERN) return take_unpacked(id, e, is_gold ? i : -1, is_gold ? -1 : i);
    choose(id, e);
    if (traits_.token_sums) sums_[e.group].add_alone(few, i, is_gold, e.length);
  }

  void take_unpacked(Id id, const Example& e, int i, int j) {
    table_.add_unpacked(e.row, id, AsRead(e.gold, i).relation, AsRead(e.pred, j).relation,
                        e.length);
  }

  FC_INLINE void choose(Id id, const Example& e) {
    if (few_groups_) {
      table_.choose(id, e.group);
    } else {
      table_.add_to(e.row, id);
    }
  }
};

}  // namespace fastcausal

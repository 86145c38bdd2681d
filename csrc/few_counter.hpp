// Blocks of examples with at most five relations per side. Patterns count them, or the kernel if a
// relation has no pattern. Others must count ties with different counts, and pairs that cost.
#pragma once
#include "memory.hpp"
#include "patterns.hpp"
#include "rows.hpp"
#include "ties.hpp"

namespace fastcausal {

// The row of counts for an example: the row of its group, or a row of its own. With `apart`, each
// group has a second row for examples with several gold relations.
struct Groups {
  const int64_t* of;  // [n_examples], null: all in one group
  int64_t n;          // rows of counts
  bool each;          // every example has its own row
  bool apart;

  int64_t row(int64_t example, int64_t n_gold) const {
    if (each) return example;
    const int64_t group = of ? of[example] : 0;
    return apart ? 2 * group + (n_gold > 1) : group;
  }
};

class FewCounter {
 public:
  // partner may be null.
  FewCounter(const Input& gold, const Input& pred, const Plan& plan, const PairCounter& counter,
             const KernelTraits& traits, bool check, const Groups& groups, int64_t* counts,
             int64_t* partner, Memory& memory)
      : gold_(gold),
        pred_(pred),
        plan_(plan),
        traits_(traits),
        check_(check),
        run_on_(traits.run_on),
        groups_(groups),
        few_groups_(!groups.each && groups.n <= 2),
        counts_(counts),
        partner_(partner),
        memory_(memory),
        lent_(memory.lend(traits.token_sums)),
        table_(*lent_),
        ties_{plan, table_, traits.token_sums != 0, partner != nullptr} {
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
    split_by_size(from, to);
    for (int64_t k = 0; k < n_pairs_; ++k) {  // a loop of their own, because they are the majority
      const Example e = example(pairs_[k], 1);
      const Outcome outcome = add_shape<1, 1>(e);
      if (outcome == Outcome::INVALID) return false;
      if (outcome == Outcome::LEFT) left.push_back(e.number);
    }
    for (int64_t k = 0; k < n_others_; ++k) {
      const Outcome outcome = add_other(others_[k]);
      if (outcome == Outcome::INVALID) return false;
      if (outcome == Outcome::LEFT) left.push_back(others_[k]);
    }
    std::sort(left.begin(), left.end());
    flush_tokens();
    return true;
  }

  // Adds an example whose rows are already read as tagged. Returns false if the general path must.
  bool add_read(int64_t example) {
    check_ = run_on_ = false;  // reading did both
    const bool added = pack(example, example + 1) && add_other(example) == Outcome::ADDED;
    check_ = run_on_ = true;
    return added;
  }

  void end() {
    flush_tokens();  // of examples added after their block
    if (few_groups_) table_.add_chosen(counts_);
    memory_.take_back(std::move(lent_));
  }

 private:
  using Table = PatternTable;
  using Id = Table::Id;
  // Pairs of spans, in an example with unpacked relations.
  static constexpr int64_t FEW_PAIRS = 1024;

  const Input& gold_;
  const Input& pred_;
  const Plan& plan_;
  const KernelTraits traits_;
  bool check_;   // rows come from a user and must be checked
  bool run_on_;  // rows must still be read as tagged
  const Groups& groups_;
  const bool few_groups_;  // one or two, so the table counts uses by group
  int64_t* const counts_;
  int64_t* const partner_;
  Memory& memory_;
  std::unique_ptr<Table> lent_;
  Table& table_;
  const Ties ties_;
  struct Member {
    Relation relation;
    int64_t number;
  };
  std::vector<Member> members_[2];  // relations of one example, gold second
  PackedBlock golds_, preds_;
  int64_t pairs_[PackedBlock::EXAMPLES];   // examples with one relation per side
  int64_t others_[PackedBlock::EXAMPLES];  // examples with any other numbers
  int64_t n_pairs_ = 0;
  int64_t n_others_ = 0;
  // By group: tokens of each side and of both; lengths and number of pairs that mark something.
  Tokens of_gold_[2], of_pred_[2], of_both_[2];
  int64_t lengths_[2] = {0, 0};
  int64_t marked_[2] = {0, 0};

  enum class Outcome { ADDED, LEFT, INVALID };  // LEFT: for the general path

  struct Example {
    int64_t number;
    int64_t length;
    int64_t group;  // 0 unless groups are few
    int64_t* row;
    FewRelations gold, pred;
  };

  void split_by_size(int64_t from, int64_t to) {
    const bool fit = golds_.fits() && preds_.fits();
    n_pairs_ = n_others_ = 0;
    for (int64_t e = from; e < to; ++e) {
      const int64_t n_gold = gold_.side.n_relations(e);
      const int64_t n_pred = pred_.side.n_relations(e);
      const bool one = fit & (n_gold == 1) & (n_pred == 1);
      pairs_[n_pairs_] = others_[n_others_] = e;
      n_pairs_ += one;
      n_others_ += !one & ((n_gold | n_pred) != 0);
    }
  }

  FC_INLINE Example example(int64_t e, int64_t n_gold) {
    const int64_t group = groups_.row(e, n_gold);
    return {e,
            gold_.lengths[e],
            few_groups_ ? group : 0,
            counts_ + group * plan_.n_fields,
            golds_.of(gold_, e),
            preds_.of(pred_, e)};
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

  Outcome add_other(int64_t number) {
    Example e = example(number, gold_.side.n_relations(number));
    const int64_t n_counted = plan_.n_counted(e.gold.n, e.pred.n);
    if (e.gold.n > FewRelations::MOST || e.pred.n > FewRelations::MOST || !e.gold.kinds ||
        !e.pred.kinds) {
      return check_ && !is_valid(number) ? Outcome::INVALID : Outcome::LEFT;
    }
    if (e.pred.any_unpacked(n_counted, e.pred.n)) {
      if (run_on_) return Outcome::LEFT;
      if (check_ && !is_valid(number)) return Outcome::INVALID;
    }
    e.pred.n = n_counted;
    return add_of_shape(static_cast<size_t>(e.gold.n) * N_SIZES + static_cast<size_t>(n_counted), e,
                        std::make_index_sequence<N_SIZES * N_SIZES>());
  }

  // Adds an example with G gold and P predicted relations.
  template <int G, int P>
  Outcome add_shape(const Example& e) {
    const bool unpacked = e.gold.any_unpacked(0, G) | e.pred.any_unpacked(0, P);
    if (unpacked && run_on_) return Outcome::LEFT;  // its reading needs all tags
    if (unpacked && check_ && !is_valid(e.number)) return Outcome::INVALID;
    if (unpacked && !are_few(e)) return Outcome::LEFT;
    if (run_on_) {
      if (std::max(e.gold.tokens, e.pred.tokens) == MOST_TOKENS) return Outcome::LEFT;
      for (int i = 0; i < G; ++i) run_on(e.gold.packed[i], e.gold.tokens);
      for (int i = 0; i < P; ++i) run_on(e.pred.packed[i], e.pred.tokens);
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
    if (traits_.token_sums && !few_groups_) flush_tokens(0, e.row);
    return Outcome::ADDED;
  }

  // Possible numbers of relations per side.
  static constexpr size_t N_SIZES = FewRelations::MOST + 1;
  template <size_t... N>
  Outcome add_of_shape(size_t shape, const Example& e, std::index_sequence<N...>) {
    using Shape = Outcome (FewCounter::*)(const Example&);
    static constexpr Shape SHAPES[] = {&FewCounter::add_shape<N / N_SIZES, N % N_SIZES>...};
    return (this->*SHAPES[shape])(e);
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
    return table_.alone(is_gold, few.kinds[i], few.packed[i], e.length);
  }

  FC_INLINE uint64_t key(const Example& e, int i, int j) const {
    return key_of(compare(e.gold.packed[i], e.pred.packed[j], traits_.across), e.gold.kinds[i],
                  e.pred.kinds[j], traits_);
  }

  FC_INLINE Id pair(uint64_t key, const Example& e, int i, int j) {
    return table_.pair(key, e.gold.packed[i], e.gold.kinds[i], e.pred.packed[j], e.pred.kinds[j],
                       e.length);
  }

  // Returns whether an example has few spans, so that counting it delays nobody.
  bool are_few(const Example& e) const {
    const auto n_rows = [&](const Input& input) {
      const int64_t* relations = input.side.relation_offsets + e.number;
      return input.side.row_offsets[relations[1]] - input.side.row_offsets[relations[0]];
    };
    return n_rows(gold_) * n_rows(pred_) <= FEW_PAIRS;
  }

  Relation relation(const Input& input, const FewRelations& few, int i) const {
    return i < 0 ? Relation() : input.side.relation(few.first + i);
  }

  // Counts a pair without a pattern. -1 leaves one relation out.
  Id count_unpacked(const Example& e, int i, int j, const Worth* alone) {
    const bool unpacked =
        (i >= 0 && e.gold.kinds[i] == UNPACKED) || (j >= 0 && e.pred.kinds[j] == UNPACKED);
    if (!unpacked) return Table::NONE;
    const Id place = Table::TEMPORARY + (i + 1) * (FewRelations::MOST + 1) + j;
    return table_.count_temporary(place, relation(gold_, e.gold, i), relation(pred_, e.pred, j),
                                  e.length, alone);
  }

  template <int G, int P>
  bool add_several(const Example& e) {
    constexpr bool PREDS_LEAD = P <= G;  // as in the official search
    constexpr int R = PREDS_LEAD ? P : G;
    constexpr int C = PREDS_LEAD ? G : P;
    if (!PREDS_LEAD && plan_.official) return false;
    Id row_alone[FewRelations::MOST], column_alone[FewRelations::MOST];
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
          const Worth both = table_.worth(row_alone[r]) + table_.worth(column_alone[c]);
          id = count_unpacked(e, g, p, &both);
          if (id == Table::NONE) return false;
        }
        ids[r * C + c] = id;
        worth[r * C + c] = table_.worth(id);
      }
    }
    WaySearch<R, C> search(worth, none);
    // If a way finds nothing and misses nothing, only the general path knows the worth of 0/0.
    if (!plan_.never_costs && std::count(search.worth, search.worth + search.n, 0)) return false;
    Way way = search.ways[search.best];
    if (search.tied) {
      decide(e, {PREDS_LEAD, R, C, ids, row_alone, column_alone}, none, search, way);
    }
    uint32_t paired = 0;
    if (partner_) std::fill(partner_ + e.gold.first, partner_ + e.gold.first + G, -1);
    FC_UNROLL
    for (int r = 0; r < R; ++r) {
      const int c = static_cast<unsigned char>(way[r]);
      paired |= 1u << c;
      take(ids[r * C + c], e, PREDS_LEAD ? c : r, PREDS_LEAD ? r : c);
    }
    for (int c = 0; c < C && C > R; ++c) {
      if (!(paired >> c & 1)) take_alone(column_alone[c], e, c, PREDS_LEAD);
    }
    return true;
  }

  // Relations that are paired: rows and columns, and the entries that may count them.
  struct Pairing {
    bool preds_lead;  // predictions are rows
    int n_rows, n_columns;
    const Id* ids;
    const Id* row_alone;
    const Id* column_alone;
  };

  // Decides between ways of equal worth. none: the worth without any pair.
  void decide(const Example& e, const Pairing& p, Worth none, const Search& search, Way& way) {
    const auto gold_of = [&](int k) { return p.preds_lead ? k % p.n_columns : k / p.n_columns; };
    const auto pred_of = [&](int k) { return p.preds_lead ? k / p.n_columns : k % p.n_columns; };
    const int n = p.n_rows * p.n_columns;
    if (search.worth[search.best] == none && add_nothing(p, search)) return;
    Tokens shared[FewRelations::MOST * FewRelations::MOST];
    for (int k = 0; k < n && plan_.by_content; ++k) shared[k] = tokens(e, gold_of(k), pred_of(k));
    ties_.decide(
        shared, p.n_rows, p.n_columns, p.ids, p.column_alone, search, way,
        [&] { return order(e, p.preds_lead); },
        [&](int k) { return meet(e, gold_of(k), pred_of(k)); });
  }

  // Returns whether no way of the best worth adds counts to those of the relations alone.
  bool add_nothing(const Pairing& p, const Search& search) const {
    if (!plan_.by_content || partner_ || traits_.token_sums) return false;
    for (int k = 0; k < search.n; ++k) {
      if (compare_worth(search.worth[k], search.worth[search.best])) continue;
      for (int r = 0; r < p.n_rows; ++r) {
        const auto c = static_cast<uint8_t>(search.ways[k][r]);
        const Id both[2] = {p.row_alone[r], p.column_alone[c]};
        if (!table_.adds_nothing(p.ids[r * p.n_columns + c], both[p.preds_lead],
                                 both[!p.preds_lead])) {
          return false;
        }
      }
    }
    return true;
  }

  // Orders the relations of an example as the general path does.
  FewOrder order(const Example& e, bool preds_are_rows) {
    Unpacked rows[2][FewRelations::MOST];
    const auto fill = [&](const Input& input, const FewRelations& few, bool is_gold) {
      members_[is_gold].clear();
      for (int i = 0; i < few.n; ++i) {
        Unpacked& own = rows[is_gold][i];
        const bool packed = !(few.kinds[i] & UNPACKED);
        if (packed) own = Unpacked(few.packed[i]);
        members_[is_gold].push_back(
            {packed ? Relation{own.rows, own.n} : relation(input, few, i), i});
      }
    };
    fill(gold_, e.gold, true);
    fill(pred_, e.pred, false);
    const bool gold_leads = order_members(members_[1], members_[0], plan_, AnySort());
    FewOrder order{gold_leads != preds_are_rows, {}, {}};
    int8_t k = 0;
    for (const Member& leader : members_[gold_leads]) {
      order.leaders[k++] = static_cast<int8_t>(leader.number);
    }
    k = 0;
    for (const Member& other : members_[!gold_leads]) order.ranks[other.number] = k++;
    return order;
  }

  // Counts the common tokens of a pair, role by role.
  Tokens tokens(const Example& e, int i, int j) const {
    Tokens shared;
    if ((e.gold.kinds[i] | e.pred.kinds[j]) & UNPACKED) {
      shared.of[0] = static_cast<int32_t>(
          overlap::common(relation(gold_, e.gold, i), relation(pred_, e.pred, j), plan_.n_roles()));
    } else {
      shared.add(e.gold.packed[i], e.pred.packed[j]);
    }
    return shared;
  }

  FC_INLINE void take(Id id, const Example& e, int i, int j) {
    if (partner_) {
      const bool disjoint = plan_.by_content && plan_.additive && !meet(e, i, j);
      partner_[e.gold.first + i] = disjoint ? -1 : e.pred.first + j;
    }
    if (id < Table::FIRST_PATTERN) return take_unpacked(id, e, i, j);
    choose(id, e);
    if (!traits_.token_sums) return;
    of_gold_[e.group].add(e.gold.packed[i], e.gold.packed[i]);
    of_pred_[e.group].add(e.pred.packed[j], e.pred.packed[j]);
    of_both_[e.group].add(e.gold.packed[i], e.pred.packed[j]);
    add_lengths(e, e.gold.kinds[i] | e.pred.kinds[j]);
  }

  FC_INLINE void take_alone(Id id, const Example& e, int i, bool is_gold) {
    const FewRelations& few = is_gold ? e.gold : e.pred;
    if (partner_ && is_gold) partner_[few.first + i] = -1;
    if (id < Table::FIRST_PATTERN) return take_unpacked(id, e, is_gold ? i : -1, is_gold ? -1 : i);
    choose(id, e);
    if (!traits_.token_sums) return;
    (is_gold ? of_gold_ : of_pred_)[e.group].add(few.packed[i], few.packed[i]);
    add_lengths(e, few.kinds[i]);
  }

  void take_unpacked(Id id, const Example& e, int i, int j) {
    table_.add_temporary(e.row, id, relation(gold_, e.gold, i), relation(pred_, e.pred, j),
                         e.length);
  }

  FC_INLINE void choose(Id id, const Example& e) {
    if (few_groups_) {
      table_.choose(id, e.group);
    } else {
      table_.add_to(e.row, id);
    }
  }

  void add_lengths(const Example& e, int roles) {
    const int64_t any = roles != 0;
    lengths_[e.group] += any * e.length;
    marked_[e.group] += any;
  }

  void flush_tokens() {
    for (int64_t group = 0; group < 2; ++group) {
      if (marked_[group]) flush_tokens(group, counts_ + group * plan_.n_fields);
    }
  }
  void flush_tokens(int64_t group, int64_t* row) {
    CountSink sink{row};
    for (int r = 0; r < 3; ++r) {
      const overlap::Marked sums{of_gold_[group].of[r], of_pred_[group].of[r],
                                 of_both_[group].of[r]};
      overlap::add_tokens(sums, lengths_[group], marked_[group], int64_t{overlap::N_FIELDS} * r,
                          sink);
    }
    of_gold_[group] = of_pred_[group] = of_both_[group] = Tokens();
    lengths_[group] = marked_[group] = 0;
  }

  bool meet(const Example& e, int i, int j) const {
    if ((e.gold.kinds[i] | e.pred.kinds[j]) & UNPACKED) {
      return fastcausal::meet(relation(gold_, e.gold, i), relation(pred_, e.pred, j));
    }
    return compare(e.gold.packed[i], e.pred.packed[j], Across::ALL) & MEETINGS;
  }
};

}  // namespace fastcausal

// Decides which of several ways with equal worth counts, for few relations.
#pragma once
#include <optional>

#include "content_order.hpp"
#include "fastcausal/first_best.h"
#include "patterns.hpp"

namespace fastcausal {

// Two sides that are paired, one of them in rows, and the entries that may count them.
struct Pairing {
  using Id = PatternTable::Id;
  const FewRelations& gold;
  const FewRelations& pred;
  bool preds_lead;  // predictions are rows
  int n_rows, n_columns;
  const Id* ids;  // of pairs
  const Id* column_alone;
  const Tokens* tokens;  // that pairs share, role by role, if they decide

  int gold_of(int k) const { return preds_lead ? k % n_columns : k / n_columns; }
  int pred_of(int k) const { return preds_lead ? k / n_columns : k % n_columns; }
};

class Ties {
 public:
  using Id = PatternTable::Id;

  // sums: token sums are needed besides patterns. partners: partners are needed.
  Ties(const Plan& plan, const PatternTable& table, bool sums, bool partners)
      : plan_(plan), table_(table), sums_(sums), partners_(partners) {}

  // Decides between the best ways, as the general path does. ids, column_alone: the entries that
  // may count the pairs and the columns alone. none: the worth without any pair.
  template <int R, int C>
  Way decide(const FewRelations& gold, const FewRelations& pred, const Id* ids,
             const Id* column_alone, Worth none, WaySearch<R, C>& search) {
    const Worth most = search.worth[search.best];
    const bool no_hit = plan_.official && !top_of(most);  // then the first way counts
    if (no_hit || (most == none && all_add_nothing(ids, R * C))) return search.ways[search.best];
    Tokens tokens[R * C];
    int32_t totals[R * C] = {};
    const Pairing pairing{gold, pred, pred.n <= gold.n, R, C, ids, column_alone, tokens};
    for (int k = 0; k < R * C && plan_.by_content; ++k) {
      tokens[k] = shared(gold, pairing.gold_of(k), pred, pairing.pred_of(k), plan_.n_roles());
      totals[k] = tokens[k].total();
    }
    search.prefer_shared(totals);
    return search.tied ? decide(pairing, search) : search.ways[search.best];
  }

 private:
  struct Member {
    Relation relation;
    int64_t number;
  };

  const Plan& plan_;
  const PatternTable& table_;
  const bool sums_, partners_;
  std::vector<Member> members_[2];  // relations of one example, gold second

  // Returns whether all ways count the same, because no pair adds to the counts of its relations
  // alone.
  FC_INLINE bool all_add_nothing(const Id* ids, int n) const {
    bool nothing = plan_.by_content && !partners_ && !sums_;
    for (int k = 0; k < n; ++k) nothing &= table_.adds_nothing(ids[k]);
    return nothing;
  }

  // Decides between ways that share as many tokens.
  Way decide(const Pairing& p, const Search& search) {
    if (plan_.official) return official(p, search);
    const Way& first = search.ways[search.best];
    bool alike = plan_.by_content && !partners_;
    for (int k = search.best + 1; k < search.n && alike; ++k) {
      alike = !search.is_best(k) || count_alike(first, search.ways[k], p);
    }
    if (alike) return first;
    const FewOrder leading = order(p);
    const bool need_tokens = plan_.by_content && plan_.additive;
    uint32_t edges = 0;  // pairs that may be chosen
    for (int k = 0; k < p.n_rows * p.n_columns; ++k) {
      const bool edge = !need_tokens || meet(p.gold, p.gold_of(k), p.pred, p.pred_of(k));
      edges |= uint32_t{edge} << k;
    }
    uint32_t lowest = ~uint32_t{0};
    int chosen = search.best;
    for (int k = search.best; k < search.n; ++k) {
      if (!search.is_best(k)) continue;
      const uint32_t place = leading.place(search.ways[k], p.n_rows, p.n_columns, edges);
      if (place >= lowest) continue;
      lowest = place;
      chosen = k;
    }
    return search.ways[chosen];
  }

  Way official(const Pairing& p, const Search& search) const {
    int32_t columns[FewRelations::MOST] = {};
    const auto errors_of = [&](int32_t r, int32_t c) {
      return table_.errors(r < 0 ? p.column_alone[c] : p.ids[r * p.n_columns + c]);
    };
    search_officially<FewRelations::MOST>(p.n_rows, p.n_columns, errors_of, columns);
    Way way = search.ways[search.best];
    for (int r = 0; r < FewRelations::MOST; ++r) way[r] = static_cast<int8_t>(columns[r]);
    return way;
  }

  // Returns whether two ways count the same.
  bool count_alike(const Way& a, const Way& b, const Pairing& p) const {
    if (counted(p, a) != counted(p, b)) return false;
    Tokens of_a, of_b;
    for (int r = 0; r < p.n_rows && sums_; ++r) {
      of_a.add(p.tokens[r * p.n_columns + a[r]]);
      of_b.add(p.tokens[r * p.n_columns + b[r]]);
    }
    return std::equal(of_a.of, of_a.of + ROLES, of_b.of);
  }

  // Returns the entries that a way counts, sorted: per column its pair, or the column alone.
  static std::array<Id, FewRelations::MOST> counted(const Pairing& p, const Way& way) {
    std::array<Id, FewRelations::MOST> of_way{};
    std::copy(p.column_alone, p.column_alone + p.n_columns, of_way.begin());
    for (int r = 0; r < p.n_rows; ++r) of_way[way[r]] = p.ids[r * p.n_columns + way[r]];
    std::sort(of_way.begin(), of_way.end());
    return of_way;
  }

  // Orders relations as the general path does.
  FewOrder order(const Pairing& p) {
    std::optional<AsRead> read[2][FewRelations::MOST];
    const auto fill = [&](const FewRelations& few, bool is_gold) {
      members_[is_gold].clear();
      for (int i = 0; i < few.n; ++i) {
        members_[is_gold].push_back({read[is_gold][i].emplace(few, i).relation, i});
      }
    };
    fill(p.gold, true);
    fill(p.pred, false);
    const bool gold_leads = order_members(members_[1], members_[0], plan_, AnySort());
    FewOrder order{gold_leads != p.preds_lead, {}, {}};
    int8_t k = 0;
    for (const Member& leader : members_[gold_leads]) {
      order.leaders[k++] = static_cast<int8_t>(leader.number);
    }
    k = 0;
    for (const Member& other : members_[!gold_leads]) order.ranks[other.number] = k++;
    return order;
  }
};

}  // namespace fastcausal

// Decides which of several ways with equal worth counts, for few relations.
#pragma once
#include <optional>

#include "engine/content_order.hpp"
#include "engine/patterns.hpp"
#include "fastcausal/first_best.h"

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
  Worth none;  // worth without any pair

  int pair(const Way& way, int row) const { return row * n_columns + way[row]; }
  int gold_of(int pair) const { return preds_lead ? pair % n_columns : pair / n_columns; }
  int pred_of(int pair) const { return preds_lead ? pair / n_columns : pair % n_columns; }
};

// Decides between ways of equal worth.
class Ties {
 public:
  using Id = PatternTable::Id;

  // sums: token sums are needed besides patterns. partners: partners are needed.
  Ties(const Plan& plan, const PatternTable& table, bool sums, bool partners)
      : plan_(plan), table_(table), sums_(sums), partners_(partners) {}

  // Decides between the best ways, as the general path does.
  Way decide(const Pairing& p, const Search& search) {
    const Worth most = search.worth[search.best];
    const Way& first = search.ways[search.best];
    if (plan_.official) return top_of(most) ? official(p) : first;
    if (most == p.none && all_add_nothing(p)) return first;
    find_equal(p, search);
    return equal_.size() == 1 || all_count_alike(p) ? equal_[0] : first_in_order(p);
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
  std::vector<Way> equal_;          // the best ways with most shared tokens

  // Returns whether all ways count the same, because no pair adds to the counts of its relations
  // alone.
  bool all_add_nothing(const Pairing& p) const {
    bool nothing = plan_.by_content && !partners_ && !sums_;
    for (int k = 0; k < p.n_rows * p.n_columns; ++k) nothing &= table_.adds_nothing(p.ids[k]);
    return nothing;
  }

  void find_equal(const Pairing& p, const Search& search) {
    int64_t of_pairs[FewRelations::MOST * FewRelations::MOST] = {};
    for (int k = 0; k < p.n_rows * p.n_columns && plan_.by_content; ++k) {
      of_pairs[k] = shared(p.gold, p.gold_of(k), p.pred, p.pred_of(k), plan_.n_roles());
    }
    int64_t most = -1;
    for (int k = search.best; k < search.n; ++k) {
      if (!search.is_best(k)) continue;
      int64_t own = 0;
      for (int r = 0; r < p.n_rows; ++r) own += of_pairs[p.pair(search.ways[k], r)];
      if (own < most) continue;
      if (own > most) equal_.clear();
      most = own;
      equal_.push_back(search.ways[k]);
    }
  }

  bool all_count_alike(const Pairing& p) const {
    return plan_.by_content && !partners_ &&
           std::all_of(equal_.begin() + 1, equal_.end(),
                       [&](const Way& way) { return count_alike(equal_[0], way, p); });
  }

  Way first_in_order(const Pairing& p) {
    const FewOrder leading = order(p);
    uint32_t edges = 0;  // pairs that may be chosen
    for (int k = 0; k < p.n_rows * p.n_columns; ++k) {
      edges |= uint32_t{may_pair(p.gold, p.gold_of(k), p.pred, p.pred_of(k), plan_)} << k;
    }
    const auto place = [&](const Way& way) {
      return leading.place(way, p.n_rows, p.n_columns, edges);
    };
    return *std::min_element(equal_.begin(), equal_.end(),
                             [&](const Way& a, const Way& b) { return place(a) < place(b); });
  }

  Way official(const Pairing& p) const {
    int32_t columns[FewRelations::MOST] = {};
    const auto errors_of = [&](int32_t r, int32_t c) {
      return table_.errors(r < 0 ? p.column_alone[c] : p.ids[r * p.n_columns + c]);
    };
    search_officially<FewRelations::MOST>(p.n_rows, p.n_columns, errors_of, columns);
    Way way{};
    uint32_t taken = 0;
    for (int r = 0; r < p.n_rows; ++r) {
      way[r] = static_cast<int8_t>(columns[r]);
      taken |= 1u << columns[r];
    }
    add_left(way, p.n_rows, p.n_columns, taken);
    return way;
  }

  // Returns whether two ways count the same.
  bool count_alike(const Way& a, const Way& b, const Pairing& p) const {
    if (counted(p, a) != counted(p, b)) return false;
    Tokens of_a, of_b;
    for (int r = 0; r < p.n_rows && sums_; ++r) {
      add_shared_of(p, p.pair(a, r), of_a);
      add_shared_of(p, p.pair(b, r), of_b);
    }
    return std::equal(of_a.of, of_a.of + ROLES, of_b.of);
  }

  static void add_shared_of(const Pairing& p, int pair, Tokens& tokens) {
    add_shared(p.gold, p.gold_of(pair), p.pred, p.pred_of(pair), tokens);
  }

  // Returns the entries that a way counts, sorted: per column its pair, or the column alone.
  static std::array<Id, FewRelations::MOST> counted(const Pairing& p, const Way& way) {
    std::array<Id, FewRelations::MOST> of_way{};
    std::copy(p.column_alone, p.column_alone + p.n_columns, of_way.begin());
    for (int r = 0; r < p.n_rows; ++r) of_way[way[r]] = p.ids[p.pair(way, r)];
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

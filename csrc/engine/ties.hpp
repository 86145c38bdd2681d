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

  int pair(const Way& way, int row) const { return row * n_columns + way[row]; }
  int gold_of(int pair) const { return preds_lead ? pair % n_columns : pair / n_columns; }
  int pred_of(int pair) const { return preds_lead ? pair / n_columns : pair % n_columns; }
};

// Decides between ways of equal worth.
class Ties {
 public:
  using Id = PatternTable::Id;

  Ties(const Plan& plan, const PatternTable& table) : plan_(plan), table_(table) {}

  // Decides between the best ways, as the general path does.
  Way decide(const Pairing& p, const Search& search) {
    const Worth most = search.worth[search.best];
    const Way& first = search.ways[search.best];
    if (plan_.official) return top_of(most) ? official(p) : first;
    find_equal(p, search);
    return equal_.size() == 1 ? equal_[0] : first_in_order(p);
  }

 private:
  struct Member {
    Relation relation;
    int64_t number;
  };

  const Plan& plan_;
  const PatternTable& table_;
  std::vector<Member> members_[2];  // relations of one example, gold second
  std::vector<Way> equal_;          // the best ways with most shared tokens

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

// Decides which of several ways with equal worth counts, for few relations.
#pragma once
#include "content_order.hpp"
#include "official_search.hpp"
#include "patterns.hpp"

namespace fastcausal {

struct Ties {
  using Id = PatternTable::Id;

  const Plan& plan;
  const PatternTable& table;
  bool sums;      // token sums are needed besides patterns
  bool partners;  // partners are needed

  // Decides between equal ways, as the general path does. tokens: shared by each pair, zero unless
  // they decide. order() returns the FewOrder of the relations, meets(r, c) whether a row and a
  // column share a token.
  template <class Order, class Meets>
  void decide(const Tokens* tokens, int n_rows, int n_columns, const Id* ids, const Id* alone,
              const Search& search, Way& way, const Order& order, const Meets& meets) const {
    if (plan.official) {
      int32_t columns[FewRelations::MOST] = {};
      OfficialSearch(n_rows, n_columns, [&](int64_t r, int64_t c) {
        return table.errors(r < 0 ? alone[c] : ids[r * n_columns + c]);
      }).solve(columns);
      for (int r = 0; r < FewRelations::MOST; ++r) way[r] = static_cast<int8_t>(columns[r]);
      return;
    }
    const Worth best = search.worth[search.best];
    Tokens most;
    int32_t n_most = -1;
    bool alike = plan.by_content;
    std::array<Id, FewRelations::MOST> chosen{};
    std::array<int8_t, Search::MOST> candidates{};
    int n_candidates = 0;
    for (int k = 0; k < search.n; ++k) {
      if (compare_worth(search.worth[k], best)) continue;
      Tokens shared;
      for (int64_t r = 0; r < n_rows; ++r) {
        shared.add(tokens[r * n_columns + search.ways[k][r]]);
      }
      const int32_t n = shared.total();
      if (n < n_most) continue;
      if (n > n_most) n_candidates = 0;
      candidates[n_candidates++] = static_cast<int8_t>(k);
      const std::array<Id, FewRelations::MOST> of_way =
          counted(n_rows, n_columns, ids, alone, search.ways[k]);
      if (n == n_most) {
        alike = alike && !partners && of_way == chosen && same_sums(shared, most);
        continue;
      }
      n_most = n;
      most = shared;
      chosen = of_way;
      alike = plan.by_content;
      way = search.ways[k];
    }
    if (alike || n_candidates == 1) return;
    const FewOrder leading = order();
    const bool need_tokens = plan.by_content && plan.additive;
    uint32_t edges = 0;  // pairs that may be chosen
    for (int k = 0; k < n_rows * n_columns; ++k) {
      const bool edge = !need_tokens || meets(k / n_columns, k % n_columns);
      edges |= uint32_t{edge} << k;
    }
    uint32_t first = ~uint32_t{0};
    for (int k = 0; k < n_candidates; ++k) {
      const Way& candidate = search.ways[candidates[k]];
      const uint32_t place = leading.place(candidate, n_rows, n_columns, edges);
      if (place >= first) continue;
      first = place;
      way = candidate;
    }
  }

 private:
  bool same_sums(const Tokens& a, const Tokens& b) const {
    return !sums || std::equal(a.of, a.of + 3, b.of);
  }

  // Returns the entries that a way counts, sorted: per column its pair, or the column alone.
  static std::array<Id, FewRelations::MOST> counted(int64_t n_rows, int64_t n_columns,
                                                    const Id* ids, const Id* alone,
                                                    const Way& way) {
    std::array<Id, FewRelations::MOST> of_way{};
    std::copy(alone, alone + n_columns, of_way.begin());
    for (int64_t r = 0; r < n_rows; ++r) of_way[way[r]] = ids[r * n_columns + way[r]];
    std::sort(of_way.begin(), of_way.end());
    return of_way;
  }
};

}  // namespace fastcausal

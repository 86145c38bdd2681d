// Decides which of several ways with equal worth counts, for few relations.
#pragma once
#include "content_order.hpp"
#include "fastcausal/first_best.h"
#include "patterns.hpp"

namespace fastcausal {

struct Ties {
  using Id = PatternTable::Id;

  const Plan& plan;
  const PatternTable& table;
  bool sums;      // token sums are needed besides patterns
  bool partners;  // partners are needed

  // Decides between equal ways, as the general path does. tokens: shared by each pair, zero unless
  // they decide. order() returns the FewOrder of the relations, meets(k) whether a pair shares a
  // token.
  template <class Order, class Meets>
  void decide(const Tokens* tokens, int n_rows, int n_columns, const Id* ids, const Id* alone,
              const Search& search, Way& way, const Order& order, const Meets& meets) const {
    if (plan.official) {
      int32_t columns[FewRelations::MOST] = {};
      const auto errors_of = [&](int32_t r, int32_t c) {
        return table.errors(r < 0 ? alone[c] : ids[r * n_columns + c]);
      };
      search_officially<FewRelations::MOST>(n_rows, n_columns, errors_of, columns);
      for (int r = 0; r < FewRelations::MOST; ++r) way[r] = static_cast<int8_t>(columns[r]);
      return;
    }
    std::array<int8_t, Search::MOST> candidates{};
    int n_candidates = 0;
    int32_t n_most = -1;
    for (int k = 0; k < search.n; ++k) {
      if (compare_worth(search.worth[k], search.worth[search.best])) continue;
      int32_t n = 0;
      for (int r = 0; r < n_rows; ++r) n += shared_of(tokens, n_columns, search.ways[k], r).total();
      if (n < n_most) continue;
      if (n > n_most) n_candidates = 0;
      n_most = n;
      candidates[n_candidates++] = static_cast<int8_t>(k);
    }
    way = search.ways[candidates[0]];
    if (n_candidates == 1) return;
    bool alike = plan.by_content && !partners;
    for (int k = 1; k < n_candidates && alike; ++k) {
      alike = count_alike(way, search.ways[candidates[k]], tokens, n_rows, n_columns, ids, alone);
    }
    if (alike) return;
    const FewOrder leading = order();
    const bool need_tokens = plan.by_content && plan.additive;
    uint32_t edges = 0;  // pairs that may be chosen
    for (int k = 0; k < n_rows * n_columns; ++k) {
      const bool edge = !need_tokens || meets(k);
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
  static const Tokens& shared_of(const Tokens* tokens, int n_columns, const Way& way, int row) {
    return tokens[row * n_columns + way[row]];
  }

  // Returns whether two ways count the same.
  bool count_alike(const Way& a, const Way& b, const Tokens* tokens, int n_rows, int n_columns,
                   const Id* ids, const Id* alone) const {
    if (counted(n_rows, n_columns, ids, alone, a) != counted(n_rows, n_columns, ids, alone, b)) {
      return false;
    }
    Tokens of_a, of_b;
    for (int r = 0; r < n_rows && sums; ++r) {
      of_a.add(shared_of(tokens, n_columns, a, r));
      of_b.add(shared_of(tokens, n_columns, b, r));
    }
    return std::equal(of_a.of, of_a.of + 3, of_b.of);
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

// Decides which of several ways with equal worth counts, for few relations.
#pragma once
#include "official_search.hpp"
#include "patterns.hpp"

namespace fastcausal {

struct Ties {
  using Id = PatternTable::Id;

  const Plan& plan;
  const PatternTable& table;
  bool sums;      // token sums are needed besides patterns
  bool partners;  // partners are needed

  // Decides between equal ways. Returns false if their counts differ, or their needed partners.
  bool decide(const Tokens* tokens, int n_rows, int n_columns, const Id* ids, const Id* alone,
              const Search& search, Way& way) const {
    if (plan.official) {
      int32_t columns[FewRelations::MOST] = {};
      OfficialSearch(n_rows, n_columns, [&](int64_t r, int64_t c) {
        return table.errors(r < 0 ? alone[c] : ids[r * n_columns + c]);
      }).solve(columns);
      for (int r = 0; r < FewRelations::MOST; ++r) way[r] = static_cast<int8_t>(columns[r]);
      return true;
    }
    if (!plan.by_content) return false;
    const Worth best = search.worth[search.best];
    Tokens most;
    int32_t n_most = -1;
    bool alike = true;
    std::array<Id, FewRelations::MOST> chosen{};
    for (int k = 0; k < search.n; ++k) {
      if (compare_worth(search.worth[k], best)) continue;
      Tokens shared;
      for (int64_t r = 0; r < n_rows; ++r) {
        shared.add(tokens[r * n_columns + search.ways[k][r]]);
      }
      const int32_t n = shared.total();
      if (n < n_most) continue;
      const std::array<Id, FewRelations::MOST> of_way =
          counted(n_rows, n_columns, ids, alone, search.ways[k]);
      if (n == n_most) {
        alike = alike && !partners && of_way == chosen && same_sums(shared, most);
        continue;
      }
      n_most = n;
      most = shared;
      chosen = of_way;
      alike = true;
      way = search.ways[k];
    }
    return alike;
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

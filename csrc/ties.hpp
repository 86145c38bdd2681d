// Ways to pair few relations that are worth the same: which of them counts.
#pragma once
#include "patterns.hpp"

namespace fastcausal {

struct Ties {
  using Id = PatternTable::Id;

  const Plan& plan;
  const PatternTable& table;
  bool sums;      // tokens are added up beside patterns
  bool partners;  // they are asked for

  // Decides between equal ways; false where their counts, or partners that are asked for, differ.
  bool decide(const Few& rows, int n_rows, const Few& columns, int n_columns, const Id* ids,
              const Id* alone, Search& search) const {
    if (plan.official) {
      first_official(n_rows, n_columns, ids, alone, search);
      return true;
    }
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
        alike = alike && !partners && of_way == chosen && same_sums(shared, most);
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

 private:
  bool same_sums(const Tokens& a, const Tokens& b) const {
    return !sums || std::equal(a.of, a.of + 3, b.of);
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
          if (id) sum = sum.plus(table.errors(id));
        }
        return sum;
      };
      if (more > 0 || errors(k).f1() > errors(search.best).f1()) search.best = k;
    }
  }
};

}  // namespace fastcausal

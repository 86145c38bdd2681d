// Pairs one example with at most MOST_RELATIONS per side by the kernel itself.
//
//   read ── lists both sides
//   pair ── weighs every pair by the kernel, then finds the best pairing
//   each ── calls a function for each chosen pair
//
// The order of relations and the choice between equal pairings are those of the host.
#pragma once
#include "content_order.h"
#include "first_best.h"

namespace fastcausal {

class FewRows {
 public:
  // Returns false if relations are too many or too large.
  FC_HD bool read(const Side& gold, const Side& pred, int64_t example, const Plan& plan) {
    const int64_t n_gold = gold.n_relations(example);
    const int64_t n_pred = plan.n_counted(n_gold, pred.n_relations(example));
    return golds_.read(gold, gold.relation_offsets[example], n_gold) &&
           preds_.read(pred, pred.relation_offsets[example], n_pred);
  }

  // weigh(gold, pred) returns a WorthSink. A relation that is missing is null.
  // Returns false if numbers are too large.
  template <class Weigh>
  FC_HD bool pair(const Plan& plan, const Weigh& weigh) {
    if (pair_unweighed(plan)) return true;
    gold_leads_ = order_members(golds_, preds_, plan, FewSort());
    const int32_t n_rows = rows().n;
    const int32_t n_columns = columns().n;
    if (!plan.official || n_rows > n_columns) return pair_by_worth(plan, weigh);
    const auto errors_of = [&](int32_t i, int32_t j) { return weigh_pair(i, j, weigh).errors(); };
    search_officially<MOST>(n_rows, n_columns, errors_of, column_of_);
    return true;
  }

  // Calls use(gold, pred) for each pair and each relation alone, beside an empty one.
  template <class Use>
  FC_HD void each(const Use& use) const {
    each_member([&](const Member* gold, const Member* pred) {
      use(gold ? gold->relation : Relation(), pred ? pred->relation : Relation());
    });
  }

  // Sets the predicted partner of each gold relation, or -1.
  FC_HD void write_partners(const Plan& plan, int64_t* partner) const {
    each_member([&](const Member* gold, const Member* pred) {
      if (!gold) return;
      const bool paired = pred && may_pair(gold->relation, pred->relation, plan);
      partner[gold->number] = paired ? pred->number : -1;
    });
  }

 private:
  static constexpr int MOST = MOST_RELATIONS;

  struct Member {
    Relation relation;
    int64_t number;
  };

  // The relations of one side.
  struct Members {
    Member all[MOST];
    int32_t n;

    FC_HD bool read(const Side& side, int64_t first, int64_t n_relations) {
      if (n_relations > MOST) return false;
      n = static_cast<int32_t>(n_relations);
      for (int32_t k = 0; k < n; ++k) {
        all[k] = {side.relation(first + k), first + k};
        if (all[k].relation.n > MOST_SPANS) return false;
      }
      return true;
    }
    FC_HD size_t size() const { return static_cast<size_t>(n); }
    FC_HD const Member& operator[](size_t k) const { return all[k]; }
  };

  struct FewSort {
    template <class Before>
    FC_HD void operator()(Members& members, const Before& before) const {
      for (int32_t k = 1; k < members.n; ++k) {
        const Member own = members.all[k];
        int32_t at = k;
        for (; at > 0 && before(own, members.all[at - 1]); --at) {
          members.all[at] = members.all[at - 1];
        }
        members.all[at] = own;
      }
    }
  };

  Members golds_, preds_;
  bool gold_leads_ = false;
  int32_t column_of_[MOST];  // of each row, or -1

  FC_HD const Members& rows() const { return gold_leads_ ? golds_ : preds_; }
  FC_HD const Members& columns() const { return gold_leads_ ? preds_ : golds_; }

  // Members are null where they are missing.
  template <class Use>
  FC_HD void each_member(const Use& use) const {
    uint32_t taken = 0;
    for (int32_t k = 0; k < rows().n + columns().n; ++k) {
      const bool is_row = k < rows().n;
      const int32_t j = is_row ? column_of_[k] : k - rows().n;
      if (!is_row && (taken >> j & 1)) continue;
      if (is_row && j >= 0) taken |= uint32_t{1} << j;
      const Member* row = is_row ? &rows().all[k] : nullptr;
      const Member* column = j < 0 ? nullptr : &columns().all[j];
      use(gold_leads_ ? row : column, gold_leads_ ? column : row);
    }
  }

  // Pairs relations without weighing them. Returns false if that needs their worth.
  FC_HD bool pair_unweighed(const Plan& plan) {
    column_of_[0] = 0;
    if (golds_.n && preds_.n) return golds_.n == 1 && preds_.n == 1 && plan.never_costs;
    for (int32_t i = 0; i < MOST; ++i) column_of_[i] = -1;
    return true;
  }

  // Weighs a row and a column, or one of them alone.
  template <class Weigh>
  FC_HD WorthSink weigh_pair(int32_t i, int32_t j, const Weigh& weigh) const {
    const Relation row = i < 0 ? Relation() : rows().all[i].relation;
    const Relation column = j < 0 ? Relation() : columns().all[j].relation;
    return gold_leads_ ? weigh(row, column) : weigh(column, row);
  }

  // Fills the gains of pairs over both relations alone.
  template <class Weigh>
  FC_HD void fill_gains(AllWays<Value, MOST>& all, const Plan& plan, const Weigh& weigh) const {
    for (int32_t i = 0; i < all.n_rows; ++i) {
      all.edges[i] = 0;
      for (int32_t j = 0; j < all.n_columns; ++j) {
        const Relation& row = rows().all[i].relation;
        const Relation& column = columns().all[j].relation;
        if (!may_pair(row, column, plan)) continue;
        all.edges[i] |= uint32_t{1} << j;
        all.cells[i][j] = weigh_pair(i, j, weigh).value();
        all.cells[i][j].shared = shared_of(row, column, plan);
      }
    }
    all.none = {0, 0, 0};
    for (int32_t k = 0; k < all.n_rows + all.n_columns; ++k) {
      const int32_t i = k < all.n_rows ? k : -1;
      const int32_t j = i < 0 ? k - all.n_rows : -1;
      const Value alone = weigh_pair(i, j, weigh).value();
      all.none = all.none.plus(alone);
      for (int32_t other = 0; other < MOST; ++other) {
        Value& cell = i < 0 ? all.cells[other][j] : all.cells[i][other];
        cell = cell.minus(alone);
      }
    }
    if (plan.linear) all.none.denominator = 1;
  }

  template <class Weigh>
  FC_HD bool pair_by_worth(const Plan& plan, const Weigh& weigh) {
    AllWays<Value, MOST> all{{0, 0, 0}, {}, {}, rows().n, columns().n, false};
    fill_gains(all, plan, weigh);
    if (all.n_rows > ALL_TRIED || all.n_columns > ALL_TRIED) {  // the host may refuse large numbers
      bool small = is_small(all.none);
      for (int32_t k = 0; k < MOST * MOST; ++k) small &= is_small(all.cells[k / MOST][k % MOST]);
      if (!small) return false;
    }
    all.solve(BetterValue(), column_of_);
    return true;
  }

  FC_HD static bool is_small(const Value& value) {
    return value.numerator > -MOST_WORTH && value.numerator < MOST_WORTH &&
           value.denominator > -MOST_WORTH && value.denominator < MOST_WORTH;
  }
};

}  // namespace fastcausal

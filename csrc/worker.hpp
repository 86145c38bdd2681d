// One example of any number of relations: ordered, its edges filled, assigned, counted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <numeric>
#include <vector>

#include "assign.hpp"
#include "fastcausal/single.h"
#include "official_search.hpp"
#include "patterns.hpp"
#include "stop.hpp"

namespace fastcausal {

// Pairs that are compared at most: minutes at the worst.
constexpr int64_t MOST_EDGES = int64_t{1} << 22;          // of relations, in an example
constexpr int64_t MOST_SPAN_PAIRS = int64_t{1} << 32;     // of spans, in an example
constexpr int64_t MOST_SPANS_OF_PAIR = int64_t{1} << 26;  // of spans, in a pair or few relations

// The exception that ends the pairing of an example that is too large.
struct TooLarge : std::exception {
  explicit TooLarge(int64_t example_) : example(example_) {}
  int64_t example;
};

template <class Pair>
class Worker {
 public:
  Worker(const Side& gold, const Side& pred, const int32_t* lengths, const Plan& plan,
         const Pair& pair, Steps& steps)
      : gold_(gold), pred_(pred), lengths_(lengths), plan_(plan), pair_(pair), steps_(steps) {}

  // Looks up what pairs of many relations are worth from here on, where patterns tell it.
  void look_up(PatternTable& table, const Looks& looks) {
    if (plan_.official) return;  // its patterns are worth what the official search asks for
    table_ = &table;
    looks_ = looks;
  }

  // Adds the counts of the chosen pairs to counts; partner[g], where wanted, is the predicted
  // relation of gold relation g, or -1.
  void run(int64_t example, int64_t* partner, int64_t* counts) {
    CountSink sink{counts};
    length_ = lengths_[example];
    const int64_t n = std::max(gold_.n_relations(example), pred_.n_relations(example));
    if (n <= OfficialSearch::MOST) {  // else fill_edges looks at each pair
      const int64_t spans = n_rows(gold_, example) * n_rows(pred_, example);
      if (spans > MOST_SPANS_OF_PAIR) throw TooLarge(example);
      steps_.took(8 * spans);
    }
    if (run_single(pair_, gold_, pred_, example, length_, plan_, partner, sink)) return;
    const int64_t gold_from = gold_.relation_offsets[example];
    const int64_t pred_from = pred_.relation_offsets[example];
    const int64_t n_gold = gold_.n_relations(example);
    const int64_t n_pred = plan_.n_counted(n_gold, pred_.n_relations(example));
    fill(golds_, gold_, gold_from, n_gold);
    fill(preds_, pred_, pred_from, n_pred);
    pred_of_.assign(n_gold, -1);
    paired_.assign(n_pred, 0);
    if (n_gold && n_pred) assign(example);
    for (int64_t i = 0; i < n_gold; ++i) {
      const int64_t j = pred_of_[i];
      if (j >= 0) paired_[j] = 1;
      if (partner) partner[gold_from + i] = j < 0 ? -1 : pred_from + j;
      pair_(golds_[i], j < 0 ? Relation() : preds_[j], length_, plan_.params, sink);
    }
    for (int64_t j = 0; j < n_pred; ++j) {
      if (!paired_[j]) pair_({}, preds_[j], length_, plan_.params, sink);
    }
  }

 private:
  struct Member {
    const Relation* relation;
    Value alone;
    Extent extent;
    bool folded;
    Record packed;
    Kind kind;  // ODD: it is not packed
  };

  const Side& gold_;
  const Side& pred_;
  const int32_t* lengths_;
  const Plan& plan_;
  const Pair& pair_;
  Steps& steps_;
  PatternTable* table_ = nullptr;
  Looks looks_;
  int64_t length_ = 0;
  std::vector<Relation> golds_, preds_;
  std::vector<int64_t> pred_of_;
  std::vector<char> paired_;
  // Rows and columns of the assignment: numbers of relations, and what is known of each alone.
  std::vector<int64_t> rows_, columns_;
  std::vector<Member> row_members_, column_members_;
  std::vector<Edge> edges_;
  std::vector<int64_t> edge_offsets_;
  std::vector<int32_t> column_of_;
  Assignment assignment_;

  static int64_t n_rows(const Side& side, int64_t example) {
    return side.row_offsets[side.relation_offsets[example + 1]] -
           side.row_offsets[side.relation_offsets[example]];
  }

  static void fill(std::vector<Relation>& relations, const Side& side, int64_t from, int64_t n) {
    relations.clear();
    for (int64_t i = 0; i < n; ++i) relations.push_back(side.relation(from + i));
  }

  // Ties by content: relations are sorted by their spans and the smaller side leads, so neither the
  // order in a file nor the choice of gold and pred matters. Else predictions lead, in file order.
  void assign(int64_t example) {
    const int64_t n_gold = static_cast<int64_t>(golds_.size());
    const int64_t n_pred = static_cast<int64_t>(preds_.size());
    bool gold_leads = false;
    rows_.resize(n_pred);
    columns_.resize(n_gold);
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
    if (plan_.by_content) {
      if (std::max(n_gold, n_pred) <= Assignment::FEW && pair_without_ties(example)) return;
      sort_by_content(golds_, columns_);
      sort_by_content(preds_, rows_);
      gold_leads = compare(golds_, columns_, preds_, rows_) <= 0;
      if (gold_leads) std::swap(rows_, columns_);
    } else if (plan_.official && n_pred <= n_gold && n_gold <= OfficialSearch::MOST) {
      column_of_.resize(n_pred);
      OfficialSearch(pair_, golds_.data(), n_gold, preds_.data(), n_pred, length_, plan_)
          .solve(column_of_.data());
      return write(gold_leads);
    }
    fill_edges(example, gold_leads, true);
    solve(example);
    write(gold_leads);
  }

  // A single best pairing that leaves no pair over is the best by any rule; false: there is none.
  bool pair_without_ties(int64_t example) {
    fill_edges(example, false, false);
    solve(example);
    const auto left = std::count(column_of_.begin(), column_of_.end(), -1);
    const bool paired = !left || rows_.size() - static_cast<size_t>(left) == columns_.size();
    if (!paired || !assignment_.unique()) return false;
    write(false);
    return true;
  }

  void solve(int64_t example) {
    column_of_.resize(rows_.size());
    if (!assignment_.solve(edges_, edge_offsets_, static_cast<int64_t>(columns_.size()),
                           total_alone(), plan_.linear, steps_, column_of_.data())) {
      throw TooLarge(example);
    }
  }

  void write(bool gold_leads) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (column_of_[i] < 0) continue;
      const int64_t other = columns_[column_of_[i]];
      if (gold_leads) {
        pred_of_[rows_[i]] = other;
      } else {
        pred_of_[other] = rows_[i];
      }
    }
  }

  static int compare(const std::vector<Relation>& a, const std::vector<int64_t>& x,
                     const std::vector<Relation>& b, const std::vector<int64_t>& y) {
    for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
      if (const int order = a[x[k]].compare(b[y[k]])) return order;
    }
    return x.size() < y.size() ? -1 : x.size() > y.size();
  }

  static void sort_by_content(const std::vector<Relation>& relations, std::vector<int64_t>& order) {
    std::sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
      const int order_of_content = relations[x].compare(relations[y]);
      return order_of_content ? order_of_content < 0 : x < y;
    });
  }

  // Collects what is known of each relation alone.
  void look_at(const std::vector<int64_t>& numbers, bool is_gold,
               std::vector<Member>& members) const {
    members.clear();
    for (const int64_t k : numbers) {
      const Relation& own = is_gold ? golds_[k] : preds_[k];
      Member member{&own, {0, 0, 0}, Extent(own), own.folded(), {}, ODD};
      PatternTable::Id id = PatternTable::NONE;
      if (table_) member.kind = pack_plainly(own.rows, own.n, looks_, member.packed);
      if (member.kind != ODD) id = table_->alone(is_gold, member.kind, member.packed, length_);
      member.alone = id != PatternTable::NONE ? value_of(id)
                     : is_gold                ? worth(own, {})
                                              : worth({}, own);
      members.push_back(member);
    }
  }

  // ties: with what decides between equal pairings; else without pairs that add nothing.
  void fill_edges(int64_t example, bool gold_leads, bool ties) {
    look_at(rows_, gold_leads, row_members_);
    look_at(columns_, !gold_leads, column_members_);
    edges_.clear();
    edge_offsets_.assign(1, 0);
    int64_t n_spans = 0;
    for (const Member& row : row_members_) {
      steps_.took(static_cast<int64_t>(columns_.size()));
      for (size_t j = 0; j < columns_.size(); ++j) {
        const Member& gold = gold_leads ? row : column_members_[j];
        const Member& pred = gold_leads ? column_members_[j] : row;
        if (plan_.by_content && plan_.additive && !gold.extent.meets(pred.extent)) continue;
        const int64_t spans = gold.relation->n * pred.relation->n;
        n_spans += spans;
        if (spans > MOST_SPANS_OF_PAIR || n_spans > MOST_SPAN_PAIRS) throw TooLarge(example);
        steps_.took(8 * spans + 50);
        Value value{0, 0, 0};
        if (!gain(gold, pred, ties, value)) continue;
        if (!ties && !value.numerator && !value.denominator) continue;
        edges_.push_back({static_cast<int32_t>(j), value});
      }
      edge_offsets_.push_back(static_cast<int64_t>(edges_.size()));
      if (edge_offsets_.back() > MOST_EDGES) throw TooLarge(example);
    }
  }

  // Finds what pairing two relations adds; false: they are not to be paired.
  bool gain(const Member& gold, const Member& pred, bool ties, Value& value) {
    if (!((gold.kind | pred.kind) & ODD)) {
      const bool meet = fastcausal::compare(gold.packed, pred.packed, Across::ALL) & MEETINGS;
      if (plan_.additive && !meet) return false;
      const uint64_t key = key_of(fastcausal::compare(gold.packed, pred.packed, looks_.across),
                                  gold.kind, pred.kind, looks_);
      const PatternTable::Id id =
          table_->pair(key, gold.packed, gold.kind, pred.packed, pred.kind, length_);
      if (id != PatternTable::NONE) {
        Tokens shared;
        if (ties) shared.add(gold.packed, pred.packed);
        value = value_of(id);
        value.shared = shared.of[0] + shared.of[1] + shared.of[2];
        return true;
      }
    }
    int64_t shared = 0;
    if (plan_.by_content && ties) {
      const Meeting met(*gold.relation, *pred.relation);
      if (plan_.additive && !met.any) return false;
      shared = met.same_role;
      if (gold.folded || pred.folded) shared = masked_tokens(*gold.relation, *pred.relation);
    }
    value = worth(*gold.relation, *pred.relation);
    value = value.minus(gold.alone).minus(pred.alone);
    value.shared = shared;
    return true;
  }

  Value value_of(PatternTable::Id id) const {
    return {top_of(table_->worth(id)), bottom_of(table_->worth(id)), 0};
  }

  // The objective of one pair.
  Value worth(const Relation& gold, const Relation& pred) const {
    ObjectiveSink sink(plan_);
    pair_(gold, pred, length_, plan_.params, sink);
    return sink.value;
  }

  // Counts tokens of the same role that both mark, where spans of a role overlap.
  int64_t masked_tokens(const Relation& gold, const Relation& pred) const {
    int64_t total = 0;
    for (int32_t role = 0; role < plan_.n_roles(); ++role) {
      total += overlap::marked(gold, pred, role).common;
    }
    return total;
  }

  Value total_alone() const {
    Value total{0, 0, 0};
    for (const auto* side : {&row_members_, &column_members_}) {
      for (const Member& member : *side) total = total.plus(member.alone);
    }
    if (plan_.linear) total.denominator = 1;
    return total;
  }
};

}  // namespace fastcausal

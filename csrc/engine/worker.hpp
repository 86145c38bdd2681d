// Counts one example with any number of relations: sorts them, fills edges, assigns, counts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <vector>

#include "arrays/stop.hpp"
#include "engine/assign.hpp"
#include "engine/content_order.hpp"
#include "engine/patterns.hpp"
#include "fastcausal/first_best.h"

namespace fastcausal {

// Limits on the number of compared pairs. The largest examples take minutes.
constexpr int64_t MOST_EDGES = int64_t{1} << 22;          // of relations, in an example
constexpr int64_t MOST_SPAN_PAIRS = int64_t{1} << 32;     // of spans, in an example
constexpr int64_t MOST_SPANS_OF_PAIR = int64_t{1} << 26;  // of spans, in a pair or in few relations

// The exception that ends the pairing of an example that is too large.
struct TooLarge : std::exception {
  explicit TooLarge(int64_t example_) : example(example_) {}
  int64_t example;
  const char* what() const noexcept override { return "an example is too large"; }
};

template <class Pair>
class Worker {
 public:
  Worker(const Side& gold, const Side& pred, const int32_t* lengths, const Plan& plan,
         const Pair& pair, CostMeter& meter)
      : gold_(gold), pred_(pred), lengths_(lengths), plan_(plan), pair_(pair), meter_(meter) {}

  // Looks counts up in a table of patterns from here on.
  void use_patterns(PatternTable& table, const KernelTraits& traits) {
    table_ = &table;
    traits_ = traits;
  }

  // Adds the counts of the chosen pairs. Unless partner is null, sets partner[g] for gold relation
  // g: its predicted relation, or -1.
  void run(int64_t example, int64_t* partner, int64_t* counts) {
    length_ = lengths_[example];
    const int64_t n_gold = gold_.n_relations(example);
    const int64_t n_pred = plan_.n_counted(n_gold, pred_.n_relations(example));
    // Otherwise fill_edges checks each pair.
    if (std::max(n_gold, n_pred) <= OFFICIAL_COLUMNS) {
      const int64_t spans = n_rows(gold_, example) * n_rows(pred_, example);
      if (spans > MOST_SPANS_OF_PAIR) fail(TooLarge(example));
      meter_.add_cost(8 * spans);
    }
    fill_members(gold_, gold_.relation_offsets[example], n_gold, golds_);
    fill_members(pred_, pred_.relation_offsets[example], n_pred, preds_);
    set_leader();
    column_of_.assign(rows_->size(), -1);
    if (n_gold && n_pred) assign(example);
    free_.assign(columns_->size(), 1);
    for (size_t i = 0; i < rows_->size(); ++i) {
      const int32_t j = column_of_[i];
      if (j >= 0) free_[j] = 0;
      add(pair(&(*rows_)[i], j < 0 ? nullptr : &(*columns_)[j]), partner, counts);
    }
    for (size_t j = 0; j < columns_->size(); ++j) {
      if (free_[j]) add(pair(nullptr, &(*columns_)[j]), partner, counts);
    }
  }

 private:
  // A relation, and everything that is known of it alone.
  struct Member {
    int64_t number;
    Relation relation;
    Extent extent;
    Record packed;
    Kind kind = UNPACKED;  // not packed
    Value worth = {0, 0, 0};
  };
  // Two relations. One may be null: the other is alone.
  struct MemberPair {
    const Member* gold;
    const Member* pred;
  };
  static constexpr PatternTable::Id NONE = PatternTable::NONE;

  const Side& gold_;
  const Side& pred_;
  const int32_t* lengths_;
  const Plan& plan_;
  const Pair& pair_;
  CostMeter& meter_;
  PatternTable* table_ = nullptr;
  KernelTraits traits_;
  int64_t length_ = 0;
  std::vector<Member> golds_, preds_;
  std::vector<Member>* rows_ = &preds_;  // of the assignment
  std::vector<Member>* columns_ = &golds_;
  std::vector<char> free_;  // columns
  std::vector<Edge> edges_;
  std::vector<int64_t> edge_offsets_;
  std::vector<int32_t> column_of_;
  Assignment assignment_;

  static int64_t n_rows(const Side& side, int64_t example) {
    return side.row_offsets[side.relation_offsets[example + 1]] -
           side.row_offsets[side.relation_offsets[example]];
  }

  void fill_members(const Side& side, int64_t from, int64_t n, std::vector<Member>& members) const {
    members.clear();
    for (int64_t k = from; k < from + n; ++k) {
      const Relation own = side.relation(k);
      Member member{k, own, Extent(own), {}};
      if (table_) member.kind = pack_scalar(own.rows, own.n, traits_, member.packed);
      members.push_back(member);
    }
  }

  // Chooses the rows of the assignment.
  void set_leader() {
    const bool gold_leads = order_members(golds_, preds_, plan_, AnySort());
    rows_ = gold_leads ? &golds_ : &preds_;
    columns_ = gold_leads ? &preds_ : &golds_;
  }

  MemberPair pair(const Member* row, const Member* column) const {
    return rows_ == &golds_ ? MemberPair{row, column} : MemberPair{column, row};
  }

  // Returns the pattern of a pair.
  PatternTable::Id id_of(const MemberPair& two) {
    const bool is_gold = two.gold;
    if (!two.gold || !two.pred) {
      const Member& own = is_gold ? *two.gold : *two.pred;
      return table_ ? table_->alone(is_gold, own.kind, own.packed, length_) : NONE;
    }
    const Kind kinds[2] = {two.gold->kind, two.pred->kind};
    if ((kinds[0] | kinds[1]) & UNPACKED) return NONE;
    const uint64_t bits = fastcausal::compare(two.gold->packed, two.pred->packed, traits_.across);
    return table_->pair(key_of(bits, kinds[0], kinds[1], traits_), two.gold->packed, kinds[0],
                        two.pred->packed, kinds[1], length_);
  }

  // Gives the counts of a pair to a sink.
  template <class Sink>
  void count(const MemberPair& two, Sink& sink) const {
    pair_(two.gold ? two.gold->relation : Relation(), two.pred ? two.pred->relation : Relation(),
          length_, plan_.params, sink);
  }

  // Adds the counts of a pair, and sets its partner.
  void add(const MemberPair& two, int64_t* partner, int64_t* counts) {
    if (partner && two.gold) partner[two.gold->number] = two.pred ? two.pred->number : -1;
    const PatternTable::Id id = traits_.token_sums ? NONE : id_of(two);
    if (id != NONE) return table_->add_to(counts, id);
    CountSink sink{counts};
    count(two, sink);
  }

  // Sets the column of each row.
  void assign(int64_t example) {
    if (plan_.never_costs && rows_->size() == 1 && columns_->size() == 1) {
      if (may_pair(golds_[0].relation, preds_[0].relation, plan_)) column_of_[0] = 0;
      return;
    }
    if (plan_.official && rows_->size() <= columns_->size() &&
        columns_->size() <= OFFICIAL_COLUMNS) {
      const auto errors_of = [&](int32_t i, int32_t j) {
        const MemberPair two = pair(i < 0 ? nullptr : &(*rows_)[i], &(*columns_)[j]);
        const PatternTable::Id id = id_of(two);
        if (id != NONE) return table_->errors(id);
        WorthSink sink(plan_);
        count(two, sink);
        return sink.errors();
      };
      return search_officially<OFFICIAL_COLUMNS>(static_cast<int32_t>(rows_->size()),
                                                 static_cast<int32_t>(columns_->size()), errors_of,
                                                 column_of_.data());
    }
    Value none{0, 0, 0};
    for (Member& row : *rows_) none = none.plus(row.worth = worth(pair(&row, nullptr)));
    for (Member& column : *columns_) none = none.plus(column.worth = worth(pair(nullptr, &column)));
    if (plan_.linear) none.denominator = 1;
    fill_edges(example);
    if (!assignment_.solve(edges_, edge_offsets_, static_cast<int64_t>(columns_->size()), none,
                           plan_.linear, meter_, column_of_.data())) {
      fail(TooLarge(example));
    }
  }

  void fill_edges(int64_t example) {
    edges_.clear();
    edge_offsets_.assign(1, 0);
    int64_t n_spans = 0;
    for (const Member& row : *rows_) {
      meter_.add_cost(static_cast<int64_t>(columns_->size()));
      for (size_t j = 0; j < columns_->size(); ++j) {
        const Member& column = (*columns_)[j];
        if (plan_.by_content && plan_.additive && !row.extent.meets(column.extent)) continue;
        const int64_t spans = row.relation.n * column.relation.n;
        n_spans += spans;
        if (spans > MOST_SPANS_OF_PAIR || n_spans > MOST_SPAN_PAIRS) fail(TooLarge(example));
        meter_.add_cost(8 * spans + 50);
        Edge edge{static_cast<int32_t>(j), {0, 0, 0}};
        if (gain(pair(&row, &column), edge.gain)) edges_.push_back(edge);
      }
      edge_offsets_.push_back(static_cast<int64_t>(edges_.size()));
      if (edge_offsets_.back() > MOST_EDGES) fail(TooLarge(example));
    }
  }

  // Computes the gain of pairing two relations. Returns false if they must not be paired.
  bool gain(const MemberPair& two, Value& value) {
    const bool packed = !((two.gold->kind | two.pred->kind) & UNPACKED);
    int64_t shared = 0;
    if (!packed) {
      if (!may_pair(two.gold->relation, two.pred->relation, plan_)) return false;
      shared = shared_of(two.gold->relation, two.pred->relation, plan_);
    } else if (plan_.by_content) {
      const Record* records[2] = {&two.gold->packed, &two.pred->packed};
      const uint64_t bits = fastcausal::compare(*records[0], *records[1], Across::ALL);
      if (plan_.additive && !(bits & MEETINGS)) return false;
      Tokens tokens;
      tokens.add(*records[0], *records[1]);
      shared = tokens.total();
    }
    const PatternTable::Id id = id_of(two);
    value = id != NONE ? value_of(id) : worth(two).minus(two.gold->worth).minus(two.pred->worth);
    value.shared = shared;
    return true;
  }

  Value value_of(PatternTable::Id id) const {
    return {top_of(table_->worth(id)), bottom_of(table_->worth(id)), 0};
  }

  // Returns the objective of a pair.
  Value worth(const MemberPair& two) {
    // For pairs, patterns hold the gain and not the worth.
    const bool alone = !two.gold || !two.pred;
    const PatternTable::Id id = alone ? id_of(two) : NONE;
    if (id != NONE) return value_of(id);
    WorthSink sink(plan_);
    count(two, sink);
    return sink.value();
  }
};

}  // namespace fastcausal

// The CPU driver: for every example, pair gold with predicted relations and add up their counts.
//
//   run_all ── threads over blocks of examples
//     └─ Worker::run ── one example: order the relations, fill the edges, assign, count
//          └─ Kernel ── one pair of relations (csrc/fastcausal/<kernel>.h)
//
// Integers only, so neither the block nor the thread that an example falls to shows in the result.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "assign.hpp"
#include "fastcausal/kernels.h"

namespace fastcausal {

inline Kernel kernel_named(const char* name) {
#define FC_KERNEL(kernel) \
  if (!std::strcmp(name, #kernel)) return kernel;
#include "fastcausal/kernels.def"
#undef FC_KERNEL
  throw std::invalid_argument(std::string("no native kernel ") + name);
}

// One side: example -> relation -> row, as two levels of offsets over the rows.
struct Side {
  const int32_t* values;            // [n_rows, 3]
  const int64_t* row_offsets;       // [n_relations + 1]
  const int64_t* relation_offsets;  // [n_examples + 1]

  const int32_t* rows(int64_t relation) const { return values + 3 * row_offsets[relation]; }
  int64_t n_rows(int64_t relation) const {
    return row_offsets[relation + 1] - row_offsets[relation];
  }
};

struct Plan {
  Kernel kernel;
  int64_t n_fields;
  const int64_t* params;
  const int64_t* numerator;    // [n_fields] of the objective N/D
  const int64_t* denominator;  // [n_fields]
  const int64_t* official;     // [4, n_fields]: tp, fp, fn, half of the official search, or null
  bool linear;                 // the objective is N alone
  bool additive;               // pairs without a common token count as both unmatched
  bool never_costs;            // pairing never lowers the objective
  bool by_content;             // ties by content, else by file order
  bool truncate;               // no more predictions than gold relations
  bool ignore_non_causal;      // no predictions where there is no gold relation
};

constexpr int64_t MOST_EDGES = int64_t{1} << 22;  // of one example: minutes at the worst

// Its text is the number of the example.
class TooManyPairs : public std::overflow_error {
 public:
  explicit TooManyPairs(int64_t example) : std::overflow_error(std::to_string(example)) {}
};

class Worker {
 public:
  Worker(const Side& gold, const Side& pred, const int32_t* lengths, const Plan& plan)
      : gold_(gold),
        pred_(pred),
        lengths_(lengths),
        plan_(plan),
        pair_(plan.n_fields),
        numerator_(form(plan.numerator)),
        denominator_(form(plan.denominator)) {
    for (int k = 0; k < 4; ++k) {
      official_[k] = form(plan.official ? plan.official + k * plan.n_fields : nullptr);
    }
  }

  // Adds the counts of the chosen pairs to counts; partner[g] is the predicted relation of gold
  // relation g, or -1.
  void run(int64_t example, int64_t* partner, int64_t* counts) {
    length_ = lengths_[example];
    const int64_t gold_from = gold_.relation_offsets[example];
    const int64_t pred_from = pred_.relation_offsets[example];
    const int64_t n_gold = gold_.relation_offsets[example + 1] - gold_from;
    int64_t n_pred = pred_.relation_offsets[example + 1] - pred_from;
    if (plan_.truncate && n_gold) n_pred = std::min(n_pred, n_gold);
    if (plan_.ignore_non_causal && !n_gold) n_pred = 0;
    std::fill(partner + gold_from, partner + gold_from + n_gold, -1);
    paired_.assign(n_pred, 0);
    if (n_gold == 1 && n_pred == 1 && plan_.never_costs) {
      int64_t shared;
      if (!plan_.by_content || meet(gold_from, pred_from, shared)) partner[gold_from] = pred_from;
    } else if (n_gold && n_pred) {
      assign(example, gold_from, n_gold, pred_from, n_pred, partner);
    }
    for (int64_t g = gold_from; g < gold_from + n_gold; ++g) {
      if (partner[g] >= 0) paired_[partner[g] - pred_from] = 1;
      add(g, partner[g], counts);
    }
    for (int64_t p = 0; p < n_pred; ++p) {
      if (!paired_[p]) add(-1, pred_from + p, counts);
    }
  }

  // Counts of one pair; -1 stands for no relation.
  void count(int64_t gold, int64_t pred, int64_t length, int64_t* counts) const {
    plan_.kernel(gold < 0 ? nullptr : gold_.rows(gold), gold < 0 ? 0 : gold_.n_rows(gold),
                 pred < 0 ? nullptr : pred_.rows(pred), pred < 0 ? 0 : pred_.n_rows(pred), length,
                 plan_.params, counts);
  }

 private:
  // A linear form of the counts; most of its weights are zero and left out.
  struct Term {
    int64_t field;
    int64_t weight;
  };
  using Form = std::vector<Term>;

  const Side& gold_;
  const Side& pred_;
  const int32_t* lengths_;
  const Plan& plan_;
  std::vector<int64_t> pair_;
  Form numerator_, denominator_, official_[4];
  int64_t length_ = 0;
  std::vector<char> paired_, row_folded_, column_folded_;
  std::vector<int64_t> rows_, columns_, edge_offsets_;
  std::vector<Value> row_alone_, column_alone_;
  std::vector<Edge> edges_;
  std::vector<int32_t> column_of_;
  Assignment assignment_;

  void add(int64_t gold, int64_t pred, int64_t* counts) {
    count(gold, pred, length_, pair_.data());
    for (int64_t k = 0; k < plan_.n_fields; ++k) counts[k] += pair_[k];
  }

  Form form(const int64_t* weights) const {
    Form terms;
    for (int64_t k = 0; weights && k < plan_.n_fields; ++k) {
      if (weights[k]) terms.push_back({k, weights[k]});
    }
    return terms;
  }

  int64_t dot(const Form& form) const {
    int64_t total = 0;
    for (const Term& term : form) total += term.weight * pair_[term.field];
    return total;
  }

  Value value(int64_t gold, int64_t pred) {
    count(gold, pred, length_, pair_.data());
    return {dot(numerator_), dot(denominator_), 0};
  }

  // The side that leads gives the rows of the assignment, the other one the columns. By content:
  // relations are sorted by their spans and the smaller side leads, so neither the order in a file
  // nor the choice of gold and pred matters. Officially predictions lead, in file order.
  void assign(int64_t example, int64_t gold_from, int64_t n_gold, int64_t pred_from, int64_t n_pred,
              int64_t* partner) {
    bool gold_leads = false;
    fill(columns_, gold_from, n_gold);
    fill(rows_, pred_from, n_pred);
    if (plan_.by_content) {
      sort_by_content(gold_, columns_);
      sort_by_content(pred_, rows_);
      gold_leads = compare(gold_, columns_, pred_, rows_) <= 0;
      if (gold_leads) std::swap(rows_, columns_);
    } else if (plan_.official && n_pred <= n_gold && n_gold <= OFFICIAL_MOST) {
      assign_officially(n_gold, n_pred);
      return write(gold_leads, partner);
    }
    fill_edges(example, gold_leads);
    const Value unmatched = total_alone();
    const int64_t n_rows = static_cast<int64_t>(rows_.size());
    const int64_t n_columns = static_cast<int64_t>(columns_.size());
    column_of_.resize(n_rows);
    if (n_rows <= FEW && n_columns <= FEW) {
      assign_few(edges_.data(), edge_offsets_.data(), n_rows, unmatched, column_of_.data());
    } else {
      assignment_.solve(edges_, edge_offsets_, n_columns, unmatched, plan_.linear,
                        column_of_.data());
    }
    write(gold_leads, partner);
  }

  static void fill(std::vector<int64_t>& relations, int64_t from, int64_t n) {
    relations.resize(n);
    std::iota(relations.begin(), relations.end(), from);
  }

  void write(bool gold_leads, int64_t* partner) const {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (column_of_[i] < 0) continue;
      const int64_t other = columns_[column_of_[i]];
      if (gold_leads) {
        partner[rows_[i]] = other;
      } else {
        partner[other] = rows_[i];
      }
    }
  }

  static int compare(const Side& a, int64_t x, const Side& b, int64_t y) {
    const int64_t n = 3 * std::min(a.n_rows(x), b.n_rows(y));
    for (int64_t k = 0; k < n; ++k) {
      if (a.rows(x)[k] != b.rows(y)[k]) return a.rows(x)[k] < b.rows(y)[k] ? -1 : 1;
    }
    const int64_t difference = a.n_rows(x) - b.n_rows(y);
    return difference < 0 ? -1 : difference > 0;
  }

  static int compare(const Side& a, const std::vector<int64_t>& x, const Side& b,
                     const std::vector<int64_t>& y) {
    for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
      if (const int order = compare(a, x[k], b, y[k])) return order;
    }
    return x.size() < y.size() ? -1 : x.size() > y.size();
  }

  static void sort_by_content(const Side& side, std::vector<int64_t>& relations) {
    std::sort(relations.begin(), relations.end(), [&](int64_t x, int64_t y) {
      const int order = compare(side, x, side, y);
      return order ? order < 0 : x < y;
    });
  }

  // One walk over two relations in start order: tokens of the same role that both mark, and whether
  // any token is marked by both.
  bool meet(int64_t gold, int64_t pred, int64_t& same_role) const {
    bool any = false;
    same_role = 0;
    for (int64_t i = 0; i < gold_.n_rows(gold); ++i) {
      const int32_t* g = gold_.rows(gold) + 3 * i;
      for (int64_t j = 0; j < pred_.n_rows(pred); ++j) {
        const int32_t* p = pred_.rows(pred) + 3 * j;
        if (start_of(p) >= stop_of(g)) break;
        const int32_t shared = shared_tokens(g, p);
        any |= shared > 0;
        if (role_of(g) == role_of(p)) same_role += shared;
      }
    }
    return any;
  }

  // Whether spans of one role overlap within a relation: then shared tokens are counted by masks.
  static bool folded(const Side& side, int64_t relation) {
    const int32_t* rows = side.rows(relation);
    const int64_t n = side.n_rows(relation);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i + 1; j < n && start_of(rows + 3 * j) < stop_of(rows + 3 * i); ++j) {
        if (role_of(rows + 3 * j) == role_of(rows + 3 * i)) return true;
      }
    }
    return false;
  }

  int64_t in_common(int64_t gold, int64_t pred) const {
    int64_t total = 0;
    for (int32_t role = 0; role < plan_.params[0]; ++role) {
      total += overlap::tokens_in_common(gold_.rows(gold), gold_.n_rows(gold), pred_.rows(pred),
                                         pred_.n_rows(pred), role);
    }
    return total;
  }

  void fill_edges(int64_t example, bool gold_leads) {
    const auto alone = [&](int64_t relation, bool is_gold) {
      return is_gold ? value(relation, -1) : value(-1, relation);
    };
    row_alone_.clear();
    column_alone_.clear();
    row_folded_.clear();
    column_folded_.clear();
    for (const int64_t i : rows_) {
      row_alone_.push_back(alone(i, gold_leads));
      row_folded_.push_back(folded(gold_leads ? gold_ : pred_, i));
    }
    for (const int64_t j : columns_) {
      column_alone_.push_back(alone(j, !gold_leads));
      column_folded_.push_back(folded(gold_leads ? pred_ : gold_, j));
    }
    edges_.clear();
    edge_offsets_.assign(1, 0);
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (size_t j = 0; j < columns_.size(); ++j) {
        const int64_t gold = gold_leads ? rows_[i] : columns_[j];
        const int64_t pred = gold_leads ? columns_[j] : rows_[i];
        int64_t shared = 0;
        const bool met = meet(gold, pred, shared);
        if (plan_.by_content && plan_.additive && !met) continue;
        if (row_folded_[i] || column_folded_[j]) shared = in_common(gold, pred);
        if (!plan_.by_content) shared = 0;
        const Value pair = value(gold, pred);
        edges_.push_back(
            {static_cast<int32_t>(j),
             pair.numerator - row_alone_[i].numerator - column_alone_[j].numerator,
             pair.denominator - row_alone_[i].denominator - column_alone_[j].denominator, shared});
      }
      edge_offsets_.push_back(static_cast<int64_t>(edges_.size()));
      if (edge_offsets_.back() > MOST_EDGES) throw TooManyPairs(example);
    }
  }

  Value total_alone() const {
    Value total{0, 0, 0};
    for (const auto* side : {&row_alone_, &column_alone_}) {
      for (const Value& v : *side) {
        total.numerator += v.numerator;
        total.denominator += v.denominator;
      }
    }
    if (plan_.linear) total.denominator = 1;
    return total;
  }

  SpanErrors errors(int64_t gold, int64_t pred) {
    count(gold, pred, length_, pair_.data());
    return {dot(official_[0]), dot(official_[1]), dot(official_[2]), dot(official_[3])};
  }

  void assign_officially(int64_t n_gold, int64_t n_pred) {
    SpanErrors cells[OFFICIAL_MOST * OFFICIAL_MOST];
    SpanErrors unmatched[OFFICIAL_MOST];
    column_of_.resize(n_pred);
    for (int64_t j = 0; j < n_gold; ++j) {
      unmatched[j] = errors(columns_[j], -1);
      for (int64_t i = 0; i < n_pred; ++i) cells[i * n_gold + j] = errors(columns_[j], rows_[i]);
    }
    fastcausal::assign_official(cells, unmatched, n_pred, n_gold, column_of_.data());
  }
};

// groups[e] is the row of counts that example e is added to; without groups every example has its
// own. counts is [n_groups, n_fields], zero on entry.
inline void run_all(const Side& gold, const Side& pred, const int32_t* lengths, int64_t n_examples,
                    const Plan& plan, const int64_t* groups, int64_t n_groups, int64_t* partner,
                    int64_t* counts, int64_t n_threads) {
  constexpr int64_t BLOCK = 256;
  std::atomic<int64_t> next{0};
  std::mutex merging;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      Worker worker(gold, pred, lengths, plan);
      std::vector<int64_t> own(groups ? n_groups * plan.n_fields : 0);
      for (int64_t from; (from = next.fetch_add(BLOCK)) < n_examples;) {
        for (int64_t e = from; e < std::min(from + BLOCK, n_examples); ++e) {
          worker.run(e, partner,
                     groups ? own.data() + groups[e] * plan.n_fields : counts + e * plan.n_fields);
        }
      }
      const std::lock_guard<std::mutex> lock(merging);
      for (size_t k = 0; k < own.size(); ++k) counts[k] += own[k];
    } catch (...) {
      const std::lock_guard<std::mutex> lock(merging);
      failure = std::current_exception();
      next = n_examples;
    }
  };
  std::vector<std::thread> threads;
  n_threads = std::min(n_threads, (n_examples + BLOCK - 1) / BLOCK);
  try {
    for (int64_t t = 1; t < n_threads; ++t) threads.emplace_back(work);
  } catch (const std::system_error&) {  // no more to be had: those there are do the work
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

// Counts of given pairs, -1 for no relation: counts is [n_pairs, n_fields].
inline void count_pairs(const Side& gold, const Side& pred, const int64_t* gold_index,
                        const int64_t* pred_index, const int32_t* lengths, int64_t n_pairs,
                        const Plan& plan, int64_t* counts) {
  const Worker worker(gold, pred, lengths, plan);
  for (int64_t k = 0; k < n_pairs; ++k) {
    worker.count(gold_index[k], pred_index[k], lengths[k], counts + k * plan.n_fields);
  }
}

}  // namespace fastcausal

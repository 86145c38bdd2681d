// Where relations are lost: is an example seen as causal, are the spans of a relation found, are
// they linked. Each relation gets one line of an account; their rules are those of
// fastcausal/engine/reference/depths.py.
//
//   count_depths ── threads over blocks of examples
//     └─ Depths ── one example: numbers its token sets, matches spans, then relations
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/shape_lists.hpp"
#include "tasks/matching.hpp"

namespace fastcausal::depths {

enum Line : int8_t {
  RIGHT,
  NOT_CAUSAL,
  BOTH,
  FIRST,
  SECOND,
  MISTYPED,
  TURNED,
  UNLINKED,
  PARTIAL,
  N_LINES,
  NO_SPAN = -1
};
constexpr int64_t N_CAUSAL = 4, N_SPANS = 3;  // counts of examples, and of the spans of each role

// Roles by number, and when two spans meet.
struct Rules {
  int64_t n_roles;
  int64_t arguments[2];
  // common / union is at least this share, and a token is common; 1 is equality
  int64_t numerator, denominator;

  bool exact() const { return numerator == denominator; }
  int64_t n_fields() const { return N_CAUSAL + N_SPANS * n_roles + int64_t{2} * N_LINES - 1; }
};

// One side of the input. Types are null if they decide nothing, lines if they are not wanted.
struct Related {
  Side side;
  const int64_t* types;
  int8_t* lines;
};

struct Interval {
  int32_t start, stop;
};

// The tokens of one role in a relation: ascending intervals that neither meet nor touch.
struct TokenSet {
  const Interval* from;
  const Interval* to;

  // Orders sets as their sorted lists of tokens.
  int compare(const TokenSet& other) const {
    const Interval *a = from, *b = other.from;
    for (; a != to && b != other.to; ++a, ++b) {
      if (a->start != b->start) return a->start < b->start ? -1 : 1;
      // The shorter interval is followed by a later token than that of the longer, or by none.
      if (a->stop < b->stop) return a + 1 == to ? -1 : 1;
      if (a->stop > b->stop) return b + 1 == other.to ? 1 : -1;
    }
    return (b == other.to) - (a == to);
  }

  bool meets(const TokenSet& other, const Rules& rules) const {
    int64_t common = 0, all = 0;
    for (const Interval* a = from; a != to; ++a) all += a->stop - a->start;
    for (const Interval* b = other.from; b != other.to; ++b) all += b->stop - b->start;
    for (const Interval *a = from, *b = other.from; a != to && b != other.to;) {
      common += std::max(0, std::min(a->stop, b->stop) - std::max(a->start, b->start));
      ++(a->stop < b->stop ? a : b);
    }
    return common && common * rules.denominator >= (all - common) * rules.numerator;
  }
};

// Counts one example after another; keeps its memory.
class Depths {
 public:
  explicit Depths(const Rules& rules) : rules_(rules) {}

  void count(const Related& gold, const Related& pred, int64_t example, int64_t* counts,
             CostMeter& meter) {
    intervals_.clear();
    ends_.clear();
    read(gold, example, GOLD);
    read(pred, example, PRED);
    const bool in_gold = !places_[GOLD].empty(), in_pred = !places_[PRED].empty();
    ++counts[in_gold ? 2 * !in_pred : 3 - 2 * in_pred];
    if (!in_gold && !in_pred) return;
    number_sets();
    for (int64_t role = 0; role < rules_.n_roles; ++role) {
      count_spans(role, counts + N_CAUSAL + N_SPANS * role, meter);
    }
    list_full(gold, GOLD);
    list_full(pred, PRED);
    if (in_gold && in_pred) {
      find_arguments(meter);
      match(meter);
    }
    int64_t* lines = counts + N_CAUSAL + N_SPANS * rules_.n_roles;
    add_lines(gold, GOLD, lines, meter);
    add_lines(pred, PRED, lines + N_LINES - 1, meter);
  }

 private:
  enum { GOLD, PRED };
  struct Place {  // of a relation that marks a span
    int64_t relation;
    int32_t cause = 0, effect = 0;  // numbers of its token sets, 0 for none
    Line line = PARTIAL;
  };
  struct Full {  // a relation with both arguments
    int32_t cause, effect;
    int64_t type;
    int32_t place;

    auto key() const { return std::tie(cause, effect, type); }
    bool operator<(const Full& o) const {
      return std::tie(cause, effect, type, place) < std::tie(o.cause, o.effect, o.type, o.place);
    }
  };

  const Rules rules_;
  std::vector<Interval> intervals_;  // of all token sets of the example
  // Where the set of each role of each relation ends in them: gold's relations, then predictions
  std::vector<int32_t> ends_;
  std::vector<int32_t> numbers_;  // of these sets, from 1 in their order; 0 for no token
  std::vector<int32_t> order_;
  std::vector<TokenSet> sets_;  // by number
  std::vector<Place> places_[2];
  std::vector<Full> full_[2];
  std::vector<int32_t> different_[2];  // numbers of some roles
  // By number, a bit for each side: the side has this set in these roles, 0 between uses; the set
  // meets an argument of the other side
  std::vector<uint8_t> seen_, found_;
  Matching matching_;

  static uint8_t bit(int side) { return static_cast<uint8_t>(1 << side); }

  void read(const Related& from, int64_t example, int side) {
    places_[side].clear();
    const int64_t* offsets = from.side.relation_offsets + example;
    for (int64_t r = offsets[0]; r < offsets[1]; ++r) {
      const Relation relation = from.side.relation(r);
      if (from.lines) from.lines[r] = NO_SPAN;
      if (!relation.n) continue;
      places_[side].push_back({r});
      for (int64_t role = 0; role < rules_.n_roles; ++role) read_role(relation, role);
    }
  }

  // Adds the intervals of a role. Rows ascend by start.
  void read_role(const Relation& relation, int64_t role) {
    const size_t first = intervals_.size();
    for (int64_t k = 0; k < relation.n; ++k) {
      const Row& row = relation.row(k);
      if (row.role != role) continue;
      if (intervals_.size() > first && row.start <= intervals_.back().stop) {
        intervals_.back().stop = std::max(intervals_.back().stop, row.stop);
      } else {
        intervals_.push_back({row.start, row.stop});
      }
    }
    ends_.push_back(static_cast<int32_t>(intervals_.size()));
  }

  // Numbers the different token sets of both sides, and those of the arguments.
  void number_sets() {
    const auto set_at = [&](int32_t k) {
      const Interval* all = intervals_.data();
      return TokenSet{all + (k ? ends_[static_cast<size_t>(k) - 1] : 0),
                      all + ends_[static_cast<size_t>(k)]};
    };
    order_.clear();
    for (int32_t k = 0; k < static_cast<int32_t>(ends_.size()); ++k) {
      const TokenSet set = set_at(k);
      if (set.from != set.to) order_.push_back(k);
    }
    std::sort(order_.begin(), order_.end(),
              [&](int32_t a, int32_t b) { return set_at(a).compare(set_at(b)) < 0; });
    numbers_.assign(ends_.size(), 0);
    sets_.assign(1, {nullptr, nullptr});
    for (const int32_t k : order_) {
      const TokenSet set = set_at(k);
      if (sets_.size() == 1 || sets_.back().compare(set)) sets_.push_back(set);
      numbers_[static_cast<size_t>(k)] = static_cast<int32_t>(sets_.size()) - 1;
    }
    seen_.resize(std::max(seen_.size(), sets_.size()));
    found_.assign(sets_.size(), 0);
    const int32_t* numbers = numbers_.data();
    for (std::vector<Place>& places : places_) {
      for (Place& place : places) {
        place.cause = numbers[rules_.arguments[0]];
        place.effect = numbers[rules_.arguments[1]];
        numbers += rules_.n_roles;
      }
    }
  }

  bool meet(int32_t a, int32_t b) const {
    if (rules_.exact()) return a == b;
    return sets_[static_cast<size_t>(a)].meets(sets_[static_cast<size_t>(b)], rules_);
  }

  // Lists the different token sets of some roles on each side.
  void list_different(const int64_t* roles, int64_t n_roles) {
    const int32_t* numbers = numbers_.data();
    for (const int side : {GOLD, PRED}) {
      different_[side].clear();
      for (size_t k = 0; k < places_[side].size(); ++k, numbers += rules_.n_roles) {
        for (int64_t r = 0; r < n_roles; ++r) {
          const int32_t number = numbers[roles[r]];
          uint8_t& seen = seen_[static_cast<size_t>(number)];
          if (!number || seen & bit(side)) continue;
          seen = static_cast<uint8_t>(seen | bit(side));
          different_[side].push_back(number);
        }
      }
    }
  }

  void forget_different() {
    for (const std::vector<int32_t>& numbers : different_) {
      for (const int32_t number : numbers) seen_[static_cast<size_t>(number)] = 0;
    }
  }

  bool is_on_both(int32_t number) const { return seen_[static_cast<size_t>(number)] == 3; }

  // Calls see(row, column) for pairs of two lists of token sets that meet.
  template <class See>
  void for_meeting(const See& see, CostMeter& meter) const {
    const std::vector<int32_t>& rows = different_[GOLD];
    const std::vector<int32_t>& columns = different_[PRED];
    for (size_t row = 0; row < rows.size(); ++row) {
      meter.add_cost(16 * static_cast<int64_t>(columns.size()));
      for (size_t column = 0; column < columns.size(); ++column) {
        if (meet(rows[row], columns[column])) see(row, column);
      }
    }
  }

  void count_spans(int64_t role, int64_t* counts, CostMeter& meter) {
    list_different(&role, 1);
    const std::vector<int32_t>& rows = different_[GOLD];
    counts[1] += static_cast<int64_t>(different_[PRED].size());
    counts[2] += static_cast<int64_t>(rows.size());
    if (rules_.exact()) {
      for (const int32_t number : rows) counts[0] += is_on_both(number);
    } else if (!rows.empty() && !different_[PRED].empty()) {
      matching_.reset(rows.size(), different_[PRED].size());
      for_meeting([&](size_t row, size_t column) { matching_.allow(row, column); }, meter);
      counts[0] += static_cast<int64_t>(matching_.grow(meter));
    }
    forget_different();
  }

  // Finds the token sets that meet an argument of the other side, whatever its role.
  void find_arguments(CostMeter& meter) {
    list_different(rules_.arguments, 2);
    if (rules_.exact()) {
      for (const int32_t number : different_[GOLD]) {
        found_[static_cast<size_t>(number)] = is_on_both(number) ? 3 : 0;
      }
    } else {
      for_meeting(
          [&](size_t row, size_t column) {
            found_[static_cast<size_t>(different_[GOLD][row])] |= bit(GOLD);
            found_[static_cast<size_t>(different_[PRED][column])] |= bit(PRED);
          },
          meter);
    }
    forget_different();
  }

  // Lists the relations of a side with both arguments, in order.
  void list_full(const Related& from, int side) {
    full_[side].clear();
    int32_t k = 0;
    for (const Place& place : places_[side]) {
      const int64_t type = from.types ? from.types[place.relation] : 0;
      if (place.cause && place.effect) full_[side].push_back({place.cause, place.effect, type, k});
      ++k;
    }
    std::sort(full_[side].begin(), full_[side].end());
  }

  // Finds the right relations.
  void match(CostMeter& meter) {
    const std::vector<Full>& gold = full_[GOLD];
    const std::vector<Full>& pred = full_[PRED];
    const auto set_right = [&](const Full& g, const Full& p) {
      places_[GOLD][static_cast<size_t>(g.place)].line = RIGHT;
      places_[PRED][static_cast<size_t>(p.place)].line = RIGHT;
    };
    if (rules_.exact()) {  // equal relations in their order
      for (size_t g = 0, p = 0; g < gold.size() && p < pred.size();) {
        if (gold[g].key() == pred[p].key()) {
          set_right(gold[g++], pred[p++]);
        } else if (gold[g].key() < pred[p].key()) {
          ++g;
        } else {
          ++p;
        }
      }
      return;
    }
    matching_.reset(gold.size(), pred.size());
    for (size_t g = 0; g < gold.size(); ++g) {
      meter.add_cost(32 * static_cast<int64_t>(pred.size()));
      for (size_t p = 0; p < pred.size(); ++p) {
        if (gold[g].type == pred[p].type && meet(gold[g].cause, pred[p].cause) &&
            meet(gold[g].effect, pred[p].effect)) {
          matching_.allow(g, p);
        }
      }
    }
    matching_.grow(meter);
    matching_.make_least(meter);
    for (size_t g = 0; g < gold.size(); ++g) {
      const int32_t p = matching_.column_of(g);
      if (p != Matching::NONE) set_right(gold[g], pred[static_cast<size_t>(p)]);
    }
  }

  // Returns where a relation that is not right was lost.
  Line line_of(const Full& relation, int side) const {
    const int other = 1 - side;
    if (places_[other].empty()) return NOT_CAUSAL;
    const bool first = found_[static_cast<size_t>(relation.cause)] & bit(side);
    const bool second = found_[static_cast<size_t>(relation.effect)] & bit(side);
    if (!first || !second) return first ? SECOND : second ? FIRST : BOTH;
    const std::vector<Full>& others = full_[other];
    if (rules_.exact()) {
      const auto is_one = [&](const Full& from, const Full& to) {  // of [from, to)
        return std::lower_bound(others.begin(), others.end(), from) !=
               std::lower_bound(others.begin(), others.end(), to);
      };
      const auto [cause, effect, type, place] = relation;
      if (is_one({cause, effect, INT64_MIN, 0}, {cause, effect, type, 0}) ||
          is_one({cause, effect, type + 1, 0}, {cause, effect + 1, INT64_MIN, 0})) {
        return MISTYPED;
      }
      return is_one({effect, cause, INT64_MIN, 0}, {effect, cause + 1, INT64_MIN, 0}) ? TURNED
                                                                                      : UNLINKED;
    }
    bool turned = false;
    for (const Full& o : others) {
      if (o.type != relation.type && meet(relation.cause, o.cause) &&
          meet(relation.effect, o.effect)) {
        return MISTYPED;
      }
      turned |= meet(relation.cause, o.effect) && meet(relation.effect, o.cause);
    }
    return turned ? TURNED : UNLINKED;
  }

  // Adds the lines of a side, RIGHT of gold alone.
  void add_lines(const Related& to, int side, int64_t* counts, CostMeter& meter) {
    for (const Full& relation : full_[side]) {
      Line& line = places_[side][static_cast<size_t>(relation.place)].line;
      if (line == RIGHT) continue;
      line = line_of(relation, side);
      if (!rules_.exact()) meter.add_cost(32 * static_cast<int64_t>(full_[1 - side].size()));
    }
    for (const Place& place : places_[side]) {
      counts[place.line] += side == GOLD || place.line != RIGHT;
      if (to.lines) to.lines[place.relation] = place.line;
    }
  }
};

// The input and output of a run. counts is [groups.n, rules.n_fields()], zero on entry.
struct Run {
  Rules rules;
  Related gold, pred;
  int64_t n_examples;
  Groups groups;
  int64_t* counts;
  int64_t n_threads;
  StopRequested stop_requested;
};

inline void count_depths(const Run& run) {
  constexpr int64_t BLOCK = 1024;
  const int64_t n_fields = run.rules.n_fields();
  const int64_t n_blocks = (run.n_examples + BLOCK - 1) / BLOCK;
  Stop stop(run.stop_requested);
  std::atomic<int64_t> next{0};
  Mutex merging;
  in_threads(std::min(run.n_threads, n_blocks), stop, [&] {
    const LeavesNothing on_exit{next, n_blocks};
    CostMeter meter(stop);
    Depths depths(run.rules);
    std::vector<int64_t> own(run.groups.each ? 0 : static_cast<size_t>(run.groups.n * n_fields));
    int64_t* rows = run.groups.each ? run.counts : own.data();
    for (int64_t block; (block = next++) < n_blocks;) {
      const int64_t to = std::min((block + 1) * BLOCK, run.n_examples);
      for (int64_t e = block * BLOCK; e < to; ++e) {
        const int64_t row = run.groups.row(e, run.gold.side.n_relations(e));
        depths.count(run.gold, run.pred, e, rows + row * n_fields, meter);
      }
      meter.add_cost(200 * BLOCK);
    }
    const Lock lock(merging);
    for (size_t k = 0; k < own.size(); ++k) run.counts[k] += own[k];
  });
}

}  // namespace fastcausal::depths

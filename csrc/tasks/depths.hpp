// Where relations are lost: is an example seen as causal, are the spans of a relation found, are
// they linked. Each relation gets one line of an account; their rules are those of
// fastcausal/engine/reference/depths.py.
//
//   count_depths ── threads over blocks of examples (related.hpp)
//     └─ Depths ── one example: numbers its token sets, matches spans, then relations
#pragma once
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tasks/matching.hpp"
#include "tasks/related.hpp"

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

// Whether two sets meet.
inline bool meet_by(const TokenSet& a, const TokenSet& b, const Rules& rules) {
  const int64_t common = a.common(b);
  return common && common * rules.denominator >= (a.size() + b.size() - common) * rules.numerator;
}

struct Run : RelatedRun<Rules> {
  // To be filled, null if they are not wanted: what became of each relation of each side, and the
  // predicted relation of each right one of gold
  int8_t* lines[2];
  int64_t* partner;
};

// Counts one example after another; keeps its memory.
class Depths {
 public:
  explicit Depths(const Run& run) : run_(run), rules_(run.rules) {}

  void count(int64_t example, int64_t* counts, CostMeter& meter) {
    const Related& gold = run_.gold;
    const Related& pred = run_.pred;
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
    add_lines(GOLD, lines, meter);
    add_lines(PRED, lines + N_LINES - 1, meter);
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

  const Run& run_;
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
      if (run_.lines[side]) run_.lines[side][r] = NO_SPAN;
      if (run_.partner && side == GOLD) run_.partner[r] = Matching::NONE;
      if (!relation.n) continue;
      places_[side].push_back({r});
      for (int64_t role = 0; role < rules_.n_roles; ++role) {
        add_role(relation, role, intervals_);
        ends_.push_back(static_cast<int32_t>(intervals_.size()));
      }
    }
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
    return meet_by(sets_[static_cast<size_t>(a)], sets_[static_cast<size_t>(b)], rules_);
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
      Place& of_gold = places_[GOLD][static_cast<size_t>(g.place)];
      Place& of_pred = places_[PRED][static_cast<size_t>(p.place)];
      of_gold.line = of_pred.line = RIGHT;
      if (run_.partner) run_.partner[of_gold.relation] = of_pred.relation;
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
  void add_lines(int side, int64_t* counts, CostMeter& meter) {
    for (const Full& relation : full_[side]) {
      Line& line = places_[side][static_cast<size_t>(relation.place)].line;
      if (line == RIGHT) continue;
      line = line_of(relation, side);
      if (!rules_.exact()) meter.add_cost(32 * static_cast<int64_t>(full_[1 - side].size()));
    }
    for (const Place& place : places_[side]) {
      counts[place.line] += side == GOLD || place.line != RIGHT;
      if (run_.lines[side]) run_.lines[side][place.relation] = place.line;
    }
  }
};

// Returns the first example that is too large, or -1.
inline int64_t count_depths(const Run& run) { return count_related<Depths>(run); }

}  // namespace fastcausal::depths

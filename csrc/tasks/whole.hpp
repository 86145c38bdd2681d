// Whole relations: how many of both sides can be paired by each criterion. The criteria are those
// of fastcausal/engine/reference/whole.py.
//
//   count_related<Whole> ── threads over blocks of examples (related.hpp)
//     └─ Whole ── one example: token sets, criteria of each pair, a maximum matching by each
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tasks/matching.hpp"
#include "tasks/related.hpp"

namespace fastcausal::whole {

// Counts of an example: relations that mark a span, then pairs by criterion.
enum Field { GOLD, PREDICTED, EXACT, SIGNAL, STRICT, UNDIRECTED, BOUNDARY, OVERLAP, IOU, N_FIELDS };
// A criterion that is an equality splits relations into classes: any pairing in turn is a maximum.
constexpr Field EQUALITIES[] = {EXACT, SIGNAL, STRICT, UNDIRECTED};
constexpr Field OTHERS[] = {BOUNDARY, OVERLAP, IOU};
constexpr int64_t MOST_PAIRS = int64_t{1} << 26;  // of relations, in an example

struct Rules {
  int64_t n_roles;
  int64_t arguments[2];            // roles; -1 for none
  int64_t numerator, denominator;  // the least common / union of `iou`

  static constexpr int64_t n_fields() { return N_FIELDS; }
};

struct Run : RelatedRun<Rules> {
  int64_t* partner;  // [n_gold_relations], to be filled with predicted relations; null: not wanted
};

// Counts one example after another; keeps its memory.
class Whole {
 public:
  explicit Whole(const Run& run) : run_(run), rules_(run.rules) {}

  void count(int64_t example, int64_t* counts, CostMeter& meter) {
    if (!run_.partner && count_equal(example, counts)) return;
    intervals_.clear();
    ends_.assign(1, 0);
    read(run_.gold, example, golds_);
    read(run_.pred, example, preds_);
    counts[GOLD] += static_cast<int64_t>(golds_.size());
    counts[PREDICTED] += static_cast<int64_t>(preds_.size());
    if (run_.partner) {
      const int64_t* offsets = run_.gold.side.relation_offsets + example;
      std::fill(run_.partner + offsets[0], run_.partner + offsets[1], -1);
    }
    if (golds_.empty() || preds_.empty()) return;
    if (golds_.size() > static_cast<size_t>(MOST_PAIRS) / preds_.size()) fail(TooLarge(example));
    place_sets(golds_);
    place_sets(preds_);
    const uint32_t any = compare_all(meter);
    if (golds_.size() == 1 && preds_.size() == 1) {
      for (int field = EXACT; field < N_FIELDS; ++field) counts[field] += any >> field & 1;
    } else {
      for (const Field field : EQUALITIES) {
        if (any >> field & 1) counts[field] += pair_in_turn(field, meter, nullptr);
      }
      for (const Field field : OTHERS) {
        if (any >> field & 1) counts[field] += match(field, meter);
      }
    }
    if (run_.partner) find_partners(meter);
  }

 private:
  struct Member {  // a relation that marks a span
    int64_t number;
    int64_t type;
    size_t first;  // place of its sets in ends_
    TokenSet arguments[2];
    int64_t sizes[2];
    bool is_filled;  // marks an argument
  };

  const Run& run_;
  const Rules rules_;
  std::vector<Interval> intervals_;  // of all token sets of the example
  std::vector<size_t> ends_;         // of each role of each member in them; a role starts at the
                                     // end before it
  std::vector<Member> golds_, preds_;
  std::vector<uint16_t> held_;  // a bit for each criterion, [golds, preds]
  std::vector<char> taken_;
  Matching matching_;

  static int64_t type_of(const Related& from, int64_t relation) {
    return from.types ? from.types[relation] : 0;
  }

  bool marks_argument(const Relation& relation) const {
    for (int64_t k = 0; k < relation.n; ++k) {
      const int32_t role = relation.row(k).role;
      if (role == rules_.arguments[0] || role == rules_.arguments[1]) return true;
    }
    return false;
  }

  // Counts an example of equal sides: the k-th relations have equal rows and types. Returns false
  // for others.
  bool count_equal(int64_t example, int64_t* counts) const {
    const Side& gold = run_.gold.side;
    const Side& pred = run_.pred.side;
    const int64_t n = gold.n_relations(example);
    if (n != pred.n_relations(example)) return false;
    const int64_t g = gold.relation_offsets[example], p = pred.relation_offsets[example];
    const int64_t from = gold.row_offsets[g], other = pred.row_offsets[p];
    const int64_t n_rows = gold.row_offsets[g + n] - from;
    if (n_rows != pred.row_offsets[p + n] - other) return false;
    if (std::memcmp(gold.rows + from, pred.rows + other,
                    static_cast<size_t>(n_rows) * sizeof(Row)) != 0) {
      return false;
    }
    int64_t marked = 0, filled = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (gold.row_offsets[g + k + 1] - from != pred.row_offsets[p + k + 1] - other) return false;
      if (type_of(run_.gold, g + k) != type_of(run_.pred, p + k)) return false;
      const Relation relation = gold.relation(g + k);
      marked += relation.n > 0;
      filled += marks_argument(relation);
    }
    counts[GOLD] += marked;
    counts[PREDICTED] += marked;
    for (int field = EXACT; field < N_FIELDS; ++field) counts[field] += filled;
    return true;
  }

  void read(const Related& from, int64_t example, std::vector<Member>& members) {
    members.clear();
    const int64_t* offsets = from.side.relation_offsets + example;
    for (int64_t r = offsets[0]; r < offsets[1]; ++r) {
      const Relation relation = from.side.relation(r);
      if (!relation.n) continue;
      members.push_back({r, type_of(from, r), ends_.size(), {}, {}, marks_argument(relation)});
      for (int64_t role = 0; role < rules_.n_roles; ++role) {
        add_role(relation, role, intervals_);
        ends_.push_back(intervals_.size());
      }
    }
  }

  TokenSet set_of(const Member& member, int64_t role) const {
    const size_t k = member.first + static_cast<size_t>(role);
    return {intervals_.data() + ends_[k - 1], intervals_.data() + ends_[k]};
  }

  // Points to the arguments, when no interval moves any more.
  void place_sets(std::vector<Member>& members) const {
    for (Member& member : members) {
      for (int k = 0; k < 2; ++k) {
        TokenSet& set = member.arguments[k];
        set = rules_.arguments[k] < 0 ? TokenSet{nullptr, nullptr}
                                      : set_of(member, rules_.arguments[k]);
        member.sizes[k] = set.size();
      }
    }
  }

  // Returns the criteria that hold for a pair, a bit each.
  uint32_t criteria(const Member& gold, const Member& pred) const {
    if (!gold.is_filled || !pred.is_filled) return 0;
    const TokenSet(&g)[2] = gold.arguments;
    const TokenSet(&p)[2] = pred.arguments;
    if (g[0].equals(p[0]) && g[1].equals(p[1])) {
      const bool same_type = gold.type == pred.type;
      uint32_t held = 1u << EXACT | 1u << UNDIRECTED | 1u << BOUNDARY | 1u << OVERLAP | 1u << IOU;
      held |= static_cast<uint32_t>(same_type) << STRICT;
      for (int64_t role = 0; role < rules_.n_roles; ++role) {
        if (!set_of(gold, role).equals(set_of(pred, role))) return held;
      }
      return held | 1u << SIGNAL;
    }
    uint32_t held = 0;
    if (g[0].equals(p[1]) && g[1].equals(p[0])) held |= 1u << UNDIRECTED;
    bool bounds = true, overlap = true, iou = true;
    for (int k = 0; k < 2 && (bounds || overlap); ++k) {
      if (g[k].empty() || p[k].empty()) {
        if (g[k].empty() && p[k].empty()) continue;
        return held;
      }
      bounds &= g[k].from->start == p[k].from->start || g[k].to[-1].stop == p[k].to[-1].stop;
      const int64_t common = overlap ? g[k].common(p[k]) : 0;
      overlap &= common > 0;
      const int64_t all = gold.sizes[k] + pred.sizes[k] - common;
      iou &= overlap && common * rules_.denominator >= all * rules_.numerator;
    }
    held |= static_cast<uint32_t>(bounds) << BOUNDARY;
    held |= static_cast<uint32_t>(overlap) << OVERLAP;
    return held | static_cast<uint32_t>(iou) << IOU;
  }

  bool holds(size_t g, size_t p, Field field) const {
    return held_[g * preds_.size() + p] >> field & 1;
  }

  // Returns all criteria that hold for some pair.
  uint32_t compare_all(CostMeter& meter) {
    held_.resize(golds_.size() * preds_.size());
    uint16_t* to = held_.data();
    uint32_t any = 0;
    for (const Member& gold : golds_) {
      meter.add_cost(20 * static_cast<int64_t>(preds_.size()));
      for (const Member& pred : preds_) {
        const uint32_t held = criteria(gold, pred);
        any |= held;
        *to++ = static_cast<uint16_t>(held);
      }
    }
    return any;
  }

  // Pairs equal relations in turn. Returns the number of pairs.
  int64_t pair_in_turn(Field field, CostMeter& meter, int64_t* partner) {
    taken_.assign(preds_.size(), 0);
    int64_t n = 0;
    for (size_t g = 0; g < golds_.size(); ++g) {
      meter.add_cost(static_cast<int64_t>(preds_.size()));
      for (size_t p = 0; p < preds_.size(); ++p) {
        if (taken_[p] || !holds(g, p, field)) continue;
        taken_[p] = 1;
        if (partner) partner[golds_[g].number] = preds_[p].number;
        ++n;
        break;
      }
    }
    return n;
  }

  int64_t match(Field field, CostMeter& meter) {
    matching_.reset(golds_.size(), preds_.size());
    for (size_t g = 0; g < golds_.size(); ++g) {
      for (size_t p = 0; p < preds_.size(); ++p) {
        if (holds(g, p, field)) matching_.allow(g, p);
      }
    }
    return static_cast<int64_t>(matching_.grow(meter));
  }

  // Pairs equal relations, then others by a common token of each argument.
  void find_partners(CostMeter& meter) {
    pair_in_turn(EXACT, meter, run_.partner);
    matching_.reset(golds_.size(), preds_.size());
    for (size_t g = 0; g < golds_.size(); ++g) {
      if (run_.partner[golds_[g].number] >= 0) continue;
      for (size_t p = 0; p < preds_.size(); ++p) {
        if (!taken_[p] && holds(g, p, OVERLAP)) matching_.allow(g, p);
      }
    }
    matching_.grow(meter);
    matching_.make_least(meter);
    for (size_t g = 0; g < golds_.size(); ++g) {
      const int32_t p = matching_.column_of(g);
      if (p != Matching::NONE) {
        run_.partner[golds_[g].number] = preds_[static_cast<size_t>(p)].number;
      }
    }
  }
};

// Returns the first example that is too large, or -1.
inline int64_t count_whole(const Run& run) { return count_related<Whole>(run); }

}  // namespace fastcausal::whole

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
// Names of the criteria, from EXACT on.
constexpr const char* CRITERIA[] = {"exact",    "signal",  "strict", "undirected",
                                    "boundary", "overlap", "iou"};
// A criterion that is an equality splits relations into classes: any pairing in turn is a maximum.
constexpr Field EQUALITIES[] = {EXACT, SIGNAL, STRICT, UNDIRECTED};
constexpr Field OTHERS[] = {BOUNDARY, OVERLAP, IOU};
constexpr int64_t MOST_PAIRS = int64_t{1} << 26;  // of relations, in an example

// Relations of an example with three roles of one span each, few on both sides. Each pair of them
// is compared without a branch, and a byte of a word holds what is known by one criterion.
struct Few {
  static constexpr int64_t MOST = 8;  // of relations on a side
  static constexpr uint64_t ONES = 0x01010101010101;

  // Spans by place: both arguments, then the third role; 0 for none.
  uint64_t spans[2][MOST][4];
  int64_t types[2][MOST];
  int64_t n[2];

  static int32_t start(uint64_t span) { return static_cast<int32_t>(span); }
  static int32_t stop(uint64_t span) { return static_cast<int32_t>(span >> 32); }

  // Returns 1 in the bytes that are not 0.
  static uint64_t filled(uint64_t bytes) {
    constexpr uint64_t LOW = 0x7f * ONES;
    return (((bytes & LOW) + LOW) | bytes) >> 7 & ONES;
  }

  // Returns 1 in the byte of each criterion, from EXACT on, that holds for two relations.
  uint64_t compare(const uint64_t* g, const uint64_t* p, bool same_type, int64_t numerator,
                   int64_t denominator) const {
    uint64_t bounds = 1, overlap = 1, iou = 1;
    for (int k = 0; k < 2; ++k) {
      const int32_t from = std::max(start(g[k]), start(p[k]));
      const int32_t to = std::min(stop(g[k]), stop(p[k]));
      const int64_t common = std::max(0, to - from);
      const int64_t all = int64_t{stop(g[k])} - start(g[k]) + stop(p[k]) - start(p[k]) - common;
      bounds &=
          ((to > 0) & ((start(g[k]) == start(p[k])) | (stop(g[k]) == stop(p[k])))) | (g[k] == p[k]);
      overlap &= (common > 0) | (all == 0);
      iou &= common * denominator >= all * numerator;
    }
    const uint64_t marks = ((g[0] | g[1]) != 0) & ((p[0] | p[1]) != 0);
    const uint64_t exact = marks & ((g[0] == p[0]) & (g[1] == p[1]));
    const uint64_t turned = marks & ((g[0] == p[1]) & (g[1] == p[0]));
    return exact | (exact & (g[2] == p[2])) << 8 | (exact & same_type) << 16 |
           (exact | turned) << 24 | (marks & bounds) << 32 | (marks & overlap) << 40 |
           (marks & iou) << 48;
  }
};

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
  explicit Whole(const Run& run) : run_(run), rules_(run.rules) {
    int32_t next = 2;
    for (int32_t role = 0; role < 3; ++role) {
      const bool is_second = role == rules_.arguments[1];
      place_of_[role] = role == rules_.arguments[0] || is_second ? is_second : next++;
    }
  }

  void count(int64_t example, int64_t* counts, CostMeter& meter) {
    if (!run_.partner && (count_alone(example, counts) || count_few(example, counts))) return;
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
  int32_t place_of_[3];  // in `Few`, of three roles
  Few few_;
  std::vector<Interval> intervals_;  // of all token sets of the example
  std::vector<size_t> ends_;         // of each role of each member in them; a role starts at the
                                     // end before it
  std::vector<Member> golds_, preds_;
  std::vector<uint16_t> held_;  // a bit for each criterion, [golds, preds]
  std::vector<char> taken_;
  Matching matching_;

  // Counts an example of which a side has no relation. Returns false for others.
  bool count_alone(int64_t example, int64_t* counts) const {
    const Side& gold = run_.gold.side;
    const Side& pred = run_.pred.side;
    const int64_t n = gold.n_relations(example);
    const int64_t m = pred.n_relations(example);
    if (n && m) return false;
    const Side& side = n ? gold : pred;
    const int64_t first = side.relation_offsets[example];
    for (int64_t r = first; r < first + n + m; ++r) {
      counts[n ? GOLD : PREDICTED] += side.row_offsets[r] < side.row_offsets[r + 1];
    }
    return true;
  }

  // Packs the relations of a side. Returns false if they are too many, or have other spans.
  bool pack(const Related& from, int64_t example, int side) {
    const int64_t first = from.side.relation_offsets[example];
    const int64_t n = from.side.relation_offsets[example + 1] - first;
    if (n > Few::MOST) return false;
    int64_t to = 0;
    for (int64_t r = first; r < first + n; ++r) {
      const Relation relation = from.side.relation(r);
      if (relation.n > 3) return false;
      uint64_t* spans = few_.spans[side][to];
      spans[0] = spans[1] = spans[2] = spans[3] = 0;
      uint32_t seen = 0;
      for (int64_t k = 0; k < 3; ++k) {
        const Row& row = relation.rows[k < relation.n ? k : 0];
        const uint64_t span = static_cast<uint64_t>(static_cast<uint32_t>(row.stop)) << 32 |
                              static_cast<uint32_t>(row.start);
        const int32_t place = k < relation.n ? place_of_[row.role] : 3;
        spans[place] = span;
        seen += 1u << 4 * place;
      }
      if (seen & 0xeee) return false;
      few_.types[side][to] = type_of(from, r);
      to += relation.n > 0;
    }
    few_.n[side] = to;
    return true;
  }

  // Counts an example of few relations. Returns false for others.
  bool count_few(int64_t example, int64_t* counts) {
    if (rules_.n_roles != 3 || rules_.arguments[1] < 0) return false;
    if (!pack(run_.gold, example, 0) || !pack(run_.pred, example, 1)) return false;
    counts[GOLD] += few_.n[0];
    counts[PREDICTED] += few_.n[1];
    const int less = few_.n[1] < few_.n[0];  // the side of the rows of the matching
    const int64_t n = few_.n[less], m = few_.n[1 - less];
    uint64_t rows[Few::MOST];  // a byte for each criterion: the columns that a row may take
    for (int64_t i = 0; i < n; ++i) {
      rows[i] = 0;
      for (int64_t j = 0; j < m; ++j) {
        const bool same = few_.types[less][i] == few_.types[1 - less][j];
        rows[i] |= few_.compare(few_.spans[less][i], few_.spans[1 - less][j], same,
                                rules_.numerator, rules_.denominator)
                   << j;
      }
    }
    uint64_t matched = 0;
    if (n == 1) {
      matched = Few::filled(rows[0]);
    } else if (n == 2) {
      matched = match_two(rows[0], rows[1]);
    } else if (n > 2) {
      for (int k = 0; k < N_FIELDS - EXACT; ++k) {
        matched |= static_cast<uint64_t>(match_few(rows, n, 8 * k)) << 8 * k;
      }
    }
    for (int k = 0; k < N_FIELDS - EXACT; ++k)
      counts[EXACT + k] += static_cast<int64_t>(matched >> 8 * k & 0xff);
    return true;
  }

  // Matches two rows by each criterion: one is left if both may take one column alone, the same.
  static uint64_t match_two(uint64_t a, uint64_t b) {
    const uint64_t in_a = Few::filled(a);
    const uint64_t differ = Few::filled(a ^ b) | Few::filled(a & (a - in_a));
    return in_a + Few::filled(b) - (in_a & ~differ);
  }

  // Matches few rows by one criterion, by augmenting paths.
  static int64_t match_few(const uint64_t* rows, int64_t n, int shift) {
    int64_t row_of[Few::MOST], column_of[Few::MOST], via[Few::MOST], queue[Few::MOST];
    uint32_t taken = 0;
    int64_t size = 0;
    for (int64_t i = 0; i < n; ++i) {
      uint32_t open = 0xff;
      int64_t end = -1, n_queued = 1;
      queue[0] = i;
      for (int64_t k = 0; k < n_queued && end < 0; ++k) {
        auto may = static_cast<uint32_t>(rows[queue[k]] >> shift) & open;
        for (; may && end < 0; may &= may - 1) {
          const int64_t j = lowest_one(may);
          open &= ~(1u << j);
          via[j] = queue[k];
          if (taken >> j & 1) {
            queue[n_queued++] = row_of[j];
          } else {
            end = j;
          }
        }
      }
      if (end < 0) continue;
      ++size;
      taken |= 1u << end;
      for (int64_t row = -1; row != i;) {  // each row on the path takes the column after it
        row = via[end];
        row_of[end] = row;
        std::swap(column_of[row], end);
      }
    }
    return size;
  }

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
    size_t at = 0;
    uint32_t any = 0;
    for (const Member& gold : golds_) {
      meter.add_cost(20 * static_cast<int64_t>(preds_.size()));
      for (const Member& pred : preds_) {
        const uint32_t held = criteria(gold, pred);
        any |= held;
        held_[at++] = static_cast<uint16_t>(held);
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

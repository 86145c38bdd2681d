// Compares gold labels with answers in many groups: counts, macro-F1 and exact match.
//
// Labels count from 0. The answer n_labels names no label: gold is missed, no other label is added.
// Members with -1 on either side are left out.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace fastcausal {

struct GroupScore {
  int64_t n;     // members that count
  double f1;     // mean F1 of the labels; NaN without members
  double exact;  // 1 if every answer is correct, else 0; NaN without members
};

// Counts of a group with up to 127 members and few labels, one byte per label.
struct PackedCounts {
  static constexpr int64_t LABELS = 8;  // one of them stands for "no label"
  static constexpr int64_t MOST = 127;

  uint64_t hits = 0, both = 0;  // correct answers; members of gold plus answers

  void add(int64_t gold, int64_t pred) {
    hits += uint64_t{gold == pred} << (8 * gold);
    both += (uint64_t{1} << (8 * gold)) + (uint64_t{1} << (8 * pred));
  }

  static int64_t of(uint64_t counts, int64_t label) {
    return static_cast<int64_t>(counts >> (8 * label) & 0xff);
  }

  static int64_t sum(uint64_t counts) {  // at most 2 * MOST: fits a byte
    return static_cast<int64_t>(counts * 0x0101010101010101 >> 56);
  }
};

// Counts the labels of one group after another.
class GroupCounts {
 public:
  // undefined is the F1 of labels that a group lacks on both sides. NaN leaves them out of the
  // mean.
  GroupCounts(int64_t n_labels, double undefined)
      : n_labels_(n_labels), undefined_(undefined), of_label_(static_cast<size_t>(n_labels) + 1) {}

  bool fits(int64_t gold, int64_t pred) const {
    const auto most = static_cast<uint64_t>(n_labels_);  // as unsigned, numbers below -1 are huge
    return static_cast<uint64_t>(gold + 1) <= most && static_cast<uint64_t>(pred + 1) <= most + 1;
  }

  // Scores a group of n members. place_of(k) is the place of member k in gold and pred.
  template <class PlaceOf>
  GroupScore of(const int64_t* gold, const int64_t* pred, int64_t n, const PlaceOf& place_of) {
    const bool few = n_labels_ < PackedCounts::LABELS && n <= PackedCounts::MOST;
    PackedCounts packed;  // a local stays in registers, members of the class do not
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = place_of(k), wanted = gold[at], named = pred[at];
      if (wanted < 0 || named < 0) continue;
      if (few) {
        packed.add(wanted, named);
      } else {
        count(wanted).hits += wanted == named;
        count(named);
      }
    }
    return few ? scores(packed) : finish();
  }

  // Scores a group from its counts of each label: correct answers, and members of gold plus
  // answers. The last of the latter are answers without a label.
  GroupScore scores(const int64_t* hits, const int64_t* both) const {
    return scores([&](int64_t label) { return hits[label]; },
                  [&](int64_t label) { return both[label]; },
                  std::accumulate(both, both + n_labels_ + 1, int64_t{0}),
                  std::accumulate(hits, hits + n_labels_, int64_t{0}));
  }

  // Scores a group from its packed counts.
  GroupScore scores(const PackedCounts& members) const {
    return scores([&](int64_t label) { return PackedCounts::of(members.hits, label); },
                  [&](int64_t label) { return PackedCounts::of(members.both, label); },
                  PackedCounts::sum(members.both), PackedCounts::sum(members.hits));
  }

 private:
  struct Counts {
    int64_t hits = 0, both = 0;  // correct answers; members of gold plus answers
  };

  const int64_t n_labels_;
  const double undefined_;
  std::vector<Counts> of_label_;  // the last: answers without a label
  std::vector<int64_t> present_;  // labels of this group

  // all, right: the sums of both and of hits.
  template <class HitsOf, class BothOf>
  GroupScore scores(const HitsOf& hits_of, const BothOf& both_of, int64_t all,
                    int64_t right) const {
    double sum = 0;
    int64_t n = 0;
    for (int64_t label = 0; label < n_labels_; ++label) {
      const int64_t both = both_of(label);
      sum += 2.0 * static_cast<double>(hits_of(label)) /
             static_cast<double>(std::max(both, int64_t{1}));
      n += both != 0;
    }
    return score(sum, n, all, right);
  }

  Counts& count(int64_t label) {
    Counts& counts = of_label_[static_cast<size_t>(label)];
    if (!counts.both++) present_.push_back(label);
    return counts;
  }

  // Scores the counted members and starts the next group.
  GroupScore finish() {
    std::sort(present_.begin(), present_.end());  // makes the sum independent of order
    double sum = 0;
    int64_t n = 0, both = 0, right = 0;
    for (const int64_t label : present_) {
      const Counts counts = std::exchange(of_label_[static_cast<size_t>(label)], {});
      both += counts.both;
      if (label == n_labels_) continue;
      sum += 2.0 * static_cast<double>(counts.hits) / static_cast<double>(counts.both);
      right += counts.hits;
      ++n;
    }
    present_.clear();
    return score(sum, n, both, right);
  }

  GroupScore score(double sum, int64_t n, int64_t both, int64_t right) const {
    constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
    if (!both) return {0, NONE, NONE};
    if (undefined_ == undefined_) {
      sum += undefined_ * static_cast<double>(n_labels_ - n);
      n = n_labels_;
    }
    return {both / 2, sum / static_cast<double>(n), both == 2 * right ? 1.0 : 0.0};
  }
};

// Members of groups: group g has places[offsets[g]] to places[offsets[g + 1]]. Without places, it
// has these numbers themselves.
struct Grouped {
  const int64_t* offsets;
  int64_t n_groups;
  const int64_t* places;

  int64_t at(int64_t k) const { return places ? places[k] : k; }
};

// Scores every group. Returns the first place of an unknown label, or -1.
inline int64_t group_scores(const int64_t* gold, const int64_t* pred, int64_t n_labels,
                            double undefined, const Grouped& groups, int64_t* n, double* f1,
                            double* exact) {
  GroupCounts counts(n_labels, undefined);
  for (int64_t g = 0; g < groups.n_groups; ++g) {
    const int64_t begin = groups.offsets[g], end = groups.offsets[g + 1];
    for (int64_t k = begin; k < end; ++k) {
      if (!counts.fits(gold[groups.at(k)], pred[groups.at(k)])) return groups.at(k);
    }
    const auto place_of = [&](int64_t k) { return groups.at(begin + k); };
    const GroupScore score = counts.of(gold, pred, end - begin, place_of);
    n[g] = score.n;
    f1[g] = score.f1;
    exact[g] = score.exact;
  }
  return -1;
}

// Scores groups of at most PackedCounts::MOST members in any order. There must be fewer labels than
// PackedCounts::LABELS. Keys count from 0.
// Returns the first place of an unknown label, or -1.
inline int64_t keyed_scores(const int64_t* gold, const int64_t* pred, const int64_t* keys,
                            int64_t n_members, int64_t n_labels, double undefined, int64_t n_groups,
                            int64_t* n, double* f1, double* exact) {
  const GroupCounts counts(n_labels, undefined);
  std::vector<PackedCounts> packed(static_cast<size_t>(n_groups));
  for (int64_t k = 0; k < n_members; ++k) {
    if (!counts.fits(gold[k], pred[k])) return k;
    if (gold[k] >= 0 && pred[k] >= 0) packed[static_cast<size_t>(keys[k])].add(gold[k], pred[k]);
  }
  for (int64_t g = 0; g < n_groups; ++g) {
    const GroupScore score = counts.scores(packed[static_cast<size_t>(g)]);
    n[g] = score.n;
    f1[g] = score.f1;
    exact[g] = score.exact;
  }
  return -1;
}

// Adds to counts[n_groups][n_labels][n_labels + 1].
// Returns the first place of an unknown label or group, or -1.
inline int64_t count_confusions(const int64_t* gold, const int64_t* pred, const int64_t* groups,
                                int64_t n, int64_t n_groups, int64_t n_labels, int64_t* counts) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t wanted = gold[k], named = pred[k], group = groups[k];
    if (wanted < -1 || wanted >= n_labels || named < -1 || named > n_labels) return k;
    if (group < 0 || group >= n_groups) return k;
    if (wanted >= 0 && named >= 0) ++counts[(group * n_labels + wanted) * (n_labels + 1) + named];
  }
  return -1;
}

// Sorts places by key and keeps the order of equal keys. offsets is [n_keys + 1], keys count from
// 0.
inline void places_by_key(const int64_t* keys, int64_t n, int64_t n_keys, int64_t* offsets,
                          int64_t* places) {
  std::fill_n(offsets, n_keys + 1, int64_t{0});
  for (int64_t k = 0; k < n; ++k) ++offsets[keys[k] + 1];
  for (int64_t key = 0; key < n_keys; ++key) offsets[key + 1] += offsets[key];
  std::vector<int64_t> next(offsets, offsets + n_keys);
  for (int64_t k = 0; k < n; ++k) places[next[static_cast<size_t>(keys[k])]++] = k;
}

}  // namespace fastcausal

// Causal frames and chains in judged pairs. The pairs are sorted by story, cause and effect.
//
//   Events ── numbers the events of one story in their order
//     ├─ each_frame ── groups pairs by effect; score_frames counts and scores their classes
//     └─ Story ── strong pairs by cause and by effect
//          └─ Chains ── every x < y < z with two strong pairs and a weak or absent third
//
// The code of a pair stands for its classes in gold and in the answer. Bits tell the parts that a
// code may play in a chain, so nothing here knows a class.
// Time is linear in pairs and in pairs of strong pairs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "confusions.hpp"
#include "stop.hpp"

namespace fastcausal {

// story, a and b are [n]. Every pair has a < b.
struct JudgedPairs {
  const int64_t* story;
  const int64_t* a;
  const int64_t* b;
  int64_t n;

  int64_t end_of_story(int64_t first) const {
    int64_t last = first;
    while (last < n && story[last] == story[first]) ++last;
    return last;
  }
};

// Returns whether every pair comes after the one before it, by story, cause and effect.
inline bool ascend(const JudgedPairs& pairs) {
  const auto after = [](const int64_t* at) { return at[0] > at[-1]; };
  const auto same = [](const int64_t* at) { return at[0] == at[-1]; };
  constexpr int64_t BLOCK = 4096;
  for (int64_t start = 1; start < pairs.n; start += BLOCK) {
    bool all = true;
    for (int64_t k = start; k < std::min(start + BLOCK, pairs.n); ++k) {
      const int64_t *story = pairs.story + k, *a = pairs.a + k, *b = pairs.b + k;
      all &= after(story) | (same(story) & (after(a) | (same(a) & after(b))));
    }
    if (!all) return false;
  }
  return true;
}

class Events {
 public:
  // Numbers far apart are listed. Otherwise places count from the lowest number.
  void read(const JudgedPairs& pairs, int64_t first, int64_t last) {
    least_ = pairs.a[first];
    const int64_t most = *std::max_element(pairs.b + first, pairs.b + last);
    const uint64_t range = static_cast<uint64_t>(most) - static_cast<uint64_t>(least_);
    listed_.clear();
    size_ = static_cast<int64_t>(range + 1);
    if (range < static_cast<uint64_t>(8 * (last - first))) return;
    listed_.assign(pairs.a + first, pairs.a + last);
    listed_.insert(listed_.end(), pairs.b + first, pairs.b + last);
    std::sort(listed_.begin(), listed_.end());
    listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
    size_ = static_cast<int64_t>(listed_.size());
  }

  int64_t size() const { return size_; }

  int64_t place(int64_t event) const {
    if (listed_.empty()) return event - least_;
    return std::lower_bound(listed_.begin(), listed_.end(), event) - listed_.begin();
  }

  int64_t event(int64_t place) const { return listed_.empty() ? least_ + place : listed_[place]; }

 private:
  int64_t least_ = 0, size_ = 0;
  std::vector<int64_t> listed_;
};

// Calls call(event, members) for each effect, story by story. Members are sorted by cause.
template <class Call>
void each_frame(const JudgedPairs& pairs, StopRequested stop_requested, const Call& call) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Events events;
  std::vector<int64_t> starts, ends, members;
  for (int64_t first = 0, last = 0; first < pairs.n; first = last) {
    last = pairs.end_of_story(first);
    meter.add_cost(20 * (last - first));
    events.read(pairs, first, last);
    starts.assign(static_cast<size_t>(events.size()) + 1, 0);
    for (int64_t k = first; k < last; ++k) ++starts[events.place(pairs.b[k]) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    ends = starts;
    members.resize(static_cast<size_t>(last - first));
    for (int64_t k = first; k < last; ++k) members[ends[events.place(pairs.b[k])]++] = k;
    for (int64_t place = 0; place < events.size(); ++place)
      if (starts[place] < ends[place])
        call(events.event(place), members.data() + starts[place], members.data() + ends[place]);
  }
}

inline int64_t count_frames(const JudgedPairs& pairs, StopRequested stop_requested) {
  int64_t n = 0;
  each_frame(pairs, stop_requested, [&](int64_t, const int64_t*, const int64_t*) { ++n; });
  return n;
}

// The classes of pairs in gold and in the answers. All arrays are [n_pairs].
struct Judgments {
  const int64_t* classes;
  const int64_t* gold;  // labels, as for GroupCounts
  const int64_t* pred;
  const int8_t* in_document;  // 0 or 1
  int64_t n_classes;
  int64_t n_labels;
  double undefined;
};

// Fills rows[n_frames, 4 + n_classes] and marks[n_frames, 2]. A row has story, effect, pairs in a
// document, counted pairs, and pairs of each class. Marks are F1 and exact match.
inline void score_frames(const JudgedPairs& pairs, const Judgments& judgments, int64_t* rows,
                         double* marks, StopRequested stop_requested) {
  GroupCounts counts(judgments.n_labels, judgments.undefined);
  each_frame(pairs, stop_requested, [&](int64_t effect, const int64_t* begin, const int64_t* end) {
    int64_t* classes = rows + 4;
    std::fill_n(classes, judgments.n_classes, int64_t{0});
    int64_t n_in_document = 0;
    for (const int64_t* k = begin; k < end; ++k) {
      ++classes[judgments.classes[*k]];
      n_in_document += judgments.in_document[*k];
    }
    const auto place_of = [&](int64_t k) { return begin[k]; };
    const GroupScore score = counts.of(judgments.gold, judgments.pred, end - begin, place_of);
    rows[0] = pairs.story[*begin];
    rows[1] = effect;
    rows[2] = n_in_document;
    rows[3] = score.n;
    rows = classes + judgments.n_classes;
    *marks++ = score.f1;
    *marks++ = score.exact;
  });
}

enum ChainType : int64_t { mediation, confounding, collider, n_chain_types };

// Codes of pairs, and the bits of each code: 1 strong, then 2 << ChainType if weak in such chains.
// The code `absent` stands for missing pairs.
struct Codes {
  const int8_t* of_pair;  // [n_pairs]
  const int8_t* bits;     // [absent + 1]
  int8_t absent;

  bool strong(int8_t code) const { return bits[code] & 1; }
  bool weak(int8_t code, ChainType type) const { return bits[code] >> (type + 1) & 1; }
};

// One story: places of its events, strong pairs by cause and by effect, and one row of all pairs.
class Story {
 public:
  struct Strong {
    int64_t other;  // the place of the effect, or of the cause
    int8_t code;
  };

  Events events;

  void read(const JudgedPairs& pairs, const Codes& codes, int64_t first, int64_t last) {
    events.read(pairs, first, last);
    const size_t size = static_cast<size_t>(events.size());
    if (effects_.size() < size) {
      effects_.resize(size);
      causes_.resize(size);
    }
    for (size_t place = 0; place < size; ++place) {
      effects_[place].clear();
      causes_[place].clear();
    }
    row_.assign(size, codes.absent);
    pair_ = first;
    for (int64_t k = first; k < last; ++k) {
      const int8_t code = codes.of_pair[k];
      if (!codes.strong(code)) continue;
      const int64_t a = events.place(pairs.a[k]), b = events.place(pairs.b[k]);
      effects_[a].push_back({b, code});
      causes_[b].push_back({a, code});
    }
  }

  const std::vector<Strong>& effects(int64_t place) const { return effects_[place]; }
  const std::vector<Strong>& causes(int64_t place) const { return causes_[place]; }

  // Calls with the codes of all pairs of one cause, by effect. Causes come in ascending order.
  template <class Call>
  void with_row(const JudgedPairs& pairs, const Codes& codes, int64_t last, int64_t place,
                const Call& call) {
    const int64_t start = pair_, cause = events.event(place);
    for (; pair_ < last && pairs.a[pair_] == cause; ++pair_)
      row_[events.place(pairs.b[pair_])] = codes.of_pair[pair_];
    call(row_.data());
    for (int64_t k = start; k < pair_; ++k) row_[events.place(pairs.b[k])] = codes.absent;
  }

 private:
  std::vector<std::vector<Strong>> effects_, causes_;  // ascending
  std::vector<int8_t> row_;
  int64_t pair_ = 0;
};

// Calls add(type, x, y, z, codes of two strong pairs, code of the weak one) with places of events.
template <class Add>
void chains_around(const Story& story, const Codes& codes, int64_t v, const int8_t* row,
                   const Add& add) {
  for (const auto [y, xy] : story.effects(v))
    for (const auto [z, yz] : story.effects(y))
      if (codes.weak(row[z], mediation)) add(mediation, v, y, z, xy, yz, row[z]);
  for (const auto [z, xz] : story.effects(v)) {
    const auto& causes = story.causes(z);
    for (auto it = causes.rbegin(); it != causes.rend() && it->other > v; ++it)
      if (codes.weak(row[it->other], collider))
        add(collider, v, it->other, z, xz, it->code, row[it->other]);
  }
  for (const auto [x, xy] : story.causes(v)) {
    const auto& effects = story.effects(x);
    for (auto it = effects.rbegin(); it != effects.rend() && it->other > v; ++it)
      if (codes.weak(row[it->other], confounding))
        add(confounding, x, v, it->other, xy, it->code, row[it->other]);
  }
}

// Calls add(story, events, type, x, y, z, codes) for every chain of every story.
template <class Add>
void each_chain(const JudgedPairs& pairs, const Codes& codes, StopRequested stop_requested,
                const Add& add) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Story story;
  for (int64_t first = 0, last = 0; first < pairs.n; first = last) {
    last = pairs.end_of_story(first);
    story.read(pairs, codes, first, last);
    for (int64_t v = 0; v < story.events.size(); ++v) {
      meter.add_cost(50);
      story.with_row(pairs, codes, last, v, [&](const int8_t* row) {
        chains_around(story, codes, v, row, [&](auto... chain) {
          meter.add_cost(2);
          add(pairs.story[first], story.events, chain...);
        });
      });
    }
  }
}

// Returns the index of the codes of a chain in an array of [absent + 1]^3.
inline int64_t pattern_of(const Codes& codes, int8_t strong, int8_t other, int8_t weak) {
  const int64_t n = codes.absent + 1;
  return (strong * n + other) * n + weak;
}

// Adds the number of chains of each type and pattern to counts[3, (absent + 1)^3].
inline void count_chains(const JudgedPairs& pairs, const Codes& codes, int64_t* counts,
                         StopRequested stop_requested) {
  const int64_t n = codes.absent + 1;
  each_chain(pairs, codes, stop_requested,
             [&](int64_t, const Events&, ChainType type, int64_t, int64_t, int64_t, int8_t strong,
                 int8_t other, int8_t weak) {
               ++counts[type * n * n * n + pattern_of(codes, strong, other, weak)];
             });
}

// Fills [n_chains, 6] with story, x, y, z, type and pattern. Stops when the rows are full.
inline void list_chains(const JudgedPairs& pairs, const Codes& codes, int64_t* rows, int64_t n_rows,
                        StopRequested stop_requested) {
  const int64_t* end = rows + 6 * n_rows;
  each_chain(pairs, codes, stop_requested,
             [&](int64_t story, const Events& events, ChainType type, int64_t x, int64_t y,
                 int64_t z, int8_t strong, int8_t other, int8_t weak) {
               if (rows == end) return;
               const int64_t row[] = {story,
                                      events.event(x),
                                      events.event(y),
                                      events.event(z),
                                      type,
                                      pattern_of(codes, strong, other, weak)};
               rows = std::copy_n(row, 6, rows);
             });
}

}  // namespace fastcausal

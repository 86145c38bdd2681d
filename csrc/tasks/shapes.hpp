// Causal frames and chains in judged pairs. The pairs are sorted by story, cause and effect.
//
//   Events ── numbers the events of one story in their order
//     ├─ score_frames ── counts the pairs of each effect by class, and scores their answers
//     └─ Story ── strong pairs by cause and by effect
//          └─ each_wedge ── every x < y < z with two strong pairs, and the code of the third
//
// The code of a pair stands for its class in gold and its answer. The bits of a code give its
// possible roles in a chain, so nothing here knows a class. Time is linear in the number of pairs
// and in the number of wedges: two strong pairs with a common event.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "arrays/stop.hpp"
#include "tasks/confusions.hpp"

namespace fastcausal {

// Story k has the pairs starts[k] to starts[k + 1], at least one. Every pair has a < b.
struct JudgedPairs {
  const int64_t* starts;
  int64_t n_stories;
  const int64_t* a;
  const int64_t* b;
};

// Finds the stories of pairs by topic. Fills starts with the first pair of each story, then the
// number of pairs, and topics with the topic of each story; starts has room for n + 1, topics for
// n. Returns the number of stories, or -1 unless pairs ascend by topic, cause and effect, and every
// cause is before its effect.
inline int64_t find_stories(const int64_t* topic, const int64_t* a, const int64_t* b, int64_t n,
                            int64_t* starts, int64_t* topics) {
  int64_t n_stories = 0;
  for (int64_t k = 0; k < n; ++k) {
    const bool begins = k == 0 || topic[k] > topic[k - 1];
    // No branches here, since they would be mispredicted.
    const bool follows = begins || ((topic[k] == topic[k - 1]) &
                                    ((a[k] > a[k - 1]) | ((a[k] == a[k - 1]) & (b[k] > b[k - 1]))));
    if (!(follows & (a[k] < b[k]))) return -1;
    starts[n_stories] = k;  // overwritten unless a story begins
    topics[n_stories] = topic[k];
    n_stories += begins;
  }
  starts[n_stories] = n;
  return n_stories;
}

class Events {
 public:
  // A place is the distance from the lowest number of an event, or, if numbers are far apart, the
  // index in a sorted list of them.
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

// Calls call(story, events, first, last) for each story, with its number, events and range of
// pairs.
template <class Call>
void each_story(const JudgedPairs& pairs, StopRequested stop_requested, const Call& call) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Events events;
  for (int64_t story = 0; story < pairs.n_stories; ++story) {
    const int64_t first = pairs.starts[story], last = pairs.starts[story + 1];
    meter.add_cost(20 * (last - first));
    events.read(pairs, first, last);
    call(story, events, first, last);
  }
}

// Returns the number of frames: the different effects of all stories.
inline int64_t count_frames(const JudgedPairs& pairs, StopRequested stop_requested) {
  int64_t n = 0;
  std::vector<int8_t> is_effect;
  each_story(pairs, stop_requested,
             [&](int64_t, const Events& events, int64_t first, int64_t last) {
               is_effect.assign(static_cast<size_t>(events.size()), 0);
               for (int64_t k = first; k < last; ++k) is_effect[events.place(pairs.b[k])] = 1;
               n += std::count(is_effect.begin(), is_effect.end(), 1);
             });
  return n;
}

// The classes of pairs in gold and in the answers. All arrays are [n_pairs].
struct Judgments {
  const int8_t* classes;
  const int8_t* gold;  // labels, see GroupCounts; also pred
  const int8_t* pred;
  const int8_t* in_document;  // 0 or 1
  int64_t n_classes;
  int64_t n_labels;
  double undefined;
};

// Fills rows[n_frames, 4 + n_classes] and marks[n_frames, 2]. A row has the story, the effect, and
// the numbers of pairs within a document, of counted pairs, and of pairs by class. Marks are F1 and
// exact match.
inline void score_frames(const JudgedPairs& pairs, const Judgments& judgments, int64_t* rows,
                         double* marks, StopRequested stop_requested) {
  const GroupCounts scorer(judgments.n_labels, judgments.undefined);
  // Cells of each event: pairs within a document, pairs by class, then the counts of labels.
  const int64_t of_labels = 1 + judgments.n_classes;
  const int64_t of_both = of_labels + judgments.n_labels, width = of_both + judgments.n_labels + 1;
  std::vector<int64_t> counts;
  const auto work = [&](int64_t story, const Events& events, int64_t first, int64_t last) {
    counts.assign(static_cast<size_t>(events.size() * width), 0);
    for (int64_t k = first; k < last; ++k) {
      int64_t* of = counts.data() + events.place(pairs.b[k]) * width;
      const int8_t gold = judgments.gold[k], pred = judgments.pred[k];
      of[0] += judgments.in_document[k];
      ++of[1 + judgments.classes[k]];
      if (gold < 0 || pred < 0) continue;
      of[of_labels + gold] += gold == pred;
      ++of[of_both + gold];
      ++of[of_both + pred];
    }
    const int64_t* of = counts.data();
    for (int64_t place = 0; place < events.size(); ++place, of += width) {
      if (std::all_of(of + 1, of + of_labels, [](int64_t count) { return count == 0; })) continue;
      const GroupScore score = scorer.scores(of + of_labels, of + of_both);
      *rows++ = story;
      *rows++ = events.event(place);
      *rows++ = of[0];
      *rows++ = score.n;
      rows = std::copy(of + 1, of + of_labels, rows);
      *marks++ = score.f1;
      *marks++ = score.exact;
    }
  };
  each_story(pairs, stop_requested, work);
}

enum ChainType : int64_t { mediation, confounding, collider, n_chain_types };

// Codes of pairs, and the bits of each code: 1 if strong, 2 << type if weak in chains of a type.
// The code `absent` stands for missing pairs.
struct Codes {
  const int8_t* of_pair;  // [n_pairs]
  const int8_t* bits;     // [absent + 1]
  int8_t absent;

  bool strong(int8_t code) const { return bits[code] & 1; }
  bool weak(int8_t code, ChainType type) const { return bits[code] >> (type + 1) & 1; }
};

// Strong pairs of one story, by cause and by effect.
class Story {
 public:
  struct Strong {
    int64_t other;  // the place of the effect, or of the cause
    int8_t code;
  };

  struct Range {
    const Strong* first;
    const Strong* last;
    const Strong* begin() const { return first; }
    const Strong* end() const { return last; }
    int64_t size() const { return last - first; }
  };

  void read(const JudgedPairs& pairs, const Codes& codes, const Events& events, int64_t first,
            int64_t last) {
    const size_t size = static_cast<size_t>(events.size());
    effects_.starts.assign(size + 1, 0);
    causes_.starts.assign(size + 1, 0);
    pairs_.resize(static_cast<size_t>(last - first));
    size_t n = 0;
    for (int64_t k = first; k < last; ++k) {
      const int8_t code = codes.of_pair[k];
      const bool is_strong = codes.strong(code);
      const Pair pair = {events.place(pairs.a[k]), events.place(pairs.b[k]), code};
      pairs_[n] = pair;  // overwritten unless strong; a branch would be mispredicted
      n += is_strong;
      effects_.starts[static_cast<size_t>(pair.a) + 1] += is_strong;
      causes_.starts[static_cast<size_t>(pair.b) + 1] += is_strong;
    }
    pairs_.resize(n);
    effects_.prepare(n);
    causes_.prepare(n);
    for (const Pair& pair : pairs_) {
      effects_.add(pair.a, {pair.b, pair.code});
      causes_.add(pair.b, {pair.a, pair.code});
    }
    effects_.restart();
    causes_.restart();
  }

  Range effects(int64_t place) const { return effects_.of(place); }
  Range causes(int64_t place) const { return causes_.of(place); }

  // Each call for a place skips one more of its pairs and returns the rest, for callers that go
  // through events in order.
  Range later_effects(int64_t place) { return effects_.behind_next(place); }
  Range later_causes(int64_t place) { return causes_.behind_next(place); }

 private:
  struct Pair {
    int64_t a, b;
    int8_t code;
  };

  // Strong pairs by the place of one of their events; each list ascends by the other event.
  struct Lists {
    std::vector<int64_t> starts, next;
    std::vector<Strong> strong;

    void prepare(size_t n) {
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      strong.resize(n);
      restart();
    }
    void restart() { next = starts; }
    void add(int64_t place, Strong one) { strong[next[place]++] = one; }
    Range of(int64_t place) const {
      return {strong.data() + starts[place], strong.data() + starts[place + 1]};
    }
    Range behind_next(int64_t place) {
      return {strong.data() + ++next[place], strong.data() + starts[place + 1]};
    }
  };

  std::vector<Pair> pairs_;
  Lists effects_, causes_;
};

// Calls add(type, x, y, z, codes of two strong pairs, code of the third) with places of events, for
// all wedges whose third pair begins with event v. row has the codes of v's pairs by effect.
template <class Add>
void wedges_around(Story& story, int64_t v, const int8_t* row, CostMeter& meter, const Add& add) {
  int64_t n = 0;
  for (const auto [y, vy] : story.effects(v)) {
    const Story::Range further = story.effects(y), causes = story.later_causes(y);
    for (const auto [z, yz] : further) add(mediation, v, y, z, vy, yz, row[z]);
    for (const auto [x, xy] : causes) add(collider, v, x, y, vy, xy, row[x]);
    n += further.size() + causes.size();
  }
  for (const auto [x, xv] : story.causes(v)) {
    const Story::Range effects = story.later_effects(x);
    for (const auto [z, xz] : effects) add(confounding, x, v, z, xv, xz, row[z]);
    n += effects.size();
  }
  meter.add_cost(50 + 3 * n);
}

// Calls add(story, events, type, x, y, z, codes) for each wedge of each story.
template <class Add>
void each_wedge(const JudgedPairs& pairs, const Codes& codes, StopRequested stop_requested,
                const Add& add) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  Story strong;
  std::vector<int8_t> row;  // codes of one cause's pairs, by effect
  const auto work = [&](int64_t story, const Events& events, int64_t first, int64_t last) {
    strong.read(pairs, codes, events, first, last);
    row.assign(static_cast<size_t>(events.size()), codes.absent);
    for (int64_t v = 0, k = first; v < events.size(); ++v) {
      const int64_t start = k, cause = events.event(v);
      for (; k < last && pairs.a[k] == cause; ++k) row[events.place(pairs.b[k])] = codes.of_pair[k];
      wedges_around(strong, v, row.data(), meter,
                    [&](auto... wedge) { add(story, events, wedge...); });
      for (int64_t j = start; j < k; ++j) row[events.place(pairs.b[j])] = codes.absent;
    }
  };
  each_story(pairs, stop_requested, work);
}

// Returns the index of the codes of a chain in an array of [absent + 1]^3.
inline int64_t pattern_of(const Codes& codes, int8_t strong, int8_t other, int8_t weak) {
  const int64_t n = codes.absent + 1;
  return (strong * n + other) * n + weak;
}

// Adds the number of chains of each type and pattern to counts[3, (absent + 1)^3].
inline void count_chains(const JudgedPairs& pairs, const Codes& codes, int64_t* counts,
                         StopRequested stop_requested) {
  const int64_t n = codes.absent + 1, n_patterns = n * n * n;
  // Counts all wedges, also with a third pair that is not weak: this saves a branch for each.
  std::vector<int64_t> wedges(static_cast<size_t>(n_chain_types * n_patterns));
  each_wedge(pairs, codes, stop_requested,
             [&, of = wedges.data()](int64_t, const Events&, ChainType type, int64_t, int64_t,
                                     int64_t, int8_t strong, int8_t other, int8_t third) {
               ++of[type * n_patterns + pattern_of(codes, strong, other, third)];
             });
  for (int64_t k = 0; k < n_chain_types * n_patterns; ++k) {
    const auto type = static_cast<ChainType>(k / n_patterns);
    if (codes.weak(static_cast<int8_t>(k % n), type)) counts[k] += wedges[k];
  }
}

// Fills rows[n_rows, 6] with story, x, y, z, type and pattern of chains, until they are full.
inline void list_chains(const JudgedPairs& pairs, const Codes& codes, int64_t* rows, int64_t n_rows,
                        StopRequested stop_requested) {
  const int64_t* end = rows + 6 * n_rows;
  each_wedge(pairs, codes, stop_requested,
             [&](int64_t story, const Events& events, ChainType type, int64_t x, int64_t y,
                 int64_t z, int8_t strong, int8_t other, int8_t third) {
               if (rows == end || !codes.weak(third, type)) return;
               const int64_t row[] = {story,
                                      events.event(x),
                                      events.event(y),
                                      events.event(z),
                                      type,
                                      pattern_of(codes, strong, other, third)};
               rows = std::copy_n(row, 6, rows);
             });
}

}  // namespace fastcausal

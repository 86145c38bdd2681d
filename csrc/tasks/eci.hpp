// Causal pairs of events, counted by documents: gold, predicted, and perhaps candidates. Host only.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "arrays/bits.hpp"
#include "arrays/ids.hpp"
#include "arrays/numbers.hpp"

namespace fastcausal::eci {

// Labels are 0 (no relation), 1 (a relation of unknown direction), and of type t the codes 2 + 2t
// (a causes b) and 3 + 2t (b causes a). A set of labels is a word with their bits.
constexpr int NO_RELATION = 0, UNKNOWN = 1, MOST_LABELS = 64;
constexpr uint64_t UNKNOWN_BIT = 1 << UNKNOWN;
constexpr uint64_t A_CAUSES_B = 0x5555555555555554u, B_CAUSES_A = A_CAUSES_B << 1;

// Rows of one source. A list of events has no b, candidates have no labels.
struct Rows {
  int64_t n = 0;
  const int32_t *document = nullptr, *a = nullptr, *b = nullptr;  // numbers
  const int8_t* label = nullptr;
  const int32_t *sentence_a = nullptr, *sentence_b = nullptr;  // negative: unknown
};

struct Rules {
  bool ordered = false;         // a pair differs from its reverse, and no label is turned round
  bool repeats = false;         // rows count, not distinct items
  bool unknown_hits = false;    // an unknown direction is a label like others
  bool ignore_outside = false;  // predictions that are no candidates do not count
};

enum Source { CANDIDATES, GOLD_ROWS, PRED_ROWS };
enum Group : size_t { EXISTS, DIRECTION, TYPED, N_GROUPS };
enum Stratum : size_t { OVERALL, INTRA, INTER, N_STRATA };
// Wrong: predicted without a hit; invented if gold does not relate the pair at all. Missed: gold
// without a hit.
enum Count : size_t { TP, WRONG, MISSED, INVENTED, N_COUNTS };
// After the counts of groups and strata: tp, predicted and gold of calling every candidate causal,
// the pairs predicted that are no candidates, and a hash of the different items of gold that adds.
constexpr size_t EVERY = N_GROUPS * N_STRATA * N_COUNTS;
constexpr size_t N_EVERY = 3;
constexpr size_t N_OUTSIDE = EVERY + N_EVERY * N_STRATA;
constexpr size_t DIGEST = N_OUTSIDE + 1;
constexpr size_t N_FIELDS = DIGEST + 1;

// The rows of each document, in their order.
class ByDocument {
 public:
  ByDocument(const Rows& rows, int64_t n_documents)
      : starts_(static_cast<size_t>(n_documents) + 1) {
    const int32_t *first = rows.document, *last = first + rows.n;
    for (const int32_t* at = first; at < last; ++at) ++starts_[static_cast<size_t>(*at) + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    if (std::is_sorted(first, last)) return;
    rows_.resize(static_cast<size_t>(rows.n));
    std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
    for (int64_t i = 0; i < rows.n; ++i) {
      rows_[static_cast<size_t>(next[static_cast<size_t>(first[i])]++)] = static_cast<int32_t>(i);
    }
  }

  template <class Visit>
  void each(int64_t document, const Visit& visit) const {
    const size_t at = static_cast<size_t>(document);
    for (int64_t k = starts_[at]; k < starts_[at + 1]; ++k) {
      visit(rows_.empty() ? k : rows_[static_cast<size_t>(k)]);
    }
  }

 private:
  std::vector<int64_t> starts_;
  std::vector<int32_t> rows_;  // empty if documents ascend
};

// A mention whose sentence differs from the one that an earlier row gives.
struct Conflict {
  int64_t source = -1;  // none
  int64_t row = 0, end = 0, sentence = 0;
};

class Document {
 public:
  using Counts = std::array<int64_t, N_FIELDS>;

  // Mentions are numbers below the length of `hashes`, the hashes of their texts.
  Document(const Rules& rules, const uint64_t* hashes, int64_t n_mentions)
      : rules_(rules), hashes_(hashes), places_(static_cast<size_t>(n_mentions)) {}

  void clear() {
    ++n_documents_;
    mentions_.clear();
    sentences_.clear();
    is_event_.clear();
    for (Numbers* keys : {&pairs_, &candidates_, &gold_pairs_, &outside_}) keys->clear();
    labels_.clear();
    for (auto* lines : {&gold_, &pred_}) lines->clear();
    candidate_pairs_.clear();
    different_gold_.clear();
    has_candidates_ = false;
  }

  void restrict_to_candidates() { has_candidates_ = true; }

  void add_candidate(const Rows& rows, int64_t row) {
    const uint32_t a = mention(rows.a, rows.sentence_a, CANDIDATES, row, 0);
    if (rows.b == nullptr) {
      is_event_[a] = true;
      return;
    }
    const uint32_t b = mention(rows.b, rows.sentence_b, CANDIDATES, row, 1);
    if (add(candidates_, unordered(a, b))) candidate_pairs_.push_back(unordered(a, b));
  }

  void add_gold(const Rows& rows, int64_t row) {
    const Line line = read(rows, row, GOLD_ROWS);
    if (line.label == NO_RELATION) return;
    const size_t number = relate(line);
    labels_[number].gold |= bit(line.label);
    if (rules_.repeats) gold_.push_back({number, bit(line.label)});
    const uint64_t pair = unordered(line.a, line.b);
    if (has_candidates_ && add(gold_pairs_, pair)) different_gold_.push_back(pair);
  }

  // Returns true if the row predicts a pair that is not a candidate.
  bool add_predicted(const Rows& rows, int64_t row) {
    const Line line = read(rows, row, PRED_ROWS);
    if (line.label == NO_RELATION) return false;
    const bool outside = has_candidates_ && !is_candidate(line.a, line.b);
    if (outside) {
      add(outside_, unordered(line.a, line.b));
      if (rules_.ignore_outside) return true;
    }
    const size_t number = relate(line);
    labels_[number].pred |= bit(line.label);
    if (rules_.repeats) pred_.push_back({number, bit(line.label)});
    return outside;
  }

  void count(Counts& counts) const {
    counts.fill(0);
    if (rules_.repeats) {
      count_lines(counts);
    } else {
      count_items(counts);
    }
    counts[N_OUTSIDE] = outside_.n();
    counts[DIGEST] = static_cast<int64_t>(digest());
    if (!has_candidates_) return;
    for (const uint64_t pair : different_gold_) {
      if (is_candidate(first_of(pair), second_of(pair))) add_every(counts, pair, 0);
      add_every(counts, pair, 2);
    }
    for (const uint64_t pair : candidate_pairs_) add_every(counts, pair, 1);
    count_pairs_of_events(counts);
  }

  const Conflict& conflict() const { return conflict_; }

 private:
  struct Line {
    uint32_t a, b;
    int label;
  };
  struct Labels {
    uint32_t a, b;
    uint64_t gold, pred;
  };
  struct Said {
    size_t pair;
    uint64_t label;
  };
  struct Place {
    int64_t document = 0;  // counted from 1
    uint32_t number = 0;   // of the mention in it
  };
  const Rules rules_;
  const uint64_t* hashes_;
  std::vector<Place> places_;
  int64_t n_documents_ = 0;
  Conflict conflict_;
  bool has_candidates_ = false;
  Numbers pairs_, candidates_, gold_pairs_, outside_;
  std::vector<int32_t> mentions_;
  std::vector<int32_t> sentences_;
  std::vector<char> is_event_;
  std::vector<Labels> labels_;  // of pairs, by number
  std::vector<Said> gold_, pred_;
  std::vector<uint64_t> candidate_pairs_, different_gold_;

  static uint64_t bit(int label) { return uint64_t{1} << label; }
  static uint64_t joined(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }
  static uint64_t unordered(uint32_t a, uint32_t b) {
    return joined(std::min(a, b), std::max(a, b));
  }

  static uint32_t first_of(uint64_t pair) { return static_cast<uint32_t>(pair >> 32); }
  static uint32_t second_of(uint64_t pair) { return static_cast<uint32_t>(pair); }

  // Adds a key; false if it is known. Equal hashes are equal keys, as mixed is a bijection.
  static bool add(Numbers& keys, uint64_t key) {
    const int64_t n = keys.n();
    return keys.add(mixed(key), [](int64_t) { return true; }) == n;
  }

  uint32_t mention(const int32_t* mentions, const int32_t* sentences, Source source, int64_t row,
                   int64_t end) {
    Place& place = places_[static_cast<size_t>(mentions[row])];
    if (place.document != n_documents_) {
      place = {n_documents_, static_cast<uint32_t>(mentions_.size())};
      mentions_.push_back(mentions[row]);
      sentences_.push_back(-1);
      is_event_.push_back(false);
    }
    const size_t number = place.number;
    if (sentences != nullptr && sentences[row] >= 0) {
      int32_t& sentence = sentences_[number];
      if (sentence >= 0 && sentence != sentences[row] && conflict_.source < 0) {
        conflict_ = {source, row, end, sentence};
      }
      sentence = sentences[row];
    }
    return static_cast<uint32_t>(number);
  }

  Line read(const Rows& rows, int64_t row, Source source) {
    const uint32_t a = mention(rows.a, rows.sentence_a, source, row, 0);
    const uint32_t b = mention(rows.b, rows.sentence_b, source, row, 1);
    const int label = static_cast<uint8_t>(rows.label[row]);
    if (rules_.ordered || a < b) return {a, b, label};
    return {b, a, label > UNKNOWN ? label ^ 1 : label};
  }

  size_t relate(const Line& line) {
    const int64_t n = pairs_.n();
    const uint64_t key = joined(line.a, line.b);
    const int64_t number = pairs_.add(mixed(key), [](int64_t) { return true; });
    if (number == n) labels_.push_back({line.a, line.b, 0, 0});
    return static_cast<size_t>(number);
  }

  bool is_candidate(uint32_t a, uint32_t b) const {
    if (is_event_[a] && is_event_[b]) return true;
    return candidates_.find(mixed(unordered(a, b)), [](int64_t) { return true; }) >= 0;
  }

  Stratum stratum(uint32_t a, uint32_t b) const {
    const int32_t of_a = sentences_[a], of_b = sentences_[b];
    return of_a < 0 || of_b < 0 ? OVERALL : of_a == of_b ? INTRA : INTER;
  }

  // The items that a set of labels makes in a group.
  static uint64_t items(size_t group, uint64_t labels) {
    if (group == TYPED || labels == 0) return labels;
    if (group == EXISTS) return 4;
    return (labels & UNKNOWN_BIT) | ((labels & A_CAUSES_B) ? 4 : 0) |
           ((labels & B_CAUSES_A) ? 8 : 0);
  }

  uint64_t hits(uint64_t gold, uint64_t pred) const {
    return gold & pred & (rules_.unknown_hits ? ~uint64_t{0} : ~UNKNOWN_BIT);
  }

  static void add_to(Counts& counts, size_t group, size_t stratum, size_t count, int64_t n) {
    const size_t at = group * N_STRATA * N_COUNTS + count;
    counts[at] += n;
    if (stratum != OVERALL) counts[at + stratum * N_COUNTS] += n;
  }

  // Sums by stratum first: OVERALL stands for unknown sentences there.
  void count_items(Counts& counts) const {
    std::array<std::array<int64_t, N_GROUPS * N_COUNTS>, N_STRATA> sums{};
    for (const Labels& pair : labels_) {
      int64_t* sum = sums[stratum(pair.a, pair.b)].data();
      for (size_t group = 0; group < N_GROUPS; ++group, sum += N_COUNTS) {
        const uint64_t gold = items(group, pair.gold), pred = items(group, pair.pred);
        const int64_t n_hits = count_few(hits(gold, pred)), n_pred = count_few(pred);
        sum[TP] += n_hits;
        sum[WRONG] += n_pred - n_hits;
        sum[MISSED] += count_few(gold) - n_hits;
        sum[INVENTED] += gold ? 0 : n_pred;
      }
    }
    for (size_t at = 0; at < N_GROUPS * N_COUNTS; ++at) {
      for (size_t in = OVERALL; in < N_STRATA; ++in) {
        add_to(counts, at / N_COUNTS, in, at % N_COUNTS, sums[in][at]);
      }
    }
  }

  static int64_t count_few(uint64_t x) { return x & (x - 1) ? count_ones(x) : x != 0; }

  void count_lines(Counts& counts) const {
    for (size_t group = 0; group < N_GROUPS; ++group) {
      for (const Said& line : gold_) {
        const Labels& pair = labels_[line.pair];
        const Stratum in = stratum(pair.a, pair.b);
        const bool hit = hits(items(group, line.label), items(group, pair.pred)) != 0;
        add_to(counts, group, in, MISSED, !hit);
      }
      for (const Said& line : pred_) {
        const Labels& pair = labels_[line.pair];
        const Stratum in = stratum(pair.a, pair.b);
        const bool hit = hits(items(group, pair.gold), items(group, line.label)) != 0;
        add_to(counts, group, in, TP, hit);
        add_to(counts, group, in, WRONG, !hit);
        add_to(counts, group, in, INVENTED, pair.gold == 0);
      }
    }
  }

  uint64_t digest() const {
    uint64_t sum = 0;
    for (const Labels& pair : labels_) {
      if (pair.gold == 0) continue;
      const uint64_t a = hash_of_mention(pair.a), b = hash_of_mention(pair.b);
      for (uint64_t left = pair.gold; left != 0; left &= left - 1) {
        const int label = lowest_one(left);
        const bool turned = label > UNKNOWN && label % 2 == 1;
        const uint64_t ends = label == UNKNOWN ? a + b : mixed(turned ? b : a) + (turned ? a : b);
        sum += mixed(ends + static_cast<uint64_t>(label / 2));
      }
    }
    return sum;
  }

  uint64_t hash_of_mention(uint32_t number) const {
    return hashes_[static_cast<size_t>(mentions_[number])];
  }

  void add_every(Counts& counts, uint64_t pair, size_t count) const {
    const Stratum in = stratum(first_of(pair), second_of(pair));
    ++counts[EVERY + count];
    if (in != OVERALL) ++counts[EVERY + N_EVERY * in + count];
  }

  void count_pairs_of_events(Counts& counts) const {
    std::vector<int32_t> known;
    int64_t n = 0;
    for (size_t k = 0; k < mentions_.size(); ++k) {
      if (!is_event_[k]) continue;
      ++n;
      if (sentences_[k] >= 0) known.push_back(sentences_[k]);
    }
    std::sort(known.begin(), known.end());
    const auto pairs_of = [](int64_t m) { return m * (m - 1) / 2; };
    int64_t within = 0;
    for (auto at = known.begin(); at < known.end();) {
      const auto end = std::upper_bound(at, known.end(), *at);
      within += pairs_of(end - at);
      at = end;
    }
    counts[EVERY + 1] += pairs_of(n);
    counts[EVERY + N_EVERY * INTRA + 1] += within;
    counts[EVERY + N_EVERY * INTER + 1] += pairs_of(static_cast<int64_t>(known.size())) - within;
  }
};

struct Outcome {
  Conflict conflict;
  int64_t first_outside = -1;  // row of pred, -1 for none
};

// Fills out[n_documents][n_columns] with the counts of each document that the columns name.
inline Outcome count_documents(int64_t n_documents, const Rows& gold, const Rows& pred,
                               const Rows* candidates, const uint64_t* hashes, int64_t n_mentions,
                               const Rules& rules, const int64_t* columns, int64_t n_columns,
                               int64_t* out) {
  const ByDocument of_gold(gold, n_documents), of_pred(pred, n_documents);
  const ByDocument of_candidates(candidates ? *candidates : Rows(), n_documents);
  Outcome outcome;
  Document document(rules, hashes, n_mentions);
  Document::Counts counts;
  for (int64_t d = 0; d < n_documents; ++d) {
    document.clear();
    if (candidates) {
      document.restrict_to_candidates();
      of_candidates.each(d, [&](int64_t row) { document.add_candidate(*candidates, row); });
    }
    of_gold.each(d, [&](int64_t row) { document.add_gold(gold, row); });
    of_pred.each(d, [&](int64_t row) {
      if (!document.add_predicted(pred, row)) return;
      int64_t& first = outcome.first_outside;
      if (first < 0 || row < first) first = row;
    });
    document.count(counts);
    for (int64_t k = 0; k < n_columns; ++k) {
      out[d * n_columns + k] = counts[static_cast<size_t>(columns[k])];
    }
  }
  outcome.conflict = document.conflict();
  return outcome;
}

}  // namespace fastcausal::eci

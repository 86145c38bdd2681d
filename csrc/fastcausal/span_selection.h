// Logits of span boundaries to relations: two arguments that do not overlap, and a signal.
//
//   columns of logits    A start | A end | B start | B end | signal start | signal end
//
//   "before": A ends at i, B starts at j      A  [start .. i]   [j .. end]  B
//   "after":  B ends at i, A starts at j      B  [start .. i]   [j .. end]  A
//
// BEAM (RECESS, appendix B; Chen et al. 2022) adds log-probabilities over the allowed positions:
//   1. Take the top_k best pairs (i, j) in both orders.
//   2. For each pair, take the top_k best starts up to i and the top_k best ends from j on.
//   3. Of all combinations, take the n_best.
// The first of equal scores wins: pairs "before", then "after", i and j ascending; combinations by
// rank of pair, start and end.
//
// CONSTRAINED is a beam of one, with "after" first. CONSTRAINED_LOGITS is the same on plain logits.
// ARGMAX takes the first best position of each column. A role with its end before its start has no
// span.
//
// The signal has the best start, and the best end among the max_signal tokens from there on.
//
// i and j are never in one word. Of selections that mark the same words, only the best stays.
// Cost: one pass over the positions per column, and top_k^3 combinations. Pairs (i, j) are tried
// only if i can still win. Positions are 32-bit.
#pragma once
#include "logarithms.h"
#include "row.h"

namespace fastcausal {
namespace selection {

enum Column { A_START, A_END, B_START, B_END, SIGNAL_START, SIGNAL_END, MOST_COLUMNS };
enum Method : int64_t { BEAM, CONSTRAINED, ARGMAX, CONSTRAINED_LOGITS };
constexpr int64_t MOST = 32;                       // highest top_k and n_best
constexpr double NEVER = -0x1.fffffffffffffp1023;  // only -inf is lower

struct Settings {
  int64_t method;
  int64_t top_k;
  int64_t n_best;
  int64_t max_signal;  // tokens
  int64_t n_columns;   // 4, or 6 with a signal
  int64_t roles[3];
  double min_score;
};

// Logits [batch, tokens] of each column. Steps count items. All members take 8 bytes, as in
// Settings.
struct Boundaries {
  const void* columns[MOST_COLUMNS];
  int64_t example_steps[MOST_COLUMNS];
  int64_t token_steps[MOST_COLUMNS];
  int64_t itemsize;  // 4 or 8
  int64_t n_examples;
  int64_t n_tokens;
  const uint8_t* there;       // [batch, tokens]: 1 for tokens that exist; NULL if all do
  const int32_t* words;       // [batch, tokens]: word of each token, -1 for none; or NULL
  const uint8_t* has_signal;  // [batch], or NULL for all

  FC_HD double logit(int64_t column, int64_t example, int64_t token) const {
    const int64_t at = example * example_steps[column] + token * token_steps[column];
    return itemsize == 4 ? static_cast<double>(static_cast<const float*>(columns[column])[at])
                         : static_cast<const double*>(columns[column])[at];
  }
};

// Words of an argument, start inclusive, stop exclusive. A start of -1 means no span.
struct Span {
  int32_t start, stop;

  FC_HD bool operator==(const Span& o) const { return (start == o.start) & (stop == o.stop); }
};
struct Selection {
  Span spans[3];
  double score;

  FC_HD bool marks_as(const Selection& o) const {
    return (spans[0] == o.spans[0]) & (spans[1] == o.spans[1]);
  }
  // Fills rows, sorted by (start, stop, role). Returns their number.
  FC_HD int64_t rows(const Settings& settings, Row* rows) const {
    int64_t n = 0;
    for (int k = 0; k < 3; ++k) {
      if (spans[k].start < 0) continue;
      const Row row{static_cast<int32_t>(settings.roles[k]), spans[k].start, spans[k].stop};
      int64_t at = n++;
      for (; at > 0 && compare_rows(row, rows[at - 1]) < 0; --at) rows[at] = rows[at - 1];
      rows[at] = row;
    }
    return n;
  }
};

// The best items so far, best first. The first of equal items stays first.
template <class Item>
struct TopK {
  Item items[MOST];
  int64_t n = 0;
  int64_t most;

  FC_HD explicit TopK(int64_t k) : most(k) {}
  FC_HD double bar() const { return n < most ? NEVER : items[n - 1].score; }
  FC_HD void offer(const Item& item) {
    if (!(item.score > bar())) return;
    int64_t at = n < most ? n++ : n - 1;
    for (; at > 0 && item.score > items[at - 1].score; --at) items[at] = items[at - 1];
    items[at] = item;
  }
  FC_HD void remove(int64_t at) {
    for (--n; at < n; ++at) items[at] = items[at + 1];
  }
};

struct Place {
  double score;
  int32_t at;
};
struct Split {
  double score;
  int32_t i, j;
  bool before;
};

// Returns the working memory for an example of n tokens, in doubles.
FC_HD int64_t scratch_of(int64_t n) { return (MOST_COLUMNS + 2) * n; }

class Selector {
 public:
  FC_HD Selector(const Settings& settings, int64_t n_tokens, double* scratch)
      : settings_(settings) {
    for (int64_t c = 0; c < MOST_COLUMNS; ++c) values_[c] = scratch + c * n_tokens;
    ahead_ = scratch + MOST_COLUMNS * n_tokens;
    words_ = reinterpret_cast<int32_t*>(ahead_ + n_tokens);
    tokens_ = words_ + n_tokens;
  }

  // Reads the allowed positions. Returns -1, or token * MOST_FAULTS plus the fault. The fault is
  // the column of a logit NaN or +inf, or WORD if a word comes too early. Without words, every
  // token is a word, and the first and last existing tokens are not allowed.
  static constexpr int64_t MOST_FAULTS = 8, WORD = 7;
  FC_HD int64_t read(const Boundaries& b, int64_t example) {
    const uint8_t* there = b.there ? b.there + example * b.n_tokens : nullptr;
    const int32_t* words = b.words ? b.words + example * b.n_tokens : nullptr;
    int64_t first = 0, last = b.n_tokens - 1;
    if (!words) {
      while (first <= last && there && !there[first]) ++first;
      while (first <= last && there && !there[last]) --last;
      ++first;
      --last;
    }
    for (int64_t t = first; t <= last; ++t) {
      if ((there && !there[t]) || (words && words[t] < 0)) continue;
      const int32_t word = words ? words[t] : static_cast<int32_t>(t);
      if (n_ && word < words_[n_ - 1]) return t * MOST_FAULTS + WORD;
      words_[n_] = word;
      tokens_[n_] = static_cast<int32_t>(t);
      for (int64_t c = 0; c < settings_.n_columns; ++c) {
        const double value = b.logit(c, example, t);
        if (!(value <= -NEVER)) return t * MOST_FAULTS + c;
        values_[c][n_] = value;
      }
      ++n_;
    }
    return -1;
  }

  // Finds up to n_best selections, best first. Returns their number.
  FC_HD int64_t select(bool has_signal, Selection* found) {
    double shift[4];
    for (int64_t c = 0; c < 4; ++c) {
      shift[c] = log_sum_exp(values_[c]);
      if (settings_.method != BEAM && settings_.method != CONSTRAINED) continue;
      for (int64_t p = 0; p < n_; ++p) values_[c][p] -= shift[c];
      shift[c] = 0;
    }
    const int64_t n = settings_.method == ARGMAX ? arguments(shift, found) : beam(shift, found);
    int64_t kept = 0;
    const Span signal = has_signal && settings_.n_columns > 4 ? signal_span() : Span{-1, -1};
    for (int64_t k = 0; k < n; ++k) {
      if (found[k].score < settings_.min_score) continue;
      found[kept] = found[k];
      found[kept++].spans[2] = signal;
    }
    return kept;
  }

 private:
  // Returns 0 if no position is possible.
  FC_HD double log_sum_exp(const double* x) const {
    const int64_t best = best_of(x, 0, n_);
    if (best < 0) return 0;
    double sum = 0;
    for (int64_t p = 0; p < n_; ++p) sum += exp_of(x[p] - x[best]);
    return x[best] + log_of(sum);
  }
  // Returns the first of the best positions, or -1 if none is possible.
  FC_HD static int64_t best_of(const double* x, int64_t first, int64_t stop) {
    int64_t best = -1;
    double bar = NEVER;
    for (int64_t p = first; p < stop; ++p) {
      if (x[p] > bar) bar = x[best = p];
    }
    return best;
  }
  FC_HD Span words(int64_t start, int64_t end) const { return {words_[start], words_[end] + 1}; }

  FC_HD Span signal_span() const {
    const int64_t start = best_of(values_[SIGNAL_START], 0, n_);
    if (start < 0) return {-1, -1};
    int64_t stop = start;
    while (stop < n_ && tokens_[stop] - tokens_[start] < settings_.max_signal) ++stop;
    const int64_t end = best_of(values_[SIGNAL_END], start, stop);
    return end < 0 ? Span{-1, -1} : words(start, end);
  }

  FC_HD int64_t arguments(const double* shift, Selection* found) const {
    *found = {{{-1, -1}, {-1, -1}, {-1, -1}}, 0};
    for (int k = 0; k < 2; ++k) {
      const int64_t c = int64_t{2} * k;
      const int64_t start = best_of(values_[c], 0, n_), end = best_of(values_[c + 1], 0, n_);
      if (start < 0 || end < start) continue;
      found->spans[k] = words(start, end);
      found->score += (values_[c][start] - shift[c]) + (values_[c + 1][end] - shift[c + 1]);
    }
    return (found->spans[0].start & found->spans[1].start) >= 0;
  }

  FC_HD int64_t beam(const double* shift, Selection* found) {
    TopK<Split> splits(settings_.top_k);
    const bool before_first = settings_.method != CONSTRAINED;
    offer_splits(before_first, splits);
    offer_splits(!before_first, splits);
    TopK<Selection> best(settings_.n_best);
    for (int64_t k = 0; k < splits.n; ++k) offer_all(splits.items[k], shift, best);
    for (int64_t k = 0; k < best.n; ++k) found[k] = best.items[k];
    return best.n;
  }

  // Offers pairs i, j of different words. Skips a row i if its best j cannot win.
  FC_HD void offer_splits(bool before, TopK<Split>& splits) {
    const double* x = values_[before ? A_END : B_END];
    const double* y = values_[before ? B_START : A_START];
    double most = NEVER;
    for (int64_t p = n_ - 1; p >= 0; --p) ahead_[p] = most = y[p] > most ? y[p] : most;
    int64_t next = 0;
    for (int64_t i = 0; i < n_; ++i) {
      while (next < n_ && words_[next] == words_[i]) ++next;
      if (next == n_) return;
      if (!(x[i] + ahead_[next] > splits.bar())) continue;
      for (int64_t j = next; j < n_; ++j) {
        splits.offer({x[i] + y[j], static_cast<int32_t>(i), static_cast<int32_t>(j), before});
      }
    }
  }

  FC_HD void offer_all(const Split& split, const double* shift, TopK<Selection>& best) const {
    const int64_t left = split.before ? A_START : B_START, right = split.before ? B_END : A_END;
    const int64_t inner = split.before ? A_END : B_END, other = split.before ? B_START : A_START;
    TopK<Place> starts(settings_.top_k), ends(settings_.top_k);
    for (int32_t p = 0; p <= split.i; ++p) starts.offer({values_[left][p], p});
    for (int32_t p = split.j; p < n_; ++p) ends.offer({values_[right][p], p});
    const double middle =
        (values_[inner][split.i] - shift[inner]) + (values_[other][split.j] - shift[other]);
    for (int64_t s = 0; s < starts.n; ++s) {
      for (int64_t e = 0; e < ends.n; ++e) {
        const Place &start = starts.items[s], &end = ends.items[e];
        const Span outer[2] = {words(start.at, split.i), words(split.j, end.at)};
        const Selection one{{outer[!split.before], outer[split.before], {-1, -1}},
                            (middle + (start.score - shift[left])) + (end.score - shift[right])};
        offer_unless_marked(one, best);
      }
    }
  }

  FC_HD static void offer_unless_marked(const Selection& one, TopK<Selection>& best) {
    if (!(one.score > best.bar())) return;
    for (int64_t k = 0; k < best.n; ++k) {
      if (!best.items[k].marks_as(one)) continue;
      if (!(one.score > best.items[k].score)) return;
      best.remove(k);
      break;
    }
    best.offer(one);
  }

  const Settings& settings_;
  int64_t n_ = 0;  // allowed positions
  double* values_[MOST_COLUMNS];
  double* ahead_;    // the maximum of a column from each position on
  int32_t* words_;   // by position
  int32_t* tokens_;  // by position
};

// Finds the n selections of an example. Returns -1, or the fault of Selector::read.
FC_HD int64_t select_in(const Boundaries& b, const Settings& settings, int64_t example,
                        double* scratch, Selection* found, int64_t* n) {
  Selector selector(settings, b.n_tokens, scratch);
  const int64_t wrong = selector.read(b, example);
  if (wrong < 0) *n = selector.select(!b.has_signal || b.has_signal[example], found);
  return wrong;
}

}  // namespace selection
}  // namespace fastcausal

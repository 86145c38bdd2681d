// Spans of one track that fair_spans.h has not settled yet, with their remaining tokens.
//
// If no spans of a side overlap, the shared tokens of two spans belong to them alone. Otherwise
// each span is a set of segments between neighbouring bounds. The size of a set depends on the
// number of spans, not on their length.
#pragma once
#include "relation.h"

namespace fastcausal {
namespace fair {

// The spans of one side: open ones of one track, and charged ones in the order of charging.
struct Spans {
  static constexpr int64_t N_LISTS = 3;
  const Row* rows;
  int64_t n;
  int32_t* open;  // row numbers
  int32_t* charged;
  int32_t* left;  // remaining tokens by row number; 0 for a span that has an equal one
  int64_t n_open = 0;
  int64_t n_charged = 0;
  int64_t next = 0;          // the row behind the opened ones
  int32_t end = 0;           // of the open spans
  bool overlap = false;      // some open spans overlap
  uint32_t* sets = nullptr;  // remaining segments by row number, if some spans overlap

  FC_HD Spans(const Relation& relation, int32_t* scratch)
      : rows(relation.rows),
        n(relation.n),
        open(scratch),
        charged(scratch + n),
        left(scratch + 2 * n) {
    for (int64_t k = 0; k < n; ++k) left[k] = rows[k].stop - rows[k].start;
  }

  FC_HD const Row& row(int64_t k) const { return rows[k]; }

  // Returns the next span of a track that has no equal one, or null.
  FC_HD const Row* find_next(const int64_t* params, int64_t track) {
    while (next < n && (!left[next] || params[1 + row(next).role] != track)) ++next;
    return next < n ? rows + next : nullptr;
  }
  FC_HD void open_next() {
    overlap |= row(next).start < end;
    end = row(next).stop > end ? row(next).stop : end;
    open[n_open++] = static_cast<int32_t>(next++);
  }
  FC_HD void close() {
    n_open = n_charged = 0;
    end = 0;
    overlap = false;
  }
  FC_HD void remove(int64_t i) {
    --n_open;
    for (; i < n_open; ++i) open[i] = open[i + 1];
  }
  FC_HD void charge(int64_t i) {
    charged[n_charged++] = open[i];
    remove(i);
  }
  FC_HD void sort_by_length() {  // stable, for few spans
    for (int64_t i = 1; i < n_open; ++i) {
      const int32_t k = open[i];
      int64_t j = i;
      for (; j > 0 && left[open[j - 1]] > left[k]; --j) open[j] = open[j - 1];
      open[j] = k;
    }
  }
};

// Opens the next spans of a track that meet, one the next or through others: no other span of the
// track meets one of them. Returns their number.
FC_HD int64_t open_group(Spans& gold, Spans& pred, const int64_t* params, int64_t track) {
  gold.close();
  pred.close();
  for (;;) {
    const Row* g = gold.find_next(params, track);
    const Row* p = pred.find_next(params, track);
    if (!g && !p) break;
    const bool of_gold = !p || (g && g->start <= p->start);
    const int32_t start = (of_gold ? g : p)->start;
    if (gold.n_open + pred.n_open && start >= gold.end && start >= pred.end) break;
    (of_gold ? gold : pred).open_next();
  }
  return gold.n_open + pred.n_open;
}

// Counts the tokens that two spans share, and takes them from both.
class SharedTokens {
 public:
  FC_HD SharedTokens(Spans& gold, Spans& pred)
      : overlap_(gold.overlap || pred.overlap),
        n_words_((2 * (gold.n_open + pred.n_open) + BITS - 2) / BITS),
        bounds_(overlap_ ? 2 * (gold.n_open + pred.n_open) : 0),
        sets_(overlap_ ? n_words_ * (gold.n + pred.n) : 0) {
    if (!overlap_) return;
    gold.sets = reinterpret_cast<uint32_t*>(sets_.at);
    pred.sets = gold.sets + n_words_ * gold.n;
    add_bounds(gold);
    add_bounds(pred);
    fill(gold);
    fill(pred);
  }

  FC_HD int32_t of(const Spans& one, int32_t i, const Spans& other, int32_t j) const {
    const int32_t most = shared_tokens(one.row(i), other.row(j));
    if (!most || !overlap_) return most;
    int32_t total = 0;
    for (int64_t w = 0; w < n_words_; ++w) {
      const int32_t* bound = bounds_.at + w * BITS;
      for (uint32_t both = set(one, i)[w] & set(other, j)[w]; both; both >>= 1, ++bound) {
        if (both & 1) total += bound[1] - bound[0];
      }
    }
    return total;
  }
  FC_HD void take(Spans& one, int32_t i, Spans& other, int32_t j) const {
    const int32_t n = of(one, i, other, j);
    one.left[i] -= n;
    other.left[j] -= n;
    for (int64_t w = 0; overlap_ && w < n_words_; ++w) {
      const uint32_t taken = set(one, i)[w] & set(other, j)[w];
      set(one, i)[w] &= ~taken;
      set(other, j)[w] &= ~taken;
    }
  }

 private:
  static constexpr int64_t BITS = 32;
  static constexpr int64_t MOST_BOUNDS = 4 * MOST_SPANS;
  static constexpr int64_t MOST_WORDS = (MOST_BOUNDS + BITS - 2) / BITS;

  FC_HD uint32_t* set(const Spans& spans, int32_t k) const { return spans.sets + k * n_words_; }

  FC_HD void add_bounds(const Spans& spans) {
    for (int64_t i = 0; i < spans.n_open; ++i) {
      add_bound(spans.row(spans.open[i]).start);
      add_bound(spans.row(spans.open[i]).stop);
    }
  }
  FC_HD void add_bound(int32_t bound) {  // keeps bounds ascending and unique
    int32_t* bounds = bounds_.at;
    int64_t at = n_bounds_;
    while (at > 0 && bounds[at - 1] > bound) --at;
    if (at > 0 && bounds[at - 1] == bound) return;
    for (int64_t k = n_bounds_++; k > at; --k) bounds[k] = bounds[k - 1];
    bounds[at] = bound;
  }
  FC_HD void fill(const Spans& spans) const {
    for (int64_t i = 0; i < spans.n_open; ++i) {
      const Row& row = spans.row(spans.open[i]);
      uint32_t* mine = set(spans, spans.open[i]);
      for (int64_t w = 0; w < n_words_; ++w) mine[w] = 0;
      for (int64_t k = 0; k + 1 < n_bounds_; ++k) {
        const uint32_t inside = bounds_.at[k] >= row.start && bounds_.at[k] < row.stop;
        mine[k / BITS] |= inside << k % BITS;
      }
    }
  }

  bool overlap_;
  int64_t n_words_;  // per set
  int64_t n_bounds_ = 0;
  Scratch<MOST_BOUNDS> bounds_;
  Scratch<2 * MOST_SPANS * MOST_WORDS> sets_;
};

}  // namespace fair
}  // namespace fastcausal

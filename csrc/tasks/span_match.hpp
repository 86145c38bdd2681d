// The best pairs of the spans of two sides, by the words that they share.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/assign.hpp"
#include "text/words.hpp"

namespace fastcausal {

// The spans of one role.
struct WordSpans {
  struct Word {
    int32_t number, span;
    Word(int32_t of, int32_t in) : number(of), span(in) {}
  };
  std::vector<Word> words;      // of all spans
  std::vector<size_t> ends{0};  // of each span in words, after a 0
  std::vector<Text> texts;

  size_t size() const { return texts.size(); }
  const Word* begin(size_t k) const { return words.data() + ends[k]; }
  const Word* end(size_t k) const { return words.data() + ends[k + 1]; }

  void clear() {
    words.clear();
    ends.resize(1);
    texts.clear();
  }

  void add(int32_t word) { words.emplace_back(word, static_cast<int32_t>(texts.size())); }

  // Ends a span with a text.
  void end(Text text) {
    ends.push_back(words.size());
    texts.push_back(text);
  }
};

// Words that two sides share, each as often as both have it.
class SpanMatch {
 public:
  int64_t shared = 0;   // by all spans of a side together
  int64_t matched = 0;  // by the best pairs of spans

  // Words have numbers below n_words.
  void count(const WordSpans& gold, const WordSpans& pred, int32_t n_words, CostMeter& meter) {
    if (times_.size() < static_cast<size_t>(n_words)) {
      times_.resize(static_cast<size_t>(n_words));
      seen_.resize(static_cast<size_t>(n_words));
    }
    width_ = std::max(FEW, pred.size());
    const size_t n_parts = gold.size() <= FEW ? 1 : (gold.size() + FEW - 1) / FEW;
    table_.assign(n_parts * FEW * width_, 0);
    for (size_t part = 0; part < n_parts; ++part) {
      fill(gold, part * FEW, pred);
      meter.add_cost(4 * static_cast<int64_t>(gold.words.size() + pred.words.size()));
    }
    const bool few = n_parts == 1 && width_ == FEW;
    matched = few || !shared ? best_of_few() : best_of_many(gold, pred, meter);
  }

 private:
  static constexpr size_t FEW = 3;

  struct Times {  // of a word in some spans of gold, and in all
    int32_t of[FEW + 1];
  };
  struct Seen {  // how often a word has come in pred: in all spans, and in the last one with it
    int64_t run = 0;
    int32_t span = 0, in_all = 0, in_span = 0;
  };
  std::vector<Times> times_;  // 0 between calls
  std::vector<Seen> seen_;
  int64_t run_ = 0;
  std::vector<int64_t> table_;  // words that each pair of spans shares
  size_t width_ = 0;
  Assignment assignment_;
  std::vector<Edge> edges_;
  std::vector<int64_t> offsets_;
  std::vector<int32_t> columns_;

  // Fills the rows of some spans of gold. Each loop is over the words of all spans: the end of one
  // span would often be mispredicted.
  void fill(const WordSpans& gold, size_t first, const WordSpans& pred) {
    for (const WordSpans::Word word : gold.words) {
      const size_t row = static_cast<size_t>(word.span) - first;
      const bool is_in = row < FEW;
      Times& times = times_[static_cast<size_t>(word.number)];
      times.of[row & -size_t{is_in}] += is_in;
      ++times.of[FEW];
    }
    ++run_;
    shared = 0;
    for (const WordSpans::Word word : pred.words) {
      const Times& times = times_[static_cast<size_t>(word.number)];
      Seen& seen = seen_[static_cast<size_t>(word.number)];
      const bool again = seen.run == run_;
      const bool in_span = again & (seen.span == word.span);
      seen = {run_, word.span, (seen.in_all & -int32_t{again}) + 1,
              (seen.in_span & -int32_t{in_span}) + 1};
      int64_t* cell = table_.data() + first * width_ + static_cast<size_t>(word.span);
      for (size_t row = 0; row < FEW; ++row, cell += width_) *cell += times.of[row] >= seen.in_span;
      shared += times.of[FEW] >= seen.in_all;
    }
    for (const WordSpans::Word word : gold.words) times_[static_cast<size_t>(word.number)] = {};
  }

  // Tries all ways to pair up to three spans with three. Missing ones share no word.
  int64_t best_of_few() const {
    const int64_t *a = table_.data(), *b = a + FEW, *c = b + FEW;
    return std::max({a[0] + std::max(b[1] + c[2], b[2] + c[1]),
                     a[1] + std::max(b[0] + c[2], b[2] + c[0]),
                     a[2] + std::max(b[0] + c[1], b[1] + c[0])});
  }

  int64_t best_of_many(const WordSpans& gold, const WordSpans& pred, CostMeter& meter) {
    edges_.clear();
    offsets_.assign(1, 0);
    for (size_t i = 0; i < gold.size(); ++i) {
      for (size_t j = 0; j < pred.size(); ++j) {
        const int64_t n = table_[i * width_ + j];
        if (n) edges_.push_back({static_cast<int32_t>(j), {n, 0, 0}});
      }
      offsets_.push_back(static_cast<int64_t>(edges_.size()));
    }
    columns_.resize(gold.size());
    assignment_.solve(edges_, offsets_, static_cast<int64_t>(pred.size()), {0, 0, 0}, true, meter,
                      columns_.data());
    int64_t sum = 0;
    for (size_t i = 0; i < gold.size(); ++i) {
      if (columns_[i] >= 0) sum += table_[i * width_ + static_cast<size_t>(columns_[i])];
    }
    return sum;
  }
};

}  // namespace fastcausal

// Labels of the words of FinCausal's rows.
//
//   RowLabels ── one text: words that its causes and effects label, as chains
//   label_rows ─ the labels of all rows, gold and predicted
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/stop.hpp"
#include "tasks/fincausal_chains.hpp"
#include "tasks/fincausal_marks.hpp"
#include "tasks/fincausal_words.hpp"
#include "text/words.hpp"

namespace fastcausal::fincausal {

struct PlacedTexts {  // the texts of one column, at any places of one buffer
  const char* data = nullptr;
  const int64_t* starts = nullptr;
  const int64_t* stops = nullptr;
  std::string_view operator[](int64_t k) const {
    return {data + starts[k], static_cast<size_t>(stops[k] - starts[k])};
  }
};

// Returns the first of n rows whose texts differ, or n.
inline int64_t first_other_text(const PlacedTexts& gold, const PlacedTexts& pred, int64_t n) {
  int64_t row = 0;
  while (row < n && gold[row] == pred[row]) ++row;
  return row;
}

// Facts on the words of a row's spans on one side.
struct SpanFacts {
  int64_t unknown = 0;  // words that the text lacks
  int64_t longest = 0;  // words of the longest chain
};

class RowLabels {
 public:
  RowLabels(const LetterKinds& kinds, const Abbreviations& abbreviations, Cutting cutting)
      : cutter_(kinds, abbreviations, cutting) {}

  // Cuts a text; returns the number of its words.
  size_t start(std::string_view text) {
    words_.clear();
    places_.clear();
    before_.clear();
    numbers_.clear();
    cutter_.cut(text, [&](std::string_view word) {
      const auto number = static_cast<size_t>(words_.number_of(word.data(), word.size(), true));
      const size_t place = before_.size();
      if (number == places_.size()) {
        places_.emplace_back();
        places_[number].first = static_cast<int32_t>(place);
      }
      Places& places = places_[number];
      before_.push_back(places.last);
      numbers_.push_back(static_cast<int32_t>(number));
      places.last = static_cast<int32_t>(place);
      places.bits |= place < 64 ? uint64_t{1} << place : 0;
      ++places.times;
    });
    n_blocks_ = (before_.size() + 63) / 64;
    search_.start(before_.size());
    kept_.clear();
    return before_.size();
  }

  size_t size() const { return before_.size(); }

  // Marks the words of a span.
  void mark(std::string_view span, char mark, char* labels, SpanFacts& facts, CostMeter& meter) {
    known_.clear();
    next_ = 0;
    cutter_.cut(span, [&](std::string_view word) {
      const int32_t number = number_of(word);
      if (number < 0) {
        ++facts.unknown;
      } else {
        follow(number);
      }
    });
    const auto take = [&](size_t place) {
      labels[place] = static_cast<char>(labels[place] | mark);
    };
    if (known_.size() == 1) {
      each_place(places_[static_cast<size_t>(known_[0])], take);
    } else if (is_run_ && !known_.empty()) {
      for (size_t place = next_ - known_.size(); place < next_; ++place) take(place);
      facts.longest = std::max(facts.longest, static_cast<int64_t>(known_.size()));
    } else if (!known_.empty()) {
      const auto of = [this](int32_t word) { return bits_of(places_[static_cast<size_t>(word)]); };
      const auto length = static_cast<int64_t>(search_.find(known_, of, take, meter));
      facts.longest = std::max(facts.longest, length);
    }
  }

 private:
  static constexpr int32_t NONE = -1;
  static constexpr size_t NOT_KEPT = static_cast<size_t>(-1);

  // Places of a word in the text.
  struct Places {
    uint64_t bits = 0;  // of the first 64 places of the text
    size_t kept = NOT_KEPT;
    int32_t first = NONE, last = NONE;
    int32_t times = 0;
  };
  WordCutter cutter_;
  ChainSearch search_;
  Words words_;
  std::string with_stop_;
  std::vector<Places> places_;
  std::vector<int32_t> numbers_;  // of the word at each place
  std::vector<int32_t> before_;   // the place before with the same word
  std::vector<int32_t> known_;
  Bits kept_;  // of frequent words that a chain needed, in texts beyond 64 words
  Bits rare_;
  size_t n_blocks_ = 0;
  size_t next_ = 0;      // the place of the next word of a span, perhaps
  bool is_run_ = false;  // the words of a span stand in a row

  // Returns the number of a word of a span, perhaps with a full stop added, -1 if the text lacks
  // it.
  int32_t number_of(std::string_view word) {
    if (next_ < numbers_.size() && words_.is_word(numbers_[next_], word.data(), word.size())) {
      return numbers_[next_];
    }
    const int32_t number = words_.number_of(word.data(), word.size(), false);
    return number < 0 ? number_with_stop(word) : number;
  }

  // Adds a word to the words of a span. If they follow each other from the first place of the first
  // word on, they are the chain: it is the longest, and no other comes before it.
  void follow(int32_t number) {
    if (!known_.empty() && next_ < numbers_.size() && numbers_[next_] == number) {
      ++next_;
    } else {
      is_run_ = known_.empty();
      next_ = static_cast<size_t>(places_[static_cast<size_t>(number)].first) + 1;
    }
    known_.push_back(number);
  }

  int32_t number_with_stop(std::string_view word) {
    with_stop_.assign(word.data(), word.size());
    with_stop_.push_back('.');
    with_stop_.append(WordCutter::SPARE, '\0');
    return words_.number_of(with_stop_.data(), word.size() + 1, false);
  }

  // Bits of words that are frequent in a text are kept: there are few such words. The bits are
  // valid until the next call.
  const uint64_t* bits_of(Places& places) {
    if (n_blocks_ == 1) return &places.bits;
    if (places.kept != NOT_KEPT) return kept_.data() + places.kept;
    uint64_t* bits;
    if (static_cast<size_t>(places.times) >= n_blocks_) {
      places.kept = kept_.size();
      kept_.resize(kept_.size() + n_blocks_, 0);
      bits = kept_.data() + places.kept;
    } else {
      rare_.assign(n_blocks_, 0);
      bits = rare_.data();
    }
    each_place(places, [&](size_t place) { bits[place / 64] |= uint64_t{1} << place % 64; });
    return bits;
  }

  template <class Take>
  void each_place(const Places& places, const Take& take) const {
    for (int32_t place = places.last; place != NONE; place = before_[static_cast<size_t>(place)]) {
      take(static_cast<size_t>(place));
    }
  }
};

// Texts with the causes and effects of both sides, and the place of the results.
struct RowBatch {
  int64_t n = 0;
  PlacedTexts text, spans[2][2];  // by side: causes, effects
  int64_t* sizes = nullptr;       // [n]: words of each text
  int64_t* facts = nullptr;       // [n][2][2]: SpanFacts of each side
};

// A char for each word of each text: the marks of its spans.
struct AllLabels {
  std::string of[2];
};

inline void label_row(const RowBatch& batch, int64_t k, bool is_cut, RowLabels& row,
                      AllLabels& labels, CostMeter& meter) {
  const std::string_view text = batch.text[k];
  const size_t n = is_cut ? row.size() : row.start(text);
  batch.sizes[k] = static_cast<int64_t>(n);
  char* marks[2];
  SpanFacts facts[2], of_gold[2];
  for (int side = GOLD; side <= PRED; ++side) {
    labels.of[side].append(n, '\0');
    marks[side] = &labels.of[side][labels.of[side].size() - n];
    for (int role = 0; role < 2; ++role) {
      const std::string_view span = batch.spans[side][role][k];
      const char mark = role ? EFFECT : CAUSE;
      SpanFacts of_span;
      if (side == PRED && span == batch.spans[GOLD][role][k]) {
        of_span = of_gold[role];
        for (size_t w = 0; w < n; ++w) {
          marks[PRED][w] = static_cast<char>(marks[PRED][w] | (marks[GOLD][w] & mark));
        }
      } else {
        row.mark(span, mark, marks[side], of_span, meter);
      }
      if (side == GOLD) of_gold[role] = of_span;
      facts[side].unknown += of_span.unknown;
      facts[side].longest = std::max(facts[side].longest, of_span.longest);
      meter.add_cost(8 * static_cast<int64_t>(span.size()));
    }
    int64_t* of_side = batch.facts + 4 * k + (side == GOLD ? 0 : 2);
    of_side[0] = facts[side].unknown;
    of_side[1] = facts[side].longest;
  }
  meter.add_cost(8 * static_cast<int64_t>(text.size()));
}

inline AllLabels label_rows(const RowBatch& batch, const LetterKinds& kinds,
                            const Abbreviations& abbreviations, Cutting cutting, int64_t n_threads,
                            StopRequested stop_requested) {
  constexpr int64_t BLOCK = 1024;
  const int64_t n_blocks = (batch.n + BLOCK - 1) / BLOCK;
  std::vector<AllLabels> parts(static_cast<size_t>(n_blocks));
  for_blocks(n_blocks, n_threads, stop_requested, [&](int64_t block, CostMeter& meter) {
    RowLabels row(kinds, abbreviations, cutting);
    const int64_t end = std::min(batch.n, (block + 1) * BLOCK);
    for (int64_t k = block * BLOCK; k < end; ++k) {
      const bool is_cut = k > block * BLOCK && batch.text[k] == batch.text[k - 1];
      label_row(batch, k, is_cut, row, parts[static_cast<size_t>(block)], meter);
    }
  });
  AllLabels all;
  for (AllLabels& part : parts) {
    for (int side = GOLD; side <= PRED; ++side) {
      all.of[side] += part.of[side];
      part.of[side] = {};
    }
  }
  return all;
}

}  // namespace fastcausal::fincausal

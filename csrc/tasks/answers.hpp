// Words that an answer shares with its reference, for a million answers at a time.
//
//   parts_of ── finds the causes, the effects and the relation of a text
//   Comparison ── one example: words of both sides, and their common words
//     └─ SpanMatch ── the best pairs of spans
//   compare_answers ── all examples, in several threads
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "arrays/distinct.hpp"
#include "arrays/stop.hpp"
#include "tasks/answer_parts.hpp"
#include "tasks/span_match.hpp"
#include "text/words.hpp"

namespace fastcausal {

namespace answers {

// Returns true if text a sorts before text b in Python; UTF-8 sorts in the same way. A run of
// quotation marks counts as one.
inline bool comes_before(Text a, Text b) {
  const auto next = [](Text& text) {
    const char letter = *text.data;
    do {
      ++text.data;
      --text.size;
    } while (letter == '"' && text.size && *text.data == '"');
    return static_cast<unsigned char>(letter);
  };
  while (a.size && b.size) {
    const unsigned char of_a = next(a), of_b = next(b);
    if (of_a != of_b) return of_a < of_b;
  }
  return b.size > 0;
}

}  // namespace answers

enum Field : int { SHARED, PREDICTED, WANTED, MATCHED, EQUAL, N_ROLE_FIELDS };
// Fields after both roles. CONTAINED is 2 for an answer with only words of its source, 1 for
// another answer, 0 without a source or for an unreadable answer. Relations are of reference and
// answer.
enum : int { CONTAINED = 2 * N_ROLE_FIELDS, RELATIONS, N_ANSWER_FIELDS = RELATIONS + 2 };

class Comparison {
 public:
  struct Result {
    int64_t roles[2][N_ROLE_FIELDS];
    int64_t contained;
    bool read[2];
    Text relations[2];
  };

  Comparison(const Letters& letters, bool fcr) : fcr_(fcr), reader_(letters) {}

  // Compares one answer. Appends its words that are not in the source to missing, unless missing is
  // NULL. Returns false if a letter is not in the table.
  bool compare(const ColumnText& source, const ColumnText& reference, const ColumnText& answer,
               Result& result, std::string* missing, CostMeter& meter) {
    words_.clear();
    const bool same = answer.size > 0 && answer.size == reference.size &&
                      !std::memcmp(reference.data, answer.data, static_cast<size_t>(answer.size));
    const Parts of_reference = parts_of(reference);
    const Parts parts[2] = {of_reference, same ? of_reference : parts_of(answer)};
    for (int side = 0; side < 2; ++side) {
      result.read[side] = parts[side].read;
      result.relations[side] = parts[side].part[RELATION];
    }
    for (int side = 0; side < 2 - same; ++side) {
      const char* const limit = (side ? answer : reference).limit;
      for (int role = CAUSE; role <= EFFECT; ++role) {
        if (!read(sides_[side][role], parts[side].part[role], limit)) return false;
      }
    }
    const WordSpans(&predicted)[2] = sides_[same ? 0 : 1];
    for (int role = CAUSE; role <= EFFECT; ++role) {
      int64_t* const counts = result.roles[role];
      if (same) {
        std::fill(counts, counts + EQUAL, static_cast<int64_t>(predicted[role].words.size()));
        counts[EQUAL] = 1;
      } else {
        count(sides_[0][role], predicted[role], counts, meter);
      }
    }
    result.contained = 0;
    if (!parts[1].read || source.size < 0) return true;
    if (!mark_source(source)) return false;
    result.contained = 1 + contains(predicted);
    if (missing && result.contained == 1) append_missing(predicted, *missing);
    return true;
  }

 private:
  const bool fcr_;
  TextReader reader_;
  Words words_;
  WordSpans sides_[2][2];
  SpanMatch match_;
  // 1 for each word in the source, by its number + 1; the first cell is for all other words.
  std::vector<char> in_source_;
  std::vector<size_t> order_[2];
  std::vector<WordSpans::Word> in_order_[2];

  Parts parts_of(Text text) const {
    const Parts parts = fcr_ ? answers::fcr_parts(text) : answers::guide_parts(text);
    return parts.read ? parts : Parts{};
  }

  bool read(WordSpans& spans, Text part, const char* limit) {
    spans.clear();
    const auto take = [&](int32_t word) { spans.add(word); };
    const auto end_span = [&](Text bare) {
      if (bare.size) spans.end(bare);
    };
    return reader_.read<true, true>(part, limit, words_, take, end_span);
  }

  void count(const WordSpans& gold, const WordSpans& pred, int64_t* row, CostMeter& meter) {
    const auto wanted = static_cast<int64_t>(gold.words.size());
    const auto predicted = static_cast<int64_t>(pred.words.size());
    match_.count(gold, pred, words_.size(), meter);
    row[SHARED] = match_.shared;
    row[PREDICTED] = predicted;
    row[WANTED] = wanted;
    row[MATCHED] = match_.matched;
    row[EQUAL] = match_.shared == wanted && match_.shared == predicted &&
                 (fcr_ ? same_words(gold, pred) : same_spans(gold, pred));
    meter.add_cost(20 * (wanted + predicted));
  }

  // Sorts the spans of a side.
  template <class Before>
  void sort(int side, const WordSpans& spans, const Before& before) {
    order_[side].resize(spans.size());
    for (size_t k = 0; k < spans.size(); ++k) order_[side][k] = k;
    std::sort(order_[side].begin(), order_[side].end(), before);
  }

  // Compares the words of all spans, joined in the sort order of the spans' texts.
  bool same_words(const WordSpans& gold, const WordSpans& pred) {
    const WordSpans* sides[2] = {&gold, &pred};
    for (int side = 0; side < 2; ++side) {
      const WordSpans& spans = *sides[side];
      sort(side, spans, [&](size_t a, size_t b) {
        return answers::comes_before(spans.texts[a], spans.texts[b]);
      });
      in_order_[side].clear();
      for (const size_t k : order_[side]) {
        in_order_[side].insert(in_order_[side].end(), spans.begin(k), spans.end(k));
      }
    }
    return std::equal(in_order_[0].begin(), in_order_[0].end(), in_order_[1].begin(),
                      in_order_[1].end(), same);
  }

  bool same_spans(const WordSpans& gold, const WordSpans& pred) {
    if (gold.size() != pred.size()) return false;
    const auto before = [](WordSpans::Word a, WordSpans::Word b) { return a.number < b.number; };
    const WordSpans* sides[2] = {&gold, &pred};
    for (int side = 0; side < 2; ++side) {
      const WordSpans& spans = *sides[side];
      sort(side, spans, [&](size_t a, size_t b) {
        return std::lexicographical_compare(spans.begin(a), spans.end(a), spans.begin(b),
                                            spans.end(b), before);
      });
    }
    for (size_t k = 0; k < gold.size(); ++k) {
      const size_t a = order_[0][k];
      const size_t b = order_[1][k];
      if (!std::equal(gold.begin(a), gold.end(a), pred.begin(b), pred.end(b), same)) return false;
    }
    return true;
  }

  static bool same(WordSpans::Word a, WordSpans::Word b) { return a.number == b.number; }

  bool mark_source(const ColumnText& source) {
    in_source_.assign(static_cast<size_t>(words_.size()) + 1, 0);
    char* const is_in_source = in_source_.data() + 1;
    const auto take = [&](int32_t word) { is_in_source[word] = 1; };
    return reader_.read<false, false>(source, source.limit, words_, take, [](Text) {});
  }

  bool is_in_source(int32_t word) const { return in_source_[static_cast<size_t>(word) + 1]; }

  bool contains(const WordSpans (&sides)[2]) const {
    for (const WordSpans& spans : sides) {
      for (const WordSpans::Word word : spans.words) {
        if (!is_in_source(word.number)) return false;
      }
    }
    return true;
  }

  void append_missing(const WordSpans (&sides)[2], std::string& missing) const {
    const size_t before = missing.size();
    for (const WordSpans& spans : sides) {
      for (const WordSpans::Word word : spans.words) {
        if (is_in_source(word.number)) continue;
        if (missing.size() > before) missing.push_back(' ');
        words_.append_to(missing, word.number);
      }
    }
  }
};

// The texts to compare, and the place of the results.
struct AnswerBatch {
  TextColumn source, reference, answer;
  int64_t n;
  int64_t* fields;
  int64_t stride;  // number of cells from field to field
  int8_t* known;   // 1 if all letters are in the table
  int64_t* sizes;  // bytes of each answer's missing words; NULL if not requested
};

// The different relations of a batch, to which its fields point by number (-1 for an unreadable
// text), and the joined missing words of all answers.
struct AnswerTexts {
  std::vector<std::string_view> relations;
  std::string missing;
};

// Compares a block of answers.
class AnswerBlock {
 public:
  AnswerBlock(const AnswerBatch& batch, int64_t start, int64_t stop)
      : batch_(batch), start_(start), stop_(stop) {}

  void compare(const Letters& letters, bool fcr, CostMeter& meter) {
    Comparison comparison(letters, fcr);
    Comparison::Result result;
    std::string* const missing = batch_.sizes ? &missing_ : nullptr;
    for (int64_t k = start_; k < stop_; ++k) {
      const ColumnText reference = batch_.reference[k], answer = batch_.answer[k];
      const size_t before = missing_.size();
      const bool known =
          comparison.compare(batch_.source[k], reference, answer, result, missing, meter);
      batch_.known[k] = known;
      if (missing) batch_.sizes[k] = static_cast<int64_t>(missing_.size() - before);
      if (known) write(k, result);
      meter.add_cost(4 * (reference.size + answer.size));
    }
  }

  // Appends the block's missing words, and renumbers its relations among those of all blocks.
  void join(DistinctTexts& all, std::string& missing) const {
    std::vector<int64_t> numbers;
    for (const std::string_view text : relations_.texts()) {
      numbers.push_back(all.number_of(text));
    }
    for (int side = 0; side < 2; ++side) {
      for (int64_t k = start_; k < stop_; ++k) {
        int64_t& number = field(RELATIONS + side)[k];
        if (batch_.known[k] && number >= 0) number = numbers[static_cast<size_t>(number)];
      }
    }
    missing += missing_;
  }

 private:
  const AnswerBatch& batch_;
  int64_t start_, stop_;
  DistinctTexts relations_;
  std::string missing_;

  int64_t* field(int number) const { return batch_.fields + number * batch_.stride; }

  void write(int64_t k, const Comparison::Result& result) {
    const int64_t* const counts = result.roles[0];
    for (int f = 0; f < CONTAINED; ++f) field(f)[k] = counts[f];
    field(CONTAINED)[k] = result.contained;
    for (int side = 0; side < 2; ++side) {
      const Text& text = result.relations[side];
      const std::string_view relation(text.data, static_cast<size_t>(text.size));
      field(RELATIONS + side)[k] = result.read[side] ? relations_.number_of(relation) : -1;
    }
  }
};

inline AnswerTexts compare_answers(const AnswerBatch& batch, const Letters& letters, bool fcr,
                                   int64_t n_threads, StopRequested stop_requested) {
  constexpr int64_t SIZE = 2048;
  std::vector<AnswerBlock> blocks;
  for (int64_t start = 0; start < batch.n; start += SIZE) {
    blocks.emplace_back(batch, start, std::min(batch.n, start + SIZE));
  }
  for_blocks(static_cast<int64_t>(blocks.size()), n_threads, stop_requested,
             [&](int64_t block, CostMeter& meter) {
               blocks[static_cast<size_t>(block)].compare(letters, fcr, meter);
             });
  AnswerTexts all;
  DistinctTexts relations;
  for (const AnswerBlock& block : blocks) block.join(relations, all.missing);
  all.relations = relations.texts();
  return all;
}

}  // namespace fastcausal

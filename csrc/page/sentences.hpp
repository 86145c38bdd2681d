// The tagged sentences of predictions, read by tagged.hpp and held against texts by copies.hpp.
#pragma once
#include "page/examples.hpp"
#include "page/marks.hpp"
#include "tags/copies.hpp"

namespace fastcausal::page {

// Lists of tagged sentences, one list for each example.
struct Sentences {
  Text data;
  std::vector<int64_t> offsets{0};
  std::vector<int64_t> examples{0};

  void add(View sentence) {
    data += sentence;
    offsets.push_back(static_cast<int64_t>(data.size()));
  }
  void end_example() { examples.push_back(static_cast<int64_t>(offsets.size()) - 1); }
  View operator[](size_t k) const {
    return View(data).substr(static_cast<size_t>(offsets[k]),
                             static_cast<size_t>(offsets[k + 1] - offsets[k]));
  }
};

constexpr const char* OTHER_WORDS_NOTE = "sentence with other words than its text";
constexpr const char* UNKNOWN_NOTE = "sentence with unknown mark-up";
constexpr const char* ODD = "signal tags without a plain number, the official program stops";

class SentenceReader {
 public:
  SentenceReader(const Sentences& sentences, Tags tags, Examples& made)
      : sentences_(sentences), tags_(tags), made_(made) {}

  // Fills the relations of `made`, which has lines and texts. lengths are the tokens of each
  // example, -1 if unknown.
  void read(std::vector<int32_t> lengths) {
    const int64_t n = static_cast<int64_t>(lengths.size());
    const size_t n_sentences = sentences_.offsets.size() - 1;
    n_tokens_.assign(n_sentences, 0);
    widths_.assign(n_sentences, 0);
    TaggedSpans found;
    read_tagged(sentences_.data.data(), sentences_.offsets.data(), sentences_.examples.data(), n,
                tags_, lengths.data(), n_tokens_.data(), widths_.data(), found, never);
    hold_against_texts(n);
    int64_t n_odd = 0;
    for (const int64_t s : found.odd_signals) n_odd += is_odd(sentences_[static_cast<size_t>(s)]);
    made_.note(ODD, n_odd);
    collect(lengths, found.spans);
  }

 private:
  bool strict() const { return tags_ == Tags::strict; }

  // Tells if an opening signal tag, of a sentence with an odd one, stops the official program.
  static bool is_odd(View sentence) {
    if (sentence.find("<SIG") == View::npos) return false;
    for (size_t p = 0; (p = sentence.find("SIG", p)) != View::npos; p += 3) {
      const bool tag = (p >= 1 && sentence[p - 1] == '<') ||
                       (p >= 2 && sentence[p - 1] == '/' && sentence[p - 2] == '<');
      size_t q = p + 3;
      while (q < sentence.size() && is_digit(sentence[q])) ++q;
      if (tag && (q == p + 3 || q == sentence.size() || sentence[q] != '>')) return true;
    }
    return false;
  }

  void hold_against_texts(int64_t n) {
    Text texts;
    std::vector<int64_t> places{0};
    for (size_t k = 0; k < static_cast<size_t>(n); ++k) {
      texts += made_.texts[k];
      places.push_back(static_cast<int64_t>(texts.size()));
    }
    std::vector<uint8_t> unlike(widths_.size());
    compare_copies(sentences_.data.data(), sentences_.offsets.data(), sentences_.examples.data(), n,
                   texts.data(), places.data(), made_.has_text.data(), true, widths_.data(),
                   unlike.data(), never);
    marks_.assign(widths_.size(), "");
    kept_ = widths_;
    int64_t n_marked = 0, n_differ = 0;
    for (size_t e = 0; e < static_cast<size_t>(n); ++e) {
      for (auto s = static_cast<size_t>(sentences_.examples[e]);
           s < static_cast<size_t>(sentences_.examples[e + 1]); ++s) {
        if (!unlike[s]) continue;
        if (unlike[s] & SIGNS) marks_[s] = mark(e, s);
        const bool marked = !marks_[s].empty();
        const bool refused = strict() && (marked || (unlike[s] & OTHER_SENTENCE));
        n_marked += marked && !strict();
        n_differ += (unlike[s] & OTHER_WORDS) && !refused && !marked;
        if (refused) widths_[s] = UNREAD;
      }
    }
    made_.note(UNKNOWN_NOTE, n_marked);
    made_.note(OTHER_WORDS_NOTE, n_differ);
  }

  Text mark(size_t e, size_t s) const {
    return unknown_mark(sentences_[s], made_.has_text[e] ? &made_.texts[e] : nullptr,
                        kept_[s] <= 0);
  }

  Text reason(size_t e, size_t s, int32_t expected) const {
    const Text found = mark(e, s);
    Text why;
    if (n_tokens_[s] < 0) return fault_of_tags(sentences_[s]);
    if (!found.empty() && strict())
      why = found;
    else if (n_tokens_[s] != expected)
      why = "has " + text_of(n_tokens_[s]) + " tokens, expected " + text_of(expected);
    else
      why = "it is another sentence";
    if (found.empty() && made_.has_text[e] && strict())
      why += ": " + difference(sentences_[s], made_.texts[e]);
    return why;
  }

  void collect(const std::vector<int32_t>& lengths, const std::vector<PackedSpan>& spans) {
    std::vector<Row> rows;
    size_t at = 0;
    for (size_t e = 0; e < lengths.size(); ++e) {
      const auto first = static_cast<size_t>(sentences_.examples[e]);
      for (size_t s = first; s < static_cast<size_t>(sentences_.examples[e + 1]); ++s) {
        rows.clear();
        for (int32_t k = 0; k < kept_[s]; ++k) rows.push_back(unpacked(spans[at++]));
        if (widths_[s] >= 0) {
          std::sort(rows.begin(), rows.end(), before);
          made_.add_relation(rows);
          continue;
        }
        const Text why = reason(e, s, lengths[e]), where = made_.where(static_cast<int64_t>(e));
        made_.add_unread(where, why, false, "prediction");
      }
      made_.end_example(lengths[e]);
    }
    made_.tagged = true;
  }

  const Sentences& sentences_;
  const Tags tags_;
  Examples& made_;
  std::vector<int32_t> n_tokens_, widths_,
      kept_;  // kept_: before sentences were held against texts
  std::vector<Text> marks_;
};

// Counts the tokens of texts under a reading of tags, -1 without a text.
inline std::vector<int32_t> token_counts(const Examples& of, Tags tags) {
  std::vector<int32_t> counts(of.texts.size());
  for (size_t k = 0; k < counts.size(); ++k) {
    const Text& text = of.texts[k];
    counts[k] = of.has_text[k] ? static_cast<int32_t>(count_tokens(
                                     text.data(), static_cast<int64_t>(text.size()), tags))
                               : -1;
  }
  return counts;
}

}  // namespace fastcausal::page

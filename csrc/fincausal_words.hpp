// Words of FinCausal's texts, cut as its program cuts them: into sentences, then into words.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "fincausal_letters.hpp"
#include "fincausal_sentences.hpp"
#include "fincausal_steps.hpp"

namespace fastcausal::fincausal {

// Where words come from, in the order of fastcausal/tasks/fincausal/words.py.
enum class Cutting : int64_t { GIVEN, BLANK, SENTENCES };
constexpr char32_t SEPARATOR = 0x1F;  // of given words

class WordCutter {
 public:
  WordCutter(const LetterKinds& kinds, const Abbreviations& abbreviations, Cutting cutting)
      : kinds_(kinds),
        cutting_(cutting),
        traits_(kinds),
        sentences_(kinds, abbreviations),
        rewriting_(kinds, traits_) {}
  WordCutter(const WordCutter&) = delete;
  WordCutter& operator=(const WordCutter&) = delete;

  // Calls take(letters, size) for each word in turn.
  template <class Take>
  void cut(Text text, const Take& take) {
    decode(text, text_);
    if (cutting_ == Cutting::GIVEN) {
      split(text_, [](char32_t c) { return c == SEPARATOR; }, take);
    } else if (cutting_ == Cutting::BLANK) {
      split(text_, [this](char32_t c) { return traits_.is_space(c); }, take);
    } else {
      for (const Slice sentence : sentences_.of(text_)) cut_sentence(sentence, take);
    }
  }

 private:
  static constexpr size_t NONE = static_cast<size_t>(-1);
  const LetterKinds& kinds_;
  const Cutting cutting_;
  const Traits traits_;
  Sentences sentences_;
  Rewriting rewriting_;
  Letters text_;

  bool is_digit(size_t at) const { return kinds_.is(text_[at], LetterKinds::DIGIT); }

  template <class Separates, class Take>
  static void split(const Letters& letters, const Separates& separates, const Take& take) {
    const size_t n = letters.size();
    for (size_t at = 0; at < n; ++at) {
      if (separates(letters[at])) continue;
      const size_t start = at;
      while (at < n && !separates(letters[at])) ++at;
      take(letters.data() + start, at - start);
    }
  }

  // No step looks beyond the white space around a piece, but for the one that parts the last full
  // stop: so pieces are cut each for itself.
  template <class Take>
  void cut_sentence(Slice sentence, const Take& take) {
    const LastStop last = last_stop(sentence);
    for (size_t at = sentence.start; at < sentence.stop; ++at) {
      Slice piece{at, at};
      const int found = piece_at(piece, sentence.stop);
      if (piece.start == piece.stop) continue;
      const char32_t* letters = &text_[piece.start];
      const size_t size = piece.stop - piece.start;
      const bool has_stop = piece.start <= last.at && last.at < piece.stop;
      if (found & QUOTE || (has_stop && !last.is_plain) ||
          (found & DOUBLE && may_contract(letters, size))) {
        if (has_stop) piece.stop = sentence.stop;
        rewrite(sentence, piece, has_stop, take);
      } else if (found & (COMMA | PADDED | BRACKET) || has_stop) {
        part_marks(sentence, piece, last.at, take);
      } else {
        take(letters, size);
      }
      at = piece.stop;
    }
  }

  // The full stop that ends a sentence, perhaps before closing quotes and brackets.
  struct LastStop {
    size_t at = NONE;
    bool is_plain = true;  // no quotes or white space but blanks behind it
  };

  LastStop last_stop(Slice sentence) const {
    LastStop last;
    size_t at = sentence.stop;
    for (; at > sentence.start; --at) {
      const char32_t c = text_[at - 1];
      if (c == ' ' || is_any(c, U"])}>")) continue;
      if (!(traits_.of(c) & (QUOTE | BLANK))) break;
      last.is_plain = false;
    }
    if (at > sentence.start + 1 && text_[at - 1] == '.' && text_[at - 2] != '.') last.at = at - 1;
    return last;
  }

  // Finds the end of a piece without white space, and what its letters ask for.
  int piece_at(Slice& piece, size_t stop) const {
    int found = 0, last = 0;
    char32_t before = 0;
    size_t at = piece.start;
    for (; at < stop; ++at) {
      const char32_t c = text_[at];
      const int here = traits_.of(c);
      if (here & BLANK) break;
      found |= here & ~(DOUBLE | ROW);
      if (here & last & (DOUBLE | ROW) && folded(c) == folded(before)) {
        found |= here == ROW ? PADDED : DOUBLE;
      }
      last = here;
      before = c;
    }
    piece.stop = at;
    return found;
  }

  template <class Take>
  void rewrite(Slice sentence, Slice piece, bool ends_sentence, const Take& take) {
    if (piece.start > sentence.start) --piece.start;
    if (piece.stop < sentence.stop) ++piece.stop;
    const Letters& words =
        rewriting_.of(&text_[piece.start], piece.stop - piece.start, ends_sentence);
    split(words, [this](char32_t c) { return traits_.is_space(c); }, take);
  }

  // Cuts a piece without quotes: marks are words, and what is between them. A comma or colon is one
  // unless a digit follows; directly behind another, it is seen at the end of a sentence alone.
  template <class Take>
  void part_marks(Slice sentence, Slice piece, size_t last_stop, const Take& take) {
    size_t start = piece.start;
    size_t unseen = NONE;  // place behind a comma that is a word
    for (size_t at = piece.start; at < piece.stop;) {
      size_t size = 0;
      const int trait = traits_.of(text_[at]);
      if (trait & COMMA) {
        size = at + 1 == sentence.stop || (at != unseen && !is_digit(at + 1));
        if (size) unseen = at + 1;
      } else if (trait & ROW) {
        size = at == last_stop ? 1 : row_at(at, piece.stop);
      } else {
        size = (trait & (PADDED | BRACKET)) != 0;
      }
      if (!size) {
        ++at;
        continue;
      }
      if (start < at) take(&text_[start], at - start);
      take(&text_[at], size);
      start = at += size;
    }
    if (start < piece.stop) take(&text_[start], piece.stop - start);
  }

  // Two hyphens, or two full stops and more, are a word.
  size_t row_at(size_t at, size_t stop) const {
    size_t end = at;
    while (end < stop && text_[end] == text_[at]) ++end;
    if (end - at < 2) return 0;
    return text_[at] == '-' ? 2 : end - at;
  }
};

// Returns the words of a text, each with a separator behind it.
inline std::string words_of(const std::string& text, const LetterKinds& kinds,
                            const Abbreviations& abbreviations, Cutting cutting) {
  std::string words;
  WordCutter cutter(kinds, abbreviations, cutting);
  cutter.cut({text.data(), static_cast<int64_t>(text.size())},
             [&](const char32_t* letters, size_t size) {
               for (size_t k = 0; k < size; ++k) append_utf8(words, letters[k]);
               append_utf8(words, SEPARATOR);
             });
  return words;
}

}  // namespace fastcausal::fincausal

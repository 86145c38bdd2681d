// Words of FinCausal's texts, cut as its program cuts them: into sentences, then into words.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tasks/fincausal_letters.hpp"
#include "tasks/fincausal_plain.hpp"
#include "tasks/fincausal_sentences.hpp"
#include "tasks/fincausal_steps.hpp"

namespace fastcausal::fincausal {

// Sources of words, in the order of fastcausal/tasks/fincausal/words.py.
enum class Cutting : int64_t { GIVEN, BLANK, SENTENCES };
constexpr char SEPARATOR = 0x1F;  // of given words

class WordCutter {
 public:
  static constexpr size_t SPARE = 8;  // bytes that can be read behind a word

  WordCutter(const LetterKinds& kinds, const Abbreviations& abbreviations, Cutting cutting)
      : kinds_(kinds),
        cutting_(cutting),
        traits_(kinds),
        sentences_(kinds, abbreviations),
        rewriting_(kinds, traits_) {}
  WordCutter(const WordCutter&) = delete;
  WordCutter& operator=(const WordCutter&) = delete;

  // Calls take(word) for each word in turn.
  template <class Take>
  void cut(std::string_view text, const Take& take) {
    copy_.assign(text.data(), text.size());
    copy_.append(PlainLetters::SPARE, '\0');
    text_ = {copy_.data(), text.size()};
    if (cutting_ == Cutting::SENTENCES) {
      plain_.start(copy_.data(), text.size());
      for (const Slice sentence : sentences_.of(text_)) cut_sentence(sentence, take);
    } else if (cutting_ == Cutting::BLANK) {
      for (size_t at = 0; at < text_.size();) {
        const Piece piece = piece_at(at, text_.size());
        if (piece.start < piece.stop) take(word(piece.start, piece.stop));
        at = piece.next;
      }
    } else {
      for (size_t at = 0, stop; at < text_.size(); at = stop + 1) {
        stop = std::min(text_.find(SEPARATOR, at), text_.size());
        if (at < stop) take(word(at, stop));
      }
    }
  }

 private:
  static constexpr size_t NONE = static_cast<size_t>(-1);
  static constexpr int MARKS = COMMA | PADDED | BRACKET | ROW;  // are words in a piece

  const LetterKinds& kinds_;
  const Cutting cutting_;
  const Traits traits_;
  Sentences sentences_;
  Rewriting rewriting_;
  PlainLetters plain_;
  std::string copy_, word_;
  std::string_view text_;

  // Letters up to white space.
  struct Piece {
    size_t start, stop;
    int traits;      // of its letters; ROW and DOUBLE of two in a row
    char32_t blank;  // the white space behind it, or 0
    size_t next;     // place behind that
  };

  std::string_view word(size_t start, size_t stop) const {
    return {text_.data() + start, stop - start};
  }

  Piece piece_at(size_t start, size_t stop) const {
    int found = 0, rows = 0, last = 0;
    const auto traits = [&] { return (found & (QUOTE | MARKS) & ~ROW) | (rows & (ROW | DOUBLE)); };
    size_t at = start;
    while (at < stop) {
      int here = traits_.of_byte(text_[at]);
      if (here & (BLANK | OTHER)) {
        size_t next = at;
        const char32_t c = utf8::next(text_, next);
        here = traits_.of(c);
        if (here & BLANK) return {start, at, traits(), c, next};
        at = next - 1;
      }
      found |= here;
      rows |= here & last;
      last = here;
      ++at;
    }
    return {start, stop, traits(), 0, stop};
  }

  // No step looks beyond the white space around a piece, but for the one that parts the last full
  // stop: so pieces are cut each for itself.
  template <class Take>
  void cut_sentence(Slice sentence, const Take& take) {
    const LastStop last = last_stop(sentence);
    char32_t before = 0;  // white space
    for (size_t at = sentence.start; at < sentence.stop;) {
      const size_t end = plain_.end(at);
      if (end < sentence.stop && text_[end] == ' ' && !plain_.may_double(at, end)) {
        if (at < end) take(word(at, end));
        before = ' ';
        at = end + 1;
        continue;
      }
      Piece piece = piece_at(at, sentence.stop);
      at = piece.next;
      const bool has_stop = piece.start <= last.at && last.at < piece.stop;
      if (piece.traits & QUOTE || (has_stop && !last.is_plain) ||
          (piece.traits & DOUBLE && may_contract(word(piece.start, piece.stop)))) {
        if (has_stop) {
          at = piece.stop = sentence.stop;
          piece.blank = 0;
        }
        rewrite(rewriting_.of(before, word(piece.start, piece.stop), piece.blank, has_stop), take);
      } else if (piece.traits & MARKS || has_stop) {
        part_marks(piece, sentence.stop, last.at, take);
      } else if (piece.start < piece.stop) {
        take(word(piece.start, piece.stop));
      }
      before = piece.blank;
    }
  }

  // The full stop that ends a sentence, perhaps before closing quotes and brackets.
  struct LastStop {
    size_t at = NONE;
    bool is_plain = true;  // blanks and brackets alone behind it
  };

  LastStop last_stop(Slice sentence) const {
    LastStop last;
    size_t at = sentence.stop;
    for (; at > sentence.start; --at) {
      const char c = text_[at - 1];
      if (c == ' ' || c == ']' || c == ')' || c == '}' || c == '>') continue;
      if (!(traits_.of_byte(c) & (QUOTE | BLANK | OTHER))) break;
      last.is_plain = false;
    }
    if (at > sentence.start + 1 && text_[at - 1] == '.' && text_[at - 2] != '.') last.at = at - 1;
    return last;
  }

  template <class Take>
  void rewrite(const Letters& letters, const Take& take) {
    word_.clear();
    const auto end_word = [&] {
      const size_t size = word_.size();
      word_.append(SPARE, '\0');
      if (size) take(std::string_view(word_).substr(0, size));
      word_.clear();
    };
    for (const char32_t c : letters) {
      if (traits_.is_space(c)) {
        end_word();
      } else {
        utf8::write(c, [&](char byte) { word_.push_back(byte); });
      }
    }
    end_word();
  }

  // Cuts a piece without quotes: marks are words, and so are texts between marks. A comma or colon
  // is a mark unless a digit follows; directly after another, it is one only at the end of a
  // sentence.
  template <class Take>
  void part_marks(const Piece& piece, size_t end, size_t last_stop, const Take& take) {
    size_t start = piece.start;
    size_t unseen = NONE;  // place behind a comma that is a word
    for (size_t at = piece.start; at < piece.stop;) {
      size_t size = 0, next = at;
      const int trait = traits_.of(utf8::next(text_, next));
      if (trait & COMMA) {
        size = next == end || (at != unseen && !is_digit(next));
        if (size) unseen = next;
      } else if (trait & ROW) {
        size = at == last_stop ? 1 : row_at(at, piece.stop);
      } else if (trait & (PADDED | BRACKET)) {
        size = next - at;
      }
      if (size) {
        if (start < at) take(word(start, at));
        take(word(at, at + size));
        start = next = at + size;
      }
      at = next;
    }
    if (start < piece.stop) take(word(start, piece.stop));
  }

  bool is_digit(size_t at) const { return kinds_.is(point_at(text_, at), LetterKinds::DIGIT); }

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
  cutter.cut(text, [&](std::string_view word) {
    words += word;
    words += SEPARATOR;
  });
  return words;
}

}  // namespace fastcausal::fincausal

// Sentences of FinCausal's texts, by Punkt's rules without a trained model.
//
//   Abbreviations ── words whose full stop ends no sentence
//   Sentences ────── the places at which a text is split
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fincausal_letters.hpp"

namespace fastcausal::fincausal {

// Abbreviations: lower case, without their last full stop, up to eight letters of ASCII.
class Abbreviations {
 public:
  Abbreviations() = default;
  Abbreviations(const char* const* names, size_t n) {
    for (size_t k = 0; k < n; ++k) add(names[k]);
    std::sort(packed_.begin(), packed_.end());
  }

  // Takes names that line feeds separate.
  explicit Abbreviations(const std::string& lines) {
    size_t start = 0;
    while (start < lines.size()) {
      const size_t end = std::min(lines.find('\n', start), lines.size());
      add(lines.substr(start, end - start));
      start = end + 1;
    }
    std::sort(packed_.begin(), packed_.end());
  }

  bool has(const char32_t* letters, size_t size) const {
    if (!size || size > 8) return false;
    uint64_t packed = 0;
    for (size_t k = 0; k < size; ++k) {
      char32_t c = letters[k];
      if (c < 128 || c == 0x212A) c = folded(c);
      if (c >= 128) return false;
      packed = packed << 8 | c;
    }
    return std::binary_search(packed_.begin(), packed_.end(), packed);
  }

 private:
  std::vector<uint64_t> packed_;

  void add(const std::string& name) {
    uint64_t packed = 0;
    for (const char c : name) packed = packed << 8 | static_cast<unsigned char>(c);
    packed_.push_back(packed);
  }
};

// Splits a text into sentences. A full stop, ? or ! may end one if an ending or a further word
// follows; the words around it decide.
class Sentences {
 public:
  Sentences(const LetterKinds& kinds, const Abbreviations& abbreviations)
      : kinds_(kinds), abbreviations_(abbreviations) {}

  // The slices are valid until the next call.
  const std::vector<Slice>& of(const Letters& text) {
    text_ = text.data();
    slices_.clear();
    last_break_ = 0;
    Mark before{};
    bool any = false;
    for (size_t at = 0; at < text.size(); ++at) {
      if (!is_end(text_[at])) continue;
      Mark mark;
      if (!follows(at, text.size(), mark)) continue;
      mark.start = word_start(any, before, at);
      mark.stop = at;
      if (any && before.stop <= mark.start) decide(before);
      before = mark;
      any = true;
    }
    if (any) decide(before);
    size_t end = text.size();
    while (end && kinds_.is(text_[end - 1], LetterKinds::SPACE)) --end;
    slices_.push_back({last_break_, end});
    realign();
    return aligned_;
  }

 private:
  static constexpr size_t NONE = static_cast<size_t>(-1);
  // A possible end at `stop`, with the word before it and the place behind what follows.
  struct Mark {
    size_t start = 0, stop = 0;
    size_t behind = 0, next = NONE;
  };

  const LetterKinds& kinds_;
  const Abbreviations& abbreviations_;
  const char32_t* text_ = nullptr;
  size_t last_break_ = 0;
  std::vector<Slice> slices_, aligned_;

  bool is_space(size_t at) const { return kinds_.is(text_[at], LetterKinds::SPACE); }

  static bool parts_words(char32_t c) {
    return c < 128 ? is_any(c, U")\";}]*:@'({[?!") : is_quote(c);
  }

  bool follows(size_t at, size_t size, Mark& mark) const {
    size_t next = at + 1;
    if (next == size) return false;
    if (parts_words(text_[next])) {
      mark.behind = next + 1;
      return true;
    }
    while (next < size && is_space(next)) ++next;
    if (next == at + 1 || next == size) return false;
    mark.next = next;
    while (next < size && !is_space(next)) ++next;
    mark.behind = next;
    return true;
  }

  // White space directly behind the last possible end starts no word: its word goes on.
  size_t word_start(bool any, const Mark& before, size_t at) const {
    const size_t from = any ? before.stop : 0;
    for (size_t k = at; k > from + 1; --k) {
      if (text_[k - 1] < 128 && is_any(text_[k - 1], U" \t\n\r\v\f")) return k;
    }
    return any ? before.start : 0;
  }

  void decide(const Mark& mark) {
    if (!holds_break(mark.start, mark.behind)) return;
    slices_.push_back({last_break_, mark.stop + 1});
    last_break_ = mark.next == NONE ? mark.stop + 1 : mark.next;
  }

  // Returns whether a token that is not the last one ends a sentence.
  bool holds_break(size_t at, size_t end) const {
    Slice token = token_at(at, end);
    while (token.start < end) {
      const Slice next = token_at(token.stop, end);
      if (next.start == end) return false;
      if (breaks(token, next)) return true;
      token = next;
    }
    return false;
  }

  // Returns the letters of a row of hyphens or of full stops, perhaps with white space; else 0.
  size_t row_at(size_t at, size_t end) const {
    size_t stop = at;
    if (text_[at] == '-' || text_[at] == '.') {
      while (stop < end && text_[stop] == text_[at]) ++stop;
      if (stop - at >= 2) return stop - at;
    }
    if (text_[at] != '.') return 0;
    stop = at;
    while (stop + 1 < end && text_[stop] == '.' && is_space(stop + 1) && text_[stop + 1] != '\n') {
      stop += 2;
    }
    if (stop < end && text_[stop] == '.') return stop - at >= 4 ? stop + 1 - at : 0;
    return stop - at >= 6 ? stop - 1 - at : 0;
  }

  bool ends_word(size_t at, size_t end) const {
    return at == end || is_space(at) || parts_words(text_[at]) || row_at(at, end);
  }

  // Returns the next token; it starts at `end` if there is none.
  Slice token_at(size_t at, size_t end) const {
    while (at < end && is_space(at)) ++at;
    if (at == end) return {end, end};
    if (const size_t size = row_at(at, end)) return {at, at + size};
    size_t stop = at + 1;
    if (text_[at] < 128 && is_any(text_[at], U"(\"`{[:;&#*@)}]-,")) return {at, stop};
    while (!ends_word(stop, end) && !(text_[stop] == ',' && ends_word(stop + 1, end))) ++stop;
    return {at, stop};
  }

  bool breaks(Slice token, Slice next) const {
    const char32_t* letters = text_ + token.start;
    const size_t size = token.stop - token.start;
    if (letters[size - 1] != '.') return size == 1 && is_end(letters[0]);
    if (size == 1) return true;
    if (letters[size - 2] == '.') return false;
    size_t part = size - 1;
    while (part && letters[part - 1] != '-') --part;
    if (abbreviations_.has(letters, size - 1)) return false;
    if (abbreviations_.has(letters + part, size - 1 - part)) return false;
    const bool is_initial = size == 2 && kinds_.is_letter(letters[0]);
    if (!is_initial && !is_number(letters, size)) return true;
    const char32_t first = text_[next.start];
    if (next.stop - next.start == 1 && is_any(first, U";:,.!?")) return false;
    if (kinds_.is(first, LetterKinds::LOWER)) return false;
    return !is_initial || !kinds_.is(first, LetterKinds::UPPER);
  }

  bool is_number(const char32_t* letters, size_t size) const {
    size_t at = letters[0] == '-';
    if (at < size && (letters[at] == '.' || letters[at] == ',')) ++at;
    if (at == size || !kinds_.is(letters[at], LetterKinds::DIGIT)) return false;
    for (++at; at < size; ++at) {
      if (!kinds_.is(letters[at], LetterKinds::DIGIT) && !is_any(letters[at], U",.-")) return false;
    }
    return true;
  }

  // Moves closing quotes and brackets to the sentence before them.
  void realign() {
    aligned_.clear();
    size_t taken = 0;
    for (size_t k = 0; k < slices_.size(); ++k) {
      Slice slice{slices_[k].start + taken, slices_[k].stop};
      taken = 0;
      if (k + 1 < slices_.size()) {
        const Slice next = slices_[k + 1];
        const size_t closers = closers_of(next);
        if (closers) {
          slice.stop = next.start + closers;
          taken = closers;
          while (next.start + taken < next.stop && is_space(next.start + taken)) ++taken;
        }
      }
      if (slice.start < slice.stop) aligned_.push_back(slice);
    }
  }

  // Counts the closing letters with which a sentence begins, if nothing adjoins them.
  size_t closers_of(Slice slice) const {
    size_t at = slice.start;
    while (at < slice.stop && (is_any(text_[at], U"\"')]}") || is_quote(text_[at]))) ++at;
    if (at == slice.start) return 0;
    const bool is_apart = at >= slice.stop || is_space(at) ||
                          (at + 1 < slice.stop && text_[at] == '-' && text_[at + 1] == '-');
    return is_apart ? at - slice.start : 0;
  }
};

}  // namespace fastcausal::fincausal

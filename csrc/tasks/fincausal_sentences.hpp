// Sentences of FinCausal's texts, by Punkt's rules without a trained model.
//
//   Abbreviations ── words whose full stop ends no sentence
//   Sentences ────── the places at which a text is split
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/fincausal_letters.hpp"

namespace fastcausal::fincausal {

// Abbreviations: lower case, without their last full stop, up to eight letters of ASCII.
class Abbreviations {
 public:
  Abbreviations() = default;

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

  bool has(std::string_view word) const {
    uint64_t packed = 0;
    size_t n = 0;
    for (size_t at = 0; at < word.size(); ++n) {
      char32_t c = utf8::next(word, at);
      if (c < 128 || c == 0x212A) c = folded(c);
      if (c >= 128 || n == 8) return false;
      packed = packed << 8 | c;
    }
    return n && std::binary_search(packed_.begin(), packed_.end(), packed);
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
  const std::vector<Slice>& of(std::string_view text) {
    text_ = text;
    slices_.clear();
    last_break_ = 0;
    Mark before{};
    bool any = false;
    for (size_t at = next_end(0); at < text.size(); at = next_end(at + 1)) {
      Mark mark;
      if (!follows(at, mark)) continue;
      mark.start = word_start(any, before, at);
      mark.stop = at;
      if (any && before.stop <= mark.start) decide(before);
      before = mark;
      any = true;
    }
    if (any) decide(before);
    slices_.push_back({last_break_, without_space(text.size())});
    realign();
    return aligned_;
  }

 private:
  static constexpr size_t NONE = static_cast<size_t>(-1);
  // A possible end of a sentence, its last letter at `stop`. The word before begins at `start`, the
  // word after at `next`, which is NONE if a mark that parts words follows. `behind` is the end of
  // that word or mark.
  struct Mark {
    size_t start = 0, stop = 0;
    size_t behind = 0, next = NONE;
  };

  const LetterKinds& kinds_;
  const Abbreviations& abbreviations_;
  std::string_view text_;
  size_t last_break_ = 0;
  std::vector<Slice> slices_, aligned_;

  char32_t point(size_t at) const { return point_at(text_, at); }
  bool is_space(size_t at) const { return kinds_.is(point(at), LetterKinds::SPACE); }

  static constexpr std::array<bool, 128> PARTS_WORDS = [] {
    std::array<bool, 128> parts{};
    for (const unsigned char c : std::string_view(")\";}]*:@'({[?!")) parts[c] = true;
    return parts;
  }();

  static bool parts_words(char32_t c) { return c < 128 ? PARTS_WORDS[c] : is_quote(c); }

  // Returns the next full stop, ? or !. Looks at eight bytes at once.
  size_t next_end(size_t at) const {
    constexpr uint64_t ONES = 0x0101010101010101u, HIGH = 0x8080808080808080u;
    const auto has_zero = [](uint64_t bytes) { return (bytes - ONES) & ~bytes & HIGH; };
    for (; at + 8 <= text_.size(); at += 8) {
      uint64_t bytes;
      std::memcpy(&bytes, text_.data() + at, 8);
      if (has_zero(bytes ^ '.' * ONES) | has_zero(bytes ^ '?' * ONES) |
          has_zero(bytes ^ '!' * ONES)) {
        break;
      }
    }
    while (at < text_.size() && !is_end(text_[at])) ++at;
    return at;
  }

  size_t without_space(size_t end) const {
    while (end) {
      size_t last = end - 1;
      while (last && utf8::goes_on(text_[last])) --last;
      if (!is_space(last)) break;
      end = last;
    }
    return end;
  }

  bool follows(size_t at, Mark& mark) const {
    const size_t size = text_.size();
    size_t next = at + 1;
    if (next == size) return false;
    if (parts_words(point(next))) {
      mark.behind = behind(text_, next);
      return true;
    }
    while (next < size && is_space(next)) next = behind(text_, next);
    if (next == at + 1 || next == size) return false;
    mark.next = next;
    while (next < size && !is_space(next)) next = behind(text_, next);
    mark.behind = next;
    return true;
  }

  // White space directly behind the last possible end starts no word: its word goes on.
  size_t word_start(bool any, const Mark& before, size_t at) const {
    const size_t from = any ? before.stop : 0;
    for (size_t k = at; k > from + 1; --k) {
      const char c = text_[k - 1];
      if (c == ' ' || (c >= '\t' && c <= '\r')) return k;
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

  // Returns the bytes of a row of hyphens or of full stops, perhaps with white space; else 0.
  size_t row_at(size_t at, size_t end) const {
    const char c = text_[at];
    if (c != '-' && c != '.') return 0;
    size_t stop = at;
    while (stop < end && text_[stop] == c) ++stop;
    if (stop - at >= 2) return stop - at;
    if (c != '.') return 0;
    int n = 0;
    size_t last = at;  // behind the last full stop
    for (stop = at; stop < end && text_[stop] == '.'; stop = behind(text_, last)) {
      last = stop + 1;
      if (last == end || !is_space(last) || text_[last] == '\n') {
        return n >= 2 ? last - at : 0;
      }
      ++n;
    }
    return n >= 3 ? last - at : 0;
  }

  bool ends_word(size_t at, size_t end) const {
    return at >= end || is_space(at) || parts_words(point(at)) || row_at(at, end);
  }

  // Returns the next token; it starts at `end` if there is none.
  Slice token_at(size_t at, size_t end) const {
    while (at < end && is_space(at)) at = behind(text_, at);
    if (at >= end) return {end, end};
    if (const size_t size = row_at(at, end)) return {at, at + size};
    size_t stop = behind(text_, at);
    if (is_any(point(at), U"(\"`{[:;&#*@)}]-,")) return {at, stop};
    while (!ends_word(stop, end) && !(text_[stop] == ',' && ends_word(stop + 1, end))) {
      stop = behind(text_, stop);
    }
    return {at, stop};
  }

  bool breaks(Slice token, Slice next) const {
    const std::string_view word = text_.substr(token.start, token.stop - token.start);
    if (word.back() != '.') return word.size() == 1 && is_end(word[0]);
    if (word.size() == 1) return true;
    const std::string_view name = word.substr(0, word.size() - 1);
    if (name.back() == '.') return false;
    if (abbreviations_.has(name)) return false;
    if (abbreviations_.has(name.substr(name.rfind('-') + 1))) return false;
    const bool is_initial = behind(name, 0) == name.size() && kinds_.is_letter(point_at(name, 0));
    if (!is_initial && !is_number(word)) return true;
    const char32_t first = point(next.start);
    if (next.stop - next.start == 1 && is_any(first, U";:,.!?")) return false;
    if (kinds_.is(first, LetterKinds::LOWER)) return false;
    return !is_initial || !kinds_.is(first, LetterKinds::UPPER);
  }

  bool is_number(std::string_view word) const {
    size_t at = word[0] == '-';
    if (at < word.size() && (word[at] == '.' || word[at] == ',')) ++at;
    if (at == word.size() || !kinds_.is(utf8::next(word, at), LetterKinds::DIGIT)) return false;
    while (at < word.size()) {
      const char32_t c = utf8::next(word, at);
      if (!kinds_.is(c, LetterKinds::DIGIT) && !is_any(c, U",.-")) return false;
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
          while (next.start + taken < next.stop && is_space(next.start + taken)) {
            taken = behind(text_, next.start + taken) - next.start;
          }
        }
      }
      if (slice.start < slice.stop) aligned_.push_back(slice);
    }
  }

  // Returns the bytes of the closing letters with which a sentence begins, if nothing adjoins them.
  size_t closers_of(Slice slice) const {
    size_t at = slice.start;
    while (at < slice.stop && (is_any(point(at), U"\"')]}") || is_quote(point(at)))) {
      at = behind(text_, at);
    }
    if (at == slice.start) return 0;
    const bool is_apart = at >= slice.stop || is_space(at) ||
                          (at + 1 < slice.stop && text_[at] == '-' && text_[at + 1] == '-');
    return is_apart ? at - slice.start : 0;
  }
};

}  // namespace fastcausal::fincausal

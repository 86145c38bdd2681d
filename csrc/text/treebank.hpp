// Words and punctuation marks of running text, by the conventions of the Penn Treebank. The pattern
// in tests/oracles/treebank.py specifies them; `\w`, `\s` and `\d` are Python's.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/letters.hpp"

namespace fastcausal {

// A full stop behind these ends no sentence, as behind an initial.
constexpr std::string_view TITLES[] = {
    "Mr",  "Mrs",  "Ms",  "Messrs", "Dr",   "Prof", "Rev", "Hon", "St",  "Jr",
    "Sr",  "Gen",  "Col", "Maj",    "Capt", "Lt",   "Sgt", "Adm", "Gov", "Sen",
    "Rep", "Pres", "vs",  "Fig",    "Vol",  "Jan",  "Feb", "Mar", "Apr", "Jun",
    "Jul", "Aug",  "Sep", "Sept",   "Oct",  "Nov",  "Dec", "U.S", "U.K", "U.N"};

// Words that are cut in two.
struct Halves {
  std::string_view first, second;
};
constexpr Halves HALVES[] = {{"can", "not"}, {"d", "'ye"},  {"gim", "me"},  {"gon", "na"},
                             {"got", "ta"},  {"lem", "me"}, {"more", "'n"}, {"wan", "na"},
                             {"'t", "is"},   {"'t", "was"}};
constexpr std::string_view CLITICS[] = {"s", "m", "d", "ll", "re", "ve"};

class TreebankWords {
 public:
  explicit TreebankWords(const LetterKinds& kinds) : kinds_(kinds) {
    for (char32_t c = 0; c < 128; ++c) {
      const bool space = kinds.is(c, LetterKinds::SPACE);
      const bool alone = find(U"()[]{}<>;@#$%&?!*\"", c);
      const bool plain = !alone && !space && !find(U".,:'`nN-", c);
      const bool around = space || find(U"()[]{}<>\"'`", c);
      const bool halved = find(U"CDGLMWcdglmw'", c);
      traits_[c] =
          static_cast<uint8_t>(PLAIN * plain + ALONE * alone + AROUND * around + HALVED * halved);
    }
  }

  // Calls take(start, stop) for each word of a text in turn; both count letters.
  template <class Take>
  void cut(const char* text, int64_t size, const Take& take) {
    decode(text, size, text_);
    tail_ = text_.size();
    while (tail_ && is(text_[tail_ - 1], AROUND)) --tail_;
    for (size_t at = 0; at < text_.size();) {
      const size_t stop = is_space(at) ? at : end_of_word(at);
      if (stop > at) take(at, stop);
      at = stop > at ? stop : at + 1;
    }
  }

 private:
  const LetterKinds& kinds_;
  // PLAIN belongs to a word, whichever letters follow; ALONE is a word; AROUND may follow the full
  // stop of a sentence; a word that begins as HALVED may be cut in two.
  enum : uint8_t { PLAIN = 1, ALONE = 2, AROUND = 4, HALVED = 8 };
  std::u32string text_;
  size_t tail_ = 0;  // white space, quotes and brackets fill the text from here on
  std::array<uint8_t, 128> traits_{};

  static bool find(std::u32string_view letters, char32_t c) {
    return letters.find(c) != std::u32string_view::npos;
  }
  bool is(char32_t c, int trait) const {
    if (c < 128) return traits_[c] & trait;
    const bool quotes = find(U"\u201C\u201D\u201E\u2018\u2019\u00AB\u00BB", c);
    const int around = AROUND * (quotes || kinds_.is(c, LetterKinds::SPACE));
    return (ALONE * quotes + around + PLAIN * !around) & trait;
  }

  bool at_is(size_t at, char32_t c) const { return at < text_.size() && text_[at] == c; }
  bool are_two(size_t at, char32_t c) const { return at_is(at, c) && at_is(at + 1, c); }
  bool has(size_t at, int kind) const { return at < text_.size() && kinds_.is(text_[at], kind); }
  bool is_space(size_t at) const { return has(at, LetterKinds::SPACE); }
  bool is_digit(size_t at) const { return has(at, LetterKinds::DIGIT); }
  bool is_word(size_t at) const { return has(at, LetterKinds::ALNUM); }

  // Returns whether a text begins at a place, in lower or upper case.
  bool begins(size_t at, std::string_view letters) const {
    if (text_.size() - at < letters.size()) return false;
    for (size_t k = 0; k < letters.size(); ++k) {
      if (folded(text_[at + k]) != static_cast<unsigned char>(letters[k])) return false;
    }
    return true;
  }

  size_t end_of_word(size_t at) const {
    const char32_t c = text_[at];
    if (const size_t stop = is(c, HALVED) ? first_half(at) : 0) return stop;
    if (const size_t stop = end_of_plain(at); stop > at) {
      if (stop == text_.size() || is_space(stop)) return stop;  // as most words
      const size_t named = title(at);
      return named ? named : rest_of_word(stop);
    }
    if (is(c, ALONE)) return at + 1;
    if ((c == ',' || c == ':') && !is_digit(at + 1)) return at + 1;
    if (are_two(at, '.') || c == '`') return end_of_run(at);
    if (are_two(at, '-') || are_two(at, '\'')) return at + 2;
    if (const size_t stop = title(at)) return stop;
    if (is_stop(at)) return at + 1;
    if (const size_t stop = clitic(at)) return stop;
    return rest_of_word(at);
  }

  size_t end_of_plain(size_t at) const {
    while (at < text_.size() && is(text_[at], PLAIN)) ++at;
    return at;
  }

  size_t end_of_run(size_t at) const {
    const char32_t c = text_[at];
    while (at_is(at, c)) ++at;
    return at;
  }

  // Returns the end of the first of two halves, 0 if none begins here.
  size_t first_half(size_t at) const {
    if (at && (is_word(at - 1) || text_[at - 1] == '\'')) return 0;
    const char32_t c = folded(text_[at]);
    for (const Halves& halves : HALVES) {
      if (c != static_cast<unsigned char>(halves.first[0])) continue;
      const size_t stop = at + halves.first.size();
      const size_t end = stop + halves.second.size();
      if (begins(at, halves.first) && begins(stop, halves.second) && !is_word(end)) return stop;
    }
    return 0;
  }

  // Returns the end of an initial or a title with its full stop, 0 if none begins here.
  size_t title(size_t at) const {
    if (!is_word(at) || (at && (is_word(at - 1) || text_[at - 1] == '.'))) return 0;
    if (!is_digit(at) && text_[at] != '_' && stops_after(at + 1)) return at + 2;
    if (at_is(at, 'N') && at_is(at + 1, 'o') && stops_after(at + 2) && is_digit(at + 4))
      return at + 3;
    for (const std::string_view name : TITLES) {
      if (text_[at] != static_cast<unsigned char>(name[0])) continue;
      size_t k = 1;
      while (k < name.size() && at_is(at + k, static_cast<unsigned char>(name[k]))) ++k;
      if (k == name.size() && stops_after(at + k)) return at + k + 1;
    }
    return 0;
  }

  // Returns whether a full stop is here, and the text goes on after white space.
  bool stops_after(size_t at) const { return at_is(at, '.') && is_space(at + 1) && at + 1 < tail_; }

  // Returns whether a full stop is here that ends a sentence.
  bool is_stop(size_t at) const {
    if (!at_is(at, '.')) return false;
    if (++at >= tail_) return true;
    while (at < text_.size() && find(U")]}>\"'\u201D\u2019\u00BB", text_[at])) ++at;
    if (!is_space(at)) return false;
    while (at < text_.size() && is(text_[at], AROUND)) ++at;
    return is_word(at) && !is_lower(text_[at]);
  }

  static bool is_lower(char32_t c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 0xDF && c <= 0xFF && c != 0xF7);
  }

  // Returns the end of a clitic, 0 if none begins here.
  size_t clitic(size_t at) const {
    if (!at_is(at, '\'')) return begins(at, "n't") && ends_word(at + 3) ? at + 3 : 0;
    for (const std::string_view name : CLITICS) {
      const size_t stop = at + 1 + name.size();
      if (begins(at + 1, name) && ends_word(stop)) return stop;
    }
    return ends_word(at + 1) ? at + 1 : 0;
  }

  bool ends_word(size_t at) const {
    if (at >= text_.size() || is_space(at)) return true;
    return find(U".,:", text_[at]) || is(text_[at], ALONE) || are_two(at, '-') || are_two(at, '\'');
  }

  size_t rest_of_word(size_t at) const {
    for (; (at = end_of_plain(at)) < text_.size(); ++at) {
      const char32_t c = text_[at];
      bool goes_on = false;
      if (c == 'n' || c == 'N' || c == '\'') goes_on = !clitic(at) && !are_two(at, '\'');
      if (c == '.') goes_on = !at_is(at + 1, '.') && !is_stop(at);
      if (c == '-') goes_on = !at_is(at + 1, '-');
      if (c == ',' || c == ':') goes_on = is_digit(at + 1);
      if (!goes_on) break;
    }
    return at;
  }
};

// Returns the start and the stop of each word, one after another.
inline std::vector<int64_t> treebank_bounds(const char* text, int64_t size,
                                            const LetterKinds& kinds) {
  std::vector<int64_t> bounds;
  TreebankWords(kinds).cut(text, size, [&](size_t start, size_t stop) {
    bounds.push_back(static_cast<int64_t>(start));
    bounds.push_back(static_cast<int64_t>(stop));
  });
  return bounds;
}

// Counts the words of n texts.
template <class Offset>
void count_treebank_words(const char* data, const Offset* offsets, int64_t n,
                          const LetterKinds& kinds, int64_t* counts) {
  TreebankWords words(kinds);
  for (int64_t k = 0; k < n; ++k) {
    counts[k] = 0;
    words.cut(data + offsets[k], offsets[k + 1] - offsets[k], [&](size_t, size_t) { ++counts[k]; });
  }
}

// Counts the words between the tags of each span of n sentences, with inner tags as words. counts:
// those of causes, effects and signals.
template <class Offset>
void count_tagged_words(const char* data, const Offset* offsets, int64_t n,
                        const LetterKinds& kinds, std::vector<int64_t>* counts) {
  TreebankWords words(kinds);
  std::string closing;
  for (int64_t k = 0; k < n; ++k) {
    const std::string_view text(data + offsets[k],
                                static_cast<size_t>(offsets[k + 1] - offsets[k]));
    for (size_t at = text.find('<'); at < text.size(); at = text.find('<', at + 1)) {
      const size_t stop = text.find_first_not_of("0123456789", at + 4);
      if (stop == std::string_view::npos || text[stop] != '>') continue;
      const std::string_view name = text.substr(at + 1, stop - at - 1);
      const bool is_argument = name == "ARG0" || name == "ARG1";
      if (!is_argument && (name.size() < 4 || name.substr(0, 3) != "SIG")) continue;
      closing.assign("</").append(name) += '>';
      const size_t end = text.find(closing, stop + 1);
      if (end == std::string_view::npos) continue;
      int64_t& count = counts[is_argument ? name[3] - '0' : 2].emplace_back();
      words.cut(text.data() + stop + 1, static_cast<int64_t>(end - stop - 1),
                [&](size_t, size_t) { ++count; });
    }
  }
}

}  // namespace fastcausal

// Words of FinCausal's texts, cut as its program cuts them: into sentences, then into words.
//
//   Sentences ──── the places at which a text is split, by Punkt's rules without a trained model
//   WordCutter ─── the words of a text: given, split at white space, or of its sentences
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "letters.hpp"
#include "words.hpp"

namespace fastcausal::fincausal {

using fastcausal::LetterKinds;
using Letters = std::u32string;

inline bool is_any(char32_t c, const char32_t* letters) {
  for (; *letters; ++letters) {
    if (*letters == c) return true;
  }
  return false;
}

inline bool is_opening(char32_t c) { return is_any(c, U"\u00AB\u201C\u2018\u201E"); }
inline bool is_closing(char32_t c) { return is_any(c, U"\u00BB\u201D\u2019"); }
inline bool is_quote(char32_t c) { return is_any(c, U"\u2018\u2019\u201C\u201D\u00AB\u00BB"); }
inline bool is_end(char32_t c) { return c == '.' || c == '?' || c == '!'; }

struct Slice {
  size_t start, stop;
};

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

// Where words come from, in the order of fastcausal/tasks/fincausal/words.py.
enum class Cutting : int64_t { GIVEN, BLANK, SENTENCES };
constexpr char32_t SEPARATOR = 0x1F;  // of given words

class WordCutter {
 public:
  WordCutter(const LetterKinds& kinds, const Abbreviations& abbreviations, Cutting cutting)
      : kinds_(kinds), cutting_(cutting), sentences_(kinds, abbreviations) {}

  // Calls take(letters, size) for each word in turn.
  template <class Take>
  void cut(Text text, const Take& take) {
    decode(text.data, text.size, text_);
    if (cutting_ == Cutting::GIVEN) {
      split(text_, [](char32_t c) { return c == SEPARATOR; }, take);
    } else if (cutting_ == Cutting::BLANK) {
      split(text_, [this](char32_t c) { return is_space(c); }, take);
    } else {
      for (const Slice slice : sentences_.of(text_)) {
        from_.assign(text_, slice.start, slice.stop - slice.start);
        separate(traits());
        split(from_, [this](char32_t c) { return is_space(c); }, take);
      }
    }
  }

 private:
  const LetterKinds& kinds_;
  const Cutting cutting_;
  Sentences sentences_;
  Letters text_, from_, to_;

  bool is_space(char32_t c) const { return c == ' ' || kinds_.is(c, LetterKinds::SPACE); }
  bool is_word(size_t at, int kind = LetterKinds::WORD) const {
    return at < from_.size() && kinds_.is(from_[at], kind);
  }

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

  // Rewrites a sentence: pad(at) returns the letters from `at` on that get blanks around them.
  template <class Pad>
  void pad_each(const Pad& pad) {
    to_.clear();
    size_t copied = 0;
    for (size_t at = 0; at < from_.size();) {
      const size_t size = pad(at);
      if (size) {
        to_.append(from_, copied, at - copied);
        to_.push_back(' ');
        to_.append(from_, at, size);
        to_.push_back(' ');
        copied = at + size;
      }
      at += std::max<size_t>(size, 1);
    }
    if (!copied) return;
    to_.append(from_, copied, from_.size() - copied);
    from_.swap(to_);
  }

  size_t run(size_t at, char32_t letter) const {
    size_t stop = at;
    while (stop < from_.size() && from_[stop] == letter) ++stop;
    return stop - at;
  }

  bool reads(size_t at, const char* letters) const {  // in any case
    for (; *letters; ++letters, ++at) {
      if (at >= from_.size() || folded(from_[at]) != static_cast<unsigned char>(*letters)) {
        return false;
      }
    }
    return true;
  }

  // Puts blanks between the words of a sentence; each step sees what the one before it wrote.
  void separate(int traits) {
    const bool quotes = traits & QUOTE;
    if (quotes) open_quotes();
    end_period();
    if (traits & COMMA) part_commas();
    if (traits & PADDED) pad_each([this](size_t at) { return padded(at); });
    if (quotes) part_apostrophes();
    if (traits & BRACKET) pad_each([this](size_t at) { return bracket(at); });
    if (quotes) {
      from_.insert(from_.begin(), ' ');
      from_.push_back(' ');
      close_quotes();
    }
    if (traits & (QUOTE | DOUBLE)) part_contractions();
  }

  // What a sentence has letters for: the other steps would leave it as it is.
  enum Trait : int { QUOTE = 1, COMMA = 2, PADDED = 4, DOUBLE = 8, ROW = 16, BRACKET = 32 };

  static const unsigned char* traits_of_ascii() {
    static const auto table = [] {
      std::array<unsigned char, 128> of{};
      const auto mark = [&of](std::string_view letters, Trait trait) {
        for (const char c : letters) of[static_cast<unsigned char>(c)] = trait;
      };
      mark("'\"`", QUOTE);
      mark(",:", COMMA);
      mark(";@#$%&?!", PADDED);
      mark("*[](){}<>", BRACKET);
      mark(".-", ROW);
      mark("nmtNMT", DOUBLE);
      return of;
    }();
    return table.data();
  }

  int traits() const {
    const unsigned char* const of = traits_of_ascii();
    int found = 0, last = 0;
    char32_t before = 0;
    for (const char32_t c : from_) {
      if (c >= 128) {
        found |= is_opening(c) || is_closing(c) ? QUOTE : c >= 0x2012 && c <= 0x2015 ? PADDED : 0;
        last = 0;
      } else {
        const int here = of[c];
        found |= here & (QUOTE | COMMA | PADDED | BRACKET);
        if (here & last & ROW && c == before) found |= PADDED | BRACKET;
        if (here & last & DOUBLE && folded(c) == folded(before)) found |= DOUBLE;
        last = here;
      }
      before = c;
    }
    return found;
  }

  size_t padded(size_t at) const {
    const char32_t c = from_[at];
    if (c == '.') return run(at, '.') >= 2 ? run(at, '.') : 0;
    if (c < 128) return (traits_of_ascii()[c] & PADDED) != 0;
    return c >= 0x2012 && c <= 0x2015;
  }

  size_t bracket(size_t at) const {
    const char32_t c = from_[at];
    if (c == '-') return run(at, '-') >= 2 ? 2 : 0;
    return c < 128 && (traits_of_ascii()[c] & BRACKET);
  }

  void open_quotes() {
    pad_each([this](size_t at) { return is_opening(from_[at]) ? 1 : run(at, '`'); });
    if (!from_.empty() && from_[0] == '"') from_.replace(0, 1, U"``");
    pad_each([this](size_t at) -> size_t { return run(at, '`') >= 2 ? 2 : 0; });
    to_.clear();
    for (size_t at = 0; at < from_.size();) {
      const char32_t c = from_[at++];
      to_.push_back(c);
      if (!is_any(c, U" ([{<")) continue;
      const bool is_double = at < from_.size() && from_[at] == '"';
      if (!is_double && run(at, '\'') < 2) continue;
      to_.append(U" `` ");
      at += is_double ? 1 : 2;
    }
    from_.swap(to_);
    to_.clear();
    for (size_t at = 0; at < from_.size(); ++at) {
      to_.push_back(from_[at]);
      if (from_[at] == '\'' && !(at && is_word(at - 1)) && is_word(at + 1) && !is_clitic(at + 1)) {
        to_.push_back(' ');
      }
    }
    from_.swap(to_);
  }

  bool is_clitic(size_t at) const {
    for (const char* ending : {"re", "ve", "ll", "m", "t", "s", "d", "n"}) {
      const size_t size = ending[1] ? 2 : 1;
      if (reads(at, ending) && !is_word(at + size)) return true;
    }
    return false;
  }

  // The last full stop of a sentence is a word, also before closing quotes and brackets.
  void end_period() {
    size_t at = from_.size();
    while (at && is_space(from_[at - 1])) --at;
    while (at && (is_any(from_[at - 1], U"])}>\"' ") || is_closing(from_[at - 1]))) --at;
    if (at < 2 || from_[at - 1] != '.' || from_[at - 2] == '.') return;
    from_.insert(at, 1, ' ');
    from_.insert(at - 1, 1, ' ');
  }

  void part_commas() {
    const auto parts = [](char32_t c) { return c == ',' || c == ':'; };
    to_.clear();
    for (size_t at = 0; at < from_.size(); ++at) {
      const char32_t c = from_[at];
      const bool is_last = at + 1 == from_.size();
      if (!parts(c) || (!is_last && kinds_.is(from_[at + 1], LetterKinds::DIGIT))) {
        to_.push_back(c);
        continue;
      }
      to_.append({U' ', c, U' '});
      if (!is_last) {
        const char32_t next = from_[++at];
        if (parts(next) && at + 1 == from_.size()) {
          to_.append({U' ', next, U' '});
        } else {
          to_.push_back(next);
        }
      }
    }
    from_.swap(to_);
  }

  void part_apostrophes() {
    to_.clear();
    for (size_t at = 0; at < from_.size(); ++at) {
      to_.push_back(from_[at]);
      if (from_[at] == '\'' || at + 2 >= from_.size()) continue;
      if (from_[at + 1] == '\'' && from_[at + 2] == ' ') {
        to_.append(U" ' ");
        at += 2;
      }
    }
    from_.swap(to_);
  }

  void close_quotes() {
    pad_each([this](size_t at) -> size_t {
      return is_closing(from_[at]) ? 1 : from_[at] == '\'' && run(at, '\'') >= 2 ? 2 : 0;
    });
    to_.clear();
    for (const char32_t c : from_) {  // every run of white space becomes one blank
      if (c == '"')
        to_.append(to_.back() == ' ' ? U"'' " : U" '' ");
      else if (!is_space(c))
        to_.push_back(c);
      else if (to_.empty() || to_.back() != ' ')
        to_.push_back(' ');
    }
    from_.swap(to_);
    part_endings([](char32_t a, char32_t, char32_t) { return is_any(a, U"sSmMdD") ? 2 : 0; }, true);
    part_endings(
        [](char32_t a, char32_t b, char32_t c) {
          if (a == '\'' && is_any(b, U"lrv")) return c == (b == 'l' ? U'l' : U'e') ? 3 : 0;
          if (a == '\'' && is_any(b, U"LRV")) return c == (b == 'L' ? U'L' : U'E') ? 3 : 0;
          return b == '\'' && ((a == 'n' && c == 't') || (a == 'N' && c == 'T')) ? 3 : 0;
        },
        false);
  }

  // Parts endings such as 's from their words. Short ones are an apostrophe alone, too.
  template <class Ending>
  void part_endings(const Ending& ending, bool is_short) {
    const auto letter = [this](size_t at) { return at < from_.size() ? from_[at] : U'\0'; };
    to_.clear();
    for (size_t at = 0; at < from_.size(); ++at) {
      to_.push_back(from_[at]);
      if (from_[at] == '\'' || from_[at] == ' ') continue;
      size_t size = 0;
      if (is_short) {
        if (letter(at + 1) != '\'') continue;
        size = static_cast<size_t>(ending(letter(at + 2), 0, 0));
        if (!size || letter(at + 1 + size) != ' ') size = 1;
      } else {
        size = static_cast<size_t>(ending(letter(at + 1), letter(at + 2), letter(at + 3)));
      }
      if (!size || letter(at + 1 + size) != ' ') continue;
      to_.push_back(' ');
      to_.append(from_, at + 1, size + 1);
      at += size + 1;
    }
    from_.swap(to_);
  }

  void part_contractions() {
    if (!may_contract()) return;
    for (const char* const* pair : CONTRACTIONS) part(pair[0], pair[1]);
  }

  using Pair = const char* const[2];
  static constexpr Pair CONTRACTIONS[] = {
      {"can", "not"}, {"d", "'ye"},   {"gim", "me"}, {"gon", "na"}, {"got", "ta"},
      {"lem", "me"},  {"more", "'n"}, {"wan", "na"}, {"'t", "is"},  {"'t", "was"}};

  // Returns whether the letters at which a contraction is parted occur.
  bool may_contract() const {
    for (size_t at = 0; at + 1 < from_.size(); ++at) {
      const char32_t a = folded(from_[at]), b = folded(from_[at + 1]);
      if (a == b ? is_any(a, U"nmt") : a == '\'' && is_any(b, U"ynt")) return true;
    }
    return false;
  }

  void part(const char* first, const char* second) {
    const std::string whole = std::string(first) + second;
    const bool is_apostrophe = first[0] == '\'';
    const bool before_space = whole == "wanna";
    constexpr int kind = LetterKinds::ALNUM;
    const size_t n_first = whole.size() - std::string(second).size();
    to_.clear();
    for (size_t at = 0; at < from_.size();) {
      const size_t stop = at + whole.size();
      const bool starts =
          is_apostrophe ? at && from_[at - 1] == ' ' : !(at && is_word(at - 1, kind));
      if (!starts || !reads(at, whole.c_str()) || is_word(stop, kind) ||
          (before_space && !(stop < from_.size() && is_space(from_[stop])) &&
           stop < from_.size())) {
        to_.push_back(from_[at++]);
        continue;
      }
      to_.push_back(' ');
      to_.append(from_, at, n_first);
      to_.push_back(' ');
      to_.append(from_, at + n_first, whole.size() - n_first);
      to_.push_back(' ');
      at = stop;
    }
    from_.swap(to_);
  }
};

inline void append_utf8(std::string& text, char32_t point) {
  const auto byte = [&](uint32_t value) { text.push_back(static_cast<char>(value)); };
  const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  byte((more == 0 ? 0 : more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | point >> 6 * more);
  for (int k = more; k-- > 0;) byte(0x80 | (point >> 6 * k & 0x3F));
}

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

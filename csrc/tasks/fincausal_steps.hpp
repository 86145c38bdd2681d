// Steps that put blanks between the words of a piece of a sentence, for pieces with quotes,
// apostrophes and contractions: each step reads the output of the step before.
//
//   Traits ──── the steps that letters of a piece need
//   Rewriting ─ the steps
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tasks/fincausal_letters.hpp"

namespace fastcausal::fincausal {

// The step that a letter needs. Two full stops or hyphens in a row are padded, too; two of n, m, t
// may be the middle of a contraction.
enum Trait : int {
  QUOTE = 1,
  COMMA = 2,
  PADDED = 4,
  BRACKET = 8,
  BLANK = 16,
  STOP = 32,
  HYPHEN = 64,
  DOUBLE_N = 128,
  DOUBLE_M = 256,
  DOUBLE_T = 512,
  OTHER = 1024  // than ASCII
};
constexpr int ROW = STOP | HYPHEN, DOUBLE = DOUBLE_N | DOUBLE_M | DOUBLE_T;

class Traits {
 public:
  explicit Traits(const LetterKinds& kinds) : kinds_(kinds) {
    const auto mark = [this](std::string_view letters, Trait trait) {
      for (const char c : letters) of_[static_cast<unsigned char>(c)] = trait;
    };
    mark("'\"`", QUOTE);
    mark(",:", COMMA);
    mark(";@#$%&?!", PADDED);
    mark("*[](){}<>", BRACKET);
    mark(".", STOP);
    mark("-", HYPHEN);
    mark("nN", DOUBLE_N);
    mark("mM", DOUBLE_M);
    mark("tT", DOUBLE_T);
    for (size_t c = 0; c < of_.size(); ++c) {
      if (c >= 128) {
        of_[c] = OTHER;
      } else if (c == ' ' || kinds_.is(static_cast<char32_t>(c), LetterKinds::SPACE)) {
        of_[c] = BLANK;
      }
    }
  }

  int of_byte(char c) const { return of_[static_cast<unsigned char>(c)]; }
  int of(char32_t c) const { return c < 128 ? of_[c] : of_other(c); }
  bool is_space(char32_t c) const { return (of(c) & BLANK) != 0; }

 private:
  const LetterKinds& kinds_;
  std::array<uint16_t, 256> of_{};

  int of_other(char32_t c) const {
    if (is_opening(c) || is_closing(c)) return QUOTE;
    if (c >= 0x2012 && c <= 0x2015) return PADDED;
    return kinds_.is(c, LetterKinds::SPACE) ? BLANK : 0;
  }
};

struct Contraction {
  std::string_view word;
  size_t n_first;  // letters of its first part
};
constexpr Contraction CONTRACTIONS[] = {{"cannot", 3}, {"d'ye", 1},  {"gimme", 3},  {"gonna", 3},
                                        {"gotta", 3},  {"lemme", 3}, {"more'n", 4}, {"wanna", 3},
                                        {"'tis", 2},   {"'twas", 2}};

// Returns whether a word holds a contraction without an apostrophe, but for its neighbours.
inline bool may_contract(std::string_view word) {
  for (size_t at = 0; at < word.size(); ++at) {
    for (const Contraction& contraction : CONTRACTIONS) {
      size_t end = at, n = 0;
      while (n < contraction.word.size() && end < word.size() &&
             folded(utf8::next(word, end)) == static_cast<unsigned char>(contraction.word[n])) {
        ++n;
      }
      if (n == contraction.word.size()) return true;
    }
  }
  return false;
}

class Rewriting {
 public:
  Rewriting(const LetterKinds& kinds, const Traits& traits) : kinds_(kinds), traits_(traits) {}

  // Returns a piece with blanks between its words, until the next call. `before` and `behind` are
  // the white space around it, 0 at the beginning or end of a sentence.
  const Letters& of(char32_t before, std::string_view piece, char32_t behind, bool ends_sentence) {
    from_.clear();
    if (before) from_.push_back(before);
    for (size_t at = 0; at < piece.size();) from_.push_back(utf8::next(piece, at));
    if (behind) from_.push_back(behind);
    const int found = traits();
    const bool quotes = (found & QUOTE) != 0;
    if (quotes) open_quotes();
    if (ends_sentence) end_period();
    if (found & COMMA) part_commas();
    if (found & PADDED) pad_each([this](size_t at) { return padded(at); });
    if (quotes) part_apostrophes();
    if (found & BRACKET) pad_each([this](size_t at) { return bracket(at); });
    if (quotes) {
      from_.insert(from_.begin(), ' ');
      from_.push_back(' ');
      close_quotes();
    }
    for (const Contraction& contraction : CONTRACTIONS) part(contraction);
    return from_;
  }

 private:
  const LetterKinds& kinds_;
  const Traits& traits_;
  Letters from_, to_;

  bool is_word(size_t at, int kind = LetterKinds::WORD) const {
    return at < from_.size() && kinds_.is(from_[at], kind);
  }

  size_t run(size_t at, char32_t letter) const {
    size_t stop = at;
    while (stop < from_.size() && from_[stop] == letter) ++stop;
    return stop - at;
  }

  bool reads(size_t at, std::string_view letters) const {  // in any case
    for (const char c : letters) {
      if (at >= from_.size() || folded(from_[at]) != static_cast<unsigned char>(c)) return false;
      ++at;
    }
    return true;
  }

  int traits() const {
    int found = 0, last = 0;
    for (const char32_t c : from_) {
      const int here = traits_.of(c);
      found |= here;
      if (here & last & ROW) found |= PADDED | BRACKET;
      last = here;
    }
    return found;
  }

  size_t padded(size_t at) const {
    const char32_t c = from_[at];
    if (c == '.') return run(at, '.') >= 2 ? run(at, '.') : 0;
    return (traits_.of(c) & PADDED) != 0;
  }

  size_t bracket(size_t at) const {
    const char32_t c = from_[at];
    if (c == '-') return run(at, '-') >= 2 ? 2 : 0;
    return (traits_.of(c) & BRACKET) != 0;
  }

  // Rewrites the piece: pad(at) returns the letters from `at` on that get blanks around them.
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
    while (at && traits_.is_space(from_[at - 1])) --at;
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
      else if (!traits_.is_space(c))
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

  void part(const Contraction& contraction) {
    const size_t n_first = contraction.n_first, size = contraction.word.size();
    to_.clear();
    size_t copied = 0;
    for (size_t at = 0; at + size <= from_.size();) {
      if (!is_at(at, contraction)) {
        ++at;
        continue;
      }
      to_.append(from_, copied, at - copied);
      to_.push_back(' ');
      to_.append(from_, at, n_first);
      to_.push_back(' ');
      to_.append(from_, at + n_first, size - n_first);
      to_.push_back(' ');
      at = copied = at + size;
    }
    if (!copied) return;
    to_.append(from_, copied, from_.size() - copied);
    from_.swap(to_);
  }

  bool is_at(size_t at, const Contraction& contraction) const {
    if (!reads(at, contraction.word)) return false;
    const bool starts = contraction.word[0] == '\'' ? at && from_[at - 1] == ' '
                                                    : !(at && is_word(at - 1, LetterKinds::ALNUM));
    const size_t stop = at + contraction.word.size();
    if (!starts || is_word(stop, LetterKinds::ALNUM)) return false;
    return contraction.word != "wanna" || stop == from_.size() || traits_.is_space(from_[stop]);
  }
};

}  // namespace fastcausal::fincausal

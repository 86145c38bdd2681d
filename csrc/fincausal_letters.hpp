// Letters of FinCausal's texts: code points, and Python's properties of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "words.hpp"

namespace fastcausal::fincausal {

using Letters = std::u32string;

struct Slice {
  size_t start, stop;
};

struct LetterKinds {
  // nltk's engine of patterns takes no ² for part of a word; Python's, for its contractions, does.
  enum : int8_t { WORD = 1, DIGIT = 2, SPACE = 4, UPPER = 8, LOWER = 16, ALNUM = 32 };
  const int8_t* kinds = nullptr;
  int64_t n = 0;

  bool is(char32_t letter, int kind) const {
    return static_cast<int64_t>(letter) < n && kinds[letter] & kind;
  }
  bool is_letter(char32_t c) const { return is(c, WORD) && !is(c, DIGIT); }
};

// Lower case of the letters of English words, as case is ignored in patterns of Python.
inline char32_t folded(char32_t c) {
  if (c < 128) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  if (c == 0x17F) return 's';
  if (c == 0x130 || c == 0x131) return 'i';
  return c == 0x212A ? 'k' : c;
}

// Returns whether letters begin with a word of ASCII in lower case, in any case.
inline bool begins(const char32_t* letters, size_t size, std::string_view word) {
  if (size < word.size()) return false;
  for (size_t k = 0; k < word.size(); ++k) {
    if (folded(letters[k]) != static_cast<unsigned char>(word[k])) return false;
  }
  return true;
}

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

// Takes the code points of UTF-8.
inline void decode(Text text, Letters& letters) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data);
  letters.resize(static_cast<size_t>(text.size));
  char32_t* to = &letters[0];
  for (int64_t at = 0; at < text.size;) {
    uint64_t eight = ~uint64_t{0};
    if (at + 8 <= text.size) std::memcpy(&eight, bytes + at, 8);
    if (!(eight & 0x8080808080808080u)) {
      for (int k = 0; k < 8; ++k) to[k] = bytes[at + k];
      to += 8;
      at += 8;
      continue;
    }
    const unsigned first = bytes[at++];
    const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    char32_t point = more ? first & (0x3Fu >> more) : first;
    for (int k = 0; k < more && at < text.size; ++k) point = point << 6 | (bytes[at++] & 0x3Fu);
    *to++ = point;
  }
  letters.resize(static_cast<size_t>(to - letters.data()));
}

inline void append_utf8(std::string& text, char32_t point) {
  const auto byte = [&](uint32_t value) { text.push_back(static_cast<char>(value)); };
  const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  byte((more == 0 ? 0 : more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | point >> 6 * more);
  for (int k = more; k-- > 0;) byte(0x80 | (point >> 6 * k & 0x3F));
}

}  // namespace fastcausal::fincausal

// Letters of FinCausal's texts: code points of UTF-8, and Python's properties of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "letters.hpp"

namespace fastcausal::fincausal {

using fastcausal::folded;
using fastcausal::LetterKinds;
using Letters = std::u32string;

struct Slice {
  size_t start, stop;
};

inline bool is_any(char32_t c, const char32_t* letters) {
  for (; *letters; ++letters) {
    if (*letters == c) return true;
  }
  return false;
}

inline bool is_opening(char32_t c) { return is_any(c, U"\u00AB\u201C\u2018\u201E"); }
inline bool is_closing(char32_t c) { return is_any(c, U"\u00BB\u201D\u2019"); }
inline bool is_quote(char32_t c) { return is_any(c, U"\u2018\u2019\u201C\u201D\u00AB\u00BB"); }
inline bool is_end(char c) { return c == '.' || c == '?' || c == '!'; }

inline bool goes_on(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Returns the code point at a place and moves behind it. In invalid text, a byte is a letter of
// ASCII if and only if it is one in valid text.
inline char32_t next_point(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  char32_t point = first & (0x3Fu >> more);
  for (int k = 0; k < more && at < text.size() && goes_on(text[at]); ++k) {
    point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  }
  return point < 0x80 ? 0xFFFD : point;
}

inline char32_t point_at(std::string_view text, size_t at) { return next_point(text, at); }

inline size_t behind(std::string_view text, size_t at) {
  next_point(text, at);
  return at;
}

inline void append_utf8(std::string& text, char32_t point) {
  const auto byte = [&](uint32_t value) { text.push_back(static_cast<char>(value)); };
  const int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  byte((more == 0 ? 0 : more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | point >> 6 * more);
  for (int k = more; k-- > 0;) byte(0x80 | (point >> 6 * k & 0x3F));
}

}  // namespace fastcausal::fincausal

// Letters of FinCausal's texts: code points of UTF-8, and Python's properties of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/letters.hpp"

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

inline char32_t point_at(std::string_view text, size_t at) { return utf8::next(text, at); }

inline size_t behind(std::string_view text, size_t at) {
  utf8::next(text, at);
  return at;
}

}  // namespace fastcausal::fincausal

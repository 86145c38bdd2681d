// Letters of texts: code points of UTF-8, and Python's properties of each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/utf8.hpp"

namespace fastcausal {

struct LetterKinds {
  enum : int8_t { DIGIT = 1, SPACE = 2, ALNUM = 4 };
  const int8_t* kinds = nullptr;
  int64_t n = 0;

  bool is(char32_t letter, int kind) const {
    return static_cast<int64_t>(letter) < n && kinds[letter] & kind;
  }
};

// Lower case of the letters of English words, as case is ignored in patterns of Python.
inline char32_t folded(char32_t c) {
  if (c < 128) return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
  if (c == 0x17F) return 's';
  if (c == 0x130 || c == 0x131) return 'i';
  return c == 0x212A ? 'k' : c;
}

// Decodes UTF-8 into a vector or string of code points.
template <class Letters>
void decode(const char* text, int64_t size, Letters& letters) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text);
  letters.resize(static_cast<size_t>(size));
  int64_t at = 0;
  for (; at < size && bytes[at] < 0x80; ++at) letters[static_cast<size_t>(at)] = bytes[at];
  letters.resize(static_cast<size_t>(at));
  const std::string_view all(text, static_cast<size_t>(size));
  for (auto next = static_cast<size_t>(at); next < all.size();) {
    letters.push_back(utf8::next(all, next));
  }
}

}  // namespace fastcausal

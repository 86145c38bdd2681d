// White space at the beginning of a text, as Python knows it. Text is UTF-8; invalid bytes are no
// white space. Host only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fastcausal {

// Returns the first character if it has two or three bytes. Sets n to their number, otherwise to 0.
inline uint32_t code_of(std::string_view text, size_t& n) {
  const auto byte = [&](size_t k) { return static_cast<uint8_t>(text[k]); };
  const auto goes_on = [&](size_t k) { return k < text.size() && byte(k) >> 6 == 2; };
  n = 0;
  if (!goes_on(1)) return 0;
  if (byte(0) >> 5 == 6) {
    n = 2;
    return (byte(0) & 31u) << 6 | (byte(1) & 63u);
  }
  if (byte(0) >> 4 != 14 || !goes_on(2)) return 0;
  n = 3;
  return (byte(0) & 15u) << 12 | (byte(1) & 63u) << 6 | (byte(2) & 63u);
}

// Returns the bytes of a leading blank, or 0.
inline size_t blank(std::string_view text) {
  if (text.empty()) return 0;
  const char c = text[0];
  if (static_cast<uint8_t>(c) < 0x80) {
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
  }
  size_t n;
  const uint32_t code = code_of(text, n);
  const bool is_blank = code == 0x85 || code == 0xa0 || code == 0x1680 ||
                        (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
                        code == 0x202f || code == 0x205f || code == 0x3000;
  return is_blank ? n : 0;
}

inline void skip_blanks(std::string_view& text) {
  while (const size_t n = blank(text)) text.remove_prefix(n);
}

}  // namespace fastcausal

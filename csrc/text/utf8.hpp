// Code points of UTF-8. Nothing here checks the bytes: any are safe.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fastcausal::utf8 {

// Returns whether a byte goes on with the code point before it.
inline bool goes_on(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

inline int64_t count(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return !goes_on(byte); });
}

// Returns the code point at a place and moves behind it. In invalid text, a byte is a letter of
// ASCII if and only if it is one in valid text.
inline char32_t next(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  char32_t point = first & (0x3Fu >> more);
  for (int k = 0; k < more && at < text.size() && goes_on(text[at]); ++k) {
    point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  }
  return point < 0x80 ? 0xFFFD : point;
}

// Gives the bytes of a code point to put(char).
template <class Put>
void write(char32_t point, const Put& put) {
  const auto byte = [&](uint32_t value) { put(static_cast<char>(value)); };
  if (point < 0x80) return byte(point);
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  byte((0xFF00u >> (more + 1) & 0xFF) | point >> 6 * more);
  for (int k = more; k-- > 0;) byte(0x80 | (point >> 6 * k & 0x3F));
}

// Writes a code point to a place and moves behind it.
inline void put(char32_t point, char*& place) {
  write(point, [&](char byte) { *place++ = byte; });
}

}  // namespace fastcausal::utf8

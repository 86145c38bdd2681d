// Bytes of a text as bits, 64 at a time: letters and digits, blanks, separators.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "arrays/bits.hpp"
#include "fastcausal/config.h"

#if FC_SSE2
#include <emmintrin.h>
#endif

namespace fastcausal {

inline bool is_plain(char byte) {
  const auto lower = static_cast<unsigned char>(byte | 0x20);
  return static_cast<unsigned char>(lower - 'a') < 26 ||
         static_cast<unsigned char>(byte - '0') < 10;
}

#if FC_SSE2
// Calls test for each sixteen of 64 bytes, and packs the signs of its bytes.
template <class Test>
uint64_t bits_of(const char* bytes, const Test& test) {
  uint64_t bits = 0;
  for (int k = 0; k < 64; k += 16) {
    const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + k));
    bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(test(part)))} << k;
  }
  return bits;
}

inline uint64_t bits_of(const char* bytes, char letter) {
  const __m128i each = _mm_set1_epi8(letter);
  return bits_of(bytes, [&](__m128i part) { return _mm_cmpeq_epi8(part, each); });
}

inline uint64_t plain_bits(const char* bytes) {
  // Moves the last letter to the largest signed byte; bytes after it become negative.
  const auto last = [](__m128i part, char letter, int n) {
    const __m128i moved = _mm_add_epi8(part, _mm_set1_epi8(static_cast<char>(127 - letter)));
    return _mm_cmpgt_epi8(moved, _mm_set1_epi8(static_cast<char>(127 - n)));
  };
  return bits_of(bytes, [&](__m128i part) {
    const __m128i lower = _mm_or_si128(part, _mm_set1_epi8(0x20));
    return _mm_or_si128(last(lower, 'z', 26), last(part, '9', 10));
  });
}
#else
template <class Test>
uint64_t bits_where(const char* bytes, const Test& test) {
  uint8_t flags[64];
  for (int k = 0; k < 64; ++k) flags[k] = test(bytes[k]);
  return as_bits(flags);
}

inline uint64_t bits_of(const char* bytes, char letter) {
  return bits_where(bytes, [=](char byte) { return byte == letter; });
}

inline uint64_t plain_bits(const char* bytes) { return bits_where(bytes, is_plain); }
#endif

// 64 bytes of a text. Bytes after the text are blanks.
struct TextBits {
  static constexpr int STEP = 54;  // so that the first bytes have ten behind them

  uint64_t plain;      // ASCII letters and digits
  uint64_t blank;      // ' '
  uint64_t separator;  // '|', if wanted

  // Bytes before the limit are readable.
  TextBits(const char* from, const char* end, const char* limit, bool separates) {
    char copy[64];
    if (limit - from < 64) {
      std::memset(copy, ' ', 64);
      std::memcpy(copy, from, static_cast<size_t>(limit - from));
    }
    const char* const bytes = limit - from < 64 ? copy : from;
    const auto left = static_cast<uint64_t>(end - from);
    const uint64_t behind = ~uint64_t{0} << (left & 63) & -uint64_t{left < 64};
    plain = plain_bits(bytes) & ~behind;
    blank = bits_of(bytes, ' ') | behind;
    separator = separates ? bits_of(bytes, '|') & ~behind : 0;
  }

  // Returns the number of letters and digits from a place on, within the block.
  int n_plain(int at) const { return lowest_one(~(plain >> at) | uint64_t{1} << 63); }
};

}  // namespace fastcausal

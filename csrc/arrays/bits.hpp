// Packs many flags into the bits of a word. Host only.
#pragma once
#include <cstdint>

// Compiles a function twice, once for the wide registers and the popcount of newer processors. Only
// some loaders can choose between both.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12 && \
    defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define FC_CLONES __attribute__((flatten, target_clones("arch=x86-64-v3", "default")))
#else
#define FC_CLONES
#endif

namespace fastcausal {

inline int32_t count_ones(uint64_t x) {
  x -= x >> 1 & 0x5555555555555555;
  x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
  return static_cast<int32_t>(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

inline int32_t lowest_one(uint64_t x) {
#if defined(__GNUC__)
  return __builtin_ctzll(x);
#else
  return count_ones((x & (~x + 1)) - 1);
#endif
}

inline uint64_t shifted(const char* byte, int shift) {
  return uint64_t{static_cast<unsigned char>(*byte)} << shift;
}

// Returns eight bytes as a word: the first is the lowest. In one expression, compilers see a load.
inline uint64_t eight_bytes(const char* at) {
  return shifted(at, 0) | shifted(at + 1, 8) | shifted(at + 2, 16) | shifted(at + 3, 24) |
         shifted(at + 4, 32) | shifted(at + 5, 40) | shifted(at + 6, 48) | shifted(at + 7, 56);
}

// Packs 64 bytes, each 0 or 1. Bit k of the result is byte k.
inline uint64_t as_bits(const uint8_t* flags) {
  uint64_t found = 0;
  for (int j = 0; j < 8; ++j) {
    uint64_t eight = 0;
    for (int k = 0; k < 8; ++k) eight |= static_cast<uint64_t>(flags[8 * j + k]) << (8 * k);
    found |= (eight * 0x0102040810204080 >> 56) << (8 * j);
  }
  return found;
}

}  // namespace fastcausal

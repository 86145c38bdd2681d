// The table of letters of Python, for ASCII alone: all others are refused, or kept by lenient ones.
#pragma once
#include <cctype>
#include <cstdint>
#include <vector>

#include "text/words.hpp"

struct Table {
  std::vector<int32_t> lower;
  std::vector<int8_t> kind;

  Table() : lower(128), kind(128, fastcausal::Letters::OTHER) {
    for (int32_t code = 0; code < 128; ++code) {
      lower[static_cast<size_t>(code)] = std::tolower(code);
      int8_t& of = kind[static_cast<size_t>(code)];
      if (std::isalnum(code)) of = fastcausal::Letters::LETTER;
      if (std::isspace(code)) of = fastcausal::Letters::SPACE;
      if (std::ispunct(code)) of = fastcausal::Letters::DELETED;
    }
  }
  fastcausal::Letters letters(bool lenient) const {
    return {lower.data(), kind.data(), static_cast<int64_t>(lower.size()), lenient};
  }
};

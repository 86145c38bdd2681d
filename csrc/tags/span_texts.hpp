// Texts of spans, given in tokens, from sentences in UTF-8. White space of ASCII separates tokens.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays/stop.hpp"
#include "fastcausal/row.h"
#include "tags/tagged.hpp"

namespace fastcausal {

struct FoundTexts {
  std::string data;
  std::vector<int64_t> places{0};  // end of each text
};

struct SentenceTokens : TokenBounds {
  // Appends tokens [start, stop), as far as they exist: with one blank between two, or as written.
  void append(const char* text, int32_t start, int32_t stop, bool spaced, std::string& to) const {
    const auto last = std::min(static_cast<size_t>(std::max(stop, 0)), starts.size());
    const auto first = static_cast<size_t>(std::max(start, 0));
    if (first >= last) return;
    if (!spaced) {
      to.append(text + starts[first], static_cast<size_t>(stops[last - 1] - starts[first]));
      return;
    }
    for (size_t k = first; k < last; ++k) {
      if (k > first) to += ' ';
      to.append(text + starts[k], static_cast<size_t>(stops[k] - starts[k]));
    }
  }
};

// Finds the texts of the spans of n sentences; spans of sentence k start at rows[offsets[k]].
// Sets n_tokens of each sentence.
template <class Offset>
FoundTexts span_texts(const char* data, const Offset* places, const Row* rows,
                      const int64_t* offsets, int64_t n, bool spaced, bool by_letters,
                      int32_t* n_tokens, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  FoundTexts found;
  found.places.reserve(static_cast<size_t>(offsets[n] - offsets[0]) + 1);
  SentenceTokens tokens;
  for (int64_t k = 0; k < n; ++k) {
    const char* text = data + places[k];
    const auto size = static_cast<int64_t>(places[k + 1] - places[k]);
    meter.add_cost(2 * size);
    if (offsets[k] == offsets[k + 1]) {
      const Tags tags = by_letters ? Tags::letters : Tags::strict;
      n_tokens[k] = static_cast<int32_t>(count_tokens(text, size, tags));
      continue;
    }
    tokens.split({text, static_cast<size_t>(size)}, by_letters);
    n_tokens[k] = static_cast<int32_t>(tokens.starts.size());
    for (int64_t row = offsets[k]; row < offsets[k + 1]; ++row) {
      tokens.append(text, rows[row].start, rows[row].stop, spaced, found.data);
      found.places.push_back(static_cast<int64_t>(found.data.size()));
    }
  }
  return found;
}

}  // namespace fastcausal

// A batch of logits of span boundaries to rows: the host's driver of span_selection.h.
#pragma once
#include <vector>

#include "fastcausal/span_selection.h"
#include "found.hpp"

namespace fastcausal {

// Logits [batch, tokens] of each column; steps in items.
struct Boundaries {
  const void* columns[selection::MOST_COLUMNS];
  int64_t example_steps[selection::MOST_COLUMNS];
  int64_t token_steps[selection::MOST_COLUMNS];
  int64_t itemsize;  // 4 or 8
  int64_t n_examples;
  int64_t n_tokens;
  const uint8_t* there;       // [batch, tokens], or NULL
  const int32_t* words;       // likewise
  const uint8_t* has_signal;  // [batch], or NULL for all
};

template <class T>
selection::Logits<T> logits_of(const Boundaries& b, int64_t n_columns, int64_t example) {
  selection::Logits<T> logits{};
  for (int64_t c = 0; c < n_columns; ++c) {
    logits.columns[c] = static_cast<const T*>(b.columns[c]) + example * b.example_steps[c];
    logits.steps[c] = b.token_steps[c];
  }
  return logits;
}

// Returns -1, or example * n_tokens * MOST_FAULTS plus what Selector::read returns.
template <class T>
int64_t select_spans(const Boundaries& b, const selection::Settings& settings, Found& found,
                     std::vector<double>& scores) {
  using selection::Selector;
  std::vector<double> scratch(static_cast<size_t>(selection::scratch_of(b.n_tokens)));
  selection::Selection best[selection::MOST];
  for (int64_t e = 0; e < b.n_examples; ++e) {
    const int64_t at = e * b.n_tokens;
    Selector selector(settings, b.n_tokens, scratch.data());
    const int64_t wrong =
        selector.read(logits_of<T>(b, settings.n_columns, e), b.there ? b.there + at : nullptr,
                      b.words ? b.words + at : nullptr, b.n_tokens);
    if (wrong >= 0) return at * Selector::MOST_FAULTS + wrong;
    const int64_t n = selector.select(!b.has_signal || b.has_signal[e], best);
    for (int64_t k = 0; k < n; ++k) {
      found.n_rows += best[k].rows(settings, &found.room(3)->role);
      found.end_relation();
      scores.push_back(best[k].score);
    }
    found.end_example();
    found.lengths.push_back(-1);
  }
  return -1;
}

inline int64_t select_spans(const Boundaries& b, const selection::Settings& settings, Found& found,
                            std::vector<double>& scores) {
  return b.itemsize == 4 ? select_spans<float>(b, settings, found, scores)
                         : select_spans<double>(b, settings, found, scores);
}

}  // namespace fastcausal

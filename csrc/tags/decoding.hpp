// Logits of span boundaries to rows, in batches: the host's driver of span_selection.h.
#pragma once
#include <vector>

#include "arrays/collected.hpp"
#include "arrays/stop.hpp"
#include "fastcausal/span_selection.h"

namespace fastcausal {

// Returns -1, or example * n_tokens * MOST_FAULTS plus the fault of Selector::read.
inline int64_t select_spans(const selection::Boundaries& b, const selection::Settings& settings,
                            CollectedRows& collected, std::vector<double>& scores,
                            StopRequested stop_requested) {
  using selection::Selector;
  Stop stop(stop_requested);
  CostMeter meter(stop);
  std::vector<double> scratch(static_cast<size_t>(selection::scratch_of(b.n_tokens)));
  selection::Selection best[selection::MOST];
  for (int64_t e = 0; e < b.n_examples; ++e) {
    int64_t n = 0;
    meter.add_cost(400 * b.n_tokens);
    const int64_t wrong = selection::select_in(b, settings, e, scratch.data(), best, &n);
    if (wrong >= 0) return e * b.n_tokens * Selector::MOST_FAULTS + wrong;
    for (int64_t k = 0; k < n; ++k) {
      Row rows[3];
      collected.rows.insert(collected.rows.end(), rows, rows + best[k].rows(settings, rows));
      collected.end_relation();
      scores.push_back(best[k].score);
    }
    collected.end_example();
    collected.lengths.push_back(-1);
  }
  return -1;
}

}  // namespace fastcausal

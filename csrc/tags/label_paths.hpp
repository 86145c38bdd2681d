// Logits of a batch to label ids: the host's driver of label_paths.h.
#pragma once
#include <cstdint>
#include <vector>

#include "arrays/stop.hpp"
#include "fastcausal/label_paths.h"

namespace fastcausal {

// Returns -1, or the place (sequence * n_tokens + token) of the first token with a logit NaN or
// +inf.
template <class Real>
int64_t label_ids(const labels::Logits& logits, StopRequested stop_requested) {
  Stop stop(stop_requested);
  CostMeter meter(stop);
  std::vector<int32_t> last(logits.steps ? logits.n_tokens * logits.n_ends : 0);
  const int32_t none = labels::no_label(static_cast<int32_t>(logits.ignored));
  for (int64_t s = 0; s < logits.n_sequences; ++s) {
    meter.add_cost(4 * logits.n_tokens * logits.n_labels + 50);
    const labels::Sequence<Real> sequence(logits, s);
    if (logits.steps) labels::best_path(sequence, logits, last.data());
    for (int64_t t = 0; t < logits.n_tokens; ++t) {
      if (!logits.steps) sequence.ids[t] = labels::best_label(sequence, t);
      if (sequence.ids[t] == none) return s * logits.n_tokens + t;
    }
  }
  return -1;
}

inline int64_t label_ids(const labels::Logits& logits, StopRequested stop_requested) {
  return logits.itemsize == 4 ? label_ids<float>(logits, stop_requested)
                              : label_ids<double>(logits, stop_requested);
}

}  // namespace fastcausal

// Logits of a batch to label ids.
#pragma once
#include <cstdint>
#include <vector>

#include "fastcausal/label_paths.h"

namespace fastcausal {

// Returns -1, or the place (sequence * n_tokens + token) of the first token with a logit that is
// NaN or +inf.
inline int64_t label_ids(const labels::Logits& logits) {
  std::vector<int32_t> last(logits.steps ? logits.n_tokens * labels::N_ENDS : 0);
  for (int64_t s = 0; s < logits.n_sequences; ++s) {
    const int64_t token = labels::decode(logits, s, last.data());
    if (token < logits.n_tokens) return s * logits.n_tokens + token;
  }
  return -1;
}

}  // namespace fastcausal

// Matrices of label ids to rows: a relation per sequence, none where it marks nothing.
#pragma once
#include <cstdint>

#include "fastcausal/label_spans.h"
#include "found.hpp"

namespace fastcausal {

struct Matrix {  // [batch, tokens], row-major
  const void* ids;
  int64_t itemsize;
  int64_t n_sequences;
  int64_t n_tokens;
  const uint8_t* where;  // of the same shape, or NULL
  const int32_t* words;  // likewise
};

// Returns -1, or the place (sequence * n_tokens + token) of what is no label of the scheme.
template <class Id>
int64_t label_rows(const Matrix& m, const labels::Scheme& scheme, Found& found) {
  found.lengths.reserve(static_cast<size_t>(m.n_sequences));
  found.row_offsets.reserve(static_cast<size_t>(m.n_sequences) + 1);
  found.relation_offsets.reserve(static_cast<size_t>(m.n_sequences) + 1);
  for (int64_t s = 0; s < m.n_sequences; ++s) {
    const int64_t at = s * m.n_tokens;
    const Id* ids = static_cast<const Id*>(m.ids) + at;
    int32_t* rows = &found.room(m.n_tokens)->role;  // a row is three int32
    int32_t length = 0;
    const int64_t n =
        m.where || m.words
            ? labels::of_words(ids, m.where ? m.where + at : nullptr,
                               m.words ? m.words + at : nullptr, m.n_tokens, scheme, rows, &length)
            : labels::of_tokens(ids, m.n_tokens, scheme, rows, &length);
    if (n < 0) return at + (-1 - n);
    found.n_rows += n;
    if (n) found.end_relation();
    found.end_example();
    found.lengths.push_back(length);
  }
  return -1;
}

inline int64_t label_rows(const Matrix& m, const labels::Scheme& scheme, Found& found) {
  switch (m.itemsize) {
    case 1:
      return label_rows<int8_t>(m, scheme, found);
    case 2:
      return label_rows<int16_t>(m, scheme, found);
    case 4:
      return label_rows<int32_t>(m, scheme, found);
    default:
      return label_rows<int64_t>(m, scheme, found);
  }
}

}  // namespace fastcausal

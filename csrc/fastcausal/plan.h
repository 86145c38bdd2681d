// What a driver works on: two sides of examples, and how they are to be scored.
#pragma once
#include "config.h"

namespace fastcausal {

// One side: example -> relation -> row, as two levels of offsets over the rows.
struct Side {
  const int32_t* values;            // [n_rows, 3]
  const int64_t* row_offsets;       // [n_relations + 1]
  const int64_t* relation_offsets;  // [n_examples + 1]

  FC_HD const int32_t* rows(int64_t relation) const { return values + 3 * row_offsets[relation]; }
  FC_HD int64_t n_rows(int64_t relation) const {
    return row_offsets[relation + 1] - row_offsets[relation];
  }
};

struct Plan {
  int64_t n_fields;
  const int64_t* params;
  const int64_t* numerator;    // [n_fields] of the objective N/D
  const int64_t* denominator;  // [n_fields]
  const int64_t* official;     // [4, n_fields]: tp, fp, fn, half of the official search, or null
  bool linear;                 // the objective is N alone
  bool additive;               // pairs without a common token count as both unmatched
  bool never_costs;            // pairing never lowers the objective
  bool by_content;             // ties by content, else by file order
  bool truncate;               // no more predictions than gold relations
  bool ignore_non_causal;      // no predictions where there is no gold relation
};

}  // namespace fastcausal

// The two sides of an example, and the plan for counting it.
#pragma once
#include "relation.h"

namespace fastcausal {

// One side: two levels of offsets lead from examples to relations to rows.
struct Side {
  const Row* rows;                  // [n_rows]
  const int64_t* row_offsets;       // [n_relations + 1]
  const int64_t* relation_offsets;  // [n_examples + 1]

  FC_HD int64_t n_rows(int64_t relation) const {
    return row_offsets[relation + 1] - row_offsets[relation];
  }
  FC_HD Relation relation(int64_t index) const {
    return {rows + row_offsets[index], n_rows(index)};
  }
  FC_HD int64_t n_relations(int64_t example) const {
    return relation_offsets[example + 1] - relation_offsets[example];
  }
};

// Faults in the arrays of a user: an array of offsets, or a row.
enum class Fault : int64_t { NONE, ROW_OFFSETS, RELATION_OFFSETS, ROLE, EMPTY, OUTSIDE, ORDER };

// Checks the rows of one example. Its offsets must be valid.
FC_HD Fault check_example(const Side& side, int64_t e, int32_t length, int64_t n_roles,
                          int64_t* where) {
  for (int64_t r = side.relation_offsets[e]; r < side.relation_offsets[e + 1]; ++r) {
    for (int64_t k = side.row_offsets[r]; k < side.row_offsets[r + 1]; ++k) {
      const Row& row = side.rows[k];
      where[0] = e;
      where[1] = k;
      if (row.role < 0 || row.role >= n_roles) return Fault::ROLE;
      if (row.start < 0 || row.stop <= row.start) return Fault::EMPTY;
      if (length >= 0 && row.stop > length) return Fault::OUTSIDE;
      if (k > side.row_offsets[r] && compare_rows(side.rows[k - 1], row) > 0) return Fault::ORDER;
    }
  }
  return Fault::NONE;
}

// The relations and rows that belong to a range of examples. The ends of the range must be valid.
struct Bounds {
  int64_t first_relation, last_relation, first_row, last_row;

  FC_HD Bounds(const Side& side, int64_t first, int64_t last)
      : first_relation(side.relation_offsets[first]),
        last_relation(side.relation_offsets[last]),
        first_row(side.row_offsets[first_relation]),
        last_row(side.row_offsets[last_relation]) {}

  FC_HD bool relations(int64_t from, int64_t to) const {
    return first_relation <= from && from <= to && to <= last_relation;
  }
  FC_HD bool rows(int64_t from, int64_t to) const {
    return first_row <= from && from <= to && to <= last_row;
  }
};

enum Form { NUMERATOR, DENOMINATOR, OFFICIAL_TP, OFFICIAL_FP, OFFICIAL_FN, OFFICIAL_HALF, N_FORMS };

// The choices of a protocol besides its kernel. Host, device and NumPy share this record:
// engine/plan.py has the same names in the same order. All members take 8 bytes.
struct Plan {
  const int64_t* params;    // the number of roles, then the track of each role
  const int64_t* weights;   // [n_fields, N_FORMS]: of the objective, and of the official search
  int64_t n_fields;         // counts per pair
  uint64_t wanted;          // role fields that the objective uses, one bit each
  uint64_t wanted_overall;  // overall fields that the objective uses
  // Choices, 0 or 1:
  int64_t official;           // the official search applies
  int64_t linear;             // the objective is the numerator alone
  int64_t additive;           // pairs without a common token count as both unmatched
  int64_t never_costs;        // pairing never lowers the objective
  int64_t by_content;         // ties by content, otherwise by file order
  int64_t truncate;           // keep at most as many predictions as gold relations
  int64_t ignore_non_causal;  // drop predictions in examples without gold relations

  FC_HD int64_t n_roles() const { return params[0]; }

  // Returns whether only pairs with a common token count otherwise than both relations alone.
  FC_HD bool must_meet() const { return by_content && additive; }

  // Returns the number of predicted relations that count in an example.
  FC_HD int64_t n_counted(int64_t n_gold, int64_t n_pred) const {
    if (!n_gold) return ignore_non_causal ? 0 : n_pred;
    return truncate && n_gold < n_pred ? n_gold : n_pred;
  }
};

}  // namespace fastcausal

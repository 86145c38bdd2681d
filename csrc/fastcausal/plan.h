// The two sides of an example, and what is done with it.
#pragma once
#include "relation.h"

namespace fastcausal {

// One side: example -> relation -> row, as two levels of offsets over the rows.
struct Side {
  const Row* rows;                  // [n_rows]
  const int64_t* row_offsets;       // [n_relations + 1]
  const int64_t* relation_offsets;  // [n_examples + 1]

  FC_HD int64_t n_rows(int64_t relation) const {
    return row_offsets[relation + 1] - row_offsets[relation];
  }
  FC_HD void get(int64_t index, int64_t n_roles, Relation& relation) const {
    relation.set(rows + row_offsets[index], n_rows(index), n_roles);
  }
  FC_HD int64_t n_relations(int64_t example) const {
    return relation_offsets[example + 1] - relation_offsets[example];
  }
};

enum Form { NUMERATOR, DENOMINATOR, OFFICIAL_TP, OFFICIAL_FP, OFFICIAL_FN, OFFICIAL_HALF, N_FORMS };

// The choices of a protocol besides its kernel: one record for host, device and NumPy
// (engine/plan.py, with the same names in the same order). All members take 8 bytes.
struct Plan {
  const int64_t* params;    // the number of roles, then the track of each role
  const int64_t* weights;   // [n_fields, N_FORMS]: of the objective, and of the official search
  int64_t n_fields;         // counts of a pair
  uint64_t wanted;          // fields of a role that the objective uses, a bit each
  uint64_t wanted_overall;  // the same of the overall fields
  // Choices, 0 or 1:
  int64_t official;           // that search applies
  int64_t linear;             // the objective is the numerator alone
  int64_t additive;           // pairs without a common token count as both unmatched
  int64_t never_costs;        // pairing never lowers the objective
  int64_t by_content;         // ties by content, else by file order
  int64_t truncate;           // no more predictions than gold relations
  int64_t ignore_non_causal;  // no predictions where there is no gold relation

  FC_HD int64_t n_roles() const { return params[0]; }

  // Predicted relations of an example that count.
  FC_HD int64_t n_counted(int64_t n_gold, int64_t n_pred) const {
    if (!n_gold) return ignore_non_causal ? 0 : n_pred;
    return truncate && n_gold < n_pred ? n_gold : n_pred;
  }
};

}  // namespace fastcausal

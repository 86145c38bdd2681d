// Logits of one sequence to label ids: the best label of each token, or the best well formed
// sequence of labels.
//
//   a path ends   OPEN + X  in a span of role X, that an I-X or E-X may go on with
//                 CLOSED    where it may end, and O, B- and S- may come
//                           or both, or none of them
//
// Of all paths that end so, only the best can be part of the best sequence (Viterbi); so four sums
// are kept, whatever the number of labels. Sums are of doubles, from the first token to the last.
// Cost: each logit once; for paths 16 bytes of memory for each token. Label ids are 32-bit.
#pragma once
#include "config.h"

namespace fastcausal {
namespace labels {

enum End : int32_t { CLOSED, OPEN, N_ENDS = OPEN + 3 };  // a tagger has three roles

// A label of a scheme, in paths.
struct Step {
  int32_t from;  // the end that it comes after
  int32_t into;  // how a path ends with it: a bit for each end
};

// Logits and where their label ids go; decoding/device.py has the same as a NumPy record.
// All members take 8 bytes.
struct Logits {
  const void* values;  // [n_sequences, n_tokens, n_labels]
  int64_t itemsize;    // 4: float, 8: double
  int64_t n_sequences, n_tokens, n_labels;
  int64_t sequence_stride, token_stride, label_stride;  // in items
  const uint8_t* where;  // [n_sequences, n_tokens]: tokens that are there; or NULL for all
  const Step* steps;     // [n_labels], or NULL where every label may follow every other
  int64_t start;         // as Step::into, of what is before the first token
  int64_t ignored;       // label id of a token that is not there
  int32_t* ids;          // [n_sequences, n_tokens]
};

// The greatest number.
template <class Real>
FC_HD constexpr Real most() {
  return static_cast<Real>(sizeof(Real) == 4 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023);
}

// -inf, by a sum that overflows: not all compilers divide by zero.
FC_HD double never() {
  const double least = -most<double>();
  return least + least;
}

// The best of some paths. Offered from the last label to the first, so that of equals the first one
// stays; begun with -inf, so that one is taken also where all sums are.
struct BestPath {
  double sum;
  int32_t label;  // -1 where there is no path

  FC_HD void offer(double other, int32_t other_label) {
    const bool is_best = other >= sum;
    sum = is_best ? other : sum;
    label = is_best ? other_label : label;
  }
};

// One sequence of them.
template <class Real>
struct Sequence {
  const Real* values;
  const uint8_t* where;
  int32_t* ids;
  int64_t n_tokens, token_stride, label_stride;
  int32_t n_labels, ignored;

  FC_HD Sequence(const Logits& logits, int64_t s)
      : values(static_cast<const Real*>(logits.values) + s * logits.sequence_stride),
        where(logits.where ? logits.where + s * logits.n_tokens : nullptr),
        ids(logits.ids + s * logits.n_tokens),
        n_tokens(logits.n_tokens),
        token_stride(logits.token_stride),
        label_stride(logits.label_stride),
        n_labels(static_cast<int32_t>(logits.n_labels)),
        ignored(static_cast<int32_t>(logits.ignored)) {}

  FC_HD bool has(int64_t token) const { return !where || where[token]; }
};

// The label id of a token with a logit that is NaN or +inf.
FC_HD int32_t no_label(int32_t ignored) { return ignored == -1 ? -2 : -1; }

// Finds the first of the labels with the greatest logit of a token.
template <class Real>
FC_HD int32_t best_label(const Sequence<Real>& sequence, int64_t token) {
  if (!sequence.has(token)) return sequence.ignored;
  const Real* logit = sequence.values + token * sequence.token_stride;
  Real best = *logit;
  int32_t label = 0;
  bool is_fine = best <= most<Real>();
  for (int32_t l = 1; l < sequence.n_labels; ++l) {
    logit += sequence.label_stride;
    is_fine &= *logit <= most<Real>();
    const bool is_best = *logit > best;
    best = is_best ? *logit : best;
    label = is_best ? l : label;
  }
  return is_fine ? label : no_label(sequence.ignored);
}

// Finds the sequence with the greatest sum of logits; where paths to an end are equal, the one with
// the first last label. From a token with a logit that is NaN or +inf on, no labels. last:
// [n_tokens, N_ENDS], the last label of the best path to each end.
template <class Real>
FC_HD void best_path(const Sequence<Real> sequence, const Step* steps, int64_t start,
                     int32_t* last) {
  BestPath before[N_ENDS];
  for (int32_t end = 0; end < N_ENDS; ++end) before[end] = {0, start >> end & 1 ? 0 : -1};
  int64_t stop = 0;
  for (; stop < sequence.n_tokens; ++stop) {
    if (!sequence.has(stop)) continue;
    const Real* logits = sequence.values + stop * sequence.token_stride;
    BestPath after[N_ENDS];
    for (BestPath& best : after) best = {never(), -1};
    bool is_fine = true;
    for (int32_t l = sequence.n_labels; l-- > 0;) {
      const Real logit = logits[l * sequence.label_stride];
      is_fine &= logit <= most<Real>();
      const BestPath& path = before[steps[l].from];
      if (path.label < 0) continue;
      double sum = path.sum + logit;
      sum = sum <= most<double>() ? sum : most<double>();  // +inf would make NaN
      for (int32_t end = 0; end < N_ENDS; ++end) {
        if (steps[l].into >> end & 1) after[end].offer(sum, l);
      }
    }
    if (!is_fine) break;
    for (int32_t end = 0; end < N_ENDS; ++end) {
      before[end] = after[end];
      last[stop * N_ENDS + end] = after[end].label;
    }
  }
  int32_t end = CLOSED;
  for (int64_t t = sequence.n_tokens; t-- > 0;) {
    if (!sequence.has(t)) {
      sequence.ids[t] = sequence.ignored;
    } else if (t >= stop) {
      sequence.ids[t] = no_label(sequence.ignored);
    } else {
      sequence.ids[t] = last[t * N_ENDS + end];
      end = steps[sequence.ids[t]].from;
    }
  }
}

}  // namespace labels
}  // namespace fastcausal

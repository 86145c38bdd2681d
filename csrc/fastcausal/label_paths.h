// Logits of one sequence to label ids: the best label per token, or the best well-formed sequence.
//
//   a path ends   OPEN + X  inside a span of role X: I-X or E-X may continue it
//                 CLOSED    complete: it may end here, or O, B- and S- may follow
//                           or in both states, or in neither
//
// Only the best path per end state can be part of the best sequence (Viterbi). So four sums suffice
// for any number of labels. Sums are doubles, from the first token to the last.
// Cost: each logit once; paths take 16 bytes of memory per token. Label ids are 32-bit.
#pragma once
#include "config.h"

namespace fastcausal {
namespace labels {

// Ends of a path with three roles, as most taggers have, and with the 30 roles that there may be.
enum End : int32_t { CLOSED, OPEN, N_ENDS = OPEN + 3, MAX_ENDS = OPEN + 30 };

// One label of a scheme as a step of a path.
struct Step {
  int32_t from;  // the end state before the label
  int32_t into;  // end states after the label, one bit each
};

// Logits and the place of their label ids. decoding/device.py has the same NumPy record. All
// members take 8 bytes.
struct Logits {
  const void* values;  // [n_sequences, n_tokens, n_labels]
  int64_t itemsize;    // 4: float, 8: double
  int64_t n_sequences, n_tokens, n_labels;
  int64_t sequence_stride, token_stride, label_stride;  // in items
  const uint8_t* where;  // [n_sequences, n_tokens]: 1 for tokens that exist; NULL if all do
  const Step* steps;     // [n_labels], or NULL if every label may follow every other
  int64_t start;         // end states before the first token, like Step::into
  int64_t n_ends;        // N_ENDS or MAX_ENDS
  int64_t ignored;       // label id of missing tokens
  int32_t* ids;          // [n_sequences, n_tokens]
};

// Returns the greatest number.
template <class Real>
FC_HD constexpr Real most() {
  return static_cast<Real>(sizeof(Real) == 4 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023);
}

// Returns -inf, by a sum that overflows: some compilers do not divide by zero.
FC_HD double never() {
  const double least = -most<double>();
  return least + least;
}

// The best of several paths. Labels come from last to first, so the first of equal labels stays. It
// starts with -inf, so it takes a path even if all sums are -inf.
struct BestPath {
  double sum;
  int32_t label;  // -1: no path

  FC_HD void offer(double other, int32_t other_label) {
    const bool is_best = other >= sum;
    sum = is_best ? other : sum;
    label = is_best ? other_label : label;
  }
};

// The logits of one sequence.
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

// Returns the label id of a token that has a logit NaN or +inf.
FC_HD int32_t no_label(int32_t ignored) { return ignored == -1 ? -2 : -1; }

// Returns the first label with the greatest logit of a token.
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

// Finds the sequence with the greatest sum of logits. Of equal paths to an end state, the one with
// the first last label wins. Tokens get no labels from the first logit NaN or +inf on. last:
// [n_tokens, N], the last label of the best path to each end state.
template <int32_t N, class Real>
FC_HD void best_path(const Sequence<Real> sequence, const Step* steps, int64_t start,
                     int32_t* last) {
  BestPath before[N];
  for (int32_t end = 0; end < N; ++end) before[end] = {0, start >> end & 1 ? 0 : -1};
  int64_t stop = 0;
  for (; stop < sequence.n_tokens; ++stop) {
    if (!sequence.has(stop)) continue;
    const Real* logits = sequence.values + stop * sequence.token_stride;
    BestPath after[N];
    for (BestPath& best : after) best = {never(), -1};
    bool is_fine = true;
    for (int32_t l = sequence.n_labels; l-- > 0;) {
      const Real logit = logits[l * sequence.label_stride];
      is_fine &= logit <= most<Real>();
      const BestPath& path = before[steps[l].from];
      if (path.label < 0) continue;
      double sum = path.sum + logit;
      sum = sum <= most<double>() ? sum : most<double>();  // +inf would lead to NaN
      for (int32_t end = 0; end < N; ++end) {
        if (steps[l].into >> end & 1) after[end].offer(sum, l);
      }
    }
    if (!is_fine) break;
    for (int32_t end = 0; end < N; ++end) {
      before[end] = after[end];
      last[stop * N + end] = after[end].label;
    }
  }
  int32_t end = CLOSED;
  for (int64_t t = sequence.n_tokens; t-- > 0;) {
    if (!sequence.has(t)) {
      sequence.ids[t] = sequence.ignored;
    } else if (t >= stop) {
      sequence.ids[t] = no_label(sequence.ignored);
    } else {
      sequence.ids[t] = last[t * N + end];
      end = steps[sequence.ids[t]].from;
    }
  }
}

// Finds the sequence with the greatest sum of logits.
template <class Real>
FC_HD void best_path(const Sequence<Real>& sequence, const Logits& logits, int32_t* last) {
  if (logits.n_ends == N_ENDS) {
    best_path<N_ENDS>(sequence, logits.steps, logits.start, last);
  } else {
    best_path<MAX_ENDS>(sequence, logits.steps, logits.start, last);
  }
}

}  // namespace labels
}  // namespace fastcausal

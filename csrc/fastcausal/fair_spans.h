// Fair span counts (Ortmann 2022), per role: TP FP FN LE BE LBE BES BEL BEO.
// Roles of one track form one sequence; spans of different tracks are never confused.
// Equal to the published algorithm wherever the spans of a track do not overlap each other, as in
// every tag format: there the tokens two spans share can be taken by that pair alone, so counting
// the tokens each span has left replaces the published token sets.
// Cost: spans of gold times spans of pred. Counts fit as long as a relation has < 2^31 spans.
#pragma once
#include "config.h"

namespace fastcausal {
namespace fair {

enum Field { TP, FP, FN, LE, BE, LBE, BES, BEL, BEO, N_FIELDS };
constexpr int64_t BOUND = 24;  // spans of one side on the stack

// One side's spans in one track: those still open, and those already charged in the order charged.
struct Spans {
  const int32_t* rows;
  int32_t* open;
  int32_t* charged;
  int32_t* left;  // tokens no partner has taken yet, by row number
  int64_t n_open;
  int64_t n_charged;

  FC_HD const int32_t* row(int32_t k) const { return rows + 3 * k; }

  FC_HD void remove(int64_t i) {
    --n_open;
    for (; i < n_open; ++i) open[i] = open[i + 1];
  }
  FC_HD void charge(int64_t i) {
    charged[n_charged++] = open[i];
    remove(i);
  }
};

FC_HD Spans spans_of_track(const int32_t* rows, int64_t n, const int64_t* params, int64_t track,
                           int32_t* scratch) {
  Spans spans{rows, scratch, scratch + n, scratch + 2 * n, 0, 0};
  for (int64_t k = 0; k < n; ++k) {
    const int32_t* row = rows + 3 * k;
    if (params[1 + role_of(row)] != track) continue;
    spans.left[k] = stop_of(row) - start_of(row);
    spans.open[spans.n_open++] = static_cast<int32_t>(k);
  }
  return spans;
}

// Same bounds: a hit where the role is the same too, else a labelling error.
FC_HD void take_same_bounds(Spans& gold, Spans& pred, bool same_role, Field field,
                            int64_t* counts) {
  for (int64_t i = 0; i < gold.n_open;) {
    const int32_t* g = gold.row(gold.open[i]);
    int64_t j = 0;
    for (; j < pred.n_open; ++j) {
      const int32_t* p = pred.row(pred.open[j]);
      if (same_bounds(g, p) && (role_of(g) == role_of(p)) == same_role) break;
    }
    if (j == pred.n_open) {
      ++i;
      continue;
    }
    ++counts[role_of(g) * N_FIELDS + field];
    gold.remove(i);
    pred.remove(j);
  }
}

FC_HD void sort_by_length(Spans& spans) {  // stable, in place; few spans
  for (int64_t i = 1; i < spans.n_open; ++i) {
    const int32_t k = spans.open[i];
    int64_t j = i;
    for (; j > 0 && spans.left[spans.open[j - 1]] > spans.left[k]; --j) {
      spans.open[j] = spans.open[j - 1];
    }
    spans.open[j] = k;
  }
}

// The partner of span k among the candidates: most shared tokens, then fewest tokens of its own
// left over, then fewest of the partner's, then the shortest, then the first. -1 where none.
FC_HD int64_t partner(const Spans& one, int32_t k, const Spans& other, const int32_t* candidates,
                      int64_t n_candidates, bool same_role) {
  const int32_t* row = one.row(k);
  int64_t best = -1;
  int32_t best_key[4] = {0, 0, 0, 0};
  for (int64_t j = 0; j < n_candidates; ++j) {
    const int32_t* candidate = other.row(candidates[j]);
    const int32_t shared = shared_tokens(row, candidate);
    if (!shared || same_bounds(row, candidate)) continue;
    if ((role_of(row) == role_of(candidate)) != same_role) continue;
    const int32_t key[4] = {-shared, one.left[k] - shared, other.left[candidates[j]] - shared,
                            stop_of(candidate) - start_of(candidate)};
    int d = 0;
    while (d < 4 && key[d] == best_key[d]) ++d;
    if (best < 0 || (d < 4 && key[d] < best_key[d])) {
      best = j;
      for (d = 0; d < 4; ++d) best_key[d] = key[d];
    }
  }
  return best;
}

FC_HD void count_overlap(Spans& gold, int32_t g, Spans& pred, int32_t p, bool same_role,
                         int64_t* counts) {
  const int32_t* a = gold.row(g);
  const int32_t* b = pred.row(p);
  int64_t* of_role = counts + role_of(a) * N_FIELDS;
  const int32_t shared = shared_tokens(a, b);
  gold.left[g] = gold.left[g] > shared ? gold.left[g] - shared : 0;
  pred.left[p] = pred.left[p] > shared ? pred.left[p] - shared : 0;
  if (!same_role) {
    ++of_role[LBE];
    return;
  }
  ++of_role[BE];
  const bool inside = start_of(b) >= start_of(a) && stop_of(b) <= stop_of(a);
  const bool around = start_of(b) <= start_of(a) && stop_of(b) >= stop_of(a);
  ++of_role[inside ? BES : around ? BEL : BEO];
}

// Overlapping spans: open against open, then what is open on either side against what the other
// side has already charged, so that a span predicted in two pieces counts two boundary errors.
FC_HD void take_overlaps(Spans& gold, Spans& pred, bool same_role, int64_t* counts) {
  for (int64_t i = 0; i < gold.n_open;) {
    const int64_t j = partner(gold, gold.open[i], pred, pred.open, pred.n_open, same_role);
    if (j < 0) {
      ++i;
      continue;
    }
    count_overlap(gold, gold.open[i], pred, pred.open[j], same_role, counts);
    gold.charge(i);
    pred.charge(j);
  }
  for (int64_t i = 0; i < gold.n_open;) {
    const int64_t j = partner(gold, gold.open[i], pred, pred.charged, pred.n_charged, same_role);
    if (j < 0) {
      ++i;
      continue;
    }
    count_overlap(gold, gold.open[i], pred, pred.charged[j], same_role, counts);
    gold.charge(i);
  }
  for (int64_t i = 0; i < pred.n_open;) {
    const int64_t j = partner(pred, pred.open[i], gold, gold.charged, gold.n_charged, same_role);
    if (j < 0) {
      ++i;
      continue;
    }
    count_overlap(gold, gold.charged[j], pred, pred.open[i], same_role, counts);
    pred.charge(i);
  }
}

FC_HD void count_track(Spans& gold, Spans& pred, int64_t* counts) {
  take_same_bounds(gold, pred, true, TP, counts);
  take_same_bounds(gold, pred, false, LE, counts);
  sort_by_length(gold);
  sort_by_length(pred);
  take_overlaps(gold, pred, true, counts);
  take_overlaps(gold, pred, false, counts);
  for (int64_t i = 0; i < gold.n_open; ++i) {
    ++counts[role_of(gold.row(gold.open[i])) * N_FIELDS + FN];
  }
  for (int64_t j = 0; j < pred.n_open; ++j) {
    ++counts[role_of(pred.row(pred.open[j])) * N_FIELDS + FP];
  }
}

}  // namespace fair

FC_HD void fair_spans(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                      int64_t length, const int64_t* params, int64_t* counts) {
  (void)length;
  const int64_t n_roles = params[0];
  for (int64_t k = 0; k < n_roles * fair::N_FIELDS; ++k) counts[k] = 0;
  if (!n_gold || !n_pred) {  // one side alone: all its spans are missed, or too many
    for (int64_t k = 0; k < n_gold; ++k)
      ++counts[role_of(gold + 3 * k) * fair::N_FIELDS + fair::FN];
    for (int64_t k = 0; k < n_pred; ++k)
      ++counts[role_of(pred + 3 * k) * fair::N_FIELDS + fair::FP];
    return;
  }
  Scratch<3 * fair::BOUND> gold_scratch(3 * n_gold);
  Scratch<3 * fair::BOUND> pred_scratch(3 * n_pred);
  int64_t rest = n_gold + n_pred;
  for (int64_t track = 0; rest > 0; ++track) {
    fair::Spans g = fair::spans_of_track(gold, n_gold, params, track, gold_scratch.at);
    fair::Spans p = fair::spans_of_track(pred, n_pred, params, track, pred_scratch.at);
    rest -= g.n_open + p.n_open;
    fair::count_track(g, p, counts);
  }
}

}  // namespace fastcausal

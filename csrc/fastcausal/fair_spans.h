// Fair span counts (Ortmann 2022), per role: TP FP FN LE BE LBE BES BEL BEO.
// Roles of one track form one sequence; spans of different tracks are never confused.
// Equal to the published algorithm wherever the spans of a track do not overlap each other, as in
// every tag format: there the tokens two spans share can be taken by that pair alone, so counting
// the tokens each span has left replaces the published token sets.
// Cost: the spans of both sides; those not found again, gold times pred.
#pragma once
#include "config.h"

namespace fastcausal {
namespace fair {

enum Field { TP, FP, FN, LE, BE, LBE, BES, BEL, BEO, N_FIELDS };

// One side's spans that have no equal on the other side: in one track those still open, and those
// already charged in the order charged.
struct Spans {
  const int32_t* rows;
  int32_t* unequal;  // row numbers, of all tracks
  int32_t* open;
  int32_t* charged;
  int32_t* left;  // tokens no partner has taken yet, by row number
  int64_t n_unequal;
  int64_t n_open;
  int64_t n_charged;

  FC_HD Spans(const int32_t* rows_, int64_t n, int32_t* scratch)
      : rows(rows_),
        unequal(scratch),
        open(scratch + n),
        charged(scratch + 2 * n),
        left(scratch + 3 * n),
        n_unequal(0),
        n_open(0),
        n_charged(0) {}

  FC_HD const int32_t* row(int32_t k) const { return rows + 3 * k; }

  FC_HD int64_t open_track(const int64_t* params, int64_t track) {
    n_open = n_charged = 0;
    for (int64_t i = 0; i < n_unequal; ++i) {
      const int32_t k = unequal[i];
      if (params[1 + role_of(row(k))] != track) continue;
      left[k] = stop_of(row(k)) - start_of(row(k));
      open[n_open++] = k;
    }
    return n_open;
  }
  FC_HD void remove(int64_t i) {
    --n_open;
    for (; i < n_open; ++i) open[i] = open[i + 1];
  }
  FC_HD void charge(int64_t i) {
    charged[n_charged++] = open[i];
    remove(i);
  }
  FC_HD void sort_by_length() {  // stable; few spans
    for (int64_t i = 1; i < n_open; ++i) {
      const int32_t k = open[i];
      int64_t j = i;
      for (; j > 0 && left[open[j - 1]] > left[k]; --j) open[j] = open[j - 1];
      open[j] = k;
    }
  }
};

// Equal spans, found by merging two lists in (start, stop, role) order, are hits.
template <class Sink>
FC_HD void take_equal(Spans& gold, int64_t n_gold, Spans& pred, int64_t n_pred, Sink& sink) {
  int32_t i = 0;
  int32_t j = 0;
  while (i < n_gold && j < n_pred) {
    const int order = compare_rows(gold.row(i), pred.row(j));
    if (order == 0) sink.add(role_of(gold.row(i)) * N_FIELDS + TP, 1);
    if (order < 0) gold.unequal[gold.n_unequal++] = i;
    if (order > 0) pred.unequal[pred.n_unequal++] = j;
    i += order <= 0;
    j += order >= 0;
  }
  for (; i < n_gold; ++i) gold.unequal[gold.n_unequal++] = i;
  for (; j < n_pred; ++j) pred.unequal[pred.n_unequal++] = j;
}

// Same bounds under another role: labelling errors.
template <class Sink>
FC_HD void take_same_bounds(Spans& gold, Spans& pred, Sink& sink) {
  for (int64_t i = 0; i < gold.n_open;) {
    const int32_t* g = gold.row(gold.open[i]);
    int64_t j = 0;
    while (j < pred.n_open && !same_bounds(g, pred.row(pred.open[j]))) ++j;
    if (j == pred.n_open) {
      ++i;
      continue;
    }
    sink.add(role_of(g) * N_FIELDS + LE, 1);
    gold.remove(i);
    pred.remove(j);
  }
}

// The partner of a row among the candidates: most shared tokens, then fewest of the candidate's
// tokens left over, then the shortest, then the first. -1 where none. (Fewest tokens of its own
// left over, the published second key, follows from the first.)
FC_HD int64_t partner(const int32_t* row, const Spans& other, const int32_t* candidates,
                      int64_t n_candidates, bool same_role) {
  int64_t best = -1;
  int32_t best_key[3] = {0, 0, 0};
  for (int64_t j = 0; j < n_candidates; ++j) {
    const int32_t* candidate = other.row(candidates[j]);
    const int32_t shared = shared_tokens(row, candidate);
    if (!shared || (role_of(row) == role_of(candidate)) != same_role) continue;
    const int32_t key[3] = {-shared, other.left[candidates[j]] - shared,
                            stop_of(candidate) - start_of(candidate)};
    int d = 0;
    while (d < 3 && key[d] == best_key[d]) ++d;
    if (best < 0 || (d < 3 && key[d] < best_key[d])) {
      best = j;
      for (d = 0; d < 3; ++d) best_key[d] = key[d];
    }
  }
  return best;
}

template <class Sink>
FC_HD void count_overlap(const int32_t* gold, const int32_t* pred, bool same_role, Sink& sink) {
  const int64_t of_role = role_of(gold) * N_FIELDS;
  if (!same_role) {
    sink.add(of_role + LBE, 1);
    return;
  }
  sink.add(of_role + BE, 1);
  const bool inside = start_of(pred) >= start_of(gold) && stop_of(pred) <= stop_of(gold);
  const bool around = start_of(pred) <= start_of(gold) && stop_of(pred) >= stop_of(gold);
  sink.add(of_role + (inside ? BES : around ? BEL : BEO), 1);
}

template <class Sink>
FC_HD void take_overlap(Spans& gold, int32_t g, Spans& pred, int32_t p, bool same_role,
                        Sink& sink) {
  const int32_t shared = shared_tokens(gold.row(g), pred.row(p));
  gold.left[g] = gold.left[g] > shared ? gold.left[g] - shared : 0;
  pred.left[p] = pred.left[p] > shared ? pred.left[p] - shared : 0;
  count_overlap(gold.row(g), pred.row(p), same_role, sink);
}

// One span against one: what all the steps below come to.
template <class Sink>
FC_HD void take_one(const int32_t* gold, const int32_t* pred, Sink& sink) {
  if (same_bounds(gold, pred)) {
    sink.add(role_of(gold) * N_FIELDS + LE, 1);
  } else if (shared_tokens(gold, pred)) {
    count_overlap(gold, pred, role_of(gold) == role_of(pred), sink);
  } else {
    sink.add(role_of(gold) * N_FIELDS + FN, 1);
    sink.add(role_of(pred) * N_FIELDS + FP, 1);
  }
}

// Overlapping spans: open against open, then what is open on either side against what the other
// side has already charged, so that a span predicted in two pieces counts two boundary errors.
template <class Sink>
FC_HD void take_overlaps(Spans& gold, Spans& pred, bool same_role, Sink& sink) {
  for (int64_t i = 0; i < gold.n_open;) {
    const int64_t j = partner(gold.row(gold.open[i]), pred, pred.open, pred.n_open, same_role);
    if (j < 0) {
      ++i;
      continue;
    }
    take_overlap(gold, gold.open[i], pred, pred.open[j], same_role, sink);
    gold.charge(i);
    pred.charge(j);
  }
  for (int64_t i = 0; i < gold.n_open;) {
    const int64_t j =
        partner(gold.row(gold.open[i]), pred, pred.charged, pred.n_charged, same_role);
    if (j < 0) {
      ++i;
      continue;
    }
    take_overlap(gold, gold.open[i], pred, pred.charged[j], same_role, sink);
    gold.charge(i);
  }
  for (int64_t i = 0; i < pred.n_open;) {
    const int64_t j =
        partner(pred.row(pred.open[i]), gold, gold.charged, gold.n_charged, same_role);
    if (j < 0) {
      ++i;
      continue;
    }
    take_overlap(gold, gold.charged[j], pred, pred.open[i], same_role, sink);
    pred.charge(i);
  }
}

}  // namespace fair

template <class Sink>
FC_HD void fair_spans(const int32_t* gold, int64_t n_gold, const int32_t* pred, int64_t n_pred,
                      int64_t length, const int64_t* params, Sink& sink) {
  using namespace fair;
  (void)length;
  Scratch<4 * MOST_SPANS> gold_scratch(4 * n_gold);
  Scratch<4 * MOST_SPANS> pred_scratch(4 * n_pred);
  Spans g(gold, n_gold, gold_scratch.at);
  Spans p(pred, n_pred, pred_scratch.at);
  take_equal(g, n_gold, p, n_pred, sink);
  int64_t rest = g.n_unequal + p.n_unequal;
  for (int64_t track = 0; rest > 0; ++track) {
    rest -= g.open_track(params, track) + p.open_track(params, track);
    if (g.n_open == 1 && p.n_open == 1) {
      take_one(g.row(g.open[0]), p.row(p.open[0]), sink);
      continue;
    }
    if (g.n_open && p.n_open) {
      take_same_bounds(g, p, sink);
      g.sort_by_length();
      p.sort_by_length();
      take_overlaps(g, p, true, sink);
      take_overlaps(g, p, false, sink);
    }
    for (int64_t i = 0; i < g.n_open; ++i) {
      sink.add(role_of(g.row(g.open[i])) * N_FIELDS + FN, 1);
    }
    for (int64_t j = 0; j < p.n_open; ++j) {
      sink.add(role_of(p.row(p.open[j])) * N_FIELDS + FP, 1);
    }
  }
}

}  // namespace fastcausal

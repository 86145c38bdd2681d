// Fair span counts (Ortmann 2022), per role: TP FP FN LE BE LBE BES BEL BEO. Roles of one track
// form one sequence. Spans of different tracks are never confused. Two partners use up the tokens
// that they share: a later partner needs other tokens.
// Cost: the spans of both sides, then gold times pred for each group of spans that meet, equal ones
// left out. In a group with overlapping spans on one side, each pair also costs a word per 16 of
// them.
#pragma once
#include "open_spans.h"
#include "plan.h"
#include "record.h"

namespace fastcausal {
namespace fair {

enum Field { TP, FP, FN, LE, BE, LBE, BES, BEL, BEO, N_FIELDS };

// Counts equal spans as hits, by merging two lists in (start, stop, role) order. Returns their
// number.
template <class Sink>
FC_HD int64_t take_equal(Spans& gold, Spans& pred, Sink& sink) {
  int64_t n_equal = 0;
  for (int64_t i = 0, j = 0; i < gold.n && j < pred.n;) {
    const int order = compare_rows(gold.row(i), pred.row(j));
    if (order == 0) {
      sink.add(gold.row(i).role * N_FIELDS + TP, 1);
      gold.left[i] = pred.left[j] = 0;
      ++n_equal;
    }
    i += order <= 0;
    j += order >= 0;
  }
  return n_equal;
}

// Counts equal bounds with different roles as label errors.
template <class Sink>
FC_HD void take_same_bounds(Spans& gold, Spans& pred, Sink& sink) {
  for (int64_t i = 0; i < gold.n_open;) {
    const Row& g = gold.row(gold.open[i]);
    int64_t j = 0;
    while (j < pred.n_open && !same_bounds(g, pred.row(pred.open[j]))) ++j;
    if (j == pred.n_open) {
      ++i;
      continue;
    }
    sink.add(g.role * N_FIELDS + LE, 1);
    gold.remove(i);
    pred.remove(j);
  }
}

// Returns the candidate that is the best partner of span k, or -1. Criteria, in this order: most
// shared tokens, fewest remaining tokens of the candidate, shortest, first. The published second
// criterion, fewest remaining tokens of the span itself, follows from the first.
FC_HD int64_t partner(const Spans& own, int32_t k, const Spans& other, const int32_t* candidates,
                      int64_t n_candidates, bool same_role, const SharedTokens& tokens) {
  const Row& row = own.row(k);
  int64_t best = -1;
  int32_t best_key[3] = {0, 0, 0};
  for (int64_t j = 0; j < n_candidates; ++j) {
    const Row& candidate = other.row(candidates[j]);
    const int32_t shared = tokens.of(own, k, other, candidates[j]);
    if (!shared || (row.role == candidate.role) != same_role) continue;
    const int32_t key[3] = {-shared, other.left[candidates[j]] - shared,
                            candidate.stop - candidate.start};
    int d = 0;
    while (d < 3 && key[d] == best_key[d]) ++d;
    if (d < 3 && key[d] < best_key[d]) {
      best = j;
      for (d = 0; d < 3; ++d) best_key[d] = key[d];
    }
  }
  return best;
}

FC_HD Field kind_of_boundary(const Row& gold, const Row& pred) {
  const bool inside = (pred.start >= gold.start) & (pred.stop <= gold.stop);
  const bool around = (pred.start <= gold.start) & (pred.stop >= gold.stop);
  return inside ? BES : around ? BEL : BEO;
}

// Pairs the open spans of one side with open spans of the other side, or with its charged spans.
template <class Sink>
FC_HD void take_overlaps(Spans& own, Spans& other, bool own_is_gold, bool with_charged,
                         bool same_role, const SharedTokens& tokens, Sink& sink) {
  const int32_t* candidates = with_charged ? other.charged : other.open;
  for (int64_t i = 0; i < own.n_open;) {
    const int32_t k = own.open[i];
    const int64_t n = with_charged ? other.n_charged : other.n_open;
    const int64_t j = partner(own, k, other, candidates, n, same_role, tokens);
    if (j < 0) {
      ++i;
      continue;
    }
    const int32_t chosen = candidates[j];
    const Row& gold = own_is_gold ? own.row(k) : other.row(chosen);
    const Row& pred = own_is_gold ? other.row(chosen) : own.row(k);
    tokens.take(own, k, other, chosen);
    sink.add(gold.role * N_FIELDS + (same_role ? BE : LBE), 1);
    if (same_role) sink.add(gold.role * N_FIELDS + kind_of_boundary(gold, pred), 1);
    own.charge(i);
    if (!with_charged) other.charge(j);
  }
}

// Pairs overlapping spans: first open with open, then open with charged, in both directions. So a
// span that is predicted in two pieces counts two boundary errors.
template <class Sink>
FC_HD void take_overlaps(Spans& gold, Spans& pred, const SharedTokens& tokens, Sink& sink) {
  for (int step = 0; step < 2; ++step) {
    const bool same_role = step == 0;
    take_overlaps(gold, pred, true, false, same_role, tokens, sink);
    take_overlaps(gold, pred, true, true, same_role, tokens, sink);
    take_overlaps(pred, gold, false, true, same_role, tokens, sink);
  }
}

template <class Sink>
FC_HD void add_pair(const Row& gold, const Row& pred, Sink& sink) {
  const int64_t of_role = int64_t{gold.role} * N_FIELDS;
  const bool same_role = gold.role == pred.role;
  if (same_bounds(gold, pred)) return sink.add(of_role + (same_role ? TP : LE), 1);
  sink.add(of_role + (same_role ? BE : LBE), 1);
  if (same_role) sink.add(of_role + kind_of_boundary(gold, pred), 1);
}

// Counts few spans if their pairs follow from which spans meet: each group of meeting spans of a
// track has one span on one side, and spans that do not overlap on the other side. Each pair then
// has tokens of its own, so every pair of the group counts. Returns false for other spans.
template <class Sink>
FC_HD bool take_few(const Relation& gold, const Relation& pred, const int64_t* params, Sink& sink) {
  constexpr int64_t MOST = FC_ON_DEVICE ? MOST_SPANS : 8;
  if (gold.n > MOST || pred.n > MOST) return false;
  uint32_t met[MOST];       // spans of pred that each span of gold meets, one bit each
  int32_t ends[MOST] = {};  // of the last span of gold that each span of pred meets
  uint32_t seen = 0;
  uint32_t several = 0;  // spans of pred that meet several spans of gold
  bool overlap = false;
  for (int64_t i = 0; i < gold.n; ++i) {
    const Row& g = gold.row(i);
    int32_t end = 0;
    met[i] = 0;
    for (int64_t j = 0; j < pred.n; ++j) {
      const Row& p = pred.row(j);
      if (!shared_tokens(g, p) || params[1 + g.role] != params[1 + p.role]) continue;
      overlap |= (p.start < end) | (g.start < ends[j]);
      end = p.stop;
      ends[j] = g.stop;
      met[i] |= uint32_t{1} << j;
    }
    several |= seen & met[i];
    seen |= met[i];
  }
  for (int64_t i = 0; i < gold.n; ++i) overlap |= (met[i] & (met[i] - 1)) && (met[i] & several);
  if (overlap) return false;
  for (int64_t i = 0; i < gold.n; ++i) {
    if (!met[i]) sink.add(gold.row(i).role * N_FIELDS + FN, 1);
    for (int64_t j = 0; met[i] >> j; ++j) {
      if (met[i] >> j & 1) add_pair(gold.row(i), pred.row(j), sink);
    }
  }
  for (int64_t j = 0; j < pred.n; ++j) {
    if (!(seen >> j & 1)) sink.add(pred.row(j).role * N_FIELDS + FP, 1);
  }
  return true;
}

}  // namespace fair

FC_HD KernelTraits fair_spans_traits(const Plan& plan) {
  KernelTraits traits;
  const int64_t* track = plan.params + 1;
  traits.ends = false;
  traits.ordinal = traits.several = track[0] != track[1] || track[0] != track[2];
  for (int r = 0; r < 3 && traits.ordinal; ++r) {
    const int other = (r + 1) % 3;
    if (track[r] != track[other]) continue;  // spans of different tracks are not compared
    traits.across = r ? Across::ALL : Across::FIRST_TWO;
    traits.disjoint_roles = 1u << r;
  }
  return traits;
}

template <class Sink>
FC_HD void fair_spans(const Relation& gold, const Relation& pred, int64_t length,
                      const int64_t* params, Sink& sink) {
  using namespace fair;
  (void)length;
  if (take_few(gold, pred, params, sink)) return;
  sink.by_length();
  const Scratch<Spans::N_LISTS * MOST_SPANS> gold_scratch(Spans::N_LISTS * gold.n);
  const Scratch<Spans::N_LISTS * MOST_SPANS> pred_scratch(Spans::N_LISTS * pred.n);
  Spans g(gold, gold_scratch.at);
  Spans p(pred, pred_scratch.at);
  int64_t rest = gold.n + pred.n - 2 * take_equal(g, p, sink);
  for (int64_t track = 0; rest > 0; ++track) {
    g.next = p.next = 0;
    while (const int64_t n_open = open_group(g, p, params, track)) {
      rest -= n_open;
      if (g.n_open && p.n_open) {
        take_same_bounds(g, p, sink);
        g.sort_by_length();
        p.sort_by_length();
        take_overlaps(g, p, SharedTokens(g, p), sink);
      }
      for (int64_t i = 0; i < g.n_open; ++i) sink.add(g.row(g.open[i]).role * N_FIELDS + FN, 1);
      for (int64_t j = 0; j < p.n_open; ++j) sink.add(p.row(p.open[j]).role * N_FIELDS + FP, 1);
    }
  }
}

}  // namespace fastcausal

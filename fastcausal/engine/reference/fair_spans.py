"""Fair span counts in plain Python: the specification of csrc/fastcausal/fair_spans.h."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastcausal.engine.kernel import Int32, Int64, Measure, Objective, kernel, scored
from fastcausal.engine.reference.spans import ROLE, START, STOP, same_bounds

Bools = npt.NDArray[np.bool_]
TP, FP, FN, LE, BE, LBE, BES, BEL, BEO = range(9)
N_FAIR = 9


_HALF = dict.fromkeys(("le", "be", "lbe"), 0.5)  # against precision and against recall
_WANTED = {"tp": 1, "fn": 1, **_HALF}


@scored(
    "fair spans",
    scores=[Measure("f1", "", ({"tp": 1}, {"tp": 1, "fp": 1, **_HALF}, _WANTED))],
    scored_fields=("le", "be", "lbe", "tp", "fp", "fn"),
)
@kernel(
    fields=("tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo"),
    objective=Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1, "le": 1, "be": 1, "lbe": 1}),
    additive=True,
    never_costs=True,
)
def fair_spans(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Count hits, misses, and errors of label, boundary and both (Ortmann 2022).

    Within each track: same span, same role is TP; same span, other role is LE. The remaining spans
    follow, shortest first: an overlap in the same role is BE (inside gold BES, around it BEL, else
    BEO), then one with another role is LBE; the rest is FN and FP. LE and LBE go to gold's role.
    Partners use up the tokens they share, so a later partner has to share other tokens.
    """
    counts[:] = 0
    tokens, left_gold, left_pred = _segments(gold, pred)
    for track in range(params[0]):
        open_gold = _select_track(gold, params, track)
        open_pred = _select_track(pred, params, track)
        _take_same_bounds(gold, open_gold, pred, open_pred, True, counts)
        _take_same_bounds(gold, open_gold, pred, open_pred, False, counts)
        _shortest_first(open_gold, gold)
        _shortest_first(open_pred, pred)
        charged_gold = open_gold[:0]
        charged_pred = open_pred[:0]
        for same_role in (True, False):
            _take_overlaps(
                gold, open_gold, charged_gold, left_gold,
                pred, open_pred, charged_pred, left_pred,
                tokens, same_role, counts,
            )  # fmt: skip
        for g in open_gold:
            counts[gold[g, ROLE] * N_FAIR + FN] += 1
        for p in open_pred:
            counts[pred[p, ROLE] * N_FAIR + FP] += 1


def _segments(gold: Int32, pred: Int32) -> tuple[Int32, Bools, Bools]:
    """Return tokens of each segment between neighbouring bounds, and the segments of each span."""
    bounds = np.unique(
        np.concatenate((gold[:, START], gold[:, STOP], pred[:, START], pred[:, STOP]))
    )
    first = bounds[:-1]
    in_gold = (gold[:, START : START + 1] <= first) & (first < gold[:, STOP : STOP + 1])
    in_pred = (pred[:, START : START + 1] <= first) & (first < pred[:, STOP : STOP + 1])
    return np.diff(bounds), in_gold, in_pred


def _select_track(rows: Int32, params: Int64, track: int) -> list[int]:
    return [k for k in range(len(rows)) if params[1 + rows[k, ROLE]] == track]


def _take_same_bounds(
    gold: Int32,
    open_gold: list[int],
    pred: Int32,
    open_pred: list[int],
    same_role: bool,
    counts: Int64,
) -> None:
    """Count spans with the same bounds: TP for the same role, LE for different roles."""
    i = 0
    while i < len(open_gold):
        g = open_gold[i]
        j = 0
        while j < len(open_pred):
            p = open_pred[j]
            if same_bounds(gold[g], pred[p]) and (gold[g, ROLE] == pred[p, ROLE]) == same_role:
                break
            j += 1
        if j == len(open_pred):
            i += 1
            continue
        counts[gold[g, ROLE] * N_FAIR + (TP if same_role else LE)] += 1
        open_gold.pop(i)
        open_pred.pop(j)


def _shortest_first(spans: list[int], rows: Int32) -> None:
    """Sort spans by length; equal ones keep their order."""
    length = rows[:, STOP] - rows[:, START]
    for i in range(1, len(spans)):
        k = spans[i]
        j = i
        while j > 0 and length[spans[j - 1]] > length[k]:
            spans[j] = spans[j - 1]
            j -= 1
        spans[j] = k


def _take_overlaps(
    gold: Int32, open_gold: list[int], charged_gold: list[int], left_gold: Bools,
    pred: Int32, open_pred: list[int], charged_pred: list[int], left_pred: Bools,
    tokens: Int32, same_role: bool, counts: Int64,
) -> None:  # fmt: skip
    """Pair open spans, then open gold spans with charged predictions, then the other way."""
    i = 0
    while i < len(open_gold):
        g = open_gold[i]
        j = _partner(gold, g, left_gold, pred, open_pred, left_pred, tokens, same_role)
        if j < 0:
            i += 1
            continue
        _take_overlap(gold, g, left_gold, pred, open_pred[j], left_pred, same_role, counts)
        charged_gold.append(open_gold.pop(i))
        charged_pred.append(open_pred.pop(j))
    i = 0
    while i < len(open_gold):
        g = open_gold[i]
        j = _partner(gold, g, left_gold, pred, charged_pred, left_pred, tokens, same_role)
        if j < 0:
            i += 1
            continue
        _take_overlap(gold, g, left_gold, pred, charged_pred[j], left_pred, same_role, counts)
        charged_gold.append(open_gold.pop(i))
    i = 0
    while i < len(open_pred):
        p = open_pred[i]
        j = _partner(pred, p, left_pred, gold, charged_gold, left_gold, tokens, same_role)
        if j < 0:
            i += 1
            continue
        _take_overlap(gold, charged_gold[j], left_gold, pred, p, left_pred, same_role, counts)
        charged_pred.append(open_pred.pop(i))


def _partner(
    rows: Int32, k: int, left: Bools,
    other_rows: Int32, candidates: list[int], left_other: Bools, tokens: Int32, same_role: bool,
) -> int:  # fmt: skip
    """Return the position of the candidate most like span k, -1 for none.

    Most shared tokens first, then fewest remaining tokens of its own, then of the candidate, then
    the shortest, then the first.
    """
    best = -1
    best_key = (0, 0, 0, 0)
    for j in range(len(candidates)):
        other = other_rows[candidates[j]]
        other_left = left_other[candidates[j]]
        shared = tokens[left[k] & other_left].sum()
        if shared == 0 or same_bounds(rows[k], other):
            continue
        if (rows[k, ROLE] == other[ROLE]) != same_role:
            continue
        key = (
            -shared,
            tokens[left[k]].sum() - shared,
            tokens[other_left].sum() - shared,
            other[STOP] - other[START],
        )
        if best < 0 or key < best_key:
            best = j
            best_key = key
    return best


def _take_overlap(
    gold: Int32, g: int, left_gold: Bools, pred: Int32, p: int, left_pred: Bools,
    same_role: bool, counts: Int64,
) -> None:  # fmt: skip
    """Count an overlap, and remove the shared tokens from both spans."""
    shared = left_gold[g] & left_pred[p]
    left_gold[g] &= ~shared
    left_pred[p] &= ~shared
    role = gold[g, ROLE] * N_FAIR
    if not same_role:
        counts[role + LBE] += 1
        return
    counts[role + BE] += 1
    if pred[p, START] >= gold[g, START] and pred[p, STOP] <= gold[g, STOP]:
        counts[role + BES] += 1
    elif pred[p, START] <= gold[g, START] and pred[p, STOP] >= gold[g, STOP]:
        counts[role + BEL] += 1
    else:
        counts[role + BEO] += 1

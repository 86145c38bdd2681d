"""The kernels in plain Python: the specification that csrc follows, header by header.

Each function compares one gold relation with one predicted relation. Rows are (role, start, stop)
in (start, stop, role) order; either side may have none. Every count is written. The code stays in
the subset that numba compiles.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fastcausal.engine.kernel import (
    Fields,
    Int32,
    Int64,
    Kernel,
    Measure,
    Objective,
    check_record,
    kernel,
    scored,
)
from fastcausal.engine.reference.fair_spans import fair_spans
from fastcausal.engine.reference.spans import ROLE, START, STOP, same_bounds, shared_tokens

# --------------------------------------------------------------------------------- exact_spans


@scored("exact spans", gold_sums=[("tp", "fn")])
@kernel(
    fields=("tp", "fp", "fn"),
    objective=Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}),
    additive=True,
    never_costs=True,
)
def exact_spans(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Count spans strictly: a span is right if its role and both bounds are."""
    counts[:] = 0
    used = np.zeros(len(pred), np.bool_)
    for g in range(len(gold)):
        hit = False
        for p in range(len(pred)):
            same = same_bounds(gold[g], pred[p]) and gold[g, ROLE] == pred[p, ROLE]
            if same and not used[p]:
                used[p] = True
                hit = True
                break
        counts[gold[g, ROLE] * 3 + (0 if hit else 2)] += 1
    for p in range(len(pred)):
        if not used[p]:
            counts[pred[p, ROLE] * 3 + 1] += 1


# -------------------------------------------------------------------------------- span_overlap

N_OVERLAP = 10


@scored(
    "overlap: EM, OSB, TO, alpha",
    scores=[
        *(Measure("share", name, ({name: 1}, {"pairs": 1})) for name in ("em", "osb", "to")),
        Measure("alpha", "alpha", ({"n": 1}, {"n1": 1}, {"o01": 1})),
        Measure("f1", "token_", ({"tp": 1}, {"tp": 1, "fp": 1}, {"tp": 1, "fn": 1})),
    ],
    scored_fields=("em", "pairs", "osb", "to", "tp", "fp", "fn", "n", "n1", "o01"),
    rules=[
        *pairwise([("em",), ("osb",), ("to",), ("pairs",)]),
        *pairwise([("n1",), ("tp", "tp", "fp", "fn"), ("n1",)]),  # equal
        *pairwise([("o01",), ("fp", "fn"), ("o01",)]),
        (("n1",), ("n",)),
    ],
    gold_sums=[("tp", "fn")],
)
@kernel(
    fields=("em", "osb", "to", "tp", "fp", "fn", "n", "n1", "o01", "pairs"),
    overall=("em", "osb", "to", "pairs"),
    objective=Objective({"em": 1, "osb": 1, "to": 1}),
    never_costs=True,
)
def span_overlap(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Count the overlap of each role's spans (RECESS, section 3.5 and appendix A.3).

    EM: the same set of spans. OSB: a start or a stop in common. TO: a token in common. Each is 1
    if neither side has the role, 0 if one side lacks it or is missing; overall it is 1 if it is 1
    for every role. TP, FP, FN: tokens marked by both, by pred alone, by gold alone. N, N1, O01:
    units, marked units and disagreeing units of Krippendorff's alpha over the two token masks. Two
    relations without any marked token add no units.
    """
    any_side = len(gold) > 0 or len(pred) > 0
    both = len(gold) > 0 and len(pred) > 0
    overall = N_OVERLAP * params[0]
    counts[overall : overall + 3] = both
    counts[overall + 3] = any_side
    for role in range(params[0]):
        in_gold = _mask(gold, role)
        in_pred = _mask(pred, role)
        common = 0
        for token in in_gold:
            common += token in in_pred
        absent = both and len(in_gold) == 0 and len(in_pred) == 0
        k = N_OVERLAP * role
        counts[k] = absent or (len(in_gold) > 0 and _same_spans(gold, pred, role))
        counts[k + 1] = absent or _shares_boundary(gold, pred, role)
        counts[k + 2] = absent or common > 0
        counts[k + 3] = common
        counts[k + 4] = len(in_pred) - common
        counts[k + 5] = len(in_gold) - common
        counts[k + 6] = 2 * length if any_side else 0
        counts[k + 7] = len(in_gold) + len(in_pred)
        counts[k + 8] = len(in_gold) + len(in_pred) - 2 * common
        counts[k + 9] = any_side
        for q in range(3):
            counts[overall + q] = counts[overall + q] and counts[k + q]


def _mask(rows: Int32, role: int) -> set[int]:
    """Return the tokens marked with a role."""
    tokens = {-1}
    for row in rows:
        if row[ROLE] == role:
            for token in range(row[START], row[STOP]):
                tokens.add(token)
    tokens.remove(-1)
    return tokens


def _same_spans(gold: Int32, pred: Int32, role: int) -> bool:
    a = gold[gold[:, ROLE] == role]
    b = pred[pred[:, ROLE] == role]
    return len(a) == len(b) and bool(np.all(a == b))


def _shares_boundary(gold: Int32, pred: Int32, role: int) -> bool:
    for g in gold:
        for p in pred:
            boundary = g[START] == p[START] or g[STOP] == p[STOP]
            if boundary and g[ROLE] == role and p[ROLE] == role:
                return True
    return False


# ------------------------------------------------------------------------------- partial_spans

STRICT, EXACT, PARTIAL, TYPE = range(4)
COR, INC, PAR, MIS, SPU = range(5)
EVERY_ROLE = -1
SCHEMES = ("strict", "exact", "partial", "type")
_PARTIAL_FIELDS = tuple(
    f"{scheme}_{field}" for scheme in SCHEMES for field in ("cor", "inc", "par", "mis", "spu")
)
_GOLD, _PRED = (
    [tuple(f"{scheme}_{name}" for name in ("cor", "inc", "par", missed)) for scheme in SCHEMES]
    for missed in ("mis", "spu")
)


def _score_scheme(scheme: str, predicted: Fields, wanted: Fields) -> Measure:
    hits: dict[str, float] = {f"{scheme}_cor": 1}
    if scheme in ("partial", "type"):
        hits[f"{scheme}_par"] = 0.5
    return Measure(
        "f1", f"{scheme}_", (hits, dict.fromkeys(predicted, 1), dict.fromkeys(wanted, 1))
    )


@scored(
    "schemes of SemEval-2013",
    scores=map(_score_scheme, SCHEMES, _PRED, _GOLD),
    scored_fields=_PARTIAL_FIELDS,
    rules=[
        rule
        for first, *rest in (_GOLD, _PRED)
        for other in rest
        for rule in pairwise([first, other, first])
    ],
    gold_sums=_GOLD[:1],
)
@kernel(
    fields=_PARTIAL_FIELDS,
    overall=_PARTIAL_FIELDS,
    objective=Objective(
        {"overall_partial_cor": 2, "overall_partial_par": 1},
        {
            "overall_partial_cor": 2,
            "overall_partial_par": 2,
            "overall_partial_mis": 1,
            "overall_partial_spu": 1,
        },
    ),
    additive=True,
    never_costs=True,
)
def partial_spans(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Count in the SemEval-2013 task 9 schemes strict, exact, partial and type.

    The counts equal nervaluate 1.2: COR INC PAR MIS SPU of each scheme. Counts of a role compare
    only its spans. Overall counts compare the spans of all roles, also with each other.
    Predictions are taken in row order; an overlap counts if it covers at least 1% of the gold
    span.
    """
    counts[:] = 0
    n_roles = params[0]
    for group in range(n_roles + 1):
        role = EVERY_ROLE if group == n_roles else group
        for scheme in range(4):
            k = (group * 4 + scheme) * 5
            _count_scheme(scheme, gold, pred, role, counts[k : k + 5])


def _count_scheme(scheme: int, gold: Int32, pred: Int32, role: int, counts: Int64) -> None:
    used = np.zeros(len(gold), np.bool_)
    for p in pred:
        if role not in (EVERY_ROLE, p[ROLE]):
            continue
        g, right = _find_taken(scheme, gold, p, role, used)
        if g < 0:
            counts[SPU] += 1
            continue
        used[g] = True
        if right:
            counts[COR] += 1
        else:
            counts[PAR if scheme == PARTIAL else INC] += 1
    for g in range(len(gold)):
        if role in (EVERY_ROLE, gold[g, ROLE]) and not used[g]:
            counts[MIS] += 1


def _find_taken(
    scheme: int, gold: Int32, p: Int32, role: int, used: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[int, bool]:
    """Return the gold span that a predicted span takes (-1: none), and True if it is right.

    A full match ends the search, else the first overlapping span is taken. Type takes the nearest
    span of the same role, else the first of another role.
    """
    first = -1
    nearest = -1
    distance = 0
    for i in range(len(gold)):
        g = gold[i]
        if used[i] or role not in (EVERY_ROLE, g[ROLE]):
            continue
        shared = shared_tokens(g, p)
        met = shared > 0 and 100 * shared >= g[STOP] - g[START]
        same_role = g[ROLE] == p[ROLE]
        if scheme != TYPE:
            if same_bounds(g, p) and (same_role or scheme != STRICT):
                return i, True
            if met and first < 0:
                first = i
        elif met and same_role:
            d = abs(g[START] - p[START]) + abs(g[STOP] - p[STOP])
            if nearest < 0 or d < distance:
                nearest = i
                distance = d
        elif met and first < 0:
            first = i
    return (nearest, True) if nearest >= 0 else (first, False)


KERNELS: dict[str, Kernel] = {
    made.name: check_record(made) for made in (fair_spans, exact_spans, span_overlap, partial_spans)
}

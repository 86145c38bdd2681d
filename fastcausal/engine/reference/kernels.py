"""The kernels in plain Python: the specification that csrc follows, header by header.

Each function compares one gold relation with one predicted relation. Rows are (role, start, stop)
in (start, stop, role) order; either side may have none. Every count is written. The code keeps to
what numba compiles.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fastcausal.engine.kernel import Int32, Int64, Kernel, Objective, kernel

Bools = npt.NDArray[np.bool_]
ROLE, START, STOP = 0, 1, 2


def shared_tokens(a: Int32, b: Int32) -> int:
    """Tokens that lie in both spans."""
    return int(max(0, min(a[STOP], b[STOP]) - max(a[START], b[START])))


def same_bounds(a: Int32, b: Int32) -> bool:
    """Tell whether two spans start and stop at the same tokens."""
    return bool(a[START] == b[START] and a[STOP] == b[STOP])


# ---------------------------------------------------------------------------------- fair_spans

TP, FP, FN, LE, BE, LBE, BES, BEL, BEO = range(9)
N_FAIR = 9


@kernel(
    fields=("tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo"),
    objective=Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1, "le": 1, "be": 1, "lbe": 1}),
    additive=True,
    never_costs=True,
)
def fair_spans(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Fair span counts: hits, misses, and errors of label, boundary and both (Ortmann 2022).

    Within each track: same span, same role is TP; same span, other role is LE. What is left is
    taken shortest first: an overlap in the same role is BE (inside gold BES, around it BEL, else
    BEO), then one with another role is LBE; the rest is FN and FP. LE and LBE go to gold's role.
    Partners take the tokens they share from each other, so a later one has to share others.
    """
    counts[:] = 0
    tokens, left_gold, left_pred = _segments(gold, pred)
    for track in range(params[0]):
        open_gold = _of_track(gold, params, track)
        open_pred = _of_track(pred, params, track)
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
    """Tokens of each segment between neighbouring bounds, and the segments of each span."""
    bounds = np.unique(
        np.concatenate((gold[:, START], gold[:, STOP], pred[:, START], pred[:, STOP]))
    )
    first = bounds[:-1]
    in_gold = (gold[:, START : START + 1] <= first) & (first < gold[:, STOP : STOP + 1])
    in_pred = (pred[:, START : START + 1] <= first) & (first < pred[:, STOP : STOP + 1])
    return np.diff(bounds), in_gold, in_pred


def _of_track(rows: Int32, params: Int64, track: int) -> list[int]:
    return [k for k in range(len(rows)) if params[1 + rows[k, ROLE]] == track]


def _take_same_bounds(
    gold: Int32,
    open_gold: list[int],
    pred: Int32,
    open_pred: list[int],
    same_role: bool,
    counts: Int64,
) -> None:
    """Spans with the same bounds: TP where the role is the same, LE where it is not."""
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
    """Stable insertion sort by length."""
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
    """Open spans meet open spans, then open gold what pred has charged, then the other way."""
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
    others: Int32, candidates: list[int], others_left: Bools, tokens: Int32, same_role: bool,
) -> int:  # fmt: skip
    """Position of the candidate most like span k, -1 for none.

    Most shared tokens, then fewest tokens of its own left over, then fewest of the candidate's,
    then the shortest, then the first.
    """
    best = -1
    best_key = (0, 0, 0, 0)
    for j in range(len(candidates)):
        other = others[candidates[j]]
        other_left = others_left[candidates[j]]
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
    """Count an overlap; neither span has the shared tokens any more."""
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


# --------------------------------------------------------------------------------- exact_spans


@kernel(
    fields=("tp", "fp", "fn"),
    objective=Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}),
    additive=True,
    never_costs=True,
)
def exact_spans(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Strict span counts: a span is right if its role and both bounds are."""
    counts[:] = 0
    used = np.zeros(len(pred), np.bool_)
    for g in range(len(gold)):
        found = False
        for p in range(len(pred)):
            same = same_bounds(gold[g], pred[p]) and gold[g, ROLE] == pred[p, ROLE]
            if same and not used[p]:
                used[p] = True
                found = True
                break
        counts[gold[g, ROLE] * 3 + (0 if found else 2)] += 1
    for p in range(len(pred)):
        if not used[p]:
            counts[pred[p, ROLE] * 3 + 1] += 1


# -------------------------------------------------------------------------------- span_overlap

N_OVERLAP = 10


@kernel(
    fields=("em", "osb", "to", "tp", "fp", "fn", "n", "n1", "o01", "pairs"),
    overall=("em", "osb", "to", "pairs"),
    objective=Objective({"em": 1, "osb": 1, "to": 1}),
    never_costs=True,
)
def span_overlap(gold: Int32, pred: Int32, length: int, params: Int64, counts: Int64) -> None:
    """Overlap of each role's spans (RECESS, section 3.5 and appendix A.3).

    EM: the same set of spans. OSB: some start or some stop in common. TO: some token in common.
    Each is 1 where neither side has the role, 0 where one side lacks it or is missing;
    overall 1 where it is 1 for every role. TP, FP, FN: tokens marked by both, by pred alone, by
    gold alone. N, N1, O01: units, marked units and disagreeing units of Krippendorff's alpha over
    the two token masks.
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
        counts[k + 6] = 2 * length
        counts[k + 7] = len(in_gold) + len(in_pred)
        counts[k + 8] = len(in_gold) + len(in_pred) - 2 * common
        counts[k + 9] = any_side
        for q in range(3):
            counts[overall + q] = counts[overall + q] and counts[k + q]


def _mask(rows: Int32, role: int) -> set[int]:
    """The tokens marked with a role."""
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
_PARTIAL_FIELDS = tuple(
    f"{scheme}_{field}"
    for scheme in ("strict", "exact", "partial", "type")
    for field in ("cor", "inc", "par", "mis", "spu")
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
    """The SemEval-2013 task 9 schemes strict, exact, partial and type, as nervaluate 1.2 counts.

    COR INC PAR MIS SPU of each; per role over that role's spans alone, overall over the spans of
    all roles, where a span may meet one of another role. Predictions are taken in row order; an
    overlap counts if it covers at least 1% of the gold span.
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
        g, right = _taken(scheme, gold, p, role, used)
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


def _taken(
    scheme: int, gold: Int32, p: Int32, role: int, used: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[int, bool]:
    """The gold span that a predicted span takes (-1: none), and whether it counts as right.

    A full match ends the search, else the first span met is taken. Type takes the nearest span of
    the same role, else the first of another.
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
    k.name: k for k in (fair_spans, exact_spans, span_overlap, partial_spans)
}

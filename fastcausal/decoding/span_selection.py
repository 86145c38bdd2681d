"""The specification of csrc/fastcausal/span_selection.h and logarithms.h, in plain Python.

It lists and sorts all pairs and all combinations; native code must find the same ones with the
same scores, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any, NamedTuple

Floats = list[float]
Span = tuple[int, int] | None
BEAM, CONSTRAINED, ARGMAX, CONSTRAINED_LOGITS = range(4)
A_START, A_END, B_START, B_END, SIGNAL_START, SIGNAL_END = range(6)

LN2_HIGH = float.fromhex("0x1.62e42fefa38p-1")
LN2_LOW = float.fromhex("0x1.ef35793c7673p-45")
LOG2_E = float.fromhex("0x1.71547652b82fep0")
EXP = [1 / math.factorial(k) for k in range(12)]
LOG_TERMS = 11


class Selection(NamedTuple):
    """One relation: the words of A, B and the signal, and its score."""

    spans: tuple[Span, Span, Span]
    score: float


def exp_of(x: float) -> float:
    """Return the exponential of x <= 0, 0 below -40."""
    if not x >= -40:
        return 0.0
    n = int(0.5 - x * LOG2_E)
    r = (x + n * LN2_HIGH) + n * LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    pairs = [EXP[k] + EXP[k + 1] * r for k in range(0, 12, 2)]
    low, middle, high = (pairs[k] + pairs[k + 1] * r2 for k in range(0, 6, 2))
    return math.ldexp((low + middle * r4) + high * (r4 * r4), -n)


def log_of(x: float) -> float:
    """Return the logarithm of x >= 1."""
    n = 0
    while x > 1.5:
        x *= 0.5
        n += 1
    f = (x - 1) / (x + 1)
    total = 0.0
    for k in range(LOG_TERMS, -1, -1):
        total = 1 / (2 * k + 1) + f * f * total
    return n * LN2_HIGH + (2 * f * total + n * LN2_LOW)


def log_sum_exp(values: Floats) -> float:
    """Return the offset from logits to log-probabilities; 0 if every value is -inf."""
    most = max(values, default=-math.inf)
    if most == -math.inf:
        return 0.0
    total = 0.0
    for value in values:
        total += exp_of(value - most)
    return most + log_of(total)


def best(values: Iterable[float], n: int) -> list[int]:
    """Return the indices of the n greatest values, ties in order; -inf is left out."""
    listed = list(values)
    order = sorted(range(len(listed)), key=lambda k: -listed[k])
    return [k for k in order if listed[k] > -math.inf][:n]


def open_positions(there: Any, words: Any, n_tokens: int) -> list[int]:
    """Return the tokens that may be chosen."""
    real = [t for t in range(n_tokens) if there is None or there[t]]
    return real[1:-1] if words is None else [t for t in real if words[t] >= 0]


def splits(
    logits: Sequence[Floats], words: Sequence[int], top_k: int, after_first: bool
) -> list[tuple[int, ...]]:
    """Return the best splits: end i of one argument, start j of the other, 1 if A comes first."""
    n = len(words)
    pairs = [(i, j) for i in range(n) for j in range(n) if words[i] < words[j]]
    orders = (0, 1) if after_first else (1, 0)
    candidates = [(i, j, before) for before in orders for i, j in pairs]
    ends_and_starts = {1: (A_END, B_START), 0: (B_END, A_START)}
    scores = []
    for i, j, before in candidates:
        end, start = ends_and_starts[before]
        scores.append(logits[end][i] + logits[start][j])
    return [candidates[k] for k in best(scores, top_k)]


def beam(
    logits: Sequence[Floats], chances: Sequence[Floats], words: list[int], top_k: int, n_best: int,
    after_first: bool,
) -> list[Selection]:  # fmt: skip
    """Choose selections by ``logits``, score them by ``chances``."""
    selections: list[Selection] = []
    for i, j, before in splits(logits, words, top_k, after_first):
        columns = (A_START, A_END, B_START, B_END) if before else (B_START, B_END, A_START, A_END)
        left, end, start, right = (chances[c] for c in columns)
        starts = best(logits[columns[0]][: i + 1], top_k)
        ends = [j + k for k in best(logits[columns[3]][j:], top_k)]
        for first, last in product(starts, ends):
            outer = [(words[first], words[i] + 1), (words[j], words[last] + 1)]
            a, b = outer if before else reversed(outer)
            score = ((end[i] + start[j]) + left[first]) + right[last]
            selections.append(Selection((a, b, None), score))
    kept: dict[Any, Selection] = {}
    for k in best([selection.score for selection in selections], len(selections)):
        kept.setdefault(selections[k].spans, selections[k])
    return list(kept.values())[:n_best]


def argmax(logits: Sequence[Floats], chances: Sequence[Floats], words: list[int]) -> Selection:
    """Return the best position of each column, chosen independently."""
    spans: list[Span] = [None, None, None]
    score = 0.0
    for k in range(2):
        start, end = (best(logits[c], 1) for c in (2 * k, 2 * k + 1))
        if start and end and start[0] <= end[0]:
            spans[k] = words[start[0]], words[end[0]] + 1
            score += chances[2 * k][start[0]] + chances[2 * k + 1][end[0]]
    return Selection((spans[0], spans[1], None), score)


def signal_span(
    logits: Sequence[Floats], words: list[int], tokens: list[int], max_signal: int
) -> Span:
    """Return the best start, with the best end at most ``max_signal`` tokens from it."""
    starts = best(logits[SIGNAL_START], 1)
    if not starts:
        return None
    start = starts[0]
    near = sum(0 <= token - tokens[start] < max_signal for token in tokens)
    end = best(logits[SIGNAL_END][start : start + near], 1)
    return (words[start], words[start + end[0]] + 1) if end else None


def select(
    columns: Sequence[Any],  # 4 or 6 sequences of float, [n_tokens] each
    there: Any,  # bool[n_tokens] or None
    words: Any,  # int[n_tokens] or None
    has_signal: bool,
    method: int,  # This and all that follow as in `fastcausal.SpanDecoder`
    top_k: int,
    n_best: int,
    max_signal: int,
    min_score: float,
) -> list[Selection]:
    """Return the relations of one example, best first."""
    tokens = open_positions(there, words, len(columns[0]))
    logits = [[float(column[t]) for t in tokens] for column in columns]
    numbers = [int(t if words is None else words[t]) for t in tokens]
    sums = [log_sum_exp(column) for column in logits]
    chances = [
        [value - total for value in column] for column, total in zip(logits, sums, strict=True)
    ]
    if method == ARGMAX:
        best_of_each = argmax(logits, chances, numbers)
        selections = [best_of_each] if any(best_of_each.spans) else []
    else:
        by = logits if method == CONSTRAINED_LOGITS else chances
        selections = beam(by, chances, numbers, top_k, n_best, method == CONSTRAINED)
    signal = None
    if has_signal and len(columns) > 4:
        signal = signal_span(logits, numbers, tokens, max_signal)
    return [
        Selection((chosen.spans[0], chosen.spans[1], signal), chosen.score)
        for chosen in selections
        if not chosen.score < min_score
    ]


def rows_of(selection: Selection, roles: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return (role, start, stop) of each span, sorted by (start, stop, role)."""
    spans = [(*span, role) for span, role in zip(selection.spans, roles, strict=False) if span]
    return [(role, start, stop) for start, stop, role in sorted(spans)]

"""Kernels as a user would write them. Their module has to be importable: they are pickled."""

from __future__ import annotations

from numba.extending import register_jitable

import fastcausal as fc

TP, FP, FN = range(3)


@fc.kernel(fields=["tp", "fp", "fn"], additive=True)
def same_spans(gold, pred, length, params, counts):
    """Count as exact_spans does, by the merge of two sorted lists of exact_spans.h."""
    i = j = 0
    while i < len(gold) or j < len(pred):
        if i == len(gold):
            order = 1
        elif j == len(pred):
            order = -1
        else:
            order = gold[i, 1] - pred[j, 1]
            if order == 0:
                order = gold[i, 2] - pred[j, 2]
            if order == 0:
                order = gold[i, 0] - pred[j, 0]
        if order == 0:
            counts[3 * gold[i, 0] + TP] += 1
        elif order < 0:
            counts[3 * gold[i, 0] + FN] += 1
        else:
            counts[3 * pred[j, 0] + FP] += 1
        i += order <= 0
        j += order >= 0


@fc.kernel(fields=["tp", "fp", "fn"], additive=True)
def head_words(gold, pred, length, params, counts):
    """Spans whose role and last token are right."""
    used = [False for _ in range(len(pred))]
    for g in range(len(gold)):
        hit = FN
        for p in range(len(pred)):
            if not used[p] and gold[g, 0] == pred[p, 0] and gold[g, 2] == pred[p, 2]:
                used[p] = True
                hit = TP
                break
        counts[3 * gold[g, 0] + hit] += 1
    for p in range(len(pred)):
        if not used[p]:
            counts[3 * pred[p, 0] + FP] += 1


@register_jitable
def shared_tokens(a, b):
    return max(0, min(a[2], b[2]) - max(a[1], b[1]))


@fc.kernel(
    fields=["shared", "far"],
    overall=["tokens", "tracks", "alone"],
    objective=fc.Objective({"shared": 3, "far": -1, "overall_alone": -2}),
)
def shared_or_far(gold, pred, length, params, counts):
    """A sum in which pairing may cost, and every argument counts."""
    n_roles = params[0]
    for g in gold:
        for p in pred:
            counts[2 * g[0]] += shared_tokens(g, p)
            counts[2 * p[0] + 1] += abs(g[1] - p[1]) % 5
    counts[2 * n_roles] = length
    counts[2 * n_roles + 1] = params[1:].sum()
    counts[2 * n_roles + 2] = len(gold) == 0 or len(pred) == 0


@fc.kernel(
    fields=["n", "d"],
    overall=["m"],
    objective=fc.Objective({"n": 2, "overall_m": -1}, {"d": 3, "overall_m": 1}),
)
def scrambled(gold, pred, length, params, counts):
    """Count meaningless numbers above 0, so that the gain of a pair may be any number."""
    state = 7
    for rows in (gold, pred):
        for row in rows:
            for value in row:
                state = (state * 31 + value + 1) % 1009
        state = (state * 17 + 5) % 1009
    for k in range(len(counts)):
        state = (state * 31 + k) % 1009
        counts[k] = 1 + state % 6


KERNELS = {k.name: k for k in (same_spans, head_words, shared_or_far, scrambled)}

"""Agreement of two annotators' relations as a numba user would write it: recess.py over flat rows.

Spans of a role do not overlap within a relation.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fastcausal.rows import Rows

from .recess import ROLES, Agreed, alpha

MAX_RELATIONS = 16  # largest number of relations in an example
N_ROLES = len(ROLES)


def agreement(gold: Rows, pred: Rows) -> Agreed:
    """Compute EM, OSB, TO over the chosen pairs, and alpha over their token masks."""
    hits, masks, n_pairs = _agreement(*gold.arrays(), *pred.arrays(), gold.lengths)
    masks = np.vstack([masks, masks.sum(axis=0)]).tolist()
    return {
        name: dict(zip(("em", "osb", "to"), (hits[k] / n_pairs).tolist(), strict=True))
        | {"alpha": alpha(*masks[k])}
        for k, name in enumerate((*ROLES, "total"))
    }


@njit(cache=True)
def _compare(a, b, role):
    """Compute EM, OSB, TO, shared and marked tokens of one role."""
    n_a = n_b = marked = shared = 0
    same = True
    boundary = False
    j = 0
    for row in a:
        if row[0] != role:
            continue
        n_a += 1
        marked += row[2] - row[1]
        while j < len(b) and b[j, 0] != role:
            j += 1
        same = same and j < len(b) and b[j, 1] == row[1] and b[j, 2] == row[2]
        j += 1
        for other in b:
            if other[0] == role:
                boundary = boundary or other[1] == row[1] or other[2] == row[2]
                shared += max(0, min(other[2], row[2]) - max(other[1], row[1]))
    for other in b:
        if other[0] == role:
            n_b += 1
            marked += other[2] - other[1]
    absent = len(a) > 0 and len(b) > 0 and n_a == 0 and n_b == 0
    em = absent or (n_a > 0 and n_a == n_b and same)
    return em, absent or boundary, absent or shared > 0, shared, marked


@njit(cache=True)
def _order(a, b):
    """Return -1 if relation a sorts before relation b, 1 if after it, 0 if they are equal."""
    for k in range(min(len(a), len(b))):
        for column in range(3):
            if a[k, column] != b[k, column]:
                return -1 if a[k, column] < b[k, column] else 1
    return (len(a) > len(b)) - (len(a) < len(b))


@njit(cache=True)
def _sorted(values, offsets, first, n, into):
    for i in range(n):
        into[i] = first + i
        j = i
        while (
            j and _order(_rows(values, offsets, into[j]), _rows(values, offsets, into[j - 1])) < 0
        ):
            into[j], into[j - 1] = into[j - 1], into[j]
            j -= 1


@njit(cache=True)
def _rows(values, offsets, relation):
    return values[offsets[relation] : offsets[relation + 1]]


@njit(cache=True)
def _next_permutation(order, k):
    i = k - 2
    while i >= 0 and order[i] > order[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = k - 1
    while order[j] < order[i]:
        j -= 1
    order[i], order[j] = order[j], order[i]
    order[i + 1 : k] = order[i + 1 : k][::-1].copy()
    return True


@njit(cache=True)
def _agreement(g_values, g_rows, g_relations, p_values, p_rows, p_relations, lengths):
    hits = np.zeros((N_ROLES + 1, 3), np.int64)
    masks = np.zeros((N_ROLES, 3), np.int64)
    n_pairs = 0
    golds, preds = np.zeros(MAX_RELATIONS, np.int64), np.zeros(MAX_RELATIONS, np.int64)
    weight = np.zeros((MAX_RELATIONS, MAX_RELATIONS), np.int64)
    order, best_order = np.zeros(MAX_RELATIONS, np.int64), np.zeros(MAX_RELATIONS, np.int64)
    for e in range(len(lengths)):
        n_gold = g_relations[e + 1] - g_relations[e]
        n_pred = p_relations[e + 1] - p_relations[e]
        k = max(n_gold, n_pred)
        _sorted(g_values, g_rows, g_relations[e], n_gold, golds)
        _sorted(p_values, p_rows, p_relations[e], n_pred, preds)
        first = 0
        for i in range(min(n_gold, n_pred)):
            if first == 0:
                first = _order(_rows(g_values, g_rows, golds[i]), _rows(p_values, p_rows, preds[i]))
        gold_leads = first < 0 or (first == 0 and n_gold <= n_pred)
        best_order[:k] = np.arange(k)
        if k > 1:
            weight[:k, :k] = 0
            for g in range(n_gold):
                for p in range(n_pred):
                    total = 0
                    for role in range(N_ROLES):
                        em, osb, to, shared, _ = _compare(
                            _rows(g_values, g_rows, golds[g]),
                            _rows(p_values, p_rows, preds[p]),
                            role,
                        )
                        total += ((em + osb + to) << 32) + shared
                    if gold_leads:
                        weight[g, p] = total
                    else:
                        weight[p, g] = total
            order[:k] = np.arange(k)
            best = -1
            while True:
                total = 0
                for i in range(k):
                    total += weight[i, order[i]]
                if total > best:
                    best = total
                    best_order[:k] = order[:k]
                if not _next_permutation(order, k):
                    break
        for i in range(k):
            g, p = (i, best_order[i]) if gold_leads else (best_order[i], i)
            a = _rows(g_values, g_rows, golds[g]) if g < n_gold else g_values[:0]
            b = _rows(p_values, p_rows, preds[p]) if p < n_pred else p_values[:0]
            n_pairs += 1
            all_em = all_osb = all_to = True
            for role in range(N_ROLES):
                em, osb, to, shared, marked = _compare(a, b, role)
                hits[role, 0] += em
                hits[role, 1] += osb
                hits[role, 2] += to
                all_em, all_osb, all_to = all_em and em, all_osb and osb, all_to and to
                masks[role, 0] += 2 * np.int64(lengths[e])
                masks[role, 1] += marked
                masks[role, 2] += marked - 2 * shared
            hits[N_ROLES, 0] += all_em
            hits[N_ROLES, 1] += all_osb
            hits[N_ROLES, 2] += all_to
    return hits, masks, n_pairs

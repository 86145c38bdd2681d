"""Metrics against people, by the definitions of the papers, in plain loops over dicts.

Tau-b, pairwise accuracy: Deutsch, Foster and Freitag, Ties Matter (2023). Soft pairwise accuracy:
Thompson et al., Improving Statistical Significance in Human Evaluation (2024). Swap test: Deutsch,
Dror and Roth, A Statistical Analysis of Summarization Evaluation Metrics (2021), PERM-BOTH.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from statistics import fmean, pstdev

NAN = math.nan


def signs(x, y):
    for i, j in combinations(range(len(x)), 2):
        yield (x[i] > x[j]) - (x[i] < x[j]), (y[i] > y[j]) - (y[i] < y[j])


def kendall(x, y):
    pairs = list(signs(x, y))
    untied_x, untied_y = sum(a != 0 for a, _ in pairs), sum(b != 0 for _, b in pairs)
    if not untied_x or not untied_y:
        return NAN
    return sum(a * b for a, b in pairs) / math.sqrt(untied_x * untied_y)


def accuracy(x, y):
    pairs = list(signs(x, y))
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else NAN


def pearson(x, y):
    if len(set(x)) < 2 or len(set(y)) < 2:
        return NAN
    mean_x, mean_y = fmean(x), fmean(y)
    products = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / (len(x) * pstdev(x) * pstdev(y))


def ranks(x):
    return [sum(b < a for b in x) + (1 + sum(b == a for b in x)) / 2 for a in x]


def spearman(x, y):
    return pearson(ranks(x), ranks(y))


SCORES = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "pairwise_accuracy": accuracy,
}


def mean_defined(values):
    values = [value for value in values if not math.isnan(value)]
    return math.fsum(values) / len(values) if values else NAN


def grouped(rows, key):
    """Scores and labels of each value of a key; a row is (system, item, score, label)."""
    groups = {}
    for row in sorted(rows):
        groups.setdefault(row[key], []).append(row[2:])
    return {name: tuple(zip(*values, strict=True)) for name, values in groups.items()}


def of_level(rows, level, score):
    if score == "calibrated_accuracy":
        return calibrated(rows)[0]
    if score == "soft_pairwise_accuracy":
        return soft_pairwise_accuracy(rows)
    return LEVELS[level](rows, score)


def pooled(rows, score):
    return SCORES[score]([row[2] for row in rows], [row[3] for row in rows])


def by_item(rows, score):
    groups = grouped(rows, 1).values()
    return mean_defined([SCORES[score](x, y) for x, y in groups if len(x) > 1])


def systems(rows, score):
    means = [(fmean(x), fmean(y)) for x, y in grouped(rows, 0).values()]
    return SCORES[score](*map(with_ties, zip(*means, strict=True)))


def with_ties(means):
    """Means that are equal are ties, though their last bits differ."""
    bound = 1e-11 * max(map(abs, means))
    firsts = []
    for mean in means:
        firsts.append(next((first for first in firsts if abs(mean - first) <= bound), mean))
    return firsts


LEVELS = {"pooled": pooled, "by_item": by_item, "systems": systems}


def calibrated(rows):
    """Best accuracy and the smallest tie threshold with it, over all thresholds."""
    groups = [values for values in grouped(rows, 1).values() if len(values[0]) > 1]
    gaps = {abs(a - b) for x, _ in groups for a, b in combinations(x, 2)} | {0.0}

    def accuracy_at(threshold):
        shares = []
        for x, y in groups:
            right = [
                (0 if abs(a - c) <= threshold else (a > c) - (a < c)) == (b > d) - (b < d)
                for (a, b), (c, d) in combinations(list(zip(x, y, strict=True)), 2)
            ]
            shares.append(sum(right) / len(right))
        return fmean(shares)

    if not groups:
        return NAN, NAN
    values = {threshold: accuracy_at(threshold) for threshold in sorted(gaps)}
    best = max(values.values())
    return best, next(t for t, value in values.items() if value >= best - 1e-12)


def share_below(differences):
    """Share of sets of items whose differences sum below 0, half of those at 0."""
    bound = 1e-12 * sum(map(abs, differences))
    twice = 0
    for chosen in product((0, 1), repeat=len(differences)):
        total = math.fsum(d for d, c in zip(differences, chosen, strict=True) if c)
        twice += 2 * (total < -bound) + (abs(total) <= bound)
    return twice / 2 / 2 ** len(differences)


def soft_pairwise_accuracy(rows):
    by_system = {}
    for system, item, score, label in sorted(rows):
        by_system.setdefault(system, {})[item] = score, label
    values = []
    for a, b in combinations(sorted(by_system), 2):
        shared = sorted(by_system[a].keys() & by_system[b].keys())
        if shared:
            p = [
                share_below([by_system[a][item][k] - by_system[b][item][k] for item in shared])
                for k in (0, 1)
            ]
            values.append(1 - abs(p[0] - p[1]))
    return fmean(values) if values else NAN


def swap_test(first, second, level, score):
    """Difference and p of two metrics over the same rows, by all exchanges of items."""
    rows = list(zip(first, second, strict=True))
    items = sorted({row[1] for row in first})
    scaled = [
        [
            round((row[2] - fmean(r[2] for r in side)) / (pstdev([r[2] for r in side]) or 1), 12)
            for row in side
        ]
        for side in (first, second)
    ]

    def difference(exchanged):
        sides = [
            [
                (*row[:2], scaled[k ^ exchanged[items.index(row[1])]][n], row[3])
                for n, (row, _) in enumerate(rows)
            ]
            for k in (0, 1)
        ]
        return of_level(sides[0], level, score) - of_level(sides[1], level, score)

    observed = difference((0,) * len(items))
    drawn = [difference(swap) for swap in product((0, 1), repeat=len(items))]
    drawn = [abs(value) for value in drawn if not math.isnan(value)]
    return observed, sum(value >= abs(observed) - 1e-12 for value in drawn) / len(drawn)

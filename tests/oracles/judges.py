"""Judges of labels that are words, by plain loops over dicts.

Alternative annotator test: Calderon, Reichart and Dror (2025), algorithm 1, with the share of equal
labels as the score. Kappa: Cohen (1960). Correlation of classes: Gorodkin (2004), from indicators.
Shares nothing with the package.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

from scipy.stats import ttest_1samp

NAN = math.nan


def majority(labels):
    """The label of most people; None for a tie."""
    counts = Counter(label for label in labels if label is not None).most_common()
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


def voted(rows):
    """Pairs of majority and judge's label; a row is (judge's label, people's labels)."""
    pairs = [(majority(people), judge) for judge, people in rows]
    return [pair for pair in pairs if pair[0] is not None]


def accuracy(rows):
    pairs = voted(rows)
    return Fraction(sum(a == b for a, b in pairs), len(pairs)) if pairs else NAN


def kappa(rows):
    pairs = voted(rows)
    if not pairs:
        return NAN
    left, right = (Counter(side) for side in zip(*pairs, strict=True))
    chance = Fraction(sum(left[k] * right[k] for k in left), len(pairs) ** 2)
    return (accuracy(rows) - chance) / (1 - chance) if chance != 1 else NAN


def mcc(rows):
    pairs = voted(rows)
    if not pairs:
        return NAN
    classes = {label for pair in pairs for label in pair}
    n = len(pairs)

    def covariance(i, j):
        total = Fraction(0)
        for label in classes:
            x = [pair[i] == label for pair in pairs]
            y = [pair[j] == label for pair in pairs]
            total += sum(
                (a - Fraction(sum(x), n)) * (b - Fraction(sum(y), n))
                for a, b in zip(x, y, strict=True)
            )
        return total

    spread = covariance(0, 0) * covariance(1, 1)
    return float(covariance(0, 1)) / math.sqrt(spread) if spread else NAN


def agreement(rows):
    said = [(judge, label) for judge, people in rows for label in people if label is not None]
    return Fraction(sum(a == b for a, b in said), len(said)) if said else NAN


def of_class(rows, label):
    """Precision, recall and F1 of a label."""
    pairs = voted(rows)
    hits = sum(a == b == label for a, b in pairs)
    wanted, given = (sum(pair[k] == label for pair in pairs) for k in (0, 1))
    precision = Fraction(hits, given) if given else NAN
    recall = Fraction(hits, wanted) if wanted else NAN
    return precision, recall, Fraction(2 * hits, wanted + given) if wanted + given else NAN


SCORES = {"accuracy": accuracy, "kappa": kappa, "mcc": mcc, "agreement": agreement}


def rest_of(rows, rater):
    """Return rows of (the rater's label, labels of the others), with the rater as the judge."""
    others = [(p[rater], [*p[:rater], *p[rater + 1 :]]) for _, p in rows]
    return [(mine, rest) for mine, rest in others if mine is not None and any(rest)]


def alt_test(rows, epsilon, least=30):
    """Winning rate, advantage and number of raters."""
    n_raters = len(rows[0][1])
    compared = []
    for rater in range(n_raters):
        of_judge, of_rater = [], []
        for judge, people in rows:
            rest = [x for k, x in enumerate(people) if k != rater and x is not None]
            if people[rater] is None or not rest:
                continue
            by_judge, by_rater = (sum(x == y for y in rest) for x in (judge, people[rater]))
            of_judge.append(by_judge >= by_rater)
            of_rater.append(by_rater >= by_judge)
        compared.append((of_judge, of_rater))
    return decide(compared, epsilon, least)


def decide(compared, epsilon, least=30):
    """The same from pairs of lists: is the judge, or the rater, at least as close to the rest?"""
    tested = []
    for of_judge, of_rater in compared:
        if len(of_judge) >= least:
            away = [int(b) - int(a) for a, b in zip(of_judge, of_rater, strict=True)]
            if len(set(away)) == 1:
                p = 0.0 if away[0] < epsilon else 1.0
            else:
                p = ttest_1samp(away, epsilon, alternative="less").pvalue
            tested.append((p, sum(of_judge) / len(of_judge)))
    if not tested:
        return NAN, NAN, 0
    m = len(tested)
    harmonic = sum(1 / k for k in range(1, m + 1))
    n_won = 0
    for k, (p, _) in enumerate(sorted(tested), 1):
        if p <= k * 0.05 / (m * harmonic):
            n_won = k
    return n_won / m, sum(share for _, share in tested) / m, m


def exchange_p(a, b, score):
    """p of all exchanges of whole items; a and b hold lists of rows by item."""
    items = sorted(a)

    def difference(swaps):
        sides = [], []
        for item, swap in zip(items, swaps, strict=True):
            for side, rows in zip(sides, (b, a) if swap else (a, b), strict=True):
                side.extend(rows[item])
        return float(score(sides[0])) - float(score(sides[1]))

    observed = difference([0] * len(items))
    ways = [difference(swaps) for swaps in product((0, 1), repeat=len(items))]
    reached = sum(not abs(way) < abs(observed) - 1e-12 for way in ways)
    return observed, reached / len(ways)

"""Simultaneous rank sets and the worth of a winner, in plain loops over resamples and pairs.

Mogstad, Romano, Shaikh, Wilhelm 2024, Inference for Ranks, Review of Economic Studies 91 (rank sets
by the single-step procedure, here with Student's t for few units); Tsamardinos, Greasidou,
Borboudakis 2018, Bootstrapping the out-of-sample predictions, Machine Learning 107 (the out-of-bag
score of each resample's best).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import stdev

from scipy import stats


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def margins(
    values: Sequence[float], drawn: Sequence[Sequence[float]], confidence: float, n_units: int
) -> dict[tuple[int, int], float]:
    """The lead beyond which each pair is in a sure order; without variation of all units, any."""
    spread = {}
    n_pairs = math.comb(len(values), 2)
    sure = len(drawn[0]) >= 50 and n_pairs * 2 ** (1 - n_units) <= 1 - confidence + 2e-12
    alike = {}
    for j, k in combinations(range(len(values)), 2):
        differences = [a - b for a, b in zip(drawn[j], drawn[k], strict=True)]
        differences = [d for d in differences if not math.isnan(d)]
        known = not math.isnan(values[j] - values[k])
        if known and len(differences) > 1 and stdev(differences) > 1e-12:
            spread[j, k] = stdev(differences)
        elif sure and not any(map(math.isnan, (*drawn[j], *drawn[k]))):
            alike[j, k] = 1e-12
    largest = []
    for scores in zip(*drawn, strict=True):
        each = [
            abs((scores[j] - scores[k]) - (values[j] - values[k])) / s
            for (j, k), s in spread.items()
        ]
        each = [x for x in each if not math.isnan(x)]
        if each:
            largest.append(max(each))
    if not largest:
        return alike
    c = wider(quantile(largest, confidence), len(spread), confidence, n_units)
    return alike | {pair: c * s for pair, s in spread.items()}


def wider(c: float, n_pairs: int, confidence: float, n_units: int) -> float:
    """Between t at the level that c has in the normal law, and t of Bonferroni's level."""
    law = stats.t(n_units - 1)
    one = float(law.isf(stats.norm.sf(c)))
    if one == float("inf"):
        return one
    by_bonferroni = max(one, float(law.isf((1 - confidence) / 2 / n_pairs)))
    of_the_error = 1 / (1 + (n_units - 1) / one / one) if one else 0
    mixed = of_the_error * by_bonferroni + (1 - of_the_error) * one
    return mixed / math.sqrt(1 - 1 / n_units)


def rank_sets(
    values: Sequence[float], drawn: Sequence[Sequence[float]], confidence: float, n_units: int
) -> list[tuple[int, int, int]]:
    """Return rank, best and worst rank of each system; zeros if its score is undefined."""
    margin = margins(values, drawn, confidence, n_units)

    def surely_better(j: int, k: int) -> bool:
        pair = (min(j, k), max(j, k))
        return pair in margin and values[j] - values[k] > margin[pair]

    systems = [k for k, value in enumerate(values) if not math.isnan(value)]
    return [
        (
            1 + sum(values[j] - values[k] > 1e-12 for j in systems),
            1 + sum(surely_better(j, k) for j in systems),
            len(systems) - sum(surely_better(k, j) for j in systems),
        )
        if k in systems
        else (0, 0, 0)
        for k in range(len(values))
    ]


def expected(
    score: Callable[[int, Sequence[float]], float],
    n_systems: int,
    draws: Sequence[Sequence[int]],
    numbers: Sequence[int],
) -> float:
    """Return the mean score of each resample's best system on the units left out; ties share.

    ``score(k, times)`` is the score of system k with row i counted times[i] times. Of the n equal
    units of a row, w draws leave each out with a chance of (1 - 1/n)^w.
    """
    each = []
    for times in draws:
        scores = [score(k, times) for k in range(n_systems)]
        defined = [s for s in scores if not math.isnan(s)]
        best = [k for k, s in enumerate(scores) if defined and s >= max(defined) - 1e-12]
        left_out = [n * (1 - 1 / n) ** w for n, w in zip(numbers, times, strict=True)]
        elsewhere = [s for s in (score(k, left_out) for k in best) if not math.isnan(s)]
        if elsewhere:
            each.append(sum(elsewhere) / len(elsewhere))
    return sum(each) / len(each) if each else math.nan

"""PPI++ for means with two pseudo-rows, step by step, without arrays.

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++, section 6.1 with the weight of equation 10.
Shares nothing with the package.
"""

from __future__ import annotations

from math import inf, sqrt
from statistics import fmean, variance

from scipy.stats import t


def _clip(value, low, high):
    return min(max(value, low), high)


def powered(judged, metric, unjudged, low, high, clusters=None, other_clusters=None):
    """Mean, its bounds of 95%, and weight."""
    clusters = clusters or [f"j{k}" for k in range(len(judged))]
    others = other_clusters or [f"u{k}" for k in range(len(unjudged))]
    n, n_rest = len(judged), len(unjudged)
    sizes = [clusters.count(c) for c in set(clusters)]
    size = sqrt(n / len(sizes))
    people, scores = [*judged, low, high], [*metric, *[fmean([*metric, *unjudged])] * 2]
    weights, total = [*[1.0] * n, size, size], n + 2 * size

    def mean(values, of=weights):
        return sum(w * v for w, v in zip(of, values, strict=True)) / sum(of)

    every, of_every = [*scores, *unjudged], [*weights, *[1.0] * n_rest]
    weight = 0.0
    if len(set(others)) > 1:
        middle, metric_middle, middle_of_all = mean(people), mean(scores), mean(every, of_every)
        rows = zip(weights, people, scores, strict=True)
        together = sum(w * (y - middle) * (m - metric_middle) for w, y, m in rows) / (total - 1)
        squares = (w * (m - middle_of_all) ** 2 for w, m in zip(of_every, every, strict=True))
        spread = sum(squares) / (total + n_rest - 1)
        if spread > 0:
            weight = _clip(together / ((1 + total / n_rest) * spread), 0, 1)
    shift = weight * fmean(unjudged)
    left = [y - weight * m for y, m in zip(people, scores, strict=True)]
    estimate = _clip(shift + fmean(left[:n]), low, high)
    if len(sizes) < 2 or low == high:
        return estimate, None, None, weight
    named = [*clusters, "low end", "high end"]
    n_named, n_others = len(set(named)), len(set(others))
    parts, away, away_rest = {}, mean(left), fmean(unjudged)
    for w, value, c in zip(weights, left, named, strict=True):
        parts.setdefault(c, [0.0, 0.0])[0] += w * (value - away) / total
    for value, c in zip(unjudged, others, strict=True):
        parts.setdefault(c, [0.0, 0.0])[1] += weight * (value - away_rest) / n_rest
    factors = sqrt(n_named / (n_named - 1)), sqrt(n_others / max(n_others - 1, 1))
    sums = [(a * factors[0], b * factors[1]) for a, b in parts.values()]
    of_judged, of_rest = sum(a * a for a, _ in sums), sum(b * b for _, b in sums)
    worth = total**2 / (sum(s * s for s in sizes) + 2 * size * size)
    worth_rest = n_rest**2 / sum(others.count(c) ** 2 for c in set(others))
    below = of_judged**2 / (worth - 1)
    if of_rest:
        below += of_rest**2 / (worth_rest - 1)
    freedom = max(1, min((of_judged + of_rest) ** 2 / below if below else inf, worth - 3))
    half = t.ppf(0.975, freedom) * sqrt(sum((a + b) ** 2 for a, b in sums))
    center = _clip(shift + away, low, high)
    return estimate, max(center - half, low), min(center + half, high), weight


def planned(judged, metric, scored, low, high, delta):
    """The fewest rows of all scored ones whose labels give the margin, by trying each; or None."""
    n_pilot, n_all = len(judged), len(scored)
    mean, mean_metric = fmean(judged), fmean(metric)
    products = [(y - mean) * (m - mean_metric) for y, m in zip(judged, metric, strict=True)]
    together = sum(products) / (n_pilot - 1)
    off, metric_off = mean - (low + high) / 2, mean_metric - fmean(scored)
    for n in range(2, n_all + 1):
        rest, apart = n_all - n, 2 * n / (n + 2)  # sum of squares of two groups: apart * distance^2
        spread = variance(scored) * (n_all - 1) / (n_all + 1)
        weight = 0.0
        if rest > 1 and spread:
            of_both = ((n - 1) * together + apart * off * metric_off) / (n + 1)
            weight = _clip(of_both / ((1 + (n + 2) / rest) * spread), 0, 1)
        left = variance([y - weight * m for y, m in zip(judged, metric, strict=True)])
        squares = (n - 1) * left + (high - low) ** 2 / 2
        squares += apart * (off - weight * metric_off) ** 2
        of_judged = squares / (n + 1) / (n + 2)
        of_rest = weight**2 * variance(scored) / rest if weight else 0.0
        below = of_judged**2 / (n + 1) + (of_rest**2 / (rest - 1) if weight else 0.0)
        freedom = max(1, min((of_judged + of_rest) ** 2 / below, n - 1))
        if t.ppf(0.975, freedom) * sqrt(of_judged + of_rest) <= delta:
            return n
    return None

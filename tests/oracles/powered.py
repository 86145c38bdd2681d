"""PPI++ for means, step by step, without arrays.

Source: Angelopoulos, Duchi and Zrnic (2023), PPI++, section 6.1 with the weight of equation 10;
divisors as ppi-python has them. Shares nothing with the package.
"""

from __future__ import annotations

from math import sqrt
from statistics import fmean, pvariance, variance


def powered(judged, metric, unjudged):
    """Mean, half the width of its interval of 95%, and weight."""
    n, n_unjudged = len(judged), len(unjudged)
    spread = variance([*metric, *unjudged])
    products = [y * m for y, m in zip(judged, metric, strict=True)]
    together = fmean(products) - fmean(judged) * fmean(metric)
    weight = min(max(together / ((1 + n / n_unjudged) * spread), 0), 1) if spread else 0
    rest = [y - weight * m for y, m in zip(judged, metric, strict=True)]
    error = sqrt(weight**2 * pvariance(unjudged) / n_unjudged + pvariance(rest) / n)
    return weight * fmean(unjudged) + fmean(rest), 1.959963984540054 * error, weight


def planned(judged, metric, scored, delta):
    """The fewest rows of all scored ones whose labels give the margin, by trying each; or None."""
    mean, mean_metric = fmean(judged), fmean(metric)
    products = [(y - mean) * (m - mean_metric) for y, m in zip(judged, metric, strict=True)]
    together, spread = sum(products) / (len(judged) - 1), variance(scored)
    for n in range(2, len(scored) + 1):
        rest = len(scored) - n
        weight = 0.0
        if rest and spread:
            weight = min(max(together / ((1 + n / rest) * spread), 0.0), 1.0)
        left = variance([y - weight * m for y, m in zip(judged, metric, strict=True)])
        square = left / n + (weight**2 * spread / rest if rest else 0.0)
        if 1.959963984540054 * sqrt(square) <= delta:
            return n
    return None

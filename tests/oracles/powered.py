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

"""Bootstrap, jackknife and exchanges by listing, by convolution and by plain loops.

Sources: Efron and Tibshirani (1993), "An introduction to the bootstrap", chapters 11 (jackknife)
and 13 (percentiles); Yeh (2000), "More accurate tests for the statistical significance of result
differences" (exchanges).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy import stats


def law_by_listing(units: Sequence, score: Callable) -> tuple[np.ndarray, np.ndarray]:
    """Scores of all draws, each as likely as any other: ascending, and their distribution."""
    scores = np.array([score(draw) for draw in product(units, repeat=len(units))])
    values, counts = np.unique(scores, return_counts=True)
    return values, np.cumsum(counts) / len(scores)


def law_by_convolution(units: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Law of the ratio of the sums of n draws of (top, bottom) from small natural numbers."""
    sizes = n * units.max(axis=0) + 1
    once = np.zeros(sizes)
    np.add.at(once, tuple(units.T), 1 / len(units))
    law = np.fft.irfft2(np.fft.rfft2(once) ** n, sizes)
    top, bottom = np.indices(sizes)
    ratios, place = np.unique((top / np.maximum(bottom, 1))[bottom > 0], return_inverse=True)
    return ratios, np.cumsum(np.bincount(place, law[bottom > 0]))


Parts = tuple[float, float]  # numerator and denominator of a unit


def worth(sizes: Sequence[float]) -> float:
    """How many equal units tell as much: Kish's effective number."""
    return sum(sizes) ** 2 / sum(size * size for size in sizes)


def studentised(a: Sequence[Parts], b: Sequence[Parts]) -> float:
    """The difference of two ratios over its linearised standard error."""
    (n_a, d_a), (n_b, d_b) = ([sum(side) for side in zip(*parts, strict=True)] for parts in (a, b))
    errors = [
        (y[0] - n_b / d_b * y[1]) / d_b - (x[0] - n_a / d_a * x[1]) / d_a
        for x, y in zip(a, b, strict=True)
    ]
    delta, error = n_b / d_b - n_a / d_a, math.sqrt(math.fsum(e * e for e in errors))
    if abs(delta) < 1e-12:
        return 0.0
    return delta / error if error > 1e-9 else math.copysign(math.inf, delta)


def paired(a: Sequence[Parts], b: Sequence[Parts], confidence: float) -> tuple[float, float, float]:
    """Return bounds of B minus A by Student's t, the one next to 0 moved to agree with p; and p.

    Units are numerators and denominators. p is from all exchanges of studentised differences, or
    from Student's t if there are few units.
    """
    n, alpha = len(a), 1 - confidence

    def score(parts: Sequence[Parts]) -> float:
        numerator, denominator = (sum(side) for side in zip(*parts, strict=True))
        return numerator / denominator

    delta = score(b) - score(a)
    without = [score([*b[:k], *b[k + 1 :]]) - score([*a[:k], *a[k + 1 :]]) for k in range(n)]
    error = math.sqrt((n - 1) / n * sum((x - sum(without) / n) ** 2 for x in without))
    differ = sum(x != y for x, y in zip(a, b, strict=True))
    equal = worth([x[1] + y[1] for x, y in zip(a, b, strict=True)])
    law = stats.t(max(1, min(differ, equal) - 1))
    if n < 8 or 2 / 2**n > alpha + 1e-12:
        p = 2 * law.sf(abs(delta) / error)
    else:
        sizes = []
        for ways in product((0, 1), repeat=n):
            sides = [(y, x) if way else (x, y) for way, x, y in zip(ways, a, b, strict=True)]
            sizes.append(abs(studentised(*zip(*sides, strict=True))))
        least = abs(studentised(a, b)) * (1 - 1e-9)
        p = sum(not size < least for size in sizes) / len(sizes)
    t, needed = law.isf(p / 2), law.isf(alpha / 2)
    near, far = abs(delta) - needed * error, abs(delta) + needed * error
    if near > 0 and p > alpha + 1e-12:
        near = (t - needed) * error
    elif near <= 0 and p <= alpha + 1e-12:
        near = (t - needed) * abs(delta) / t
    return (near, far, p) if delta >= 0 else (-far, -near, p)


def jackknife(
    units: Sequence, score: Callable, confidence: float, sizes: Sequence[float] | None = None
) -> tuple[float, float]:
    """Student's t around the score, on the logit scale by the derivative of the logit.

    Units have these sizes, or are all equal.
    """
    n, value = len(units), score(units)
    freedom = max(1, min(n, n if sizes is None else worth(sizes)) - 1)
    left_out = [score([*units[:k], *units[k + 1 :]]) for k in range(n)]
    mean = math.fsum(left_out) / n
    error = math.sqrt((n - 1) / n * math.fsum((each - mean) ** 2 for each in left_out))
    half = error * stats.t.ppf((1 + confidence) / 2, freedom)
    if not 0 < value < 1:
        return value - half, value + half
    center, half = stats.logistic.ppf(value), half / (value * (1 - value))
    return stats.logistic.cdf(center - half), stats.logistic.cdf(center + half)

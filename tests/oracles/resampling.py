"""Bootstrap and jackknife by listing, by convolution and by plain loops.

Source: Efron and Tibshirani (1993), "An introduction to the bootstrap", chapters 11 (jackknife) and
13 (percentiles).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy import stats

from tests.oracles.differences import worth


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

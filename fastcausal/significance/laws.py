"""Laws of chance: normal, Student's t, chi-squared, coins and proportions.

They are here because loading scipy takes longer than any test; tests compare them with scipy.
"""

from __future__ import annotations

import math

from fastcausal.significance import _laws

MAX_COUNTED = 1 << 12  # most tosses whose outcomes are counted in integers


def normal_share(x: float) -> float:
    """Return the share of the normal law below x.

    >>> round(normal_share(-1.96), 4)
    0.025
    """
    return math.erfc(-x / math.sqrt(2)) / 2


def normal_quantile(level: float) -> float:
    """Return a quantile of the normal law.

    >>> normal_quantile(0.975), normal_quantile(0)
    (1.9599639845400536, -inf)
    """
    from statistics import NormalDist  # loads decimals and random numbers

    if 0 < level < 1:
        return NormalDist().inv_cdf(level)
    ends = {0.0: -math.inf, 1.0: math.inf}
    return ends.get(level, math.nan)


def student_quantile(level: float, freedom: float) -> float:
    """Return a quantile of Student's t.

    >>> round(student_quantile(0.975, 9), 4)
    2.2622
    """
    if not (0 < level < 1 and freedom > 0):
        return normal_quantile(level) if level in (0, 1) else math.nan
    if math.isinf(freedom):
        return normal_quantile(level)
    t = _laws.student_bound(2 * min(level, 1 - level), freedom)
    return -t if level < 0.5 else t


def student_p(t: float, freedom: float) -> float:
    """Return the two-sided p of a value of Student's t.

    >>> round(student_p(2.2622, 9), 4)
    0.05
    """
    if math.isnan(t):
        return math.nan
    return _laws.student_share(abs(t), freedom)


def chi_squared_quantile(level: float, freedom: float) -> float:
    """Return a quantile of the law of chi-squared.

    >>> round(chi_squared_quantile(0.95, 19), 4)
    30.1435
    """
    return 2 * _laws.gamma_bound(level, freedom / 2)


def share_of_tosses(n: int, most: int) -> float:
    """Return the chance of at most so many heads in n tosses of a fair coin.

    >>> share_of_tosses(10, 1)
    0.0107421875
    """
    if n > MAX_COUNTED:
        return 1.0 if most >= n else _laws.beta_share(0.5, n - most, most + 1)
    ways: int = 1
    term: int = 1
    for k in range(min(most, n)):
        term = term * (n - k) // (k + 1)
        ways += term
    return ways / (1 << n)


def binomial(right: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the exact bounds of a proportion (Clopper and Pearson 1934).

    >>> [round(bound, 3) for bound in binomial(29, 30, 0.95)]
    [0.828, 0.999]
    """
    level = (1 - confidence) / 2
    low = _laws.beta_bound(level, right, n - right + 1) if right else 0.0
    return low, _laws.beta_bound(1 - level, right + 1, n - right) if right < n else 1.0

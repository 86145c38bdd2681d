"""Numbers of units needed to find a difference of a given size."""

from __future__ import annotations

import math
from statistics import NormalDist

from fastcausal.significance.laws import chi_squared_quantile, student_quantile
from fastcausal.significance.sums import EXACT

MAX_UNITS = 10**9


def variance_bounds(freedom: float, confidence: float) -> tuple[float, float]:
    """Return the bounds of a true variance, as multiples of an estimate with this freedom.

    >>> [round(bound, 3) for bound in variance_bounds(19, 0.8)]
    [0.698, 1.631]
    """
    low, high = (
        freedom / chi_squared_quantile((1 + side) / 2, freedom)
        for side in (confidence, -confidence)
    )
    return low, high


def units_needed(
    variance: float,  # Variance of the difference over units
    delta: float,  # Not 0
    power: float,  # Between 0 and 1
    confidence: float,
) -> int:
    """Return the fewest units whose paired test finds a difference with this power."""
    # The test is Student's t with n - 1 degrees of freedom and a standard error of ``sqrt(variance
    # / n)``. ``delta`` must be at least as many standard errors as the quantiles of (1 +
    # confidence) / 2 and of the power add up to.
    normal = NormalDist()

    def needed(both: float) -> int:
        errors = both / delta
        units = variance * (errors * errors)
        if not units < EXACT:
            raise ValueError(f"delta is {delta:g}: such a difference needs 2^53 units or more")
        return math.ceil(units)

    def needed_by_test(n: int) -> int:
        quantiles = (student_quantile(level, n - 1) for level in ((1 + confidence) / 2, power))
        return needed(sum(quantiles))

    n = max(2, needed(normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(power)))
    if n >= MAX_UNITS:
        return n
    while (enough := needed_by_test(n)) > n:
        n = min(enough, 2 * n)
    while n > 2 and needed_by_test(n - 1) < n:
        n -= 1
    return n

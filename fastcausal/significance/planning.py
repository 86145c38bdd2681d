"""Numbers of units needed to find a difference of a given size."""

from __future__ import annotations

import math
from statistics import NormalDist

from fastcausal.significance.intervals import student_quantile

MOST_UNITS = 10**9


def units_needed(variance: float, delta: float, power: float, confidence: float) -> int:
    """Return the fewest units whose paired test finds a difference with this power.

    The test is Student's t with n - 1 degrees of freedom and a standard error of
    ``sqrt(variance / n)``. ``delta`` must be at least as many standard errors as the quantiles of
    (1 + confidence) / 2 and of the power add up to.

    Parameters
    ----------
    variance : float
        Variance of the difference over units.
    delta : float
        Not 0.
    power, confidence : float
        Between 0 and 1.

    Examples
    --------
    >>> units_needed(0.13, 0.1, 0.8, 0.95)
    105
    """
    normal = NormalDist()
    both = normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(power)
    n = max(2, math.ceil(variance * (both / delta) ** 2))
    while n < MOST_UNITS:
        freedom = n - 1
        both = student_quantile((1 + confidence) / 2, freedom) + student_quantile(power, freedom)
        needed = math.ceil(variance * (both / delta) ** 2)
        if needed <= n:
            return n
        n = max(n + 1, min(needed, 2 * n))
    return n

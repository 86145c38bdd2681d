"""Paired differences of ratios of sums: studentised exchange, worth, bounds; exact fractions.

Sources: Janssen (1997), "Studentized permutation tests" (the statistic); Clopper and Pearson
(1934); Satterthwaite (1946), the worth of unequal parts. A side is a list of pairs (part of the
numerator, part of the denominator), one for each unit. Shares nothing with the package.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from scipy.stats import t as student

Side = Sequence[tuple[int, int]]
TOLERANCE = Fraction(1, 10**9)


def ratio(side: Side) -> Fraction | None:
    top, bottom = (sum(column) for column in zip(*side, strict=True))
    return Fraction(top, bottom) if bottom else None


def linearised(a: Side, b: Side) -> Fraction:
    """Square of the standard error of ratio(b) - ratio(a), term by term of the expanded square."""
    n_a, d_a, n_b, d_b = (sum(column) for side in (a, b) for column in zip(*side, strict=True))
    f_a, f_b = Fraction(n_a, d_a), Fraction(n_b, d_b)

    def products(left: int, right: int) -> int:
        units = [(*x, *y) for x, y in zip(a, b, strict=True)]
        return sum(unit[left] * unit[right] for unit in units)

    of_a = products(0, 0) - 2 * f_a * products(0, 1) + f_a**2 * products(1, 1)
    of_b = products(2, 2) - 2 * f_b * products(2, 3) + f_b**2 * products(3, 3)
    both = products(0, 2) - f_b * products(0, 3) - f_a * products(1, 2)
    both += f_a * f_b * products(1, 3)
    return of_a / d_a**2 + of_b / d_b**2 - 2 * both / (d_a * d_b)


def exchanged(a: Side, b: Side):
    """All 2^n arrangements of who made which output."""
    for ways in product((False, True), repeat=len(a)):
        pairs = [(y, x) if way else (x, y) for way, x, y in zip(ways, a, b, strict=True)]
        yield [x for x, _ in pairs], [y for _, y in pairs]


def studentised_p(a: Side, b: Side) -> Fraction:
    """Share of arrangements whose |difference| / standard error is no less than the one seen."""

    def square(a: Side, b: Side) -> Fraction | float:
        f_a, f_b = ratio(a), ratio(b)
        if f_a is None or f_b is None:
            return math.inf  # an undefined exchange counts as extreme
        if f_a == f_b:
            return Fraction(0)
        error = linearised(a, b)
        return (f_b - f_a) ** 2 / error if error else math.inf

    seen = square(a, b)
    enough = seen if seen == math.inf else seen * (1 - TOLERANCE) ** 2
    sizes = [square(*sides) for sides in exchanged(a, b)]
    return Fraction(sum(size >= enough for size in sizes), len(sizes))


def plain_p(a: Side, b: Side) -> Fraction:
    """Share of arrangements whose |difference| is no less than the one seen."""
    sizes = []
    for x, y in exchanged(a, b):
        f_a, f_b = ratio(x), ratio(y)
        sizes.append(math.inf if f_a is None or f_b is None else abs(f_b - f_a))
    seen = abs(ratio(b) - ratio(a))
    return Fraction(sum(size >= seen for size in sizes), len(sizes))


def worth(parts: Sequence[float]) -> float:
    """How many units of equal parts weigh as much as these."""
    return sum(parts) ** 2 / sum(part * part for part in parts)


def worth_of_pair(a: Side, b: Side) -> float:
    return float(worth([x + y for (_, x), (_, y) in zip(a, b, strict=True)]))


def jackknife_error(a: Side, b: Side) -> float:
    """Standard error of the difference by leaving out each unit in turn."""
    n = len(a)
    left = [ratio([*b[:k], *b[k + 1 :]]) - ratio([*a[:k], *a[k + 1 :]]) for k in range(n)]
    mean = sum(left) / n
    return math.sqrt(Fraction(n - 1, n) * sum((each - mean) ** 2 for each in left))


def freedom(a: Side, b: Side) -> float:
    """Degrees of freedom of the difference: of differing units, and of their worth."""
    differ = sum(x != y for x, y in zip(a, b, strict=True))
    return max(1.0, min(differ - 1, worth_of_pair(a, b) - 1))


def minimum_detectable(error: float, df: float, level: float) -> float:
    """The difference that four of five samples find, with one tail of ``level``."""
    return float(student.isf(level, df) + student.isf(0.2, df)) * error


def by_student(n: int, confidence: float) -> bool:
    """Whether Student's t serves p: exchanges of so few units have next to no power."""
    return n < 8 or 2.0 ** (1 - n) > 1 - confidence + 1e-12


def difference(a: Side, b: Side, confidence: float = 0.95) -> dict[str, float]:
    """Difference B minus A of two ratios, with p and with bounds, not cut, that agree about 0.

    The bound next to 0 is as far from 0 as p is from its level, both as values of t.
    """
    delta, error, df = float(ratio(b) - ratio(a)), jackknife_error(a, b), freedom(a, b)
    law, alpha = student(df), 1 - confidence
    few = by_student(len(a), confidence)
    p = float(2 * law.sf(abs(delta) / error)) if few else float(studentised_p(a, b))
    t, needed = law.isf(p / 2), law.isf(alpha / 2)
    near, far = abs(delta) - needed * error, abs(delta) + needed * error
    if near > 0 and p > alpha + 1e-12:
        near = (t - needed) * error
    elif near <= 0 and p <= alpha + 1e-12:
        near = (t - needed) * abs(delta) / t
    low, high = (near, far) if delta >= 0 else (-far, -near)
    return {
        "delta": delta, "se": error, "p": p, "low": float(low), "high": float(high),
        "freedom": df, "worth": worth_of_pair(a, b),
        "mde": minimum_detectable(error, df, alpha / 2),
    }  # fmt: skip


def of_one(side: Side, confidence: float = 0.95) -> tuple[float, float] | None:
    """Bounds of one ratio on the logit scale by the worth of its units; None if it is constant."""
    n, value = len(side), ratio(side)
    left = [ratio([*side[:k], *side[k + 1 :]]) for k in range(n)]
    if None in left or not 0 < value < 1 or len({*left}) == 1:
        return None
    mean = sum(left) / n
    error = math.sqrt(Fraction(n - 1, n) * sum((each - mean) ** 2 for each in left))
    df = max(1.0, min(n - 1, worth([d for _, d in side]) - 1))
    half = student.isf((1 - confidence) / 2, df) * error / float(value * (1 - value))
    center = math.log(value / (1 - value))
    return 1 / (1 + math.exp(half - center)), 1 / (1 + math.exp(-half - center))


def unseen(n: int, level: float) -> float:
    """The share of units that may differ though none of n does, at one bound's level."""
    return 1 - level ** (1 / n)


def none_differs(n: int, level: float) -> tuple[float, float]:
    share = unseen(n, level)
    return -share, share


def all_alike(delta: float, n: int, level: float, shares: bool) -> tuple[float, float, float]:
    """Bounds and two-sided p where all n units move by ``delta``."""
    share, p = unseen(n, level), 2 * 0.5**n
    if shares:
        return delta * (1 - share) - share, delta * (1 - share) + share, p
    return (*sorted((delta * (1 - share), delta * (1 + share))), p)


def clopper_pearson(right: int, n: int, confidence: float) -> tuple[float, float]:
    """Bounds of a share by halving: each leaves a tail of the binomial law of half the level."""
    level = (1 - confidence) / 2

    def at_most(k: int, share: float) -> float:
        return math.fsum(math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1))

    def bisect(above) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if above(middle) else (middle, high)
        return (low + high) / 2

    lower = bisect(lambda share: 1 - at_most(right - 1, share) > level) if right else 0.0
    upper = bisect(lambda share: at_most(right, share) < level) if right < n else 1.0
    return lower, upper

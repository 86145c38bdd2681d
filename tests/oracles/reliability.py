"""Alpha, kappas and votes of raters by their definitions, in fractions.

Sources: Krippendorff (2011), "Computing Krippendorff's alpha-reliability"; Cohen (1960, 1968);
Fleiss (1971); Gwet (2008). Shares nothing with the package.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

Ratings = list[list[Any]]  # a row for each unit, a column for each rater; None is no rating


def distance(a: Any, b: Any, level: str, counts: Counter[Any]) -> Fraction:
    if a == b:
        return Fraction(0)
    if level == "nominal":
        return Fraction(1)
    if level == "interval":
        return Fraction(a - b) ** 2
    if level == "ratio":
        return Fraction(a - b, a + b) ** 2
    low, high = sorted((a, b))
    between = sum(n for value, n in counts.items() if low <= value <= high)
    return (between - Fraction(counts[a] + counts[b], 2)) ** 2


def alpha(ratings: Ratings, level: str) -> Fraction | None:
    """Return 1 - d / e, d the mean distance within units and e the mean over all ratings."""
    units = [[v for v in row if v is not None] for row in ratings]
    units = [row for row in units if len(row) > 1]
    values = [v for row in units for v in row]
    counts = Counter(values)
    within = sum(
        Fraction(sum(distance(a, b, level, counts) for a, b in permutations(row, 2)), len(row) - 1)
        for row in units
    )
    among = sum(distance(a, b, level, counts) for a, b in permutations(values, 2))
    n = len(values)
    return 1 - Fraction(within, n) / Fraction(among, n * (n - 1)) if among else None


def agreed(row: list[Any]) -> Fraction:
    """The share of pairs of raters who agree on a unit."""
    pairs = list(combinations(row, 2))
    return Fraction(sum(a == b for a, b in pairs), len(pairs))


def percent_agreement(ratings: Ratings) -> Fraction:
    return Fraction(sum(map(agreed, ratings)), len(ratings))


def over_chance(observed: Fraction, chance: Fraction) -> Fraction | None:
    return (observed - chance) / (1 - chance) if chance != 1 else None


def shares(ratings: Ratings) -> list[Fraction]:
    values = [v for row in ratings for v in row]
    return [Fraction(n, len(values)) for n in Counter(values).values()]


def fleiss_kappa(ratings: Ratings) -> Fraction | None:
    return over_chance(percent_agreement(ratings), Fraction(sum(p * p for p in shares(ratings))))


def gwet_ac1(ratings: Ratings) -> Fraction | None:
    of = shares(ratings)
    chance = Fraction(sum(p * (1 - p) for p in of), len(of) - 1)
    return over_chance(percent_agreement(ratings), chance)


def cohen_kappa(ratings: Ratings, weights: str | None = None) -> Fraction | None:
    """Of the first two raters; labels stand in order, and weights see their places."""
    a, b = (list(column) for column in list(zip(*ratings, strict=True))[:2])
    places = {label: k for k, label in enumerate(sorted({*a, *b}))}
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]

    def away(x: Any, y: Any) -> int:
        return abs(places[x] - places[y]) ** power if x != y else 0

    observed = Fraction(sum(map(away, a, b)), len(a))
    expected = Fraction(sum(away(x, y) for x in a for y in b), len(a) * len(b))
    return 1 - observed / expected if expected else None


def mean_pairwise_kappa(ratings: Ratings) -> Fraction:
    columns = list(zip(*ratings, strict=True))
    found = [
        cohen_kappa([list(row) for row in zip(*two, strict=True)])
        for two in combinations(columns, 2)
    ]
    known = [kappa for kappa in found if kappa is not None]
    return sum(known, Fraction(0)) / len(known)


def votes(ratings: Ratings, ties: str) -> list[Any] | None:
    """The label of most raters of each unit; None in place of all if a tie is an error."""
    winners = []
    for row in ratings:
        counts = Counter(v for v in row if v is not None)
        most = sorted(v for v in counts if counts[v] == max(counts.values()))
        if len(most) > 1 and ties == "error":
            return None
        winners.append(most[0] if len(most) == 1 or ties == "first" else None)
    return winners

"""Agreement under ``recess``, slowly: every way to match relations, Eq. 1 on lists of 0s and 1s.

Source: the RECESS paper, section 3.5 and appendix A.3. Shares nothing with the package.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations

import krippendorff
import numpy as np

from tests.support.strategies import LENGTH, ROLES, Example, Relation

MEASURES = ("alpha", "em", "osb", "to")
GROUPS = (*ROLES, "total")
Examples = Mapping[str, Example]  # by id
Match = list[tuple[Relation | None, Relation | None]]


def rows(relation: Relation) -> list[list[int]]:
    """Return the spans of a relation in order; relations are ordered by these lists."""
    return [list(span) for span in sorted(relation, key=lambda s: (*s[1:], s[0]))]


def mask(relation: Relation | None, role: int, length: int = LENGTH) -> list[int]:
    marked = {t for r, start, stop in relation or [] if r == role for t in range(start, stop)}
    return [int(token in marked) for token in range(length)]


def alpha(*masks: Sequence[int]) -> float:
    """Eq. 1 on the 0s and 1s of two annotators."""
    units = [unit for m in masks for unit in m]
    n, n1 = len(units), sum(units)
    o01 = sum(x != y for x, y in zip(*masks, strict=True))
    return 1 - (n - 1) * o01 / ((n - n1) * n1) if 0 < n1 < n else math.nan


def em_osb_to(a: Relation | None, b: Relation | None, role: int) -> tuple[int, int, int]:
    if a is None or b is None:
        return 0, 0, 0
    x, y = (sorted(tuple(span[1:]) for span in side if span[0] == role) for side in (a, b))
    if not x and not y:
        return 1, 1, 1
    one_bound = any(s[0] == t[0] or s[1] == t[1] for s in x for t in y)
    return int(x == y), int(one_bound), int(tokens_in_common(a, b, role) > 0)


def tokens_in_common(a: Relation | None, b: Relation | None, role: int) -> int:
    return sum(p and q for p, q in zip(mask(a, role), mask(b, role), strict=True))


def measured(a: Relation | None, b: Relation | None) -> dict[str, tuple[int, int, int]]:
    """EM, OSB and TO of every role, and of all roles together."""
    of_roles = {name: em_osb_to(a, b, role) for role, name in enumerate(ROLES)}
    return of_roles | {"total": tuple(map(min, *of_roles.values()))}


def worth(match: Match) -> tuple[int, int]:
    """Return the value by which a match is chosen: EM + OSB + TO of roles, then shared tokens."""
    found = [measured(a, b)[name] for a, b in match for name in ROLES]
    return (
        sum(map(sum, found)),
        sum(tokens_in_common(a, b, role) for a, b in match for role in range(3)),
    )


def best_match(a: Example, b: Example) -> Match:
    """The best of all ways to pair the relations, the smaller side padded with nothing.

    Of several, the first is chosen, after both sides are sorted by content, the lower side first.
    """
    first, second = sorted(sorted(rows(r) for r in side if r) for side in (a, b))
    n = max(len(first), len(second))
    first += [None] * (n - len(first))
    second += [None] * (n - len(second))
    return max(([*zip(first, way, strict=True)] for way in permutations(second)), key=worth)


def textbook(a: Examples, b: Examples, average: str, length: int = LENGTH) -> dict[str, float]:
    """All measures of two annotators, of examples of so many tokens."""
    matches = [best_match(a[name], b[name]) for name in a if name in b]
    tops, bottoms = Counter(), Counter()
    for match in filter(None, matches):
        share = 1 / len(match) if average == "example" else 1
        for x, y in match:
            for group, found in measured(x, y).items():
                for name, value in zip(MEASURES[1:], found, strict=True):
                    tops[group, name] += share * value
                    bottoms[group, name] += share
            for role, group in enumerate(ROLES):
                both = mask(x, role, length), mask(y, role, length)
                if (value := alpha(*both)) == value:
                    for where in (group, "total"):
                        tops[where, "alpha"] += value * sum(map(sum, both))
                        bottoms[where, "alpha"] += sum(map(sum, both))
    return {
        f"{group} {name}": tops[group, name] / bottoms[group, name]
        if bottoms[group, name]
        else math.nan
        for group in GROUPS
        for name in MEASURES
    }


def mean_where_defined(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    columns = {key: [f[key] for f in found if f[key] == f[key]] for key in found[0]}
    return {key: sum(v) / len(v) if v else math.nan for key, v in columns.items()}


def krippendorffs_alpha(masks: Sequence[Sequence[int]]) -> float:
    """Return alpha of some annotators; NaN if nothing, or everything, is marked."""
    if len(masks) < 2 or len({unit for m in masks for unit in m}) < 2:
        return math.nan
    return krippendorff.alpha(np.array(masks, float), level_of_measurement="nominal")

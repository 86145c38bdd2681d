"""Unitised alpha by sets of positions, and the pairs of relations that are kept.

Source: the description of the published RECESS program. Shares nothing with the package.
"""

from __future__ import annotations

from itertools import permutations

from tests.oracles.agreement import measured
from tests.support.strategies import Example, Relation

Positions = tuple[frozenset[int], bool]  # of one unit, and whether it is marked
Span = tuple[int, int]


def units_of(spans: list[Span], length: int) -> list[Positions]:
    """Every position from 0 to length belongs to a marked span or to the gap it lies in."""
    owner: dict[int, tuple[int, int]] = {}
    last = 0
    for start, stop in spans:
        if start >= last:  # else it overlaps one before it
            owner |= dict.fromkeys(range(start, stop), (start, stop))
            last = stop
    units: list[Positions] = []
    for position in range(not spans, max(last, length + 1)):  # empty: from the second word on
        marked = position in owner
        new_span = marked and owner[position][0] == position
        if not units or units[-1][1] != marked or new_span:
            units.append((frozenset(), marked))
        units[-1] = (units[-1][0] | {position}, marked)
    return units


def alpha_by_sets(a: list[Span], b: list[Span], length: int) -> tuple[float, int]:
    one, other = units_of(a, length), units_of(b, length)
    entities = [unit for unit, marked in one + other if marked]
    if one == other:
        return 1.0, sum(map(len, entities))
    disagreement, compared, weight = 0, 0, 0
    for g, g_marked in one:
        for h, h_marked in other:
            if not g & h:
                continue
            if g_marked and h_marked:
                disagreement += len(g ^ h)
                weight += len(g) + len(h)
                compared += 1
            for unit, gap in ((g, h),) * (g_marked and not h_marked) + ((h, g),) * (
                h_marked and not g_marked
            ):
                if unit <= gap:
                    disagreement += 2 * len(unit)
                    weight += len(unit)
                    compared += 1
    if not disagreement:
        return 1.0, weight
    top, bottom = 0, 0
    for i, g in enumerate(entities):
        for j, h in enumerate(entities):
            if i != j:
                top += len(g) ** 2 + len(h) ** 2
                bottom += len(g) + len(h)
    return (1 - disagreement / compared / (top / bottom) if top else 0.0), weight


def published_pairs(a: Example, b: Example) -> list[tuple[int | None, int | None]]:
    """Return all pairs if both sides have equally many relations.

    Else the smaller side is padded with nothing, the first best order is chosen, and whatever
    occurs in any other order is removed.
    """
    if len(a) == len(b):
        return [(i, j) for i in range(len(a)) for j in range(len(b))]
    n = max(len(a), len(b))
    sides = [[*side, *[None] * (n - len(side))] for side in (a, b)]
    orders = [list(zip(order, range(n), strict=True)) for order in permutations(range(n))]
    worths = [sum(worth(sides[0][i], sides[1][j]) for i, j in order) for order in orders]
    chosen = worths.index(max(worths))
    removed = {pair for k, order in enumerate(orders) if k != chosen for pair in order}
    left = [(i, j) for i in range(n) for j in range(n) if (i, j) not in removed]
    return [(i if i < len(a) else None, j if j < len(b) else None) for i, j in left]


def worth(a: Relation | None, b: Relation | None) -> int:
    return sum(map(sum, measured(a, b).values()))

"""Agreement under ``recess``, slowly: every way to match relations, Eq. 1 on lists of 0s and 1s.

And random annotations as plain mappings, with the tables that they make.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import strategies as st

import fastcausal as fc
from tests.support.strategies import LENGTH, ROLES, Example, Relation, random_side, relations
from tests.support.tables import by_role

MEASURES = ("alpha", "em", "osb", "to")
GROUPS = (*ROLES, "total")
NAMES = ("ann", "ben", "cid", "dot")
Examples = Mapping[str, Example]  # by id
Match = list[tuple[Relation | None, Relation | None]]


def relations_of(examples: Examples, length: int = LENGTH, **columns: Any) -> fc.Relations:
    """A table with a row per example; a column is a mapping from ids to values."""
    return fc.Relations.from_examples(
        {"id": name, "length": length, "relations": [by_role(relation) for relation in example]}
        | {column: values[name] for column, values in columns.items()}
        for name, example in examples.items()
    )


def agreed(annotated: Mapping[str, Examples], *args: Any, **options: Any) -> Any:
    return fc.agreement({a: relations_of(e) for a, e in annotated.items()}, *args, **options)


def values_of(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {f"{group} {name}": v for group, found in scores.items() for name, v in found.items()}


def near(expected: Any) -> Any:
    return pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


def apart(relation: Relation) -> Relation:
    """Without the spans that overlap another of their role."""
    kept: Relation = []
    for role, start, stop in relation:
        if not any(r == role and start < e and s < stop for r, s, e in kept):
            kept.append((role, start, stop))
    return kept


@st.composite
def annotations(
    draw: st.DrawFn, least: int = 2, most: int = 3, relations_each: int = 4
) -> dict[str, dict[str, Example]]:
    """Some annotators, some examples, which not everybody annotated, relations from one pool.

    The first two have an example in common.
    """
    pool = draw(st.lists(relations().map(apart), min_size=1, max_size=6))
    example = st.lists(st.sampled_from(pool), max_size=relations_each)
    ids = "pqrs"[: draw(st.integers(1, 4))]
    found = {}
    for name in NAMES[: draw(st.integers(least, most))]:
        missing = draw(st.sets(st.sampled_from(ids), max_size=len(ids) - 1))
        missing -= set("p" if name in NAMES[:2] else "")
        found[name] = {i: draw(example) for i in ids if i not in missing}
    return found


def noisy(n: int, seed: int = 0) -> dict[str, dict[str, Example]]:
    """Three annotators who drop, shorten and shift spans of the same relations."""
    rng = np.random.default_rng(seed)

    def changed(example: Example) -> Example:
        return [
            [(r, s, max(s + 1, e - int(rng.integers(2)))) for r, s, e in x if rng.random() > 0.1]
            for x in example
            if rng.random() > 0.1
        ]

    true = random_side(rng, n, 3)
    return {a: {f"{k:03}": changed(e) for k, e in enumerate(true)} for a in NAMES[:3]}


def rows(relation: Relation) -> list[list[int]]:
    """The spans of a relation in order, which is also what orders relations."""
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
    """What a match is chosen for: EM + OSB + TO of the roles, then tokens in common."""
    found = [measured(a, b)[name] for a, b in match for name in ROLES]
    return (
        sum(map(sum, found)),
        sum(tokens_in_common(a, b, role) for a, b in match for role in range(3)),
    )


def best_match(a: Example, b: Example) -> Match:
    """The best of all ways to pair the relations, the smaller side padded with nothing.

    Of several, the first where both sides are in the order of their content, the lower side first.
    """
    first, second = sorted(sorted(rows(r) for r in side if r) for side in (a, b))
    n = max(len(first), len(second))
    first += [None] * (n - len(first))
    second += [None] * (n - len(second))
    return max(([*zip(first, way, strict=True)] for way in permutations(second)), key=worth)


def textbook(a: Examples, b: Examples, average: str) -> dict[str, float]:
    """All measures of two annotators."""
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
                both = mask(x, role), mask(y, role)
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
    """Of some annotators; NaN where nothing, or everything, is marked."""
    if len(masks) < 2 or len({unit for m in masks for unit in m}) < 2:
        return math.nan
    return krippendorff.alpha(np.array(masks, float), level_of_measurement="nominal")

"""Random annotations as plain mappings, and the tables that they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles.agreement import Examples
from tests.support.strategies import LENGTH, Example, Relation, random_side, relations
from tests.support.tables import by_role

NAMES = ("ann", "ben", "cid", "dot")


def relations_of(examples: Examples, length: int = LENGTH, **columns: Any) -> fc.Relations:
    """A table with a row per example; a column is a mapping from ids to values."""
    return fc.Relations.from_examples(
        {"id": name, "length": length, "relations": [by_role(relation) for relation in example]}
        | {column: values[name] for column, values in columns.items()}
        for name, example in examples.items()
    )


def agreed(annotated: Mapping[str, Examples], *args: Any, **options: Any) -> Any:
    return fc.agree({a: relations_of(e) for a, e in annotated.items()}, *args, **options)


def values_of(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {f"{group} {name}": v for group, found in scores.items() for name, v in found.items()}


def near(expected: Any) -> Any:
    return pytest.approx(expected, rel=0, abs=1e-12, nan_ok=True)


def apart(relation: Relation) -> Relation:
    """Return a relation without spans that overlap an earlier one of their role."""
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

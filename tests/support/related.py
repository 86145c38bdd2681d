"""Drawn relations of few tokens that often meet, with types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from fastcausal.rows import Rows
from tests.support.strategies import Relation, rows_of

Typed = tuple[Relation, int]


@st.composite
def related(draw: st.DrawFn) -> Typed:
    """A relation of few tokens: several spans of a role, missing roles, none at all; a type."""
    spans: Relation = []
    for role in range(3):
        for start in draw(st.lists(st.integers(0, 4), max_size=2)):
            spans.append((role, start, start + draw(st.integers(1, 2))))
    return spans, draw(st.integers(0, 2))


@st.composite
def sides(draw: st.DrawFn, most: int = 6) -> tuple[list[list[Typed]], list[list[Typed]]]:
    """Both sides of some examples; relations come from a small pool, so they often meet."""
    pool = draw(st.lists(related(), min_size=1, max_size=5))
    turned = [([({0: 1, 1: 0}.get(r, r), a, b) for r, a, b in spans], t) for spans, t in pool]
    retyped = [(spans, (t + 1) % 3) for spans, t in pool]
    example = st.lists(st.sampled_from([*pool, *turned, *retyped]), max_size=most)
    n = draw(st.integers(1, 3))
    return [draw(example) for _ in range(n)], [draw(example) for _ in range(n)]


def rows_of_side(side: Sequence[Sequence[Typed]]) -> tuple[Rows, np.ndarray]:
    codes = np.array([code for example in side for _, code in example], np.int64)
    return rows_of([[spans for spans, _ in example] for example in side]), codes

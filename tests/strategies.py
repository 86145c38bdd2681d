"""Random relations as plain lists, and the rows they make.

A span is (role, start, stop), a relation a list of spans, an example a list of relations and a side
a list of examples. Everything shrinks towards few, short, early spans.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from fastcausal.engine.counts import Counts
from fastcausal.engine.reference import KERNELS
from fastcausal.engine.rows import Rows
from fastcausal.engine.run import count_pairs
from fastcausal.protocols import Protocol

Span = tuple[int, int, int]
Relation = list[Span]
Example = list[Relation]

ROLES = ("cause", "effect", "signal")
TRACKS = ((0, 1), (2,))
LENGTH = 12  # tokens of an example: few, so that spans meet and ties abound


def rows_of(examples: Sequence[Example], length: int = LENGTH) -> Rows:
    relations = [relation for example in examples for relation in example]
    spans = [s for relation in relations for s in sorted(relation, key=lambda s: (*s[1:], s[0]))]
    return Rows(
        np.array(spans, np.int32).reshape(-1, 3),
        np.cumsum([0, *map(len, relations)], dtype=np.int64),
        np.cumsum([0, *map(len, examples)], dtype=np.int64),
        np.full(len(examples), length, np.int32),
    )


def counts_of_pair(
    kernel: str,
    gold: Relation | None,
    pred: Relation | None,
    length: int = LENGTH,
    backend: str = "cpu",
) -> Counts:
    """Counts of one pair of relations; None is no relation."""
    plan = Protocol("test", kernel=kernel).plan(ROLES)
    sides = [rows_of([[relation or []]], length) for relation in (gold, pred)]
    index = [np.array([-1 if relation is None else 0]) for relation in (gold, pred)]
    counts = count_pairs(plan, *sides, *index, backend=backend)
    return Counts(KERNELS[kernel], ROLES, counts[0])


def _spans_of_track(code: int, length: int, track: tuple[int, ...]) -> Relation:
    """Three bits a token: inside (four of eight), outside, or the beginning of a span."""
    spans: Relation = []
    inside = False
    for token in range(length):
        tag = code >> 3 * token & 7
        if tag >= 6:
            spans.append((track[tag % len(track)], token, token + 1))
        elif tag < 4 and inside:
            role, start, _ = spans.pop()
            spans.append((role, start, token + 1))
        inside = tag >= 6 or (tag < 4 and inside)
    return spans


def tagged_relations(length: int = LENGTH) -> st.SearchStrategy[Relation]:
    """What tags can express: no two spans of a track overlap."""
    tags = st.integers(0, 8**length - 1)
    return st.tuples(tags, tags).map(
        lambda codes: sorted(
            (
                span
                for code, track in zip(codes, TRACKS, strict=True)
                for span in _spans_of_track(code, length, track)
            ),
            key=lambda span: (*span[1:], span[0]),
        )
    )


def spans(length: int = LENGTH) -> st.SearchStrategy[Span]:
    def decode(code: int) -> Span:
        code, role = divmod(code, 3)
        code, start = divmod(code, length)
        return role, start, start + 1 + code % min(6, length - start)

    return st.integers(0, 3 * length * 6 - 1).map(decode)


def relations(length: int = LENGTH) -> st.SearchStrategy[Relation]:
    """Any relation: empty, as tags express it, or with spans that overlap or occur twice."""
    return st.lists(spans(length), max_size=5) | tagged_relations(length)


@st.composite
def sides(
    draw: st.DrawFn,
    most_relations: int = 7,
    most_examples: int = 3,
    of: st.SearchStrategy[Relation] | None = None,
) -> tuple[list[Example], list[Example]]:
    """Gold and predicted examples, drawn from one small pool: the same relation occurs often."""
    pool = draw(st.lists(of or relations(), min_size=1, max_size=6))
    example = st.lists(st.sampled_from(pool), max_size=most_relations)
    both = draw(st.lists(st.tuples(example, example), min_size=1, max_size=most_examples))
    return [gold for gold, _ in both], [pred for _, pred in both]


def random_side(rng: np.random.Generator, n_examples: int, most_relations: int) -> list[Example]:
    """Many examples, faster than Hypothesis draws them."""
    high = 8**LENGTH
    return [
        [
            [
                span
                for track in TRACKS
                for span in _spans_of_track(int(rng.integers(high)), LENGTH, track)
            ]
            for _ in range(rng.integers(most_relations + 1))
        ]
        for _ in range(n_examples)
    ]

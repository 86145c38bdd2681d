"""Random relations as plain lists, and the rows they make.

A span is (role, start, stop), a relation a list of spans, an example a list of relations and a side
a list of examples. Everything shrinks towards few, short, early spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from fastcausal.engine.plan import Plan
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import count_pairs
from fastcausal.protocols import Protocol
from fastcausal.rows import Rows
from fastcausal.tasks.relations.formula import RelationFormula

Span = tuple[int, int, int]
Relation = list[Span]
Example = list[Relation]

ROLES = ("cause", "effect", "signal")
TRACKS = ((0, 1), (2,))
LENGTH = 12  # tokens of an example: few, so that spans meet and ties abound


def rows_of(examples: Sequence[Example], length: int = LENGTH) -> Rows:
    """Return rows of examples that all have the given length, or more if a span ends later."""
    relations = [relation for example in examples for relation in example]
    spans = [s for relation in relations for s in sorted(relation, key=lambda s: (*s[1:], s[0]))]
    return Rows(
        np.array(spans, np.int32).reshape(-1, 3),
        np.cumsum([0, *map(len, relations)], dtype=np.int64),
        np.cumsum([0, *map(len, examples)], dtype=np.int64),
        np.full(len(examples), max([length, *(stop for _, _, stop in spans)]), np.int32),
    )


@cache
def plan_of(kernel: str) -> Plan:
    return Protocol("test", kernel=kernel).plan(ROLES)


class Counts(NamedTuple):
    """Counts of a kernel, all in a row or by name."""

    kernel: str
    values: npt.NDArray[np.int64]

    def of(self, group: str) -> dict[str, int]:
        """Return counts by name, for one role or for ``"overall"``."""
        kernel = KERNELS[self.kernel]
        formula = RelationFormula(kernel.name, kernel.fields, kernel.overall, ROLES, None)
        return formula.counts_of(self.values, group)


def counts_of_pair(
    kernel: str,
    gold: Relation | None,
    pred: Relation | None,
    length: int = LENGTH,
    backend: str = "cpu",
) -> Counts:
    """Counts of one pair of relations; None is no relation."""
    both = [rows_of([[relation or []]], length) for relation in (gold, pred)]
    index = [np.array([-1 if relation is None else 0]) for relation in (gold, pred)]
    counts = count_pairs(plan_of(kernel), *both, *index, backend=backend)
    return Counts(kernel, counts[0])


def _segments(codes: Sequence[int], length: int, roles: Sequence[int]) -> Relation:
    """A track as segments from left to right, each a width and a role or none."""
    spans: Relation = []
    at = 0
    for code in codes:
        kind, width = divmod(code, 8)
        stop = min(length, at + 1 + width % max(1, length // 3))
        if kind and at < stop:  # 0 is a gap, most others are the first role
            role = {1: roles[-1], 2: roles[len(roles) // 2]}.get(kind, roles[0])
            spans.append((role, at, stop))
        at = stop
    return spans


def sequences(length: int, roles: Sequence[int]) -> st.SearchStrategy[Relation]:
    """Spans that do not overlap, side by side more often than not."""
    codes = st.lists(st.integers(0, 63), max_size=length // (5 - len(roles)))
    return codes.map(lambda codes: _segments(codes, length, roles))


def tagged_relations(length: int = LENGTH) -> st.SearchStrategy[Relation]:
    """Draw relations that tags can express: no two spans of a track overlap."""
    return st.tuples(*(sequences(length, roles) for roles in TRACKS)).map(
        lambda found: [span for track in found for span in track]
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


def crowded(rng: np.random.Generator, n_spans: int, length: int = LENGTH) -> Relation:
    """Draw n_spans spans at any places; there may be far more spans than tokens."""
    starts = rng.integers(length, size=n_spans).tolist()
    widths = rng.integers(1, 2 + length // 3, n_spans).tolist()
    roles = rng.integers(3, size=n_spans).tolist()
    return [(r, a, min(length, a + n)) for r, a, n in zip(roles, starts, widths, strict=True)]


@st.composite
def sides(
    draw: st.DrawFn,
    most_relations: int = 7,
    most_examples: int = 3,
    of: st.SearchStrategy[Relation] | None = None,
) -> tuple[list[Example], list[Example]]:
    """Gold and predicted examples, drawn from one small pool: the same relation occurs often."""
    relation = relations() if of is None else of
    pool = draw(st.lists(relation, min_size=1, max_size=6))
    example = st.integers(0, most_relations).flatmap(
        lambda n: st.lists(st.sampled_from(pool), min_size=n, max_size=n)
    )
    both = draw(st.lists(st.tuples(example, example), min_size=1, max_size=most_examples))
    return [gold for gold, _ in both], [pred for _, pred in both]


def random_side(rng: np.random.Generator, n_examples: int, most_relations: int) -> list[Example]:
    """Many examples, faster than Hypothesis draws them."""
    return [
        [
            [
                span
                for roles in TRACKS
                for span in _segments(
                    rng.integers(64, size=rng.integers(6)).tolist(), LENGTH, roles
                )
            ]
            for _ in range(rng.integers(most_relations + 1))
        ]
        for _ in range(n_examples)
    ]


def crafted(
    rng: np.random.Generator, hits: np.ndarray, near: np.ndarray | None = None, loose: int = 0
) -> tuple[list[Example], list[Example]]:
    """Draw an example whose relations i and j share hits[i, j] spans, and near[i, j] nearly.

    Every span of either side has further tokens of its own place, so that nothing else meets; up
    to `loose` spans of a relation meet nothing.
    """
    near = np.zeros_like(hits) if near is None else near
    gold: list[Relation] = [[] for _ in hits]
    pred: list[Relation] = [[] for _ in hits[0]]
    place = 0
    for k in rng.permutation(hits.size):
        i, j = divmod(int(k), len(pred))
        for extra in [0] * int(hits[i, j]) + [1] * int(near[i, j]):
            role, width = int(rng.integers(3)), int(rng.integers(1, 4))
            gold[i].append((role, place, place + width + extra))
            pred[j].append((role, place, place + width))
            place += 5
    for relation in (*gold, *pred):
        for _ in range(rng.integers(loose + 1)):
            relation.append((int(rng.integers(3)), place, place + 1))
            place += 5
    return [gold], [pred]

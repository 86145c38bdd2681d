"""Pairing within a type, against all pairings of relations of equal types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.plan import Plan
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import run
from fastcausal.protocols import Protocol
from fastcausal.rows import Rows
from fastcausal.tasks.relations.types import Types, count_by_type, run_by_type
from tests.support.profiles import trials
from tests.support.strategies import ROLES, relations, rows_of

NAMES = ("a", "b")


@st.composite
def typed(draw: st.DrawFn) -> tuple[Rows, Rows, Types]:
    """Two examples from a small pool of relations, each with a type or none."""
    pool = draw(st.lists(relations(), min_size=1, max_size=4))
    relation = st.tuples(st.sampled_from(pool), st.integers(0, len(NAMES)))
    sides = [[draw(st.lists(relation, max_size=4)) for _ in range(2)] for _ in range(2)]
    rows = [rows_of([[r for r, _ in example] for example in side]) for side in sides]
    codes = [np.array([k for e in side for _, k in e], np.int64) for side in sides]
    return rows[0], rows[1], Types(NAMES, *codes)


def plans(kernel: str) -> Iterator[Plan]:
    for ties, surplus, ignore in product(
        ("content", "first"), ("charge", "truncate"), ("charge", "ignore")
    ):
        yield Protocol("x", kernel=kernel, ties=ties, surplus=surplus, non_causal=ignore).plan(
            ROLES
        )


class Example:
    """One example under a plan: every pairing of relations of one type."""

    def __init__(self, plan: Plan, gold: Rows, pred: Rows, types: Types, e: int) -> None:
        self.plan, self.gold, self.pred, self.types = plan, gold, pred, types
        self.length = int(gold.lengths[e])
        self.golds = [*range(*gold.relation_offsets[e : e + 2].tolist())]
        self.preds = [*range(*pred.relation_offsets[e : e + 2].tolist())]
        if plan.truncate and self.golds:
            self.preds = self.preds[: len(self.golds)]
        if plan.ignore_non_causal and not self.golds:
            self.preds = []

    def count(self, g: int, p: int) -> np.ndarray:
        counts = np.zeros(self.plan.n_fields, np.int64)
        pair = self.gold.relation(g), self.pred.relation(p)
        self.plan.kernel.function(*pair, self.length, self.plan.params, counts)
        return counts

    def pairings(self, golds: list[int]) -> Iterator[dict[int, int]]:
        if not golds:
            yield {}
            return
        g, *rest = golds
        for pairs in self.pairings(rest):
            yield pairs
            for p in self.preds:
                if p not in pairs.values() and self.types.gold[g] == self.types.pred[p]:
                    yield pairs | {g: p}

    def counts(self, pairs: dict[int, int]) -> np.ndarray:
        total = np.zeros(self.plan.n_fields, np.int64)
        for g in self.golds:
            total += self.count(g, pairs.get(g, -1))
        for p in {*self.preds} - {*pairs.values()}:
            total += self.count(-1, p)
        return total

    def worth(self, counts: np.ndarray) -> Fraction:
        numerator, denominator = (self.plan.weights[:2] @ counts).tolist()
        return Fraction(numerator, 1 if self.plan.linear else denominator or 1)

    def shared(self, pairs: dict[int, int]) -> int:
        def marked(rows: np.ndarray) -> set[tuple[int, int]]:
            return {(r, t) for r, a, b in rows.tolist() for t in range(a, b)}

        return sum(
            len(marked(self.gold.relation(g)) & marked(self.pred.relation(p)))
            for g, p in pairs.items()
        )

    def best(self) -> list[dict[int, int]]:
        """The pairings of the greatest objective and then of most shared tokens."""
        all_pairs = [*self.pairings(self.golds)]

        def key(pairs):
            return self.worth(self.counts(pairs)), self.shared(pairs)

        most = max(map(key, all_pairs))
        return [pairs for pairs in all_pairs if key(pairs) == most]


@pytest.mark.parametrize("kernel", [*KERNELS])
@trials(60)
@given(sides=typed())
def test_no_pairing_within_types_is_better(kernel, sides):
    gold, pred, types = sides
    for plan in plans(kernel):
        results = [run_by_type(plan, *sides, backend=backend) for backend in ("cpu", "reference")]
        assert (results[0].partner == results[1].partner).all()
        assert (results[0].counts == results[1].counts).all()
        partner, counts = results[0]
        for e in range(gold.n_examples):
            example = Example(plan, gold, pred, types, e)
            pairs = {g: int(partner[g]) for g in example.golds if partner[g] >= 0}
            assert all(types.gold[g] == types.pred[p] for g, p in pairs.items())
            assert {*pairs.values()} <= {*example.preds}
            assert (counts[e] == example.counts(pairs)).all()
            best = example.best()
            assert example.worth(counts[e]) == example.worth(example.counts(best[0]))
            if plan.by_content:
                assert any((counts[e] == example.counts(each)).all() for each in best)


@pytest.mark.parametrize("kernel", [*KERNELS])
@trials(60)
@given(sides=typed(), random=st.randoms(use_true_random=False))
def test_order_of_relations_and_sides_decides_nothing(kernel, sides, random):
    gold, pred, types = sides
    plan = Protocol("x", kernel=kernel).plan(ROLES)
    counts = run_by_type(plan, *sides).counts
    moved = []
    for rows, codes in ((gold, types.gold), (pred, types.pred)):
        order = [[*range(*rows.relation_offsets[e : e + 2].tolist())] for e in (0, 1)]
        for each in order:
            random.shuffle(each)
        flat = [k for each in order for k in each]
        again = rows_of(
            [[[tuple(r) for r in rows.relation(k).tolist()] for k in each] for each in order]
        )
        moved.append((replace(again, lengths=rows.lengths), codes[np.array(flat, np.int64)]))
    (g, of_g), (p, of_p) = moved
    assert (run_by_type(plan, g, p, Types(NAMES, of_g, of_p)).counts == counts).all()


@pytest.mark.parametrize("kernel", [*KERNELS])
@trials(30)
@given(sides=typed(), groups=st.tuples(st.integers(0, 1), st.integers(0, 1)))
def test_one_type_for_all_changes_nothing(kernel, sides, groups):
    gold, pred, types = sides
    one = Types(NAMES, np.ones_like(types.gold), np.ones_like(types.pred))
    for plan in plans(kernel):
        a, b = run(plan, gold, pred), run_by_type(plan, gold, pred, one)
        assert (a.partner == b.partner).all()
        assert (a.counts == b.counts).all()
        of = np.array(groups)
        each = run_by_type(plan, gold, pred, types).counts
        summed = run_by_type(plan, gold, pred, types, of, 2, apart=True, partners=False).counts
        expected = np.zeros_like(summed)
        for e, n in enumerate(np.diff(gold.relation_offsets)):
            expected[2 * of[e] + (n > 1)] += each[e]
        assert (summed == expected).all()


@pytest.mark.parametrize("kernel", [*KERNELS])
@trials(60)
@given(sides=typed())
def test_a_type_alone_counts_as_the_file_of_its_relations(kernel, sides):
    gold, pred, types = sides
    for plan in plans(kernel):
        by_type = count_by_type(plan, *sides)
        for k, name in enumerate(NAMES, 1):
            alone = []
            for rows, codes in ((gold, types.gold), (pred, types.pred)):
                examples = [
                    [
                        [tuple(r) for r in rows.relation(i).tolist()]
                        for i in range(*rows.relation_offsets[e : e + 2].tolist())
                        if codes[i] == k
                    ]
                    for e in range(rows.n_examples)
                ]
                alone.append(replace(rows_of(examples), lengths=rows.lengths))
            expected = run(plan, *alone, n_groups=1).counts[0]
            n = [int(np.count_nonzero(np.diff(rows.row_offsets))) for rows in alone]
            assert by_type.get(name, np.zeros(len(expected) + 2)).tolist() == (
                [*expected, *n] if any(n) else [0] * (len(expected) + 2)
            )


@trials(30)
@given(sides=typed())
def test_numbers_of_many_types_are_sorted_instead(sides):
    plan = Protocol("x").plan(ROLES)
    for count in (run_by_type, count_by_type):
        expected = count(plan, *sides)
        with patch("fastcausal.tasks.relations.types.MOST_FLAGS", 0):
            assert repr(count(plan, *sides)) == repr(expected)


def test_a_ratio_of_a_kernel_that_is_not_additive_is_refused():
    from fastcausal.engine.kernel import Objective

    ratio = Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1, "n": 1, "pairs": 1})
    plan = Protocol("x", kernel="span_overlap", objective=ratio).plan(ROLES)
    rows = rows_of([[[(0, 0, 2)], [(0, 3, 4)]]])
    types = Types(NAMES, np.array([1, 2]), np.array([1, 2]))
    with pytest.raises(ValueError, match="span_overlap is not additive and ordinal"):
        run_by_type(plan, rows, rows, types)

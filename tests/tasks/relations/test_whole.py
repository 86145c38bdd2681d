"""Protocol "relations": the worked example, its invariants, the native count against plain sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference import whole
from fastcausal.engine.reference.whole import CRITERIA, WholeRules, criteria_of
from fastcausal.tasks.relations import _whole
from tests.support.profiles import trials
from tests.support.related import Typed, rows_of_side, sides
from tests.support.strategies import rows_of

HALF = (1, 2)
SHARES = st.sampled_from([HALF, (1, 1), (333_333_333, 10**9)])
ARGUMENTS = st.sampled_from([(0, 1), (0, 2), (0, -1)])


def counted(drawn: Any, share: tuple[int, int] = HALF) -> list[dict[str, int]]:
    """Counts of each example by name, by the plain sets."""
    (gold, of_gold), (pred, of_pred) = map(rows_of_side, drawn)
    counts = np.zeros((gold.n_examples, 2 + len(CRITERIA)), np.int64)
    groups = CountGroups(None, gold.n_examples, each=True)
    whole.run(WholeRules(3, (0, 1), *share), gold, pred, (of_gold, of_pred), groups, counts)
    return [
        dict(zip(("gold", "predicted", *CRITERIA), row, strict=True)) for row in counts.tolist()
    ]


def test_the_worked_example() -> None:
    gold = [[([(0, 0, 2), (1, 4, 6)], 0), ([(0, 0, 2), (1, 8, 9)], 0)]]
    pred = [[([(0, 0, 2), (1, 4, 6)], 0), ([(0, 8, 9), (1, 0, 2)], 0), ([(0, 0, 1), (1, 7, 9)], 0)]]
    [found] = counted((gold, pred))
    assert found == {
        "gold": 2, "predicted": 3, "exact": 1, "signal": 1, "strict": 1, "undirected": 2,
        "boundary": 2, "overlap": 2, "iou": 2,
    }  # fmt: skip
    [found] = counted((gold, pred), (6, 10))
    assert found["iou"] == 1


def test_spans_are_sets_of_tokens() -> None:
    one, two = ([(0, 0, 4), (1, 5, 6)], 1), ([(0, 0, 2), (0, 2, 4), (1, 5, 6)], 2)
    [found] = counted(([[one]], [[two]]))
    assert found == dict.fromkeys(found, 1) | {"strict": 0}


def n_matched(golds: Sequence[Typed], preds: Sequence[Typed], name: str) -> int:
    """The size of the largest of all matchings."""
    if len(golds) > len(preds):
        golds, preds = preds, golds
    rules = WholeRules(3, (0, 1), *HALF)
    [g, p] = (
        whole.relations_of(rows, 0, 3, codes)
        for rows, codes in (rows_of_side([golds]), rows_of_side([preds]))
    )
    return max(
        sum(criteria_of(rules, a, b)[name] for a, b in zip(g, order, strict=False))
        for order in permutations(p)
    )


@given(sides(most=4))
@trials(300)
def test_matchings_are_the_largest(drawn: Any) -> None:
    for found, gold, pred in zip(counted(drawn), *drawn, strict=True):
        marked = [[r for r in side if r[0]] for side in (gold, pred)]
        assert {n: found[n] for n in CRITERIA} == {n: n_matched(*marked, n) for n in CRITERIA}


@given(sides(), SHARES, st.data())
@trials(1000)
def test_invariants(drawn: Any, share: tuple[int, int], data: st.DataObject) -> None:
    found = counted(drawn, share)
    for n in found:
        assert (
            n["strict"] <= n["exact"] <= n["iou"] <= n["overlap"] <= min(n["gold"], n["predicted"])
        )
        assert n["signal"] <= n["exact"] <= min(n["undirected"], n["boundary"])
    mixed = [[data.draw(st.permutations(example)) for example in side] for side in drawn]
    assert counted(mixed, share) == found
    exchanged = [n | {"gold": n["predicted"], "predicted": n["gold"]} for n in found]
    assert counted(drawn[::-1], share) == exchanged
    gold, pred = drawn
    more = [[*gold[0], ([], 1)], *gold[1:], []], [[([], 0), *pred[0]], *pred[1:], [([], 0)]]
    assert counted(more, share) == [*found, dict.fromkeys(found[0], 0)]


@given(sides(), SHARES, ARGUMENTS, st.booleans(), st.integers(1, 3), st.booleans())
@trials(4000)
def test_native_counts_are_those_of_sets(
    drawn: Any,
    share: tuple[int, int],
    arguments: tuple[int, int],
    typed: bool,
    n_groups: int,
    apart: bool,
) -> None:
    rules = WholeRules(3, arguments, *share)
    (gold, of_gold), (pred, of_pred) = map(rows_of_side, drawn)
    types = (of_gold, of_pred) if typed else None
    of = np.arange(gold.n_examples) % n_groups
    for groups in (
        CountGroups(None, gold.n_examples, each=True), CountGroups(of, n_groups, apart=apart)
    ):  # fmt: skip
        plain, native, fast = np.zeros((3, groups.n_rows, rules.n_fields), np.int64)
        partners = np.full((2, gold.n_relations), -7)
        whole.run(rules, gold, pred, types, groups, plain, partners[0])
        _whole.count(rules, gold, pred, types, groups, native, partners[1], 2)
        _whole.count(rules, gold, pred, types, groups, fast, None, 1)
        assert plain.tolist() == native.tolist() == fast.tolist()
        assert partners[0].tolist() == partners[1].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_many_relations_in_one_example(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = [
        [[[(0, a, a + 3), (1, 30 + b, 33 + b)] for a, b in rng.integers(0, 20, (n, 2)).tolist()]]
        for n in (70, 90)
    ]
    gold, pred = map(rows_of, drawn)
    rules, groups = WholeRules(3, (0, 1), *HALF), CountGroups(None, 1)
    plain, native = np.zeros((2, 1, rules.n_fields), np.int64)
    whole.run(rules, gold, pred, None, groups, plain)
    _whole.count(rules, gold, pred, None, groups, native, None, 1)
    assert plain.tolist() == native.tolist()
    assert 0 < plain[0, 2] < plain[0, 8] < 70


@pytest.mark.slow
def test_few_relations_count_as_many() -> None:
    """Without partners few relations are compared in words of bits; with them they never are."""
    rng = np.random.default_rng(0)
    sides, types = [], []
    for _ in range(2):
        n = rng.integers(0, 5, 20_000)
        starts = rng.integers(0, 5, (n.sum(), 3)).tolist()
        spans = [[(r, a + r, a + r + 1 + a % 3) for r, a in enumerate(row) if a] for row in starts]
        sides.append(rows_of([spans[b - k : b] for b, k in zip(n.cumsum(), n, strict=True)]))
        types.append(rng.integers(0, 2, n.sum()))
    gold, pred = sides
    rules, groups = WholeRules(3, (0, 1), *HALF), CountGroups(None, gold.n_examples, each=True)
    few, many = np.zeros((2, gold.n_examples, rules.n_fields), np.int64)
    _whole.count(rules, gold, pred, tuple(types), groups, few, None, 1)
    partner = np.empty(gold.n_relations, np.int64)
    _whole.count(rules, gold, pred, tuple(types), groups, many, partner, 1)
    assert np.array_equal(few, many)
    assert (many[:, 7] < np.minimum(many[:, 0], many[:, 1])).any()
    plain = np.zeros((300, rules.n_fields), np.int64)
    partners = np.empty(gold.relation_offsets[300], np.int64)
    codes = tuple(
        codes[: rows.relation_offsets[300]] for codes, rows in zip(types, sides, strict=True)
    )
    first = [rows.part(0, 300) for rows in sides]
    whole.run(rules, *first, codes, CountGroups(None, 300, each=True), plain, partners)
    assert np.array_equal(plain, many[:300])
    assert np.array_equal(partners, partner[: len(partners)])


def test_partners_are_the_least_in_the_order_of_gold() -> None:
    def side(*causes: tuple[int, ...]) -> Any:
        return rows_of([[[*((0, t, t + 1) for t in cause), (1, 50, 51)] for cause in causes]])

    gold, pred = side((0, 10), (20, 30), (1, 21)), side((0, 1), (20, 21), (10,), (30,))
    rules, groups = WholeRules(3, (0, 1), *HALF), CountGroups(None, 1)
    for count in (whole.run, _whole.count):
        counts, partner = np.zeros((1, rules.n_fields), np.int64), np.empty(3, np.int64)
        threads = () if count is whole.run else (1,)
        count(rules, gold, pred, None, groups, counts, partner, *threads)
        assert partner.tolist() == [0, 3, 1]

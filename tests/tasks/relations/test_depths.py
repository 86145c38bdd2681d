"""Protocol "depths": the worked example, its invariants, and every backend against plain sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference import depths
from fastcausal.engine.reference.depths import (
    DepthRules,
    least_matching,
    run,
)
from fastcausal.protocols import match_of
from fastcausal.tasks.relations import _depths
from tests.oracles import depths as oracle
from tests.support.profiles import trials
from tests.support.related import rows_of_side, sides
from tests.support.strategies import rows_of

EXACT, OVERLAP, HALF, THIRD = (1, 1), (0, 1), (1, 2), (333_333_333, 10**9)
NAMES = (
    "right", "not_causal", "both", "cause", "effect", "mistyped", "turned", "unlinked", "partial",
)  # fmt: skip


def rules_of(match: tuple[int, int]) -> DepthRules:
    return DepthRules(3, (0, 1), *match)


def counted(match: tuple[int, int], gold: Any, pred: Any, typed: bool) -> list[dict[str, Any]]:
    """Counts of each example by name, by the plain sets."""
    rules = rules_of(match)
    (g, of_gold), (p, of_pred) = rows_of_side(gold), rows_of_side(pred)
    counts = np.zeros((len(gold), rules.n_fields), np.int64)
    types = (of_gold, of_pred) if typed else None
    run(rules, g, p, types, CountGroups(None, len(gold), each=True), counts)
    return [named(row) for row in counts.tolist()]


def named(row: list[int]) -> dict[str, Any]:
    right, *rest = row[13:]
    sides = {"gold": [right, *rest[:8]], "predicted": [right, *rest[8:]]}
    return {
        "causal": row[:4],
        "spans": [row[4 + 3 * k : 7 + 3 * k] for k in range(3)],
        **{name: dict(zip(NAMES, values, strict=True)) for name, values in sides.items()},
    }


def test_the_worked_example() -> None:
    gold = [[([(0, 0, 2), (1, 4, 6)], 0), ([(0, 4, 6), (1, 8, 9)], 0), ([(0, 1, 2), (1, 7, 8)], 0)]]
    pred = [[([(0, 4, 6), (1, 0, 2)], 0), ([(0, 4, 6), (1, 8, 9)], 0), ([(0, 0, 2), (1, 8, 9)], 0)]]
    [found] = counted(EXACT, gold, pred, typed=False)
    nothing = dict.fromkeys(NAMES, 0)
    assert found["gold"] == nothing | {"right": 1, "turned": 1, "both": 1}
    assert found["predicted"] == nothing | {"right": 1, "turned": 1, "unlinked": 1}
    assert found["causal"] == [1, 0, 0, 0]
    # causes 0-2, 4-6, 1-2 and 4-6, 0-2; effects 4-6, 8-9, 7-8 and 0-2, 8-9
    assert found["spans"] == [[2, 2, 3], [1, 2, 3], [0, 0, 0]]


def matchings(edges: list[list[bool]], g: int, taken: frozenset[int]) -> Iterator[list[int]]:
    """All matchings as lists of partners; 99 is no partner."""
    if g == len(edges):
        yield []
        return
    for p in [*range(len(edges[g])), 99]:
        if p == 99 or (edges[g][p] and p not in taken):
            for rest in matchings(edges, g + 1, taken | {p} if p != 99 else taken):
                yield [p, *rest]


@given(st.integers(0, 5), st.integers(0, 5), st.data())
@trials(2000)
def test_the_least_of_all_maximum_matchings(n: int, m: int, data: st.DataObject) -> None:
    edges = [[data.draw(st.booleans()) for _ in range(m)] for _ in range(n)]
    best = max(
        matchings(edges, 0, frozenset()), key=lambda ps: (len(ps) - ps.count(99), [-p for p in ps])
    )
    pairs = least_matching(range(n), range(m), lambda g, p: edges[g][p])
    assert [pairs.get(g, 99) for g in range(n)] == best


MATCHES = st.sampled_from([EXACT, OVERLAP, HALF, THIRD])


@given(sides(), MATCHES, st.booleans(), st.data())
@trials(1000)
def test_invariants(drawn: Any, match: tuple[int, int], typed: bool, data: st.DataObject) -> None:
    gold, pred = drawn
    found = counted(match, gold, pred, typed)
    for example, g, p in zip(found, gold, pred, strict=True):
        for name, side, others in (("gold", g, p), ("predicted", p, g)):
            # every relation with a span has one line
            assert sum(example[name].values()) == sum(bool(spans) for spans, _ in side)
            assert typed or not example[name]["mistyped"]
            assert not example[name]["not_causal"] or not any(spans for spans, _ in others)
        assert sum(example["causal"]) == 1
        for tp, of_pred, of_gold in example["spans"]:
            assert tp <= min(of_pred, of_gold)
    # the order of relations counts nothing
    mixed = [[data.draw(st.permutations(example)) for example in side] for side in drawn]
    assert counted(match, *mixed, typed) == found
    # a relation without a span counts nothing, an example without relations is not causal
    more = [[*gold[0], ([], 1)], *gold[1:], []], [[([], 0), *pred[0]], *pred[1:], [([], 0)]]
    *before, last = counted(match, *more, typed)
    assert before == found
    assert last == counted(match, [[]], [[]], typed)[0]
    assert last["causal"] == [0, 0, 0, 1]
    # the sides exchanged: all but the split of three lines
    for example, turned in zip(found, counted(match, pred, gold, typed), strict=True):
        tp, fp, fn, tn = example["causal"]
        assert turned["causal"] == [tp, fn, fp, tn]
        assert turned["spans"] == [[a, c, b] for a, b, c in example["spans"]]
        for one, other in (("gold", "predicted"), ("predicted", "gold")):
            assert _joined(turned[one]) == _joined(example[other])


def _joined(lines: dict[str, int]) -> dict[str, int]:
    split = ("mistyped", "turned", "unlinked")
    return {n: v for n, v in lines.items() if n not in split} | {
        "rest": sum(lines[n] for n in split)
    }


@given(sides(), MATCHES, st.booleans(), st.integers(1, 3), st.booleans())
@trials(1500)
def test_native_counts_are_those_of_sets(
    drawn: Any, match: tuple[int, int], typed: bool, n_groups: int, apart: bool
) -> None:
    rules = rules_of(match)
    (gold, of_gold), (pred, of_pred) = map(rows_of_side, drawn)
    types = (of_gold, of_pred) if typed else None
    of = np.arange(gold.n_examples) % n_groups
    for groups in (
        CountGroups(None, gold.n_examples, each=True), CountGroups(of, n_groups, apart=apart)
    ):  # fmt: skip
        shape = groups.n_rows, rules.n_fields
        plain, native = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        lines = [tuple(np.full(r.n_relations, 9, np.int8) for r in (gold, pred)) for _ in range(2)]
        partner = np.full((2, gold.n_relations), 9)
        depths.run(rules, gold, pred, types, groups, plain, partner[0], lines[0])
        _depths.count(rules, gold, pred, types, groups, native, partner[1], 2, lines[1])
        assert plain.tolist() == native.tolist()
        marked = [(np.diff(rows.row_offsets) > 0).tolist() for rows in (gold, pred)]
        expected = [np.where(m, x, -1).tolist() for m, x in zip(marked, lines[0], strict=True)]
        assert [x.tolist() for x in lines[1]] == expected
        assert partner[0].tolist() == partner[1].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_many_relations_in_one_example(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = [
        [[((0, a, a + 3), (1, 40 + b, 43 + b)) for a, b in rng.integers(0, 30, (n, 2)).tolist()]]
        for n in (70, 90)
    ]
    gold, pred = (rows_of([[list(r) for r in example] for example in side]) for side in drawn)
    rules, groups = rules_of(EXACT if seed == 0 else (1, 2 + seed)), CountGroups(None, 1)
    plain, native = np.zeros((2, 1, rules.n_fields), np.int64)
    depths.run(rules, gold, pred, None, groups, plain)
    _depths.count(rules, gold, pred, None, groups, native, None, 1)
    assert plain.tolist() == native.tolist()
    assert plain[0, 13] > 0
    assert plain[0, 20] > 0


@given(sides(), st.sampled_from(["exact", "overlap", "iou:0.5", "iou:0.34"]), st.booleans())
@trials(2000)
def test_counts_are_those_of_every_matching(drawn: Any, match: str, typed: bool) -> None:
    """All matchings of token sets are tried, by an oracle that shares nothing with the package."""
    examples = [
        tuple(
            [
                (
                    {
                        name: frozenset(t for r, a, b in spans if r == k for t in range(a, b))
                        for k, name in enumerate(oracle.ROLES)
                    },
                    [None, "a", "b"][code],
                )
                for spans, code in example[side]
            ]
            for side in (0, 1)
        )
        for example in zip(*drawn, strict=True)
    ]
    rules = rules_of(match_of(match))
    (gold, of_gold), (pred, of_pred) = map(rows_of_side, drawn)
    counts = np.zeros((1, rules.n_fields), np.int64)
    types = (of_gold, of_pred) if typed else None
    _depths.count(rules, gold, pred, types, CountGroups(None, 1), counts, None, 1)
    found, wanted = named(counts[0].tolist()), oracle.depths(examples, match, typed)
    assert found["causal"] == [wanted["causal"][name] for name in ("tp", "fp", "fn", "tn")]
    for role, spans in zip(oracle.ROLES, found["spans"], strict=True):
        assert spans == [wanted[role][name] for name in ("tp", "predicted", "gold")]
    for side in ("gold", "predicted"):
        assert found[side] == {name: wanted[side][name] for name in NAMES}

"""Pairing depends on no order, side or empty relation; ties and the official search follow fixed
rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.kernel import Objective
from fastcausal.engine.plan import Result
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import count_pairs, run
from fastcausal.protocols import CNC_2023, PROTOCOLS, RECESS, Protocol
from tests.oracles.fair import ERRORS, fair_counts, official_f1, overall
from tests.oracles.pairing import Problem, first_best
from tests.support.profiles import trials
from tests.support.strategies import (
    LENGTH,
    ROLES,
    Example,
    Relation,
    crafted,
    relations,
    rows_of,
    sides,
    tagged_relations,
)

FEW_SPANS = st.lists(  # so few that most pairings are worth the same
    st.sampled_from([(0, 0, 2), (0, 1, 3), (1, 1, 3), (1, 4, 6), (2, 0, 2)]),
    max_size=3,
    unique=True,
)


def contents(gold: list[Example], pred: list[Example], result: Result) -> list[Counter[str]]:
    """Return the pairs of every example by their content."""
    of_gold = [sorted(relation) for example in gold for relation in example]
    of_pred = [sorted(relation) for example in pred for relation in example]
    pairs = iter(
        str((g, None if p < 0 else of_pred[p] or None))
        for g, p in zip(of_gold, result.partner, strict=True)
    )
    return [Counter(next(pairs) for _ in example) for example in gold]


# -------------------------------------------------------------------------------------- content


@pytest.mark.parametrize("kernel", KERNELS)
@trials(60)
@given(both=sides(of=FEW_SPANS | relations()), data=st.data())
def test_order_shows_in_nothing(kernel, both, data):
    """The order of spans, relations and examples changes neither counts nor pairs."""
    gold, pred = both
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    result = run(plan, rows_of(gold), rows_of(pred))
    order = data.draw(st.permutations(range(len(gold))))
    other_gold, other_pred = (
        [data.draw(st.permutations(side[e])) for e in order] for side in (gold, pred)
    )
    shuffled = run(plan, rows_of(other_gold), rows_of(other_pred))
    np.testing.assert_array_equal(shuffled.counts, result.counts[order])
    pairs = contents(gold, pred, result)
    assert contents(other_gold, other_pred, shuffled) == [pairs[e] for e in order]
    for e, (g, p) in enumerate(zip(gold, pred, strict=True)):
        alone = run(plan, rows_of([g]), rows_of([p]))
        np.testing.assert_array_equal(alone.counts[0], result.counts[e])


@pytest.mark.parametrize("kernel", KERNELS)
def test_shared_tokens_decide_beyond_32_bits(kernel):
    """Shared tokens decide even if their sum over roles passes 32 bits."""
    far = 16 * 10**8
    gold = [(0, 0, far), (1, 0, far)]
    preds = [[(0, 1, 10), (1, 1, 10)], [(0, 1, far - 1), (1, 1, far - 1)]]
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    for order in permutations(range(2)):
        pred = [[preds[k] for k in order]]
        found = run(plan, rows_of([[gold]], 2**31 - 1), rows_of(pred, 2**31 - 1))
        assert found.partner.tolist() == [order.index(1)]


SYMMETRIC = pytest.mark.parametrize("kernel", ["exact_spans", "span_overlap"])


def assert_sides_trade_places(kernel: str, gold: list[Example], pred: list[Example]) -> None:
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    one = run(plan, rows_of(gold), rows_of(pred)).counts
    other = run(plan, rows_of(pred), rows_of(gold)).counts
    names = plan.kernel.columns(ROLES)
    swap = {"fp": "fn", "fn": "fp"}
    fields = [name.rsplit("_", 1) for name in names]
    order = [names.index(f"{role}_{swap.get(field, field)}") for role, field in fields]
    np.testing.assert_array_equal(one, other[:, order])


@SYMMETRIC
@trials(60)
@given(both=sides(of=FEW_SPANS | relations()))
def test_sides_trade_places(kernel, both):
    assert_sides_trade_places(kernel, *both)


@SYMMETRIC
def test_sides_trade_places_in_cycles(kernel):
    """Counts swap with the sides, even if the first best pairing by gold is not first by pred."""
    rng = np.random.default_rng(0)
    pairs = [crafted(rng, rng.binomial(1, 0.5, shape)) for shape in rng.integers(3, 8, (400, 2))]
    gold, pred = (
        [example for side in sides_ for example in side] for sides_ in zip(*pairs, strict=True)
    )
    assert_sides_trade_places(kernel, gold, pred)


FEW_RELATIONS = [  # that tie, in a cycle, or have nothing in common
    [(0, 0, 2)],
    [(0, 1, 3)],
    [(1, 1, 3)],
    [(0, 0, 3), (1, 4, 6)],
    [(0, 0, 1), (1, 2, 3), (2, 4, 5)],
    [(0, 5, 6), (1, 7, 8), (2, 9, 10)],
]


@pytest.mark.drawn
@pytest.mark.parametrize(("backend", "most"), [("cpu", 3000), ("reference", 200)])
@pytest.mark.parametrize("ties", ["content", "first"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_empty_relations_show_in_nothing(kernel, ties, backend, most):
    """Empty relations change no other count, and examples of them alone count nothing."""
    rng, n = np.random.default_rng(0), trials(most).max_examples
    both = [[drawn(rng, 4) for _ in range(n)] for _ in range(2)]
    padded = [[*(with_empty(rng, example) for example in side), [[]], []] for side in both]
    # Hits alone: F1 with ties by file is the official search, in which empty relations take places.
    objective = Objective({"tp": 1}) if ties == "first" and "tp" in KERNELS[kernel].fields else None
    plan = Protocol("test", kernel=kernel, ties=ties, objective=objective).plan(ROLES)
    result = run(plan, *map(rows_of, both), backend=backend)
    other = run(plan, *map(rows_of, padded), backend=backend)
    np.testing.assert_array_equal(other.counts[:n], result.counts)
    assert not other.counts[n:].any()
    marked = [
        Counter({pair: n for pair, n in pairs.items() if not pair.startswith("([],")})
        for pairs in contents(*padded, other)
    ]
    assert marked[:n] == contents(*both, result)


def drawn(rng: np.random.Generator, most: int) -> Example:
    return [
        FEW_RELATIONS[k] for k in rng.integers(0, len(FEW_RELATIONS), rng.integers(0, most + 1))
    ]


def with_empty(rng: np.random.Generator, example: Example) -> Example:
    """The same relations in the same order, and some without a span between them."""
    gaps = rng.binomial(2, 0.3, len(example) + 1)
    return [r for k, gap in enumerate(gaps) for r in (*[[]] * gap, *example[k : k + 1])]


@pytest.mark.parametrize(
    "protocol", [p for p in PROTOCOLS.values() if p.kernel in KERNELS], ids=str
)
@trials(40)
@given(both=sides())
def test_every_relation_is_counted_once(protocol, both):
    plan = protocol.plan(ROLES)
    gold, pred = map(rows_of, both)
    result = run(plan, gold, pred)
    partners = result.partner[result.partner >= 0]
    assert len(set(partners)) == len(partners)
    paired = np.flatnonzero(result.partner >= 0)
    np.testing.assert_array_equal(
        gold.example_of_relation()[paired], pred.example_of_relation()[partners]
    )
    for e, (g, p) in enumerate(zip(*both, strict=True)):
        here = slice(*gold.relation_offsets[e : e + 2])
        golds, partner = np.arange(gold.n_relations)[here], result.partner[here]
        kept = len(p)
        if g and protocol.surplus == "truncate":
            kept = min(len(g), len(p))
        if not g and protocol.non_causal == "ignore":
            kept = 0
        preds = pred.relation_offsets[e] + np.arange(kept)
        surplus = np.setdiff1d(preds, partner)
        assert set(partner) <= {-1, *preds}
        index = np.r_[golds, np.full(len(surplus), -1)], np.r_[partner, surplus]
        counts = count_pairs(plan, gold, pred, *(i.astype(np.int64) for i in index))
        np.testing.assert_array_equal(counts.sum(axis=0), result.counts[e])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_ties(backend):
    """Ties of scores go to most shared tokens, ties of tokens to the first by content."""
    plan = replace(RECESS, name="test", kernel="exact_spans").plan(ROLES)

    def partner(gold: Example, pred: Example) -> list[int]:
        return run(plan, rows_of([gold]), rows_of([pred]), backend=backend).partner.tolist()

    early, near = [(0, 0, 3)], [(0, 3, 9)]
    assert partner([[(0, 2, 8)]], [early, near]) == [1]
    assert partner([early, near], [[(0, 2, 8)]]) == [-1, 0]
    assert partner([[(0, 0, 6)]], [[(0, 6, 7)]]) == [-1]  # nothing shared
    late = [(0, 3, 6)]
    assert partner([[(0, 0, 6)]], [late, early]) == [1]
    assert partner([late, early], [[(0, 0, 6)]]) == [-1, 0]
    twins = [[(0, 0, 3)], [(0, 0, 3)]]
    assert partner(twins, [[(0, 0, 3)]]) == [0, -1]


# ------------------------------------------------------------------------------ official search


def official_partner(gold: Example, pred: Example) -> list[int]:
    """The prediction of every gold relation, by the program's own words."""
    padded: list[Relation] = [*pred[: len(gold)], *[[]] * (len(gold) - len(pred))]
    cells = [[overall(fair_counts(g, p)) for g in gold] for p in padded]
    best, chosen = -1.0, tuple(range(len(gold)))
    for order in permutations(range(len(gold))):
        total: Counter[str] = Counter()
        for k, g in enumerate(order):
            total.update(cells[k][g])
        if (f1 := official_f1(total)) > best:
            best, chosen = f1, order
    partner = [-1] * len(gold)
    for k, g in enumerate(chosen):
        partner[g] = k if k < len(pred) else -1
    return partner


def assert_official(gold: Example, pred: Example) -> None:
    result = run(CNC_2023.plan(ROLES), rows_of([gold]), rows_of([pred]))
    expected = official_partner(gold, pred)
    assert result.partner.tolist() == expected
    counts: Counter[tuple[int, str]] = Counter()
    for g, k in zip(gold, expected, strict=True):
        counts.update(fair_counts(g, pred[k] if k >= 0 else []))
    fields = KERNELS["fair_spans"].fields
    assert set(ERRORS) <= set(fields)
    by_role = [counts[role, field] for role in range(len(ROLES)) for field in fields]
    assert result.counts[0].tolist() == by_role


@trials(200)
@given(
    sides(
        most_relations=5,
        most_examples=1,
        of=tagged_relations() | st.sampled_from([[(0, 0, 2)], [(0, 0, 3)], [(1, 4, 6)]]),
    )
)
def test_official_search(both):
    assert_official(both[0][0], both[1][0])


def test_official_floats_decide():
    """Of two pairings with the same exact F1, the official floats may find the second greater."""
    gold, pred = [], []
    for tp, fp, fn in product(range(1, 8), range(8), range(8)):
        hits = [(2, 20 + 2 * k, 21 + 2 * k) for k in range(tp)]
        missed = [(1, 40 + 2 * k, 41 + 2 * k) for k in range(fn)]
        invented = [(1, 60 + 2 * k, 61 + 2 * k) for k in range(fp)]
        gold.append([[*hits, *missed, (0, 0, 10)], hits])
        pred.append([[*hits, *invented, (0, 0, 4), (0, 5, 9)], [*hits, (0, 0, 9)]])
    found = run(CNC_2023.plan(ROLES), rows_of(gold), rows_of(pred)).partner.reshape(-1, 2)
    swapped = [official_partner(g, p) == [1, 0] for g, p in zip(gold, pred, strict=True)]
    assert (found[:, 0] % 2).astype(bool).tolist() == swapped
    assert 0 < sum(swapped) < len(swapped)


@trials(3)
@given(st.lists(tagged_relations(LENGTH // 2), min_size=6, max_size=6), st.data())
def test_official_search_of_six(gold, data):
    pred = data.draw(st.lists(st.sampled_from(gold) | tagged_relations(LENGTH // 2), max_size=7))
    assert_official(gold, pred)


@trials(15)
@given(st.lists(tagged_relations(LENGTH // 2), min_size=7, max_size=7), st.data())
def test_beyond_six_the_exact_ratio_decides(gold, data):
    pool = st.sampled_from(gold) | tagged_relations(LENGTH // 2)
    pred = data.draw(st.lists(pool, min_size=1, max_size=7))
    plan = CNC_2023.plan(ROLES)
    rows = rows_of([gold]), rows_of([pred])
    partner = run(plan, *rows).partner
    tp, errors = (
        np.array([[_exact(overall(fair_counts(g, p)))[k] for g in gold] for p in pred])
        for k in (0, 1)
    )
    lost = [len(g) for g in gold]
    orders = np.array(list(permutations(range(7), len(pred))))
    rows_ = np.arange(len(pred))
    hits = tp[rows_, orders].sum(axis=1)
    wrong = errors[rows_, orders].sum(axis=1) + sum(lost) - np.array(lost)[orders].sum(axis=1)
    best = 0
    for k in range(1, len(orders)):  # f1 grows with hits / wrong: compare by cross products
        if hits[k] * wrong[best] > hits[best] * wrong[k]:
            best = k
    expected = [-1] * 7
    for k, g in enumerate(orders[best]):
        expected[g] = k
    assert partner.tolist() == expected


def _exact(counts: Counter[str]) -> tuple[int, int]:
    return counts["tp"], sum(counts[error] for error in ERRORS)


# ------------------------------------------------------------------- an objective of one's own


def assert_own_objective(protocol: Protocol, gold: Example, pred: Example, expected: list[int]):
    plan = protocol.plan(ROLES)
    sides_ = rows_of([gold]), rows_of([pred])
    problem = Problem(plan, *sides_)
    best = first_best(*problem.arguments)
    for backend in ("reference", "cpu"):
        result = run(plan, *sides_, backend=backend)
        assert problem.pairing(result.partner) == best, backend
        assert result.partner.tolist() == expected, backend


def test_a_costly_pair_stays_apart():
    """A pair that lowers the objective stays apart, even with one relation a side."""
    protocol = Protocol("test", objective=Objective({"tp": 2, "be": -1}))
    assert_own_objective(protocol, [[(0, 0, 6)]], [[(0, 0, 4)]], [-1])


def test_file_order_decides_ties_only():
    """A protocol with ties in file order still maximises its own objective."""
    gold = [[(0, 0, 6)], [(0, 6, 8)]]
    pred = [[(0, 1, 5), (0, 6, 8)], [(0, 0, 1)]]
    protocol = Protocol("test", kernel="span_overlap", ties="first")
    assert_own_objective(protocol, gold, pred, [1, 0])

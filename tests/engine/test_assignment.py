"""The pairing is the first of the best: by trying all, or by certificate beyond."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import fastcausal as fc
from fastcausal.engine.kernel import Objective
from fastcausal.engine.reference.pairing import Value, best_pairing
from fastcausal.engine.run import run
from fastcausal.protocols import RECESS, Protocol
from fastcausal.rows import Rows
from tests.oracles.pairing import Edge, Problem, assert_first_best, first_best, worth
from tests.support.profiles import trials
from tests.support.strategies import ROLES, crafted, relations, rows_of, sides

FAIR = {"tp": 2, "fp": 1, "fn": 1, "le": 1, "be": 1, "lbe": 1}
PROTOCOLS = [  # a ratio or a sum; pairing may cost something; all pairs count or those that meet
    RECESS,
    Protocol("sum", objective=Objective({"tp": 4, "be": 2, "lbe": 1})),
    Protocol("boundaries", objective=Objective({"tp": 2, "be": 1}, FAIR)),
    Protocol("exact", kernel="exact_spans"),
    Protocol("partial", kernel="partial_spans"),
    Protocol("in file order", kernel="partial_spans", ties="first"),
    Protocol("agreement", kernel="span_overlap"),
    Protocol("dear pairs", kernel="span_overlap", objective=Objective({"tp": 2, "pairs": 3})),
    Protocol(
        "jaccard",
        kernel="span_overlap",
        objective=Objective({"tp": 1}, {"tp": 1, "fp": 1, "fn": 1, "overall_pairs": 1}),
    ),
    Protocol(
        "mean",
        kernel="span_overlap",
        objective=Objective({"overall_to": 1, "em": 1}, {"overall_pairs": 1}),
    ),
]
named = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)


@st.composite
def problems(draw: st.DrawFn, most: int) -> tuple[dict[tuple[int, int], Edge], int, int, Edge]:
    """Small weights, so that ties abound; the denominator stays positive."""
    n_rows, n_columns = draw(st.integers(0, most)), draw(st.integers(0, most))
    edge = st.none() | st.tuples(st.integers(-1, 3), st.integers(-2, 1), st.integers(0, 2))
    cells = draw(st.lists(edge, min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    edges = {divmod(k, n_columns): e for k, e in enumerate(cells) if e is not None}
    alone = (draw(st.integers(0, 3)), 2 * n_rows + draw(st.integers(1, 4)), 0)
    return edges, n_rows, n_columns, alone


@trials(200)
@given(problems(most=5), st.booleans())
def test_specification_equals_trying_all(problem, linear):
    edges, n_rows, n_columns, alone = problem
    values = {at: Value(*edge) for at, edge in edges.items()}
    found = best_pairing(values, n_rows, n_columns, Value(*alone), linear)
    assert found == first_best(edges, n_rows, n_columns, alone, linear)
    assert_first_best(found, edges, n_rows, n_columns, alone, linear)


@trials(30)
@given(problems(most=14), st.booleans())
def test_specification_has_certificate(problem, linear):
    edges, n_rows, n_columns, alone = problem
    values = {at: Value(*edge) for at, edge in edges.items()}
    found = best_pairing(values, n_rows, n_columns, Value(*alone), linear)
    assert_first_best(found, edges, n_rows, n_columns, alone, linear)


def assert_solved(protocol: Protocol, gold: Rows, pred: Rows, by_trial: bool = False) -> None:
    plan = protocol.plan(ROLES)
    problem = Problem(plan, gold, pred)
    found = problem.pairing(run(plan, gold, pred).partner)
    if by_trial:
        assert found == first_best(*problem.arguments)
    assert_first_best(found, *problem.arguments)


@named
@trials(30)
@given(both=sides(most_relations=5, most_examples=1))
def test_native_equals_trying_all(protocol, both):
    assert_solved(protocol, *map(rows_of, both), by_trial=True)


@named
@trials(2)
@given(pool=st.lists(relations(), min_size=4, max_size=9, unique_by=str), data=st.data())
def test_native_equals_trying_all_of_six(protocol, pool, data):
    six = st.lists(st.sampled_from(pool), min_size=6, max_size=6)
    assert_solved(protocol, *(rows_of([data.draw(six)]) for _ in range(2)), by_trial=True)


@fc.kernel(fields=["tp", "fp", "fn"])
def near_misses(gold, pred, length, params, counts):
    """Spans that meet without being equal count for nothing."""
    if len(gold) and len(pred) and gold[0, 1] < pred[-1, 2] and pred[0, 1] < gold[-1, 2]:
        counts[0] = len(gold) == len(pred) and (gold == pred).all()
    else:
        counts[1], counts[2] = len(pred), len(gold)


TERMS = {  # so that about half of all denominators count every hit and error
    "fair_spans": ("tp", "fp", "fn", "le", "be", "lbe"),
    "exact_spans": ("tp", "fp", "fn"),
    "span_overlap": ("em", "osb", "to", "tp", "fp", "fn", "overall_em", "overall_pairs"),
    "partial_spans": tuple(f"overall_partial_{f}" for f in ("cor", "inc", "par", "mis", "spu")),
}


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("kernel", TERMS)
@trials(80)
@given(
    both=sides(most_relations=5, most_examples=1),
    weights=st.lists(st.tuples(st.integers(-2, 3), st.integers(0, 3)), min_size=8, max_size=8),
    ties=st.sampled_from(["content", "first"]),
)
def test_what_is_accepted_is_solved(kernel, backend, both, weights, ties):
    """The pairing of any accepted objective is the best, with negative weights too."""
    forms = ({name: w[k] for name, w in zip(TERMS[kernel], weights, strict=False)} for k in (0, 1))
    try:
        protocol = Protocol("mine", kernel=kernel, objective=Objective(*forms), ties=ties)
    except ValueError:  # as the next test shows
        return
    plan = protocol.plan(ROLES)
    if plan.official:
        return
    problem = Problem(plan, *map(rows_of, both))
    found = problem.pairing(run(plan, *map(rows_of, both), backend=backend).partner)
    edges, n_rows, n_columns, alone, linear = problem.arguments
    best = first_best(edges, n_rows, n_columns, alone, linear)
    assert worth(edges, found, alone, linear) == worth(edges, best, alone, linear)


@pytest.mark.parametrize(
    ("kernel", "numerator", "denominator", "missing"),
    [
        ("fair_spans", {"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}, "be"),
        ("fair_spans", {"tp": 2}, {"le": 1}, "tp"),
        ("fair_spans", {"tp": 1}, {"tp": 1, "be": 1}, "fn"),  # 0/0 if nothing is paired
        ("exact_spans", {"tp": 2}, {"fp": 1, "fn": 1}, "tp"),
        ("exact_spans", {"tp": 2}, {"tp": 1}, "fn"),
        ("span_overlap", {"em": 1}, {"em": 1, "osb": 1}, "fn"),
        ("partial_spans", {"partial_cor": -1}, {"partial_inc": 1}, "partial_cor"),
        ("partial_spans", {"strict_cor": 1}, {"strict_cor": 1, "strict_mis": 1}, "strict_inc"),
        (near_misses, None, None, ""),
    ],
)
def test_denominators_that_miss_something_are_refused(kernel, numerator, denominator, missing):
    objective = numerator and Objective(numerator, denominator)
    left_out = f'leaves out fields .*"{missing}"' if missing else "leaves out what the kernel"
    with pytest.raises(ValueError, match=left_out):
        Protocol("mine", kernel=kernel, objective=objective)


@named
@trials(20)
@given(both=sides(most_relations=20, most_examples=1))
def test_native_has_certificate(protocol, both):
    assert_solved(protocol, *map(rows_of, both))


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 6))]
)
@pytest.mark.parametrize("ties", ["content", "first"])
def test_many_relations_have_certificate(seed, ties):
    rng = np.random.default_rng(seed)
    shape = rng.integers(20, 61, 2)
    hits, near = (rng.binomial(2, p, shape) for p in rng.choice([0.03, 0.1, 0.4], 2))
    gold, pred = map(rows_of, crafted(rng, hits, near, loose=4))
    for objective in (None, Objective({"tp": 3, "be": 1})):
        assert_solved(replace(RECESS, name="test", objective=objective, ties=ties), gold, pred)


@pytest.mark.parametrize("n", [4, 8, 14, 20])
def test_a_ratio_of_many_rounds(n):
    """The purest pairing: every pair found wanting raises the price of the others."""
    rng = np.random.default_rng(n)
    hits, near = rng.binomial(2, 0.2, (n, n)), rng.binomial(5, 0.6, (n, n))
    dear = dict.fromkeys(("tp", "be", "le", "lbe"), 1000)
    purity = Objective({"tp": 1}, dear | {"fp": 1, "fn": 1})
    assert_solved(
        Protocol("purity", objective=purity), *map(rows_of, crafted(rng, hits, near, loose=2))
    )


@pytest.mark.parametrize(
    ("kernel", "shape"),
    [
        ("partial_spans", (150, 200)),
        pytest.param("fair_spans", (200, 200), marks=pytest.mark.slow),
        pytest.param("exact_spans", (200, 150), marks=pytest.mark.slow),
    ],
)
def test_two_hundred_relations_have_certificate(kernel, shape):
    rng = np.random.default_rng(shape[1])
    hits, near = (rng.binomial(2, p, shape) for p in (0.01, 0.02))
    assert_solved(Protocol("test", kernel=kernel), *map(rows_of, crafted(rng, hits, near, loose=2)))


@pytest.mark.slow
def test_two_hundred_dense_relations():
    """The pairing of 200 relations has the greatest sum, as scipy finds it."""
    rng = np.random.default_rng(0)
    hits = rng.binomial(3, 0.3, (200, 200))
    gold, pred = map(rows_of, crafted(rng, hits))
    protocol = Protocol("sum", kernel="exact_spans", objective=Objective({"tp": 1}))
    result = run(protocol.plan(ROLES), gold, pred)
    paired = np.flatnonzero(result.partner >= 0)
    found = [tuple(map(int, pair)) for pair in zip(paired, result.partner[paired], strict=True)]
    assert len({p for _, p in found}) == len(found)
    best = hits[linear_sum_assignment(hits, maximize=True)].sum()
    assert sum(hits[pair] for pair in found) == best

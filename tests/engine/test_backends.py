"""Every backend, thread count and grouping gives the same integers."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.engine.kernel import Objective
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import count_pairs, run
from fastcausal.options import NonCausal, PairingTies, Surplus
from fastcausal.protocols import PROTOCOLS, RECESS, Protocol
from fastcausal.rows import Rows
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES, Relation, random_side, relations, rows_of, sides

SHAPES = [p for p in PROTOCOLS.values() if p.kernel in KERNELS] + [
    Protocol("shape", ties=ties, surplus=surplus, non_causal=non_causal)
    for ties, surplus, non_causal in product(
        get_args(PairingTies), get_args(Surplus), get_args(NonCausal)
    )
]
TRACKS = [RECESS.tracks, (("cause",), ("effect",), ("signal",)), (ROLES,), (("signal", "cause"),)]
OBJECTIVES = {
    "fair_spans": [
        Objective({"tp": 4, "be": 2, "lbe": 1}),
        Objective({"tp": 2}, {"tp": 2, "fp": 3, "fn": 1, "le": 1, "be": 2, "lbe": 1}),
    ],
    "exact_spans": [Objective({"tp": 1})],
    "span_overlap": [
        Objective({"tp": 1}, {"tp": 1, "fp": 1, "fn": 1}),
        Objective({"tp": 2, "overall_pairs": 3}),
        Objective({"em": 1, "overall_to": 1}, {"overall_pairs": 1}),
    ],
    "partial_spans": [Objective({"overall_type_cor": 1}), Objective({"strict_cor": 1})],
}


@pytest.mark.parametrize("kernel", KERNELS)
@trials(100)
@given(both=sides(), shape=st.sampled_from(SHAPES), tracks=st.sampled_from(TRACKS), data=st.data())
def test_cpu_equals_reference(kernel, both, shape, tracks, data):
    objective = data.draw(st.sampled_from([None, *OBJECTIVES.get(kernel, [])]))
    protocol = replace(shape, name="test", kernel=kernel, tracks=tracks, objective=objective)
    gold, pred = map(rows_of, both)
    results = [run(protocol.plan(ROLES), gold, pred, backend=b) for b in ("cpu", "reference")]
    np.testing.assert_array_equal(results[0].partner, results[1].partner)
    np.testing.assert_array_equal(results[0].counts, results[1].counts)


@pytest.mark.parametrize("kernel", KERNELS)
@trials(30)
@given(pairs=st.lists(st.tuples(*[st.none() | relations()] * 2).filter(any), min_size=1))
def test_pairs_count_alike(kernel, pairs):
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    gold, pred = (rows_of([[pair[side] or [] for pair in pairs]]) for side in (0, 1))
    index = [
        np.array([-1 if pair[side] is None else k for k, pair in enumerate(pairs)])
        for side in (0, 1)
    ]
    np.testing.assert_array_equal(
        count_pairs(plan, gold, pred, *index),
        count_pairs(plan, gold, pred, *index, backend="reference"),
    )


@pytest.mark.drawn
def test_crowded_tracks_count_alike():
    """Backends agree on crowded tracks, which need every rule that ranks partners."""
    rng, n = np.random.default_rng(0), trials(4000).max_examples

    def crowd() -> Relation:
        low, high = (0, 0, 1), ((3, 8, 6), (3, 16, 12))[rng.integers(2)]
        numbers = rng.integers(low, high, (rng.integers(2, 12), 3))
        return [(role, start, start + width) for role, start, width in numbers.tolist()]

    gold, pred = (rows_of([[crowd() for _ in range(n)]]) for _ in range(2))
    index = np.arange(n)
    for tracks in (RECESS.tracks, (ROLES,)):
        plan = replace(RECESS, name="test", tracks=tracks).plan(ROLES)
        np.testing.assert_array_equal(
            count_pairs(plan, gold, pred, index, index),
            count_pairs(plan, gold, pred, index, index, backend="reference"),
        )


@pytest.fixture(scope="module")
def many() -> tuple[Rows, Rows]:
    rng = np.random.default_rng(0)
    gold, pred = (random_side(rng, 1500, 4) for _ in range(2))
    for k in rng.choice(1500, 250, replace=False):  # some the same, some longer
        pred[k] = gold[k][::-1]
        gold[k] = gold[k] * int(rng.integers(1, 4))
    return rows_of(4 * gold), rows_of(4 * pred)  # so many that a thread takes several blocks


@pytest.mark.parametrize("kernel", KERNELS)
def test_threads_and_groups_agree(kernel, many):
    gold, pred = many
    plan = replace(RECESS, name="test", kernel=kernel).plan(ROLES)
    alone = run(plan, gold, pred, num_threads=1)
    groups = np.random.default_rng(1).integers(0, 5, gold.n_examples)
    summed = np.stack([alone.counts[groups == g].sum(axis=0) for g in range(5)])
    for threads in (1, 2, 5, None):
        result = run(plan, gold, pred, num_threads=threads)
        np.testing.assert_array_equal(result.partner, alone.partner)
        np.testing.assert_array_equal(result.counts, alone.counts)
        grouped = run(plan, gold, pred, groups, 5, num_threads=threads)
        np.testing.assert_array_equal(grouped.partner, alone.partner)
        np.testing.assert_array_equal(grouped.counts, summed)
    slow = run(plan, *map(_first_examples, many), groups[:60], 5, backend="reference")
    fast = run(plan, *map(_first_examples, many), groups[:60], 5)
    np.testing.assert_array_equal(slow.counts, fast.counts)


def _first_examples(rows: Rows, n: int = 60) -> Rows:
    relations_ = rows.relation_offsets[: n + 1]
    offsets = rows.row_offsets[: relations_[-1] + 1]
    return Rows(rows.values[: offsets[-1]], offsets, relations_, rows.lengths[:n])


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_nothing_to_score(backend):
    plan = RECESS.plan(ROLES)
    for side in ([], [[]], [[], []], [[[]]]):
        result = run(plan, rows_of(side), rows_of(side), backend=backend)
        assert result.counts.shape == (len(side), plan.n_fields)
        assert not result.counts.any()
    grouped = run(plan, rows_of([]), rows_of([]), np.zeros(0, np.int64), 3, backend=backend)
    assert grouped.counts.shape == (3, plan.n_fields)
    assert not grouped.counts.any()


def test_what_run_refuses():
    rows = rows_of([[]], LENGTH)
    plan = RECESS.plan(ROLES)
    with pytest.raises(ValueError, match="num_threads is 0, expected at least 1"):
        run(plan, rows, rows, num_threads=0)
    with pytest.raises(ValueError, match='backend is "gpu", expected one of cpu, cuda, reference'):
        run(plan, rows, rows, backend="gpu")

"""Weights and counts as large as may be: the backends agree, or the input is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.engine.kernel import COUNT_BITS, MAX_WEIGHT
from fastcausal.engine.plan import TooLargeError
from fastcausal.engine.run import run
from fastcausal.options import PairingTies
from fastcausal.protocols import RECESS, Protocol
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, ROLES, Example, rows_of, sides
from tests.support.user_kernels import KERNELS, same_spans

LAST = 2**31 - 1
WEIGHTS = st.integers(-MAX_WEIGHT, MAX_WEIGHT) | st.sampled_from([MAX_WEIGHT, MAX_WEIGHT - 1])
# The denominator of every pair is above 0, see `fc.Objective`: the tokens of its example are in it.
POSITIVE = st.integers(1, MAX_WEIGHT) | st.sampled_from([MAX_WEIGHT, MAX_WEIGHT - 1])
OBJECTIVES = st.builds(
    lambda a, b, c, d, e: fc.Objective(
        {"shared": a, "overall_alone": b}, {"shared": c, "far": d, "overall_tokens": e}
    ),
    WEIGHTS, WEIGHTS, POSITIVE, POSITIVE, POSITIVE,
)  # fmt: skip


def scaled(side: list[Example], by: int) -> list[Example]:
    return [[[(r, by * a, by * b) for r, a, b in rel] for rel in example] for example in side]


@pytest.mark.parametrize("ties", get_args(PairingTies))
@pytest.mark.parametrize("scale", [1, LAST // LENGTH])
@trials(60)
@given(both=sides(), objective=OBJECTIVES)
def test_large_weights_and_counts_are_compared_exactly(ties, scale, both, objective):
    kernel = KERNELS["shared_or_far"]
    plan = replace(RECESS, name="test", kernel=kernel, objective=objective, ties=ties).plan(ROLES)
    gold, pred = (rows_of(scaled(side, scale), scale * LENGTH) for side in both)
    try:
        native = run(plan, gold, pred)
    except TooLargeError as error:
        example = error.example
        assert scale > 1  # small counts are never refused
        assert max(len(side[example]) for side in both) > 3  # nor are few relations
        return
    plain = run(plan, gold, pred, backend="reference")
    np.testing.assert_array_equal(native.partner, plain.partner)
    np.testing.assert_array_equal(native.counts, plain.counts)


@pytest.mark.parametrize("weight", [MAX_WEIGHT + 1, 2**62, -(2**62), 2**63 - 1, 2**80])
def test_weights_beyond_the_bound(weight):
    for weights in (({"tp": weight}, {}), ({"tp": 1}, {"tp": weight})):
        with pytest.raises(ValueError, match=f"the weight of tp is {weight}, expected at most"):
            fc.Objective(*weights)
    fc.Objective({"tp": -MAX_WEIGHT}, {"tp": MAX_WEIGHT})


def test_close_ratios_of_large_numbers():
    """The better of two ratios 2^-67 apart is found, which floats and 64 bits take for equal."""
    big = 2**34

    @fc.kernel(fields=["n", "d"], objective=fc.Objective({"n": 1}, {"d": 1}))
    def close(gold, pred, length, params, counts):
        if len(gold) and len(pred):
            same = gold[0, 1] == pred[0, 1]
            counts[0] = big - 1 if same else big - 2
            counts[1] = big if same else big - 1
        else:
            counts[1] = len(gold) + len(pred)

    assert Fraction(big - 1, big) > Fraction(big - 2, big - 1)
    example: Example = [[(0, 0, 1)], [(0, 1, 2)]]
    rows = rows_of([example])
    for ties in get_args(PairingTies):
        plan = Protocol("test", close, ties=ties).plan(ROLES)
        for backend in ("cpu", "reference"):
            assert run(plan, rows, rows, backend=backend).partner.tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_counts_have_a_bound(backend):
    def last(gold, pred, length, params, counts):
        counts[0] = 2**36 - 1

    def beyond(gold, pred, length, params, counts):
        counts[0] = 2**36

    assert COUNT_BITS == 36
    rows = rows_of([[[(0, 0, 1)]]])
    made = fc.kernel(["tp", "fp", "fn"])
    assert run(Protocol("x", made(last)).plan(ROLES), rows, rows, backend=backend).counts.max() > 0
    with pytest.raises(RuntimeError, match="left a count outside of 0 to 68719476735"):
        run(Protocol("x", made(beyond)).plan(ROLES), rows, rows, backend=backend)


def test_sums_that_would_wrap_are_refused_whole():
    gold = fc.Relations.from_examples([{"relations": [{"cause": (0, 1)}] * 2, "length": 3}] * 3)
    scorer = fc.ExtractionScorer()
    scorer.update(gold=gold, pred=gold)
    while scorer.tally.counts[()].max() < 2**55:
        scorer.merge(scorer)
    before = scorer.compute(), scorer.tally.totals.n_examples
    with pytest.raises(fc.InputError, match=r"expected less than 2\^56"):
        scorer.merge(scorer)
    assert (scorer.compute(), scorer.tally.totals.n_examples) == before
    assert scorer.tally.totals.n_examples > 2**50


@pytest.mark.slow
def test_an_index_outside_is_found_where_bounds_are_checked():
    @fc.kernel(fields=["tp", "fp", "fn"], boundscheck=True)
    def too_far(gold, pred, length, params, counts):
        counts[len(counts)] = 1

    @fc.kernel(fields=["tp", "fp", "fn"], boundscheck=True)
    def within(gold, pred, length, params, counts):
        same_span = len(gold) == len(pred)
        counts[0 if same_span else 1] = 1

    rows = rows_of([[[(0, 0, 1)]]])
    with pytest.raises(RuntimeError, match=r"kernel too_far .* raised an exception"):
        run(Protocol("x", too_far).plan(ROLES), rows, rows)
    assert run(Protocol("x", within).plan(ROLES), rows, rows).counts[0, 0] == 1
    assert not same_spans.boundscheck

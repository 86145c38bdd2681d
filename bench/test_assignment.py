"""Documents with many relations: the best pairing, against scipy where the objective is a sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from fastcausal import Objective, Protocol
from fastcausal.engine.run import count_pairs, run
from fastcausal.protocols import RECESS
from fastcausal.relations import ROLES

from . import corpus

CORPUS = "a document made of CNC relations"
LINEAR = Protocol("linear", kernel="exact_spans", objective=Objective({"tp": 1}))
# Relations on each side, and tokens: spread over a document; then all in one sentence.
DOCUMENTS = [(50, 500), (200, 2_000), (200, 80)]


@pytest.mark.parametrize(("n", "length"), DOCUMENTS)
def test_ratio(race, n, length):
    gold, pred = corpus.documents(1, n, length)
    plan = RECESS.plan(ROLES)
    best = run(plan, gold, pred)
    swapped = run(plan, pred, gold)
    assert value(plan, best) == value(plan, swapped)
    if n <= 50:
        reference = run(plan, gold, pred, backend="reference")
        assert (best.partner == reference.partner).all()
    race(f"recess: {n} × {n} relations, {length} tokens", 1, lambda: run(plan, gold, pred))


@pytest.mark.parametrize(("n", "length"), DOCUMENTS)
def test_sum(race, n, length):
    gold, pred = corpus.documents(1, n, length)
    plan = LINEAR.plan(ROLES)
    pairs = np.repeat(np.arange(n), n), np.tile(np.arange(n), n)

    def worth():
        counts = count_pairs(plan, gold, pred, *pairs)
        return (counts @ plan.weights[0]).reshape(n, n)

    def scipy_from_rows():
        matrix = worth()
        return matrix[linear_sum_assignment(matrix, maximize=True)].sum()

    assert value(plan, run(plan, gold, pred))[0] == scipy_from_rows()
    matrix = worth()
    race(
        f"sum of tp: {n} × {n} relations, {length} tokens",
        1,
        lambda: run(plan, gold, pred),
        {
            "all pairs counted, then scipy": scipy_from_rows,
            "scipy from the matrix": lambda: linear_sum_assignment(matrix, maximize=True),
        },
        rounds=15,
    )


def value(plan, result):
    """Return numerator and denominator of the objective."""
    return tuple((plan.weights[:2] @ result.counts[0]).tolist())

"""Sizes that no corpus has: right, or refused by name."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from fastcausal.engine.plan import TooLargeError
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.engine.run import count_pairs, run
from fastcausal.options import PairingTies
from fastcausal.protocols import RECESS, Protocol
from fastcausal.rows import Rows
from tests.oracles.pairing import Problem, assert_best, assert_first_best
from tests.support.strategies import ROLES, Example, counts_of_pair, random_side, rows_of

LAST = 2**31 - 1


@pytest.mark.slow
@pytest.mark.parametrize("ties", get_args(PairingTies))
def test_ten_thousand_relations_against_three(ties):
    rng = np.random.default_rng(0)
    many = [r for example in random_side(rng, 6000, 4) for r in example][:10_000]
    few = [many[5000], [*many[7000], (0, 0, 1)], [(1, 3, 4)]]
    plan = replace(RECESS, name="test", ties=ties).plan(ROLES)
    for gold, pred in ((few, many), (many, few))[: 2 if ties == "content" else 1]:
        rows = rows_of([gold]), rows_of([pred])
        problem = Problem(plan, *rows)
        pairing = problem.pairing(run(plan, *rows).partner)
        assert sum(j >= 0 for j in pairing) == 3
        certify = assert_first_best if len(pairing) == 3 else assert_best
        certify(pairing, *problem.arguments)


@pytest.mark.slow
def test_too_many_pairs_name_their_example():
    n = 4100  # a side: more than 2^24 pairs
    empty: Example = [[]] * n
    rows = rows_of([[], [[]], empty, [[]]])
    plan = Protocol("test", kernel="exact_spans", ties="first").plan(ROLES)
    for threads in (1, 2):
        with pytest.raises(TooLargeError, match=r"^example 2 is too large$"):
            run(plan, rows, rows, num_threads=threads)
    met = replace(plan, by_content=True, official=False)  # pairs that do not meet are none
    assert (run(met, rows, rows).partner == -1).all()


@pytest.mark.parametrize("n_relations", [1, 3, 6, 7])
@pytest.mark.parametrize("ties", get_args(PairingTies))
def test_too_many_spans_name_their_example(n_relations, ties):
    many = [(0, 2 * k, 2 * k + 1) for k in range(2**13 + 1)]  # a side: more than 2^26 pairs
    large: Example = [many, *[[(1, 0, 1)]] * (n_relations - 1)]
    rows = rows_of([[], [[(0, 0, 1)]], large], 2**15)
    plan = Protocol("test", ties=ties).plan(ROLES)
    for threads in (1, 2):
        with pytest.raises(TooLargeError, match=r"^example 2 is too large$"):
            run(plan, rows, rows, num_threads=threads)


@pytest.mark.parametrize("shift", [0, 1])
def test_five_thousand_spans_in_a_relation(shift):
    n, length = 5000, 20_000
    gold = [(k % 3, 4 * k, 4 * k + 2) for k in range(n)]
    pred = [(role, start + shift, stop + shift) for role, start, stop in gold]
    expected = {
        "fair_spans": {"be": n, "beo": n} if shift else {"tp": n},
        "exact_spans": {"fp": n, "fn": n} if shift else {"tp": n},
        "span_overlap": {"tp": n, "fp": n, "fn": n, "o01": 2 * n} if shift else {"tp": 2 * n},
        "partial_spans": {
            "strict_inc" if shift else "strict_cor": n,
            "exact_inc" if shift else "exact_cor": n,
            "partial_par" if shift else "partial_cor": n,
            "type_cor": n,
        },
    }
    expected["span_overlap"] |= {
        **{"n": 6 * length, "n1": 4 * n, "to": 1, "pairs": 1},
        **({} if shift else {"em": 1, "osb": 1}),
    }
    for kernel, found in expected.items():
        counts = counts_of_pair(kernel, gold, pred, length).of("overall")
        assert {field: value for field, value in counts.items() if value} == found


def test_one_span_over_all_that_int32_holds():
    gold, pred = [(0, 0, LAST)], [(0, 0, LAST - 1), (0, LAST - 1, LAST), (1, 0, LAST)]
    fair = counts_of_pair("fair_spans", gold, pred, LAST)
    assert {f: n for f, n in fair.of("overall").items() if n} == {"le": 1, "fp": 2}
    fair = counts_of_pair("fair_spans", gold, pred[:2], LAST)
    assert {f: n for f, n in fair.of("overall").items() if n} == {"be": 2, "bes": 2}
    mask = counts_of_pair("span_overlap", gold, pred, LAST).of("cause")
    assert (mask["tp"], mask["fp"], mask["fn"]) == (LAST, 0, 0)
    assert (mask["n"], mask["n1"], mask["o01"]) == (2 * LAST, 2 * LAST, 0)
    mask = counts_of_pair("span_overlap", gold, pred, LAST).of("effect")
    assert (mask["fp"], mask["n1"], mask["o01"]) == (LAST, LAST, LAST)


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_long_spans_that_overlap_on_one_side(backend):
    """A span's rest of tokens goes below zero here; counts do not depend on the scale of places."""
    plan = Protocol("test", tracks=(ROLES,)).plan(ROLES)
    gold = [(0, 0, 16), (1, 0, 16)]
    pred = [(2, 0, stop) for stop in range(8, 16)]
    index = np.zeros(1, np.int64)
    counts = []
    for scale in (1, LAST // 16):
        sides: list[Rows] = [
            rows_of([[[(role, start, scale * stop) for role, start, stop in side]]], LAST)
            for side in (gold, pred)
        ]
        counts.append(count_pairs(plan, *sides, index, index, backend=backend)[0].tolist())
    assert counts[0] == counts[1]


def test_every_kernel_takes_the_last_token():
    for kernel in KERNELS:
        same = counts_of_pair(kernel, [(0, LAST - 1, LAST)], [(0, LAST - 1, LAST)], LAST)
        early = counts_of_pair(kernel, [(0, 0, 1)], [(0, 0, 1)], LAST)
        np.testing.assert_array_equal(same.values, early.values)

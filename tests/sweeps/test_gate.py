"""Verdicts of the gate: pass, fail, and inconclusive."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from tests.support.tables import table_of

RELATION = [(0, 0, 2), (1, 3, 5)]
QUICK = {"n_resamples": 500}


def statistics(hits):
    """Examples of one relation that is hit or missed."""
    ids = [f"{k}" for k in range(len(hits))]
    gold = table_of([[RELATION]] * len(hits), id=ids)
    return fc.score(gold, table_of([[RELATION] * hit for hit in hits], id=ids)).statistics


@pytest.fixture(scope="module")
def sides():
    return [
        fc.score(sample.GOLD, sample.SYSTEMS[name], unparsed="empty")
        for name in ("careful", "hasty")
    ]


@given(st.floats(-1, 1))
def test_a_run_against_itself(min_delta):
    side = statistics([0, 1] * 6)
    gate = fc.gate(side, side, min_delta=min_delta, n_resamples=10)
    assert (gate.verdict, gate.passed) == ("unchanged", min_delta <= 0)


@pytest.mark.parametrize("n", [1, 3, 9])
def test_few_examples_decide_nothing(n):
    worse, better = statistics([0] * n), statistics([1] * n)
    for pair in ((worse, better), (better, worse)):
        gate = fc.gate(*pair, min_delta=-0.5, **QUICK)
        assert gate.verdict == "inconclusive"
        assert f"{n} examples are too few for a verdict, expected at least 10" in gate.reason


def test_three_verdicts(sides):
    delta = fc.compare(*sides)["overall_f1"].delta
    verdicts = {
        least: fc.gate(*sides, min_delta=least, **QUICK).verdict for least in (-0.5, delta, 0.0)
    }
    assert [*verdicts.values()] == ["pass", "inconclusive", "fail"]


def test_units_that_all_gain_alike_pass_up_to_what_was_not_seen():
    unseen = 1 - 0.05 ** (1 / 20)
    for least, verdict in ((-0.5, "pass"), (0.72, "pass"), (0.73, "inconclusive")):
        gate = fc.gate(statistics([0] * 20), statistics([1] * 20), min_delta=least, **QUICK)
        assert (gate.delta, gate.verdict, gate.high) == (1.0, verdict, 1.0)
        assert gate.low == pytest.approx(1 - 2 * unseen)


def values(numbers, name):
    return fc.statistics([{"id": k, "value": v, "by": name} for k, v in enumerate(numbers)])


@pytest.mark.parametrize(
    ("least", "verdict"), [(-0.0951, "pass"), (-0.0949, "inconclusive"), (0.2, "inconclusive")]
)
def test_where_no_unit_differs_some_that_were_not_seen_may(least, verdict):
    gate = fc.gate(values([1] * 30, "a"), values([1] * 30, "b"), min_delta=least)
    assert (gate.verdict, gate.n_differ) == (verdict, 0)
    assert gate.high == -gate.low == pytest.approx(0.0950, abs=5e-5)
    assert "none of 30 differ; up to 9.5% may" in gate.reason


def test_without_bounds_p_decides_about_a_difference_from_0():
    """Values beyond 0 and 1 that never differ have no bounds."""
    assert fc.gate(values([5] * 30, "a"), values([5] * 30, "b"), min_delta=-9).verdict == (
        "inconclusive"
    )
    gate = fc.gate(values([2] * 20, "a"), values([5] * 20, "b"), min_delta=2)
    unseen = 1 - 0.05 ** (1 / 20)
    assert (gate.low, gate.high) == pytest.approx((3 * (1 - unseen), 3 * (1 + unseen)))
    assert gate.verdict == "pass"


def test_few_large_units_decide_nothing(sides):
    rows = [{"id": k, "numerator": d, "denominator": d} for k, d in enumerate([500, *[1] * 30])]
    half = [row | {"numerator": row["denominator"] // 2} for row in rows]
    gate = fc.gate(fc.statistics(half), fc.statistics(rows), min_delta=-0.5)
    assert gate.verdict == "inconclusive"
    assert "31 examples are too unequal (worth 1.1), expected a worth of at least 5" in gate.reason


def test_bounds_are_one_sided(sides):
    gate = fc.gate(*sides, min_delta=0.0, confidence=0.95)
    two_sided = fc.compare(*sides, confidence=2 * 0.95 - 1)["overall_f1"]
    assert (gate.low, gate.high) == (two_sided.low, two_sided.high)
    assert gate.mde == two_sided.mde


def test_keys(sides):
    gate = fc.gate(*sides, min_delta=0.0, **QUICK)
    names = ["verdict", "score", "baseline", "candidate", "delta", "low", "high", "min_delta",
             "confidence", "n_units", "n_differ", "mde"]  # fmt: skip
    assert [*gate.to_dict()][: len(names)] == names
    assert gate["overall_f1"].candidate == gate.candidate == sides[1]["overall"].f1
    assert max(map(len, str(gate.to_table()).splitlines())) <= 80
    assert gate.reason in str(gate)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_delta": float("nan")}, "min_delta is nan, expected a finite number"),
        ({"min_delta": 0.0, "confidence": 0.5}, "confidence is 0.5, expected more than 0.5"),
        ({"min_delta": 0.0, "score": "f1"}, 'unknown score "f1"'),
    ],
)
def test_bad_options(sides, options, message):
    with pytest.raises(ValueError, match=message):
        fc.gate(*sides, **options)


@given(st.text(), st.sampled_from(["pass", "fail", "inconclusive"]))
def test_junit_of_any_name(name, verdict):
    side = statistics([0, 1] * 6)
    gate = fc.gate(side, side, min_delta=0.0, n_resamples=10)
    gate.title = f"{verdict}: c against {name}"
    gate.facts = {**gate.facts, "verdict": verdict}
    suite = ElementTree.fromstring(gate.to_junit())
    [case] = suite
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(int(verdict != "pass")))
    assert case.get("name").startswith("overall_f1: c against ")
    assert [failure.get("type") for failure in case] == [verdict] * (verdict != "pass")


def test_draws_of_a_gate_are_those_of_a_seed(sides):
    options = {"min_delta": 0.0, "method": "bca", **QUICK}
    gates = [fc.gate(*sides, seed=seed, **options).to_dict() for seed in (1, 1, 2)]
    assert gates[0] == gates[1]
    assert not np.isclose(gates[0]["low"], gates[2]["low"], rtol=1e-9)

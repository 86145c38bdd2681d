"""Gates and comparisons that may be looked at whenever, and loops that they stop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.significance.betting import bet_on_mean, mix_normals
from fastcausal.training import Stop, stopping
from tests.significance.test_betting import DEN, NUM, bet_by_loop
from tests.sweeps.test_gate import statistics


def rows(values, **columns):
    table = [{"id": str(k), "value": float(value)} for k, value in enumerate(values)]
    return [{**row, **{name: v[k] for name, v in columns.items()}} for k, row in enumerate(table)]


def outcomes(wins, losses, ties):
    before = [0] * wins + [1] * losses + [1] * ties
    after = [1] * wins + [0] * losses + [1] * ties
    return fc.statistics(rows(before)), fc.statistics(rows(after))


@pytest.mark.parametrize(
    ("counts", "least", "log_e", "verdict"),
    [
        ((30, 10, 60), 0.0, 3.339569, "pass"),
        ((10, 30, 60), 0.0, -1.073933, "fail"),
        ((3, 0, 27), 0.0, 0.649642, "inconclusive"),
        ((9, 0, 0), 0.0, bet_by_loop([1.0] * 9, 0.0), "pass"),  # no least number of units
    ],
)
def test_bets_decide(counts, least, log_e, verdict):
    gate = fc.gate(*outcomes(*counts), min_delta=least, anytime=True)
    assert (gate.verdict, gate.anytime) == (verdict, "betting")
    assert gate.log_e == pytest.approx(log_e, abs=1e-6)
    assert gate.signature.endswith("|anytime:betting")
    assert (gate.log_e >= math.log(20)) == (verdict == "pass")
    assert (gate.log_e_fail >= math.log(20)) == (verdict == "fail")


def test_lower_is_better_turns_the_bet():
    a, b = outcomes(30, 10, 60)
    gate = fc.gate(b, a, min_delta=0.0, anytime=True, lower_is_better=True)
    assert (gate.verdict, gate.log_e) == ("pass", pytest.approx(3.339569, abs=1e-6))
    assert gate.high == pytest.approx(-0.0084, abs=5e-5)


@given(st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=2, max_size=30), st.integers(0, 99))
def test_compare_takes_half_of_the_level_for_each_bound(values, seed):
    other = np.random.default_rng(seed).permutation(values)
    found = fc.compare(fc.statistics(rows(values)), fc.statistics(rows(other)), anytime=True)
    change = found["value"]
    bet = bet_on_mean(other - np.array(values), np.ones(len(values), int), 0.0, 0.025)
    assert (change.low, change.high) == pytest.approx((bet.low, bet.high), abs=1e-12)
    assert (change.p <= 0.05) == (change.low >= 0 or change.high <= 0)
    assert found.to_dict()["anytime"] == "betting"


def test_ratios_and_clusters_mix_normals():
    rng = np.random.default_rng(1)
    before, after = (statistics(rng.binomial(1, share, 200)) for share in (0.3, 0.6))
    gate = fc.gate(before, after, min_delta=0.0, anytime=True)
    se = fc.compare(before, after)["overall_f1"].se
    mixed = mix_normals(gate.delta, se, 200, 200, 0.0, 0.05)
    assert (gate.low, gate.high, gate.log_e) == pytest.approx(mixed[:3], abs=1e-12)
    assert gate.anytime == "mixture"
    assert gate.signature.endswith("|anytime:mixture|asymptotic")
    few = fc.gate(*(side.take(np.arange(8)) for side in (before, after)), min_delta=-0.5,
                  anytime=True)  # fmt: skip
    assert (few.verdict, few.to_dict()["low"], few.to_dict()["log_e"]) == ("inconclusive",) + (
        None,
    ) * 2
    assert "differing units, expected at least 10" in few.reason
    values = rng.integers(2, size=(2, 60))
    columns = {"doc": [str(k // 3) for k in range(60)], "own": [str(k) for k in range(60)]}
    sides = [fc.statistics(rows(side, **columns)) for side in values]
    # A cluster may have more units later, even if each has one so far.
    for cluster, law in ((None, "betting"), ("doc", "mixture"), ("own", "mixture")):
        found = fc.compare(*sides, cluster=cluster, anytime=True)
        assert found.anytime == found.test == law


def ratios(**more):
    table = [{"id": str(k), "num": n, "den": d} for k, (n, d) in enumerate(zip(NUM, DEN))]  # noqa: B905
    return fc.statistics(table, numerator="num", denominator="den", **more)


def test_floors_bet_on_documents():
    floors = {"num/den": 0.7}
    fixed = fc.gate(None, ratios(), floors=floors, anytime=True, largest=14)
    assert fixed.log_e == pytest.approx(0.402058, abs=1e-6)
    assert (fixed.anytime, fixed.signature.rpartition("|")[2]) == ("betting", "anytime:betting")
    seen = fc.gate(None, ratios(), floors=floors, anytime=True)
    assert seen.log_e == fixed.log_e
    assert seen.signature.endswith("|anytime:betting|largest:seen")
    wide = fc.gate(None, ratios(), floors=floors, anytime=True, largest=140)
    assert wide.log_e < fixed.log_e
    with pytest.raises(InputError, match="denominator 14, expected at most 13"):
        fc.gate(None, ratios(), floors=floors, anytime=True, largest=13)
    one = fc.gate(None, fc.statistics(rows([1] * 30)), floors={"value": 0.5}, anytime=True)
    assert (one.verdict, one.signature.rpartition("|")[2]) == ("pass", "anytime:betting")


def test_order_and_batches_move_no_bit():
    rng = np.random.default_rng(2)
    values = rng.choice([0.1, 0.2, 0.7, 1.0], (2, 90))
    whole = fc.gate(*(fc.statistics(rows(side)) for side in values), min_delta=-0.1, anytime=True)
    order = rng.permutation(90)
    tables = [rows(side) for side in values]
    stop = Stop(min_delta=-0.1)
    for part in np.array_split(order, 7):
        stop.update(*([table[k] for k in part] for table in tables[::-1]))
    assert stop.gate.log_e == whole.log_e
    assert (stop.gate.low, stop.gate.high) == (whole.low, whole.high)


def test_a_loop_stops_when_decided_or_out_of_budget():
    better, worse = rows([1] * 400), rows([0, 1] * 200)
    for after, verdict in ((better, "pass"), (worse, "fail")):
        stop = Stop(min_delta=0.0)
        before = worse if after is better else better
        stops = [
            stop.update(after[k : k + 10], before[k : k + 10]) for k in range(0, 400, 10)
            if not stop.stops
        ]  # fmt: skip
        assert stops == [False] * (len(stops) - 1) + [True]
        assert stop.gate.verdict == verdict
    stop = Stop(min_delta=0.0, budget=20)
    assert [stop.update(worse[k : k + 10], worse[k : k + 10]) for k in (0, 10)] == [False, True]
    assert not stop.is_decided
    with pytest.raises(InputError, match="10"):
        stop.update(worse[10:20], worse[10:20])
    with pytest.raises(ValueError, match="always or never"):
        stop.update(worse[20:30])


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_floor_is_judged_in_any_batches_in_linear_time(seed, monkeypatch):
    """Batches end with the gate of the whole; all looks together see each unit about 50 times."""
    rng = np.random.default_rng(seed)
    table = rows(rng.random(3000) < 0.72)
    seen = []
    judge = stopping.gate

    def counting(baseline, candidate, **judged):
        seen.append(candidate.n_units)
        return judge(baseline, candidate, **judged)

    monkeypatch.setattr(stopping, "gate", counting)
    stop = Stop("value", floor=0.72)
    cuts = np.sort(rng.choice(np.arange(1, len(table)), 400, replace=False))
    for part in np.split(np.arange(len(table)), cuts):
        stop.update([table[k] for k in part])
    whole = fc.gate(None, fc.statistics(table), floors={"value": 0.72}, anytime=True)
    for name in ("verdict", "log_e", "log_e_fail", "reason", "signature", "n_units"):
        assert getattr(stop.gate, name) == getattr(whole, name)
    assert sum(seen) < 55 * len(table)
    assert len(seen) < 250
    assert seen[-1] == len(table)


def test_a_loop_stops_as_soon_as_the_floor_is_decided():
    table = rows([1] * 60)
    stop = Stop("value", floor=0.8, floors={"value": 0.9})  # the floor itself goes before
    stops = [stop.update([row]) for row in table]
    first = stops.index(True)
    e_values = [
        fc.gate(None, fc.statistics(table[:n]), floors={"value": 0.8}, anytime=True).log_e
        for n in (first, first + 1)
    ]
    assert e_values[0] < math.log(20) <= e_values[1]


def test_what_a_stop_refuses():
    with pytest.raises(ValueError, match="expected the name of its score too"):
        Stop(floor=0.5)
    with pytest.raises(ValueError, match="expected a floor, or min_delta for a baseline"):
        Stop("value")
    with pytest.raises(InputError, match="sums alone have no units"):
        Stop("overall_f1", floor=0.5).update(fc.ExtractionScorer().compute())
    stop = Stop("value", floor=0.5, largest=1)
    stop.update(rows([1]))
    with pytest.raises(InputError, match="0"):
        stop.update(rows([0]))
    assert stop.gate.n_units == 1  # what could not be judged is left out

"""Where no unit differs, or all move alike, bounds come from the units that the sample lacks."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles import differences as oracle


def values(score, text=None):
    """Statistics of values; ``text`` is another score, so that rows are not the same as read."""
    rows = [{"id": str(k), "score": float(x)} for k, x in enumerate(score)]
    if text is not None:
        rows = [{**row, "text": float(text)} for row in rows]
    return fc.statistics(rows, [name for name in rows[0] if name != "id"])


def judged(a, b, min_delta, confidence=0.95):
    sides = values(a, 1), values(b, 2)
    asked = {"min_delta": min_delta, "confidence": confidence, "n_resamples": 100}
    return fc.gate(*sides, score="score", **asked)


@given(n=st.integers(10, 400), confidence=st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_a_gate_allows_for_units_that_it_has_not_seen(n, confidence):
    share = oracle.unseen(n, 1 - confidence)
    right = [k % 3 > 0 for k in range(n)]
    passes = judged(right, right, -share - 1e-9, confidence)
    waits = judged(right, right, -share + 1e-9, confidence)
    assert (passes.low, passes.high) == pytest.approx((-share, share), abs=1e-12)
    assert (passes.verdict, waits.verdict) == ("pass", "inconclusive")


def test_a_gate_says_how_many_may_differ():
    assert "none of 30 differ; up to 9.5% may" in judged([1] * 30, [1] * 30, -0.01).reason


@pytest.mark.parametrize(("min_delta", "passes"), [(-0.01, True), (0.0, True), (0.01, False)])
def test_the_same_predictions_are_unchanged(min_delta, passes):
    found = fc.gate(values([1, 0] * 8), values([1, 0] * 8), min_delta=min_delta)
    assert (found.verdict, found.passed) == ("unchanged", passes)


@given(n=st.integers(2, 60), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_compare_has_both_bounds(n, confidence):
    sides = values([1] * n, 1), values([1] * n, 2)
    found = fc.compare(*sides, "score", confidence=confidence)["score"]
    expected = oracle.none_differs(n, (1 - confidence) / 2)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
    assert found.p == 1


@given(n=st.integers(2, 60), part=st.sampled_from([1.0, 0.5, -0.25]))
def test_units_that_move_alike_have_an_exact_p(n, part):
    before = [0.5 - part / 2] * n
    found = fc.compare(values(before), values([x + part for x in before]), "score")["score"]
    low, high, p = oracle.all_alike(part, n, 0.025, shares=True)
    assert found.p == pytest.approx(p, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@given(n=st.integers(2, 40))
def test_points_that_move_alike_have_bounds_about_their_move(n):
    comparison = fc.compare(values([2.0] * n), values([5.0] * n), "score")
    found, (low, high, _) = comparison["score"], oracle.all_alike(3.0, n, 0.025, shares=False)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert "plain differences" not in str(comparison)


def ratios(parts):
    rows = [{"id": str(k), "num": n, "den": d} for k, (n, d) in enumerate(parts)]
    return fc.statistics(rows, numerator="num", denominator="den")


@pytest.mark.parametrize("n", [3, 12])
def test_units_with_other_parts_and_the_same_score_do_not_move_it(n):
    """All units invent more, and the score stays 0: nothing is significant, no width is 0."""
    shares = fc.compare(ratios([(0, 1)] * n), ratios([(0, 2)] * n))["num/den"]
    points = fc.compare(ratios([(3, 1)] * n), ratios([(6, 2)] * n))["num/den"]
    assert (shares.p, points.p) == (1, 1)
    assert (shares.low, shares.high) == pytest.approx(oracle.none_differs(n, 0.025))
    assert math.isnan(points.low)
    assert math.isnan(points.high)


@pytest.mark.parametrize("n", [4, 12])
def test_a_score_that_rests_on_one_unit_has_no_bounds(n):
    """Without its one unit A is undefined: that all differ does not say that they move alike."""
    a, b = [(1, 2)] + [(0, 0)] * n, [(2, 2)] + [(0, 1)] * n
    found = fc.compare(ratios(a), ratios(b))["num/den"]
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@given(n=st.integers(10, 60), min_delta=st.floats(-0.2, 0.9))
def test_a_better_sample_never_loses_a_pass(n, min_delta):
    share = oracle.unseen(n, 0.05)
    if min_delta > 1 - 2 * share - 1e-9:
        return
    verdicts = [judged([0] * n, [1] * k + [0] * (n - k), min_delta).verdict for k in (n - 1, n)]
    assert verdicts != ["pass", "inconclusive"]
    assert verdicts[1] == "pass"


def test_bounds_of_the_worked_examples():
    found = judged([0] * 20, [1] * 20, 0.0)
    assert found.low == pytest.approx(0.7218, abs=5e-5)
    both = fc.compare(values([0] * 20), values([1] * 20), "score")["score"]
    assert both.low == pytest.approx(0.6631, abs=5e-5)
    wide = fc.compare(values([1] * 30, 1), values([1] * 30, 2), "score")["score"]
    assert wide.high == pytest.approx(0.1157, abs=5e-5)


@given(n=st.integers(2, 40), data=st.data(), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_shares_of_units_have_the_bounds_of_clopper_and_pearson(n, data, confidence):
    right = data.draw(st.integers(0, n))
    interval = values([1] * right + [0] * (n - right)).interval("score", confidence=confidence)
    expected = oracle.clopper_pearson(right, n, confidence)
    assert interval[:2] == pytest.approx(expected, abs=1e-9)


def test_29_of_30():
    low, high, _ = values([1] * 29 + [0]).interval("score")
    assert (round(low, 3), round(high, 3)) == (0.828, 0.999)


@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=12), data=st.data())
def test_clusters_count_by_their_worth(sizes, data):
    """Bounds of clusters have Student's t of their worth less one, on the logit scale."""
    right = [data.draw(st.integers(0, size)) for size in sizes]
    rows = [
        {"id": f"{k}.{i}", "score": float(i < n_right), "doc": str(k)}
        for k, (n_right, size) in enumerate(zip(right, sizes, strict=True))
        for i in range(size)
    ]
    statistics = fc.statistics(rows, "score", cluster="doc")
    worth = statistics.intervals(cluster="doc").worth["overall"]["score"]
    assert worth == pytest.approx(oracle.worth(sizes))
    expected = oracle.of_one([*zip(right, sizes, strict=True)])
    assume(expected is not None)
    bounds = statistics.interval("score", cluster="doc")[:2]
    assert bounds == pytest.approx(expected, abs=1e-9)

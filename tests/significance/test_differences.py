"""Differences of ratios equal exact fractions in plain loops, and the worked examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles import differences as oracle

A = [(2, 5), (4, 6), (0, 3), (6, 8), (2, 4), (4, 7), (2, 2), (6, 9), (0, 4)]
B = [(4, 6), (4, 5), (2, 3), (6, 7), (2, 6), (6, 8), (2, 3), (8, 9), (2, 4)]
NINE = {
    "delta": 0.164216, "se": 0.068999, "p": 0.046875, "low": 0.000567, "high": 0.327864,
    "worth": 7.897663, "mde": 0.225532,
}  # fmt: skip
SEVEN = {"p": 0.223853, "low": -0.094545, "high": 0.320109, "worth": 6.247362}
RATIO = "num/den"
PARTS = st.tuples(st.integers(0, 3), st.integers(0, 3))
SHARES = PARTS.map(lambda part: (min(part), max(part)))


def side(parts):
    rows = [{"id": str(k), "num": n, "den": d} for k, (n, d) in enumerate(parts)]
    return fc.statistics(rows, numerator="num", denominator="den")


def compared(a, b, **options):
    return fc.compare(side(a), side(b), **options)[RATIO]


def values(a, name="value"):
    return fc.statistics([{"id": str(k), name: float(x)} for k, x in enumerate(a)])


def judged(a, b, **options):
    return fc.gate(values(a), values(b), **options)


@pytest.mark.parametrize(("n", "expected"), [(9, NINE), (7, SEVEN)])
def test_worked_examples(n, expected):
    found, listed = compared(A[:n], B[:n]), oracle.difference(A[:n], B[:n])
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-6)
        assert listed[name] == pytest.approx(value, abs=1e-6)


def pairs_of(parts, least, most):
    rows = st.lists(st.tuples(parts, parts), min_size=least, max_size=most)
    return rows.map(lambda rows: [list(each) for each in zip(*rows, strict=True)])


def defined(parts):
    """True if the ratio is defined without each unit."""
    dens = [d for _, d in parts]
    return sum(dens) > max(dens)


def ordinary(a, b):
    """True if the difference is defined without each unit, and varies."""
    return defined(a) and defined(b) and oracle.jackknife_error(a, b) > 1e-9


@given(
    pair=st.one_of(pairs_of(SHARES, 2, 10), pairs_of(PARTS, 2, 10)),
    confidence=st.sampled_from([0.5, 0.8, 0.95, 0.99]),
)
def test_a_difference_equals_plain_loops(pair, confidence):
    """Students' t, all exchanges, worth and bounds equal exact fractions in plain loops."""
    a, b = pair
    assume(ordinary(a, b))
    found, expected = compared(a, b, confidence=confidence), oracle.difference(a, b, confidence)
    assert found.p_exact == (not oracle.by_student(len(a), confidence))
    bounds = [expected["low"], expected["high"]]
    if all(n <= d for n, d in a + b):
        bounds = np.clip(bounds, -1, 1).tolist()
    for name in ("delta", "se", "p", "worth", "mde"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6, abs=1e-9), name
    assert [found.low, found.high] == pytest.approx(bounds, rel=1e-6, abs=1e-9)
    assert found.high - found.low <= 4 * found.mde


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_a_gate_detects_at_the_level_of_one_bound(confidence):
    found = fc.gate(side(A), side(B), min_delta=0.0, confidence=confidence)
    expected = oracle.difference(A, B, 2 * confidence - 1)
    error, df = expected["se"], expected["freedom"]
    assert found.mde == pytest.approx(oracle.minimum_detectable(error, df, 1 - confidence))
    assert [found.low, found.high] == pytest.approx([expected["low"], expected["high"]])


@given(
    pair=pairs_of(SHARES, 2, 14), confidence=st.floats(0.3, 0.995), n_resamples=st.integers(20, 200)
)
def test_bounds_leave_out_0_exactly_if_p_is_small(pair, confidence, n_resamples):
    assume(all(any(d for _, d in each) for each in pair))
    found = compared(*pair, confidence=confidence, n_resamples=n_resamples)
    assume(not math.isnan(found.se))  # where nothing varies, bounds and p have two laws
    assume(abs(found.p - (1 - confidence)) > 1e-9)
    assert (found.low > 0 or found.high < 0) == (found.p <= 1 - confidence)


@pytest.mark.parametrize("seed", range(3))
def test_drawn_exchanges_come_near_all(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    dens = rng.integers(2, 9, (2, 12))
    a, b = (np.stack([rng.integers(0, d + 1), d], axis=1).tolist() for d in dens)
    exact = float(oracle.studentised_p(a, b))
    assert compared(a, b).p == pytest.approx(exact, abs=1e-12)
    monkeypatch.setattr("fastcausal.significance.paired.MAX_LISTED", 0)
    drawn = compared(a, b, n_resamples=40_000)
    assert not drawn.p_exact
    assert drawn.p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 40_000) + 3e-5)


def test_equal_f1_of_unlike_systems_needs_the_studentised_p():
    """The plain exchange is not the test: both are there, and they differ."""
    assert float(oracle.plain_p(A, B)) == 0.0546875
    assert compared(A, B).p == 0.046875


@given(
    clusters=st.lists(st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=3), min_size=3,
                      max_size=9),
)  # fmt: skip
def test_clusters_are_exchanged_as_sums(clusters):
    """Rows in clusters equal a row for the sums of each."""
    a, b = (
        [tuple(sum(pair[side][part] for pair in pairs) for part in (0, 1)) for pairs in clusters]
        for side in (0, 1)
    )
    assume(ordinary(a, b))
    systems = [
        fc.statistics(
            [
                {"id": f"{k}.{i}", "doc": str(k), "num": pair[side][0], "den": pair[side][1]}
                for k, pairs in enumerate(clusters)
                for i, pair in enumerate(pairs)
            ],
            numerator="num",
            denominator="den",
            cluster="doc",
        )
        for side in (0, 1)
    ]
    found, expected = fc.compare(*systems, cluster="doc")[RATIO], oracle.difference(a, b)
    for name in ("delta", "se", "p", "worth", "mde"):
        assert found[name] == pytest.approx(expected[name], rel=1e-6, abs=1e-9), name

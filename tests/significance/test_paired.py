"""p equals scipy's, bounds a plain listing; neither sides nor order change a difference."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from fastcausal.arrays.distinct import distinct
from fastcausal.counts.means import MeanFormula
from fastcausal.report.numbers import Scale
from fastcausal.significance.draws import Draws
from fastcausal.significance.laws import MAX_COUNTED
from fastcausal.significance.paired import (
    MAX_CONVOLVED,
    MAX_LISTED,
    difference,
    exchange_whole,
    n_differing,
    randomisation,
)
from fastcausal.significance.units import Units
from fastcausal.significance.unpaired import welch
from fastcausal.tasks.relations.formula import RelationFormula
from tests.oracles import differences as oracle

F1 = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None).only("overall_f1")
MEAN = MeanFormula(("f1",), ()).only("overall_f1")
COUNTS = st.tuples(*[st.integers(0, 3)] * 3)


def units_of(a, b, formula=F1):
    terms, row_of = distinct(np.hstack([a, b]))
    return Units(formula, terms, np.bincount(row_of), "example")


def p_of(a, b, n_resamples=1000, seed=0, formula=F1):
    units = units_of(a, b, formula)
    return randomisation(units, n_differing(units), n_resamples, seed)


def f1(rows):
    tp, fp, fn = rows.sum(axis=0)
    return 2 * tp / (2 * tp + fp + fn)


def scipys(a, b, score):
    """p by scipy, which exchanges the numbers of rows."""
    rows, n = np.concatenate([a, b]), len(a)

    def size(x, y):
        return abs(score(rows[y.astype(int)]) - score(rows[x.astype(int)]))

    sides = np.arange(n), np.arange(n, 2 * n)
    return permutation_test(
        sides, size, permutation_type="samples", alternative="greater", n_resamples=np.inf,
        vectorized=False,
    ).pvalue  # fmt: skip


def means(values):
    """Numerator and denominator of values of which each counts once."""
    return np.stack([values, np.ones_like(values)], axis=1)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(1, 4))
def test_whole_differences_have_the_p_of_all_exchanges(steps, scale):
    """The convolution equals a plain listing of every set of signs, whatever the scale."""
    signs = np.array(list(product((1, -1), repeat=len(steps))))
    expected = np.mean(np.abs(signs @ steps) >= abs(sum(steps)))
    found = exchange_whole(scale * np.array(steps), np.ones(len(steps), np.int64))
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [100, MAX_COUNTED, MAX_COUNTED + 1, 300_001])
@pytest.mark.parametrize("z", [0, 1, 2.5])
def test_p_of_right_and_wrong_items_is_that_of_the_sign_test(n, z):
    """0 and 1 have an exact p for any number of items, as scipy's binomial test has."""
    ups = round((n - z * math.sqrt(n)) / 2)
    a = means(np.repeat([0.0, 1.0, 1.0], [ups, n - ups, 1000]))
    b = means(np.repeat([1.0, 0.0, 1.0], [ups, n - ups, 1000]))
    units = units_of(a, b, MEAN)
    found = difference(units, n_differing(units), Draws())
    assert found.p_exact
    assert found.p == pytest.approx(binomtest(ups, n).pvalue, rel=1e-9)


def test_differences_too_large_to_convolve_are_drawn():
    steps = np.array([1, MAX_CONVOLVED])
    assert exchange_whole(steps, np.array([30, 1])) is None
    a = means(np.zeros(31))
    b = means(np.r_[np.ones(30), float(MAX_CONVOLVED)])
    units = units_of(a, b, MEAN)
    assert not difference(units, n_differing(units), Draws()).p_exact


@pytest.mark.parametrize("seed", range(4))
def test_listing_equals_scipy(seed):
    a, b = np.random.default_rng(seed).integers(0, 4, (2, 9, 3))
    a[:2], b[3] = b[:2], b[2]  # units that do not differ, and two alike
    a[3] = a[2]
    assert p_of(a, b) == (pytest.approx(scipys(a, b, f1), abs=1e-12), True)


def test_listing_of_means_equals_scipy():
    a, b = np.random.default_rng(5).integers(0, 8, (2, 8)) / 7
    terms = [np.column_stack([side, np.ones(8)]) for side in (a, b)]
    assert p_of(*terms, formula=MEAN) == (pytest.approx(scipys(a, b, np.mean), abs=1e-12), True)


def test_draws_come_near_the_listing(monkeypatch):
    a, b = np.random.default_rng(6).integers(0, 4, (2, 15, 3))
    listed, exact = p_of(a, b)
    assert exact
    monkeypatch.setattr("fastcausal.significance.paired.MAX_LISTED", 14)
    drawn, exact = p_of(a, b, 100_000)
    assert not exact
    assert drawn == pytest.approx(listed, abs=4 * math.sqrt(listed * (1 - listed) / 100_000))


@given(rows=st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=40), shuffle=st.randoms())
def test_neither_sides_nor_order_change_p(rows, shuffle):
    a, b = (np.array(side) for side in zip(*rows, strict=True))
    order = shuffle.sample(range(len(rows)), len(rows))
    p, exact = p_of(a, b, 50)
    np.testing.assert_equal(p_of(b[order], a[order], 50), (p, exact))
    assert exact == ((a != b).any(axis=1).sum() <= MAX_LISTED) or math.isnan(p)
    assert math.isnan(p) or 0 < p <= 1


def change_of(a, b, confidence=0.95, n_resamples=50, seed=0):
    units = units_of(a, b)
    return difference(units, n_differing(units), Draws("jackknife", confidence, n_resamples, seed))


@pytest.mark.slow
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
def test_bounds_equal_a_plain_listing(confidence):
    """Bounds equal a plain listing, also if p moves them or comes from Student's t."""
    ways = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([3, 5, 8, 9]))
        a, b = 1 + rng.integers(0, 4, (2, n, 3)) * rng.choice([1, 9], (n, 1), p=[0.8, 0.2])
        found = change_of(a, b, confidence)
        parts = [[(2 * tp, 2 * tp + fp + fn) for tp, fp, fn in side.tolist()] for side in (a, b)]
        expected = oracle.difference(*parts, confidence)
        low, high = expected["low"], expected["high"]
        assert (found.low, found.high) == pytest.approx((max(low, -1), min(high, 1)), abs=1e-9)
        assert found.p == pytest.approx(expected["p"], abs=1e-12)
        if not np.isclose(low + high, 2 * found.delta):
            ways.add(low > 0 or high < 0)
    assert ways == {True, False} or confidence != 0.5


@given(
    rows=st.lists(st.tuples(COUNTS, COUNTS), min_size=2, max_size=40),
    levels=st.lists(st.floats(0.01, 0.999), min_size=1, max_size=3),
)
def test_bounds_and_p_agree(rows, levels):
    """Bounds exclude 0 exactly if p is small; exchanging A and B mirrors them."""
    a, b = (np.array(side) for side in zip(*rows, strict=True))
    for confidence in levels:
        change = change_of(a, b, confidence)
        if math.isnan(change.low) or math.isnan(change.p):
            continue
        assert -1 <= change.low <= change.delta <= change.high <= 1
        assert change.low < change.high
        # Where all units move alike, p and bounds are of two laws: those have no standard error.
        if abs(change.p - (1 - confidence)) > 1e-9 and not math.isnan(change.se):
            assert (change.low > 0 or change.high < 0) == (change.p < 1 - confidence)
        other = change_of(b, a, confidence)
        mirrored = (-other.high, -other.low, other.p)
        assert (change.low, change.high, change.p) == pytest.approx(mirrored, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("n", "lost", "low", "high"), [(10, 2, -1, 1), (100, 2, -0.1988, 0.1588)])
def test_bounds_of_a_difference_stay_in_its_range(n, lost, low, high):
    a, b = np.ones((2, n, 2))
    b[:lost, 0] = 0
    change = difference(units_of(a, b, MEAN), lost, Draws())
    assert (change.low, change.high) == pytest.approx((low, high), abs=1e-4)


def test_a_distance_has_no_range():
    a, b = np.ones((2, 10, 2))
    b[:2, 0] = 5, 6
    distance = replace(MEAN, scaled=lambda terms: Scale("points", "lower"))
    assert difference(units_of(a, b, distance), 2, Draws()).high > 5


def test_unpaired_bounds_stay_in_the_range():
    a, b = (
        Units(MEAN, np.array([[0.0, 1], [1, 1]]), np.array(n), "example") for n in ((1, 1),) * 2
    )
    change = welch(a, b, "jackknife", 0.95)
    assert (change.low, change.delta, change.high) == (-1, 0, 1)


def test_few_of_many_units_differ():
    """Four sentences of 340, all for the better, are no sure gain."""
    a, b = np.tile([1, 0, 0], (340, 1)), np.tile([1, 0, 0], (340, 1))
    a[:4] = 0, 1, 1
    change = change_of(a, b)
    assert (change.p, change.p_exact) == (0.125, True)
    assert -0.02 < change.low < 0 < change.delta < change.high < 0.04


def test_equal_systems_and_undefined_scores():
    a = np.array([[1, 0, 2], [3, 1, 0]])
    assert p_of(a, a) == (1.0, True)
    p, exact = p_of(a, np.zeros_like(a))
    assert math.isnan(p)
    assert exact is False


def test_undefined_exchanges_are_hits():
    """Exchanges that leave a side without counts are hits: here two of four, so that p is 1."""
    a, b = np.array([[1, 0, 1], [0, 0, 0]]), np.array([[0, 0, 0], [1, 0, 0]])
    assert p_of(a, b) == (1.0, True)

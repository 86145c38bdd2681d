"""Intervals equal the exact law, scipy's and plain loops; without information there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from fastcausal.counts.labels import ConfusionFormula
from fastcausal.significance import sampling
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import (
    drawn_scores,
    intervals_of,
    quantile,
)
from fastcausal.significance.units import Units
from fastcausal.tasks.relations.formula import RelationFormula
from tests.oracles import resampling as oracle

COUNTS = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None)
VALUES = np.array([0.5, 2.0, 4.0, 4.5, 7.0, 11.0])
N = 20_000
SUP = 1.95  # of sqrt(N) |F - law|: the 99.9% quantile of Kolmogorov's distribution


def units_of(rows) -> Units:
    different, times = np.unique(np.array(rows), axis=0, return_counts=True)
    return Units(COUNTS, COUNTS.terms(np.column_stack([different, 0 * times])), times, "example")


def f1(rows) -> float:
    tp, fp, fn = np.sum(rows, axis=0)
    return 2 * tp / (2 * tp + fp + fn)


def random_rows(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).choice(3, (n, 3), p=[0.4, 0.5, 0.1])


class Measured(NamedTuple):
    """Units of any measure, in place of the units of statistics."""

    scores: Callable[[np.ndarray], dict[str, np.ndarray]]
    times: np.ndarray

    def score_without_each(self) -> dict[str, np.ndarray]:
        return self.scores(self.times - np.eye(len(self.times), dtype=int))

    def range_of(self, name: str) -> tuple[float, float]:
        return 0, 1

    def worth(self, name: str) -> float:
        return float(len(self.times))

    def right_of(self, name: str) -> None:
        return None

    def grouped(self) -> Measured:
        return self


def mean(weights: np.ndarray) -> dict[str, np.ndarray]:
    with np.errstate(invalid="ignore"):
        return {"mean": weights @ VALUES / weights.sum(axis=1)}


class TestTheExactLaw:
    def of(self, rows, values, law, undefined=0.0):
        """Resamples follow it, and quantiles are its quantiles, as near as chance allows."""
        drawn = drawn_scores(units_of(rows), N, seed=1)["overall_f1"]
        assert np.isnan(drawn).mean() == pytest.approx(undefined, abs=4 / math.sqrt(N))
        ascending = np.sort(drawn[~np.isnan(drawn)])
        share = np.searchsorted(ascending, values + 1e-9, "right") / len(ascending)
        assert np.abs(share - law).max() * math.sqrt(len(ascending)) < SUP
        low, high, _ = intervals_of(units_of(rows), Draws("percentile", 0.9, N, 1))["overall_f1"]
        near = SUP / math.sqrt(N)
        for bound, level in ((low, 0.05), (high, 0.95)):
            below, up_to = np.searchsorted(values, [bound - 1e-9, bound + 1e-9])
            before, to = (np.append(0, law)[k] for k in (below, up_to))
            assert before - near < level < to + near or low < bound < high

    def test_of_four_units(self):
        rows = [(1, 0, 0), (1, 1, 2), (2, 1, 0), (0, 0, 1)]
        self.of(rows, *oracle.law_by_listing(rows, f1))

    @pytest.mark.parametrize("n", [100, pytest.param(340, marks=pytest.mark.slow)])
    def test_of_hundreds(self, n):
        rows = random_rows(n)
        parts = np.column_stack([2 * rows[:, 0], rows @ [2, 1, 1]])
        self.of(rows, *oracle.law_by_convolution(parts, n))


@pytest.mark.parametrize("n", [12, 60, 340])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
class TestPeers:
    def test_scipy(self, n, confidence):
        """BCa and percentile intervals equal scipy's for the same resamples."""
        rows = random_rows(n)
        drawn = drawn_scores(units_of(rows), 3000, seed=2)["overall_f1"]
        for method in ("bca", "percentile"):
            peer = scipy_interval(rows, drawn, method, confidence)
            ours = intervals_of(units_of(rows), Draws(method, confidence, 3000, 2))["overall_f1"]
            assert ours[:2] == pytest.approx(tuple(peer), abs=1e-9)

    def test_a_plain_loop(self, n, confidence):
        rows = random_rows(n)
        for sizes in (rows @ [2, 1, 1], None):  # of F1, and of a score that is no ratio
            measure = Measured(lambda weights: {"f1": f1_of(weights, rows)}, np.ones(n, int))
            drawn, name = (measure, "f1") if sizes is None else (units_of(rows), "overall_f1")
            ours = intervals_of(drawn, Draws("jackknife", confidence))[name]
            expected = oracle.jackknife(list(rows), f1, confidence, sizes)
            # scipy's quantiles of Student's t had an error of 1e-10 before 1.14
            assert ours[:2] == pytest.approx(expected, abs=1e-9)


def f1_of(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.array([f1(w[:, None] * rows) for w in weights])


def scipy_interval(rows, drawn, method, confidence):
    """Of units by number, as scipy takes numbers alone; rounded, so that equal scores are equal."""
    return stats.bootstrap(
        (np.arange(len(rows)),),
        lambda sample: round(f1(rows[sample.astype(int)]), 12),
        vectorized=False,
        n_resamples=0,
        confidence_level=confidence,
        method=method,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=drawn.round(12)),
    ).confidence_interval


def test_no_blocks_change_a_bit(monkeypatch):
    of_units, of_a_measure = units_of(random_rows(30)), Measured(mean, np.ones(6, int))
    whole = [intervals_of(each, Draws("bca", n_resamples=50)) for each in (of_units, of_a_measure)]
    monkeypatch.setattr(sampling, "BLOCK", 20)
    assert [
        intervals_of(e, Draws("bca", n_resamples=50)) for e in (of_units, of_a_measure)
    ] == whole


def test_undefined_resamples():
    def of_the_first(weights: np.ndarray) -> dict[str, np.ndarray]:
        first = weights[:, 0]
        return {"x": np.where(first > 0, first / 2, math.nan), "y": first * math.nan}

    found = intervals_of(
        Measured(of_the_first, np.ones(2, int)), Draws("percentile", n_resamples=200)
    )
    assert found["x"][:2] == (0.5, 1.0)
    assert 20 < found["x"].n_undefined < 80
    assert all(math.isnan(bound) for bound in found["y"][:2])
    assert found["y"].n_undefined == 200


@pytest.mark.parametrize("method", ["bca", "percentile", "jackknife"])
@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "no unit"),
        ([(1, 2, 0)], "one unit"),
        ([(0, 0, 0)] * 9, "undefined"),
        ([(0, 0, 0)] * 5 + [(3, 0, 0)], "one unit that counts"),
    ],
)
def test_nothing_is_known(method, rows, why):
    units = units_of(np.array(rows, int).reshape(-1, 3))
    assert all(
        math.isnan(bound) for bound in intervals_of(units, Draws(method))["overall_f1"][:2]
    ), why


def test_a_score_that_rests_on_one_unit():
    """A score that is undefined without one unit has no BCa or jackknife interval."""
    units = units_of([(0, 0, 0)] * 5 + [(1, 1, 0)])
    assert math.isnan(intervals_of(units, Draws("bca"))["overall_f1"].low)
    assert math.isnan(intervals_of(units, Draws("jackknife"))["overall_f1"].low)


@pytest.mark.parametrize("method", ["bca", "percentile", "jackknife"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("n", [2, 10, 30, 100])
class TestWhatNeverVaries:
    def test_clopper_and_pearson(self, method, confidence, n):
        """If all units are right or all wrong, bounds are Clopper and Pearson's, as in scipy."""
        for row, k in (((2, 0, 0), n), ((0, 2, 1), 0)):
            units = units_of([row] * n + [(0, 0, 0)] * 7)
            peer = stats.binomtest(k, n).proportion_ci(confidence, "exact")
            for name in ("overall_precision", "overall_recall", "overall_f1"):
                low, high, _ = intervals_of(units, Draws(method, confidence, 300))[name]
                assert (low, high) == pytest.approx(tuple(peer), abs=1e-12)

    def test_in_between(self, method, confidence, n):
        """Units of other sizes and one score: those that the sample lacks score 0 or 1."""
        sizes = [1 + k % 3 for k in range(n)]
        units = units_of([(size, 2 * size, 2 * size) for size in sizes])
        most = stats.binomtest(0, n).proportion_ci(confidence, "exact").high
        low, high, _ = intervals_of(units, Draws(method, confidence, 300))["overall_f1"]
        assert (low, high) == pytest.approx(((1 - most) / 3, (1 + 2 * most) / 3), abs=1e-12)


def test_what_never_varies_and_has_no_bounds():
    """Coefficients and means over classes are no shares; 0 of nothing is as 0 of something."""
    labels = ConfusionFormula((0, 1), False, 1, None)
    units = Units(labels, labels.terms(np.array([[0, 0], [1, 1]])), np.array([5, 5]), "example")
    found = intervals_of(units)
    assert found["overall_accuracy"].low == pytest.approx(0.025**0.1)
    assert found["positive_f1"].low == pytest.approx(0.025**0.2)
    assert all(math.isnan(found[name].low) for name in ("overall_mcc", "macro_f1"))
    filled = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), 0.0)
    for row, known in (((0, 1, 1), False), ((1, 0, 0), True)):
        terms = filled.terms(np.array([(*row, 0), (0, 0, 0, 0)]))
        interval = intervals_of(Units(filled, terms, np.array([5, 5]), "example"))["overall_f1"]
        assert math.isnan(interval.low) != known


def test_bounds_stay_where_scores_are():
    rows = [(9, 0, 1)] * 3 + [(1, 0, 0)]
    for method in ("bca", "percentile", "jackknife"):
        low, high, _ = intervals_of(units_of(rows), Draws(method))["overall_recall"]
        assert 0 < low < 30 / 33 < high <= 1


def test_quantiles():
    values = np.array([1.0, 2.0, 4.0])
    for level in (0, 0.3, 0.5, 0.9, 1):
        assert quantile(values, level) == pytest.approx(np.quantile(values, level))
    assert quantile(values[:1], 0.7) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0, expected at least 1"),
        ({"confidence": 1.0}, r"confidence is 1\.0, expected a number between 0 and 1"),
        ({"confidence": math.nan}, "confidence is nan, expected a number between 0 and 1"),
        ({"seed": -1}, "seed is -1, expected 0"),
        ({"method": "basic"}, 'method is "basic", expected one of bca, percentile, jackknife'),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        intervals_of(units_of([(1, 1, 1), (1, 0, 0)]), Draws(**options))

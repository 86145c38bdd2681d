"""Kappas and votes: against tables worked by hand, plain counting and other packages."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from fastcausal.errors import InputError
from fastcausal.tasks.labels.alpha import (
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from fastcausal.tasks.labels.coefficients import coefficients
from fastcausal.tasks.labels.kappas import cohen_kappa, mean_pairwise_kappa
from fastcausal.tasks.labels.reading import read_ratings
from fastcausal.tasks.labels.report import label_agreement
from fastcausal.tasks.labels.votes import majority_vote
from tests.support.rated import COLUMNS, WORKED, close, long_form, present, rated, same, shuffled

NAN = math.nan
WEIGHTS = (None, "linear", "quadratic")


class TestKappas:
    def test_worked(self):
        assert cohen_kappa(*WORKED.T) == pytest.approx(3 / 11, abs=1e-15)
        assert fleiss_kappa(WORKED) == pytest.approx(5 / 21, abs=1e-15)
        assert percent_agreement(WORKED) == 0.5

    @pytest.mark.parametrize("weights", WEIGHTS)
    @given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1))
    def test_sklearn(self, weights, pairs):
        a, b = zip(*pairs, strict=True)
        found = cohen_kappa(a, b, weights)
        if math.isnan(found):
            assert len({*a, *b}) == 1
        else:
            assert close(found, cohen_kappa_score(a, b, weights=weights))
        assert same(found, cohen_kappa(b, a, weights))

    @pytest.mark.parametrize("weights", WEIGHTS)
    def test_sklearn_on_labels_in_order(self, weights):
        labels = ["low", "middling", "high", "never used"]
        rng = np.random.default_rng(0)
        a, b = np.array(labels)[np.minimum(rng.integers(0, 4, (2, 500)), 2)]
        expected = cohen_kappa_score(a, b, labels=labels, weights=weights)
        assert close(cohen_kappa(a, b, weights, labels), expected)
        if weights is None:
            assert close(cohen_kappa(a, b), expected)

    def test_missing_ratings_drop_their_unit(self):
        found = cohen_kappa(["x", None, "y", "x", "z"], ["x", "y", "y", "y", NAN])
        assert found == cohen_kappa(["x", "y", "x"], ["x", "y", "y"])
        assert math.isnan(cohen_kappa([None, "x"], ["x", None]))
        assert math.isnan(cohen_kappa([], []))

    def test_no_table_of_labels_by_labels(self):
        a = np.arange(100_000.0)
        assert cohen_kappa(a, a, "quadratic") == 1.0
        assert cohen_kappa(a, a[::-1], "quadratic") == pytest.approx(-1, abs=1e-9)

    @pytest.mark.parametrize("weights", WEIGHTS)
    @given(data=rated(), seed=st.integers(0, 9))
    def test_mean_of_pairs(self, weights, data, seed):
        paired = data[(~np.isnan(data)).sum(axis=1) > 1]  # other units widen no scale
        labels = np.unique(paired[~np.isnan(paired)]).tolist()
        kappas = [cohen_kappa(a, b, weights, labels) for a, b in combinations(paired.T, 2)]
        defined = [kappa for kappa in kappas if not math.isnan(kappa)]
        expected = math.fsum(defined) / len(defined) if defined else NAN
        found = mean_pairwise_kappa(data, weights)
        assert same(found, expected)
        assert same(found, mean_pairwise_kappa(shuffled(data, seed), weights))
        assert same(found, mean_pairwise_kappa(long_form(data, seed), weights, **COLUMNS))

    @pytest.mark.parametrize("weights", WEIGHTS)
    def test_mean_of_pairs_with_many_labels(self, weights):
        """Squares of 20,000 places over 20,000 units are beyond the native sums."""
        rng = np.random.default_rng(0)
        data = rng.permuted(np.arange(60_000.0).reshape(20_000, 3) // 3, axis=0)
        data[rng.random(data.shape) < 0.1] = NAN
        labels = list(range(20_000))
        kappas = [cohen_kappa(a, b, weights, labels) for a, b in combinations(data.T, 2)]
        assert mean_pairwise_kappa(data, weights, labels) == math.fsum(kappas) / 3

    @pytest.mark.parametrize("weights", WEIGHTS)
    def test_raters_who_share_units(self, weights):
        """The mean kappa is over pairs of raters with a defined kappa, if few share units."""
        rng = np.random.default_rng(1)
        data = np.where(rng.random((30, 40)) < 0.1, rng.integers(0, 4, (30, 40)), NAN)
        kappas = [cohen_kappa(a, b, weights, range(4)) for a, b in combinations(data.T, 2)]
        defined = [kappa for kappa in kappas if not math.isnan(kappa)]
        assert 0 < len(defined) < len(kappas)
        assert mean_pairwise_kappa(data, weights) == math.fsum(defined) / len(defined)

    @pytest.mark.slow
    def test_twenty_thousand_raters_of_one_unit(self):
        """The mean over 200 million pairs of raters is 0: pairs that differ have kappa 0."""
        table = {"unit": ["u"] * 20_000, "rater": np.arange(20_000), "label": np.arange(20_000) % 7}
        columns = {"unit": "unit", "rater": "rater", "label": "label"}
        assert mean_pairwise_kappa(table, **columns) == 0.0

    @given(data=rated())
    def test_statsmodels(self, data):
        data = data[~np.isnan(data).any(axis=1)]
        found = fleiss_kappa(data)
        if math.isnan(found):
            assert data.shape[1] < 2 or len(np.unique(data)) < 2
            return
        assert close(found, statsmodels_fleiss(aggregate_raters(data)[0]))

    @given(data=rated(), seed=st.integers(0, 9))
    def test_fleiss_and_percent_by_hand(self, data, seed):
        units = [found for row in data.tolist() if len(found := present(row)) > 1]
        everything = Counter(value for unit in units for value in unit)
        n = everything.total()
        shares = [
            Fraction(sum(a == b for a, b in permutations(unit, 2)), len(unit) * (len(unit) - 1))
            for unit in units
        ]
        percent = Fraction(sum(shares), len(units)) if units else NAN
        chance = Fraction(sum(m * m for m in everything.values()), n * n) if units else 1
        kappa = float((percent - chance) / (1 - chance)) if chance != 1 else NAN
        assert close(percent_agreement(data), float(percent), 1e-14)
        assert close(fleiss_kappa(data), kappa, 1e-13)
        for measure in (percent_agreement, fleiss_kappa):
            assert same(measure(data), measure(shuffled(data, seed)))
            assert same(measure(data), measure(long_form(data, seed), **COLUMNS))

    @given(data=rated(), seed=st.integers(0, 9))
    def test_gwet_by_hand(self, data, seed):
        units = [found for row in data.tolist() if (found := present(row))]
        labels = {value for unit in units for value in unit}
        means = [sum(Fraction(u.count(k), len(u)) for u in units) / len(units) for k in labels]
        expected = NAN
        if len(labels) > 1 and not math.isnan(percent := percent_agreement(data)):
            chance = sum(mean * (1 - mean) for mean in means) / (len(labels) - 1)
            expected = (percent - float(chance)) / float(1 - chance)
        assert close(gwet_ac1(data), expected, 1e-13)
        assert same(gwet_ac1(data), gwet_ac1(shuffled(data, seed)))
        assert same(gwet_ac1(data), gwet_ac1(long_form(data, seed), **COLUMNS))

    @given(data=rated())
    def test_irrcac(self, data):
        raw = pytest.importorskip("irrCAC.raw", reason="irrCAC wants a SciPy of 2024: by hand")
        data = data[~np.isnan(data).all(axis=1)]
        if len(data) < 2:  # its own interval divides by n - 1
            return
        labels = np.unique(data[~np.isnan(data)]).tolist()
        if math.isnan(found := gwet_ac1(data)):
            assert len(labels) < 2 or math.isnan(percent_agreement(data))
            return
        named = dict(zip(labels, "abcdefghijklmnop", strict=False))  # it drops the label 0
        table = pandas.DataFrame([[named.get(v) for v in row] for row in data.tolist()])
        theirs = raw.CAC(table, categories=[*named.values()], digits=15).gwet()["est"]
        assert close(found, theirs["coefficient_value"], 1e-12)

    @given(data=rated())
    def test_identical_raters(self, data):
        data = np.repeat(data[:, :1], 3, axis=1)
        varied = len(np.unique(data[~np.isnan(data)])) > 1
        for measure in (fleiss_kappa, mean_pairwise_kappa):
            assert same(measure(data), 1.0 if varied else NAN)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (([1, 2], [1]), r"a has the shape \(2,\) and b \(1,\), expected one rating a unit"),
            (([[1]], [[1]]), "expected one rating a unit"),
            (([1, 2], ["x", "y"]), "ratings are neither all numbers nor all labels"),
            ((["x", "y"], ["x", "x"], "linear"), "weights need labels=.*, all labels in order"),
            (([1, 2], [1, 3], None, [1, 2]), r"rating 3.0 is not among labels \[1, 2\]"),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(InputError, match=message):
            cohen_kappa(*arguments)


class TestVotes:
    @given(data=rated(), seed=st.integers(0, 9))
    def test_counting(self, data, seed):
        for ties in ("none", "first"):
            expected = []
            for row in data.tolist():
                votes = Counter(present(row))
                best = [v for v, n in votes.items() if n == max(votes.values())]
                expected.append(min(best) if best and (len(best) == 1 or ties == "first") else NAN)
            np.testing.assert_array_equal(majority_vote(data, ties), expected)
            table = long_form(data, seed)
            order = [int(name[1:]) for name in table["item"].unique().to_pylist()]
            found = majority_vote(table, ties, **COLUMNS)
            np.testing.assert_array_equal(found, np.array(expected)[order])

    def test_labels(self):
        data = [["b", "a", None], ["c", "c", "a"], [None, None, None]]
        assert majority_vote(data).tolist() == [None, "c", None]
        assert majority_vote(data, "first").tolist() == ["a", "c", None]
        with pytest.raises(InputError, match=r"unit 0: 2 labels have the most votes \(1 units"):
            majority_vote(data, "error")
        assert majority_vote(data[1:], "error").tolist() == ["c", None]
        with pytest.raises(ValueError, match='ties is "last", expected one of none, first'):
            majority_vote(data, "last")


class TestLabelAgreement:
    def test_all_measures(self):
        found = label_agreement(long_form(WORKED), "said", "item", "who", "interval")
        assert found.alpha == krippendorff_alpha(WORKED, "interval")
        assert found.cohen_kappa == cohen_kappa(*WORKED.T)
        assert found.cohen_kappa_linear == cohen_kappa(*WORKED.T, "linear")
        assert found.cohen_kappa_quadratic == cohen_kappa(*WORKED.T, "quadratic")
        assert found.fleiss_kappa == fleiss_kappa(WORKED)
        assert found.gwet_ac1 == gwet_ac1(WORKED)
        assert found.percent_agreement == 0.5
        assert (found.n_units, found.n_raters, found.n_ratings, found.n_missing) == (5, 2, 9, 1)
        assert (found.n_paired_units, found.n_tied, found.n_unrated) == (4, 2, 0)
        assert found.majority == {"1": 1, "2": 1, "4": 1}

    def test_json(self):
        table = {"unit": ["a", "a"], "rater": [1, 2], "label": ["x", "x"]}
        found = json.loads(label_agreement(table).to_json())
        assert found["signature"].startswith("fastcausal|")
        assert found["alpha"] is None
        assert found["cohen_kappa_linear"] is None
        assert found["percent_agreement"] == 1.0
        assert found["majority"] == {"x": 1}


@given(data=rated(), seed=st.integers(0, 99))
def test_a_unit_drawn_twice_counts_as_two(data, seed):
    """Every coefficient under weights equals the coefficient of the units repeated as often."""
    times = np.random.default_rng(seed).integers(0, 3, (2, len(data)))
    drawn = coefficients(read_ratings(data), "ordinal", times=times)
    for k, row in enumerate(times):
        alone = coefficients(read_ratings(np.repeat(data, row, axis=0)), "ordinal")
        assert all(same(drawn[name][k], value[0]) for name, value in alone.items())


@given(
    st.lists(st.tuples(*[st.integers(-3, 9)] * 2), min_size=1, max_size=40),
    st.sampled_from([None, "linear", "quadratic"]),
    st.sampled_from([1, 700]),
)
def test_integers_are_counted_as_floats_are_numbered(rows, weights, scale):
    """A matrix of pairs, numbers of a small range and hashes of any floats give one kappa."""
    ratings = scale * np.array(rows).T
    of_pairs = cohen_kappa(*ratings, weights)
    for other in (ratings.astype(float), ratings / 1024, ratings.astype(float) + 0.5):
        found = cohen_kappa(*other, weights)
        assert found == of_pairs or (math.isnan(found) and math.isnan(of_pairs))

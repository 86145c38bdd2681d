"""Alpha and its intervals: against tables worked by hand, exact fractions and another package."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fastcausal.errors import InputError, InputNotice
from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.tasks.labels.alpha import alpha_interval, krippendorff_alpha
from fastcausal.tasks.labels.coefficients import LEVELS
from fastcausal.tasks.labels.count import CLUSTER
from tests.support.rated import COLUMNS, WORKED, close, long_form, present, rated, same, shuffled

NAN = math.nan


def distance(level: str, counts: Counter[float], a: float, b: float) -> Fraction:
    """Squared distance of two ratings, as the book defines it."""
    if a == b:
        return Fraction(0)
    if level == "nominal":
        return Fraction(1)
    if level == "ordinal":
        between = sum(n for value, n in counts.items() if min(a, b) <= value <= max(a, b))
        return (between - Fraction(counts[a] + counts[b], 2)) ** 2
    a, b = Fraction(a), Fraction(b)
    return ((a - b) if level == "interval" else (a - b) / (a + b)) ** 2


def textbook_alpha(data: np.ndarray, level: str) -> float:
    """Pair by pair, in fractions."""
    units = [found for row in data.tolist() if len(found := present(row)) > 1]
    everything = [value for unit in units for value in unit]
    counts = Counter(everything)
    n = len(everything)
    observed = sum(
        sum(distance(level, counts, a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1)
        for unit in units
    )
    expected = sum(
        counts[a] * counts[b] * distance(level, counts, a, b) for a, b in permutations(counts, 2)
    )
    return float(1 - observed * (n - 1) / expected) if expected else NAN


class TestAlpha:
    @pytest.mark.parametrize(
        ("level", "expected"),
        [
            ("nominal", 1 / 3),
            ("ordinal", 1 - 3.125 / (600 / 56)),
            ("interval", 76 / 111),
            ("ratio", 1 - 56 / 164.64),
        ],
    )
    def test_worked(self, level, expected):
        assert krippendorff_alpha(WORKED, level) == pytest.approx(expected, abs=1e-15)

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated())
    def test_textbook(self, level, data):
        assert close(krippendorff_alpha(data, level), textbook_alpha(data, level), 1e-14)

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated(st.floats(0, 1e6).map(lambda v: v + 0.0)))
    def test_textbook_of_floats(self, level, data):
        assert close(krippendorff_alpha(data, level), textbook_alpha(data, level))

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated(st.integers(0, 9) | st.floats(0.25, 4)))
    def test_package(self, level, data):
        found = krippendorff_alpha(data, level)
        if math.isnan(found):
            pairable = data[(~np.isnan(data)).sum(axis=1) > 1]
            assert len(np.unique(pairable[~np.isnan(pairable)])) < 2
            return
        assert close(found, krippendorff.alpha(data.T, level_of_measurement=level))

    @pytest.mark.parametrize("level", LEVELS)
    def test_package_on_many_ratings(self, level):
        rng = np.random.default_rng(0)
        data = rng.integers(1, 8, (3000, 1)) + rng.integers(0, 3, (3000, 9)).astype(float)
        data[rng.random(data.shape) < 0.6] = NAN
        expected = krippendorff.alpha(data.T, level_of_measurement=level)
        assert close(krippendorff_alpha(data, level), expected)

    @pytest.mark.parametrize("n_raters", [2, 3, 4, 7, 8])
    def test_textbook_of_as_many_values_as_a_key_holds(self, n_raters):
        """Units with equal ratings are counted once; a key of 64 bits finds them."""
        room = 64 // n_raters.bit_length()
        for n_values in (room - 1, room, room + 1, 2 * room):
            agreed = np.repeat(np.arange(n_values, dtype=float)[:, None], n_raters, axis=1)
            split = np.where(np.arange(n_raters) % 2, agreed, agreed[::-1])
            data = np.concatenate([agreed, split, agreed])
            assert close(krippendorff_alpha(data), textbook_alpha(data, "nominal"), 1e-14)

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated(st.floats(0, 1e9)), seed=st.integers(0, 9))
    def test_order_changes_no_bit(self, level, data, seed):
        assert same(
            krippendorff_alpha(data, level), krippendorff_alpha(shuffled(data, seed), level)
        )

    def test_order_of_many_ratings_changes_no_bit(self):
        rng = np.random.default_rng(1)
        data = rng.lognormal(sigma=3, size=(5000, 7))
        data[rng.random(data.shape) < 0.3] = NAN
        for level in ("ordinal", "interval"):
            found = {krippendorff_alpha(shuffled(data, seed), level) for seed in range(5)}
            assert len(found) == 1

    @given(data=rated())
    def test_names_of_labels_are_nominal(self, data):
        names = {value: f"label {9 - value}" for value in range(10)}
        named = [[names.get(value) for value in row] for row in data.tolist()]
        if len(data):
            assert same(krippendorff_alpha(named), krippendorff_alpha(data))

    @given(data=rated())
    def test_only_the_order_is_ordinal(self, data):
        assert same(krippendorff_alpha(data, "ordinal"), krippendorff_alpha(data**3 - 5, "ordinal"))

    @pytest.mark.parametrize("offset", [1e9, -(2.0**40), 1e-9])
    def test_an_offset_costs_no_digits(self, offset):
        exact = textbook_alpha(WORKED + offset, "interval")
        assert krippendorff_alpha(WORKED + offset, "interval") == pytest.approx(exact, abs=1e-15)
        both = np.concatenate([WORKED, WORKED + offset])
        groups = np.repeat([0, 1], len(WORKED))
        found = krippendorff_alpha(both, "interval", groups)
        assert found.tolist() == pytest.approx([76 / 111, exact], abs=1e-15)

    @pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-160, 1e160, 1e307])
    def test_magnitudes(self, scale):
        for level in ("interval", "ratio"):
            expected = textbook_alpha(WORKED * scale, level)
            assert close(krippendorff_alpha(WORKED * scale, level), expected)

    @pytest.mark.parametrize("first", [1e9, 1e11, 1e12, 1e13, 1e14, 2.0**52])
    def test_close_ratings_keep_their_digits(self, first):
        data = first + np.array([[0, 1], [1, 1], [2, 3], [0, 0]])
        exact = textbook_alpha(data, "ratio")
        assert krippendorff_alpha(data, "ratio") == pytest.approx(exact, rel=0, abs=2e-15)
        assert krippendorff_alpha([[first + 2, first]], "ratio") == 0.0

    @given(
        data=rated(st.integers(0, 5).map(lambda k: 1e15 + k))
        | rated(st.integers(0, 5).map(lambda k: 1 + k * 2.0**-52))
    )
    def test_digits_of_ratios(self, data):
        assert close(krippendorff_alpha(data, "ratio"), textbook_alpha(data, "ratio"), 4e-15)
        assert same(
            krippendorff_alpha(data, "ratio"), krippendorff_alpha(shuffled(data, 1), "ratio")
        )

    @pytest.mark.parametrize(
        "data",
        [
            [[0, 1], [5e-324, 5e-324], [1, 1]],
            [[0, 5e-324, 1], [1, 1, 5e-324], [0, 0, 1]],
            [[5e-324, 1e-323], [1e-323, 1.5e-323]],
            [[9e307, 1.7e308], [1.7e308, 1.7e308], [9e307, 5e-324]],
        ],
    )
    def test_ratios_of_extremes(self, data):
        exact = textbook_alpha(np.array(data), "ratio")
        assert krippendorff_alpha(data, "ratio") == pytest.approx(exact, rel=0, abs=2e-15)

    @pytest.mark.slow
    def test_many_close_ratings(self):
        """Alpha is exact for more close values than one block holds, and for one far away."""
        rng = np.random.default_rng(3)
        data = 1e12 + rng.integers(0, 1500, (900, 2)).astype(float)
        for last in (data[-1, -1], 2e12):
            data[-1, -1] = last
            a, b = np.meshgrid(data, data)
            between = math.fsum((((a - b) / (a + b)) ** 2).ravel())
            within = math.fsum(2 * ((data[:, 0] - data[:, 1]) / data.sum(axis=1)) ** 2)
            expected = 1 - (data.size - 1) * within / between
            found = {krippendorff_alpha(shuffled(data, seed), "ratio") for seed in range(3)}
            assert max(found) == pytest.approx(expected, rel=0, abs=1e-14)
            assert len(found) == 1

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated(st.floats(0, 1e300)))
    def test_identical_raters(self, level, data):
        data = np.repeat(data[:, :1], 4, axis=1)
        varied = len(np.unique(data[~np.isnan(data)])) > 1
        assert same(krippendorff_alpha(data, level), 1.0 if varied else NAN)

    @pytest.mark.parametrize(
        "data",
        [np.empty((0, 3)), [[1, 1], [1, 1]], [[1, None], [None, 2]], [[None, None]], [[3.0]]],
    )
    @pytest.mark.parametrize("level", LEVELS)
    def test_undefined_without_variation(self, data, level):
        assert math.isnan(krippendorff_alpha(data, level))

    def test_minus_zero_is_zero(self):
        data = [[0.0, -0.0], [1, 1]]
        assert [krippendorff_alpha(data, level) for level in LEVELS] == [1.0] * 4

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated(), parts=st.lists(st.sampled_from("abc"), min_size=12, max_size=12))
    def test_groups(self, level, data, parts):
        groups = np.array(parts[: len(data)], dtype=object)
        found = krippendorff_alpha(data, level, groups)
        alone = [krippendorff_alpha(data[groups == g], level) for g in sorted(set(groups))]
        assert all(same(a, b) for a, b in zip(found.tolist(), alone, strict=True))

    @pytest.mark.parametrize("level", LEVELS)
    @given(data=rated(), seed=st.integers(0, 9))
    def test_long_form(self, level, data, seed):
        table = long_form(data, seed)
        assert same(krippendorff_alpha(table, level, **COLUMNS), krippendorff_alpha(data, level))


class TestInterval:
    DATA = np.array([[1, 1], [2, 2], [1, 2], [3, 3], [2, 3], [1, 1], [4, 2], [3, 3], [5, NAN]])

    @pytest.mark.parametrize("level", LEVELS)
    @pytest.mark.parametrize("clustered", [False, True])
    def test_slow_bootstrap(self, level, clustered):
        """Different units, sorted by content, are drawn by the one sampler."""
        groups = np.array([0, 0, 1, 2, 2, 2, 3, 3, 4]) if clustered else np.arange(9)
        contents = Counter(
            tuple(sorted(tuple(sorted(row)) for row in self.DATA[groups == g].tolist()))
            for g in range(groups.max())  # the last has no pair
        )
        units = [np.array(content) for content in sorted(contents)]
        times = np.array([contents[content] for content in sorted(contents)])
        [weights] = bootstrap_weights(times, 300, 7)
        alphas = np.array(
            [
                krippendorff_alpha(np.concatenate([*map(units.__getitem__, drawn)]), level)
                for drawn in (np.repeat(np.arange(len(units)), row) for row in weights)
            ]
        )
        clusters = [f"doc {g}" for g in groups] if clustered else None
        found = alpha_interval(
            self.DATA, level, clusters=clusters, method="percentile", n_resamples=300, seed=7,
            confidence=0.9,
        )  # fmt: skip
        defined = alphas[~np.isnan(alphas)]
        assert found.n_undefined == len(alphas) - len(defined)
        assert found.alpha == krippendorff_alpha(self.DATA, level)
        assert [found.low, found.high] == pytest.approx(
            np.quantile(defined, [0.05, 0.95]), abs=1e-12
        )

    def test_defaults(self):
        stated = {"method": "jackknife", "n_resamples": 1000, "seed": 0, "confidence": 0.95,
                  "clusters": None}  # fmt: skip
        assert alpha_interval(self.DATA) == alpha_interval(self.DATA, "nominal")
        ratio = alpha_interval(self.DATA, "ratio", **stated)  # of many values: no draw is like it
        assert alpha_interval(self.DATA, "ratio") == ratio

    @pytest.mark.parametrize("method", ["jackknife", "percentile"])
    def test_in_blocks(self, method, monkeypatch):
        stated = {"method": method, "n_resamples": 50}
        whole = alpha_interval(self.DATA, "interval", **stated)
        for module in ("sampling", "units"):
            monkeypatch.setattr(f"fastcausal.significance.{module}.BLOCK", 20)
        assert alpha_interval(self.DATA, "interval", **stated) == whole
        other = alpha_interval(self.DATA, "interval", seed=1, **stated)
        assert (other == whole) == (method == "jackknife")

    @pytest.mark.parametrize("method", ["jackknife", "percentile"])
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("clustered", [False, True])
    def test_no_order_changes_a_bit(self, seed, clustered, method):
        order = np.random.default_rng(seed).permutation(9)
        clusters = np.array(list("aabbbcdde")) if clustered else None
        whole, other = (
            alpha_interval(
                self.DATA[rows][:, ::step],
                "interval",
                clusters=None if clusters is None else clusters[rows],
                method=method,
                n_resamples=50,
            )
            for rows, step in ((slice(None), 1), (order, -1))
        )
        assert whole == other

    @pytest.mark.parametrize("level", LEVELS)
    @pytest.mark.parametrize("clustered", [False, True])
    def test_plain_jackknife(self, level, clustered):
        """Student's t on Fisher's z, from alphas without each unit or cluster."""
        clusters = np.array([0, 0, 1, 1, 2, 2, 3, 3, 3]) if clustered else np.arange(9)
        n = 4 if clustered else 8  # the last unit has no pair
        found = alpha_interval(self.DATA, level, clusters=clusters, confidence=0.9)
        each = np.array([krippendorff_alpha(self.DATA[clusters != k], level) for k in range(n)])
        error = math.sqrt((n - 1) / n * ((each - each.mean()) ** 2).sum())
        half = stats.t.ppf(0.95, n - 1) * error / (1 - found.alpha**2)
        expected = np.tanh(np.arctanh(found.alpha) + np.array([-half, half]))
        assert [found.low, found.high] == pytest.approx(expected, abs=1e-9)
        assert found.method == "jackknife"

    @pytest.mark.parametrize("clustered", [False, True])
    def test_many_units_are_left_out_in_groups(self, clustered, monkeypatch):
        """Forty groups of units, in whatever order, tell about as much as each alone."""
        rng = np.random.default_rng(0)
        truth = rng.normal(size=(400, 1))
        data = np.round(truth + 0.5 * rng.normal(size=(400, 3)), 1)
        data[7:9] = data[6]  # units with the same ratings
        clusters = np.arange(400) // 2 if clustered else None
        exact = alpha_interval(data, "interval", clusters=clusters)
        monkeypatch.setattr("fastcausal.significance.units.MAX_LEFT_OUT", 40)
        found = alpha_interval(data, "interval", clusters=clusters)
        assert found != exact
        assert [found.low, found.high] == pytest.approx([exact.low, exact.high], abs=0.02)
        order = rng.permutation(400)
        again = alpha_interval(
            data[order], "interval", clusters=None if clusters is None else clusters[order]
        )
        assert again == found
        units = exact.statistics.drawn(CLUSTER if clustered else None, "overall_alpha")
        groups = units.grouped()
        each = groups.score_without_each()["overall_alpha"]
        for k in range(40):
            rest = groups.terms[groups.unit_of != k]
            values = np.array([NAN, *exact.statistics.formula.labels])[rest]
            assert each[k] == pytest.approx(krippendorff_alpha(values, "interval"))
        assert sorted(map(tuple, groups.terms)) == sorted(map(tuple, exact.statistics.rows))

    def test_undefined(self):
        plain = {"alpha": None, "low": None, "high": None, "n_undefined": 0}
        for data in ([[1, 1], [1, None]], np.empty((0, 2)), [[1, 1]] * 2):
            assert alpha_interval(data).to_dict() == {**plain, "method": "jackknife"}
        few = alpha_interval([[1, 1], [1, None]], method="percentile", n_resamples=5)  # no draws
        assert few.to_dict() == {**plain, "method": "percentile"}
        only_apart = [[1, 1]] * 5 + [[1, 2]]  # without the last, ratings do not vary
        assert math.isnan(alpha_interval(only_apart).low)

    def test_resamples_without_variation_are_left_out(self):
        with pytest.warns(InputNotice, match=r"alpha: undefined in more than 5% of"):
            found = alpha_interval([[1, 1], [2, 2]], method="percentile", n_resamples=100)
        assert 20 < found.n_undefined < 80
        assert found.alpha == 1.0
        assert math.isnan(found.low)  # all that is left is 1: no variation
        many = [[1, 1], [2, 2]] * 9 + [[1, 2]]
        found = alpha_interval(many, method="percentile", n_resamples=100)  # without a warning
        assert found.n_undefined == 0

    def test_clusters_of_other_units(self):
        message = r"clusters have the shape \(1,\), expected \(9,\)"
        with pytest.raises(InputError, match=message):
            alpha_interval(self.DATA, clusters=[1])

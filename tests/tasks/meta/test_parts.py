"""Thresholds and the alt-test against plain or outside versions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fastcausal.tasks.meta.alt_test import alt_test
from fastcausal.tasks.meta.thresholds import agreement, fitted, threshold

scores = st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0])
rows = st.lists(st.tuples(scores, st.integers(-1, 1)), min_size=1, max_size=12)


def best_of_all(pairs):
    """The first of all scores, ascending, with the most labels right."""
    tried = [
        (-sum((score >= value) == label for score, label in pairs), value) for value, _ in pairs
    ]
    right, value = min(tried)
    return value, -right / len(pairs)


@given(rows)
def test_the_threshold_is_the_best_of_all_scores(pairs):
    labelled = [pair for pair in pairs if pair[1] >= 0]
    assume(labelled)
    columns = np.array([s for s, _ in pairs]), np.array([label for _, label in pairs])
    assert fitted(*columns) == best_of_all(labelled)


@given(rows, st.integers(1, 4), st.data())
def test_predictions_are_those_of_the_other_folds(pairs, folds, data):
    items = data.draw(st.lists(st.integers(0, 5), min_size=len(pairs), max_size=len(pairs)))
    columns = (np.array([s for s, _ in pairs]), np.array([label for _, label in pairs]))
    predictions = threshold(*columns, np.array(items), folds).predictions
    for item, (score, _), predicted in zip(items, pairs, predictions.tolist(), strict=True):
        rest = [
            pair
            for other, pair in zip(items, pairs, strict=True)
            if other % folds != item % folds and pair[1] >= 0
        ]
        expected = float(score >= best_of_all(rest)[0]) if rest else math.nan
        assert predicted == expected or math.isnan(predicted) == math.isnan(expected) is True


def test_a_threshold_without_a_voted_row_is_undefined():
    fit = threshold(np.array([0.1, 0.9]), np.array([-1, -1]), np.arange(2), 2)
    assert np.isnan([fit.value, fit.accuracy, *fit.held_out.values(), *fit.predictions]).all()


@pytest.mark.slow  # to import scikit-learn
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=15))
def test_held_out_scores_are_those_of_scikit_learn(pairs):
    from sklearn import metrics

    labels, predictions = np.array(pairs).T
    values = agreement(labels, predictions)
    assert values["accuracy"] == pytest.approx(metrics.accuracy_score(labels, predictions))
    for name, positive in (("precision", predictions), ("recall", labels)):
        if not positive.any():
            assert math.isnan(values[name])
            continue
        expected = getattr(metrics, f"{name}_score")(labels, predictions)
        assert values[name] == pytest.approx(expected)
    if labels.any() or predictions.any():
        assert values["f1"] == pytest.approx(metrics.f1_score(labels, predictions))
    if len({*labels}) == 2 == len({*predictions}):
        assert values["mcc"] == pytest.approx(metrics.matthews_corrcoef(labels, predictions))
    if len({*labels, *predictions}) == 2:
        assert values["kappa"] == pytest.approx(metrics.cohen_kappa_score(labels, predictions))


def plain_alt_test(metric, votes, epsilon, distance, units):
    """The test as its paper tells it, by sums of units, with scipy's and statsmodels' tests."""
    from scipy.stats import ttest_1samp
    from statsmodels.stats.multitest import multipletests

    p, advantages = [], []
    for rater, own in enumerate(votes):
        sums, wins = {}, []
        for row, value in enumerate(own):
            rest = [v[row] for k, v in enumerate(votes) if k != rater and not math.isnan(v[row])]
            if math.isnan(value) or math.isnan(metric[row]) or not rest:
                continue
            of_metric, of_rater = distance(metric[row], rest), distance(value, rest)
            wins.append(of_metric <= of_rater)
            difference = (of_rater <= of_metric) - (of_metric <= of_rater) - epsilon
            sums.setdefault(units[row], []).append(difference)
        if len(wins) < 30 or len(sums) < 2:
            continue
        sums = [round(math.fsum(differences), 9) for differences in sums.values()]
        p.append(ttest_1samp(sums, 0, alternative="less").pvalue)
        if len({*sums}) == 1:
            p[-1] = float(sums[0] >= 0)
        advantages.append(sum(wins) / len(wins))
    if not p:
        return math.nan, math.nan, 0
    return multipletests(p, 0.05, "fdr_by")[0].mean(), sum(advantages) / len(p), len(p)


@pytest.mark.slow  # to import statsmodels
@pytest.mark.filterwarnings("ignore:Precision loss")
@pytest.mark.parametrize("labels", [True, False])
@given(seed=st.integers(0, 2**32 - 1), n_raters=st.integers(2, 4), noise=st.floats(0, 0.6),
       epsilon=st.sampled_from([0.0, 0.1, 0.2, 0.5]), gaps=st.floats(0, 0.6),
       n_units=st.integers(1, 30) | st.none())  # fmt: skip
def test_the_alt_test_is_that_of_its_paper(labels, seed, n_raters, noise, epsilon, gaps, n_units):
    chance = np.random.default_rng(seed)
    n, top = 60, 2 if labels else 6
    truth = chance.integers(0, top, n)
    everyone = np.where(
        chance.random((n_raters + 1, n)) < noise,
        chance.integers(0, top, (n_raters + 1, n)),
        truth,
    ).astype(float)
    everyone[chance.random(everyone.shape) < gaps] = math.nan
    metric, votes = everyone[0], everyone[1:]

    def distance(value, rest):
        if labels:
            return -sum(value == r for r in rest) / len(rest)
        return math.sqrt(sum((value - r) ** 2 for r in rest) / len(rest))

    units = None if n_units is None else chance.integers(0, n_units, n)
    plain = metric.tolist(), votes.tolist(), epsilon, distance
    rate, advantage, n_tested = plain_alt_test(*plain, np.arange(n) if units is None else units)
    result = alt_test(metric, votes, epsilon, units, labels=labels)
    assert result.n_raters == n_tested
    assert (result.winning_rate, result.advantage) == pytest.approx((rate, advantage), nan_ok=True)
    again = alt_test(metric, votes[::-1], epsilon, units, labels=labels)
    assert repr(again) == repr(result)


def test_distances_that_are_equal_but_for_rounding_are_equal():
    """.2 and .4 are as far from .3, though not in the last digit; .3 itself is nearer to both."""
    near, rest, far = (np.full(40, value) for value in (0.2, 0.3, 0.4))
    for metric, rater in ((near, far), (far, near)):
        assert alt_test(metric, np.array([rater, rest]), 0.2, labels=False).advantage == 0.5


def test_copies_of_a_row_in_a_unit_tell_no_more_than_the_row():
    """The metric beats a rater in 4 of 5 units: for sure by row, by unit not."""
    truth = np.repeat([0.0, 1, 0, 1, 0], 20)
    wrong = 1 - truth
    lucky = np.where(np.arange(100) < 20, truth, wrong)
    metric = np.where(np.arange(100) < 20, wrong, truth)
    votes = np.array([lucky, truth, truth])
    by_row = alt_test(metric, votes, 0.2, labels=True)
    by_unit = alt_test(metric, votes, 0.2, np.repeat(np.arange(5), 20), "doc", labels=True)
    assert (by_row.winning_rate, by_unit.winning_rate) == (pytest.approx(1 / 3), 0)
    assert (by_row.advantage, by_unit.unit) == (by_unit.advantage, "doc")
    single = alt_test(metric, votes, 0.2, np.zeros(100, int), labels=True)
    assert (single.n_raters, math.isnan(single.winning_rate)) == (0, True)


def test_raters_who_are_all_alike_are_won_or_lost_for_sure():
    one = np.tile([0.0, 1.0], 20)
    assert alt_test(one, np.array([one, one]), 0.2, labels=True).winning_rate == 1.0
    assert alt_test(one, np.array([one, one]), 0.0, labels=True).winning_rate == 0.0
    assert alt_test(1 - one, np.array([one, one]), 0.2, labels=True).advantage == 0.0
    assert alt_test(one[:29], np.array([one, one])[:, :29], 0.2, labels=True).n_raters == 0

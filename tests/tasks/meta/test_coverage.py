"""Intervals hold the true score in 93 to 97 of 100 samples from a law whose scores are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from fastcausal.significance.draws import Draws
from fastcausal.tasks.meta.intervals import DrawnRows, intervals
from fastcausal.tasks.meta.levels import RatedScores

N_ITEMS, N_SYSTEMS, TRIALS = 150, 2, 600
RHO = 0.6  # of each row, whose item moves score and label alike
TRUTH = {
    "pearson": RHO,
    "spearman": 6 / math.pi * math.asin(RHO / 2),
    "kendall": 2 / math.pi * math.asin(RHO),
    "pairwise_accuracy": 0.5 + math.asin(RHO) / math.pi,
}


def sample(rng):
    """Draw normal scores and labels of variance 1, correlated within items."""
    shared = rng.normal(size=(N_ITEMS, 1)) * math.sqrt(0.3)
    both = rng.normal(size=(N_ITEMS, N_SYSTEMS)) * math.sqrt(0.3)
    scores, labels = (
        shared + both + rng.normal(size=(N_ITEMS, N_SYSTEMS)) * math.sqrt(0.4) for _ in range(2)
    )
    items = np.repeat(np.arange(N_ITEMS), N_SYSTEMS)
    systems = np.tile(np.arange(N_SYSTEMS), N_ITEMS)
    return RatedScores(items, systems, scores.ravel(), labels.ravel())


@pytest.mark.slow
def test_coverage():
    rng = np.random.default_rng(5)
    hits = dict.fromkeys(TRUTH, 0)
    for _ in range(TRIALS):
        rows = sample(rng)
        bounds = intervals(rows, rows.items, (-9.0, 9.0), Draws()).bounds["pooled"]
        for name, truth in TRUTH.items():
            hits[name] += bounds[name][0] <= truth <= bounds[name][1]
    shares = {name: n / TRIALS for name, n in hits.items()}
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


def judged_items(rng, n):
    """Draw scores and labels 0 and 1 of unequal items; their scores are shares."""
    items = np.repeat(np.arange(n), rng.integers(1, 5, n))
    systems = np.concatenate([np.arange(k) for k in np.bincount(items)])
    labels = rng.integers(0, 2, len(items)).astype(float)
    scores = np.round(np.clip(labels * 0.4 + rng.random(len(items)) * 0.6, 0, 1), 2)
    return RatedScores(items, systems, scores, labels, labels)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_leave_out_each_item(seed, monkeypatch):
    """Student's t on Fisher's z, of AUC on the logit, of bias plain, against a plain loop."""
    rng = np.random.default_rng(seed)
    monkeypatch.setattr("fastcausal.tasks.meta.intervals.BLOCK", 40)
    rows, n = judged_items(rng, 12), 12
    found = intervals(rows, rows.items, (0.0, 1.0), Draws()).bounds

    def values_of(kept):
        x, y = rows.scores[kept], rows.labels[kept]
        return {
            "pearson": np.corrcoef(x, y)[0, 1],
            "kendall": stats.kendalltau(x, y).statistic,
            "auc": roc_auc_score(y, x),
            "bias": (x - y).mean(),
        }

    whole = values_of(np.ones(len(rows.items), bool))
    without = [values_of(rows.items != k) for k in range(n)]
    for name, value in whole.items():
        each = np.array([values[name] for values in without])
        half = math.sqrt((n - 1) / n * ((each - each.mean()) ** 2).sum()) * stats.t.ppf(
            0.975, n - 1
        )
        if name in ("pearson", "kendall"):
            expected = np.tanh(np.arctanh(value) + np.array([-1, 1]) * half / (1 - value**2))
        elif name == "auc":
            expected = expit(logit(value) + np.array([-1, 1]) * half / (value * (1 - value)))
        else:
            expected = value + np.array([-1, 1]) * half
        assert found["pooled"][name] == pytest.approx(expected.tolist(), abs=1e-9), name


def test_many_items_are_left_out_in_groups(monkeypatch):
    rows = judged_items(np.random.default_rng(3), 300)
    exact = intervals(rows, rows.items, (0.0, 1.0), Draws()).bounds["pooled"]
    monkeypatch.setattr("fastcausal.tasks.meta.intervals.MAX_LEFT_OUT", 50)
    found = intervals(rows, rows.items, (0.0, 1.0), Draws()).bounds["pooled"]
    for name in ("pearson", "auc", "mae"):
        assert found[name] != exact[name]
        assert found[name] == pytest.approx(exact[name], abs=0.02)


def test_a_perfect_correlation_has_no_bounds():
    rows = judged_items(np.random.default_rng(0), 12)
    found = intervals(replace(rows, scores=rows.labels), rows.items, (0.0, 1.0), Draws()).bounds
    assert np.isnan([found["pooled"][name] for name in ("pearson", "kendall", "auc")]).all()


def test_scores_that_resamples_lack_are_named():
    """A label that two of ten items have is missing in every tenth resample."""
    rows = judged_items(np.random.default_rng(0), 10)
    rows = replace(rows, labels=(rows.items < 2) + 0.0, majority=None)
    draws = [Draws(method, n_resamples=200) for method in ("jackknife", "percentile")]
    found = [intervals(rows, rows.items, (0.0, 1.0), each).unsure for each in draws]
    assert (found[0], "pooled.pearson" in found[1], "pooled.bias" in found[1]) == ((), True, False)


def test_an_item_is_drawn_with_all_its_rows():
    """A draw of items scores like a table that repeats all rows of each drawn item."""
    rows = sample(np.random.default_rng(0))
    drawn = DrawnRows(rows, rows.items, (-9.0, 9.0))
    weights = np.zeros((1, N_ITEMS), np.int64)
    weights[0, :3] = 1, 2, 1
    values = drawn.scores(weights)
    kept = np.repeat(np.arange(N_ITEMS * N_SYSTEMS), weights[0][rows.items])
    expected = np.corrcoef(rows.scores[kept], rows.labels[kept])[0, 1]
    assert values["pooled.pearson"][0] == pytest.approx(expected)

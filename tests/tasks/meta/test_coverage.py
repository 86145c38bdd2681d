"""Intervals hold the true score in 93 to 97 of 100 samples from a law whose scores are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

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
    for trial in range(TRIALS):
        rows = sample(rng)
        bounds = intervals(rows, rows.items, (-9.0, 9.0), 400, trial)["pooled"]
        for name, truth in TRUTH.items():
            hits[name] += bounds[name][0] <= truth <= bounds[name][1]
    shares = {name: n / TRIALS for name, n in hits.items()}
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


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

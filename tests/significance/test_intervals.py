"""The bootstrap draws clusters with all their units, and leaves undefined resamples out."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.significance import intervals
from fastcausal.significance.intervals import bootstrap

VALUES = np.array([0.5, 2.0, 4.0, 4.5, 7.0, 11.0])


def mean(weights: np.ndarray) -> dict[str, np.ndarray]:
    with np.errstate(invalid="ignore"):
        return {"mean": weights @ VALUES / weights.sum(axis=1)}


@pytest.mark.parametrize("clusters", [[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 2, 2]])
def test_a_plain_loop(clusters):
    members = [np.flatnonzero(np.array(clusters) == k) for k in range(max(clusters) + 1)]
    rng = np.random.default_rng(3)
    means = []
    for _ in range(100):
        drawn = rng.integers(len(members), size=len(members))
        means.append(VALUES[np.concatenate([members[k] for k in drawn])].mean())
    found = bootstrap(mean, np.array(clusters), n_resamples=100, confidence=0.9, seed=3)["mean"]
    assert found[:2] == pytest.approx(np.quantile(means, [0.05, 0.95]).tolist(), abs=1e-12)
    assert found.n_undefined == 0


def test_blocks_of_draws_change_nothing(monkeypatch):
    whole = bootstrap(mean, np.arange(6), n_resamples=50)
    monkeypatch.setattr(intervals, "DRAWS", 20)
    assert bootstrap(mean, np.arange(6), n_resamples=50) == whole
    assert bootstrap(mean, np.arange(6), n_resamples=50, seed=1) != whole


def test_undefined_resamples():
    def of_the_first(weights: np.ndarray) -> dict[str, np.ndarray]:
        return {"x": np.where(weights[:, 0] > 0, 2.0, math.nan), "y": weights[:, 0] * math.nan}

    found = bootstrap(of_the_first, np.arange(2), n_resamples=200)
    assert found["x"][:2] == (2.0, 2.0)
    assert 20 < found["x"].n_undefined < 80
    assert found["y"].n_undefined == 200
    assert all(math.isnan(bound) for bound in found["y"][:2])
    assert bootstrap(lambda w: {"x": np.full(len(w), math.nan)}, np.arange(0))["x"].n_undefined


def test_intervals_of_statistics():
    """Those of the columns of a report, and of its documents."""
    examples = [
        {"id": f"{k}", "length": 4, "doc": f"{k % 2}", "relations": [{"cause": (0, 2)}]}
        for k in range(6)
    ]
    pred = [e | {"relations": e["relations"] * (k < 4)} for k, e in enumerate(examples)]
    gold, pred = map(fc.Relations.from_examples, (examples, pred))
    statistics = fc.score(gold, pred).statistics
    by_unit = bootstrap(statistics.scores, statistics.clusters(None))
    assert by_unit["overall_recall"].low < 4 / 6 < by_unit["overall_recall"].high
    assert by_unit["signal_f1"].n_undefined == 1000
    by_doc = bootstrap(statistics.scores, statistics.clusters("doc"))
    assert by_doc["overall_recall"][:2] == (4 / 6, 4 / 6)  # both documents are alike


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0, expected at least 1"),
        ({"confidence": 1.0}, r"confidence is 1\.0, expected a number between 0 and 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        bootstrap(mean, np.arange(6), **options)

"""Predicted labels and votes, against numpy, pyarrow, scikit-learn and scipy: equal, then timed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import mode
from sklearn.metrics import cohen_kappa_score, f1_score

import fastcausal as fc

CORPUS = "random labels, 4 classes"
N, UNITS, CLASSES = 1_000_000, 200_000, 4
NAMES = np.array(["cause", "effect", "enable", "none"])
EQUAL = {"rtol": 0, "atol": 1e-12}


def labels(n: int, n_raters: int) -> np.ndarray:
    """Draw labels, int64[n_raters, n], that are the true one in two of three cases."""
    rng = np.random.default_rng(0)
    truth = rng.integers(CLASSES, size=n)
    return np.where(rng.random((n_raters, n)) < 2 / 3, truth, rng.integers(CLASSES, size=n))


def f1_of(table: np.ndarray) -> float:
    return np.mean(2 * np.diag(table) / (table.sum(0) + table.sum(1)))


def by_numpy(gold: np.ndarray, pred: np.ndarray) -> float:
    codes = gold.astype(np.int64) * CLASSES + pred
    return f1_of(np.bincount(codes, minlength=CLASSES**2).reshape(CLASSES, CLASSES))


def by_pyarrow(gold: pa.Array, pred: pa.Array) -> float:
    pairs = pa.table({"g": gold, "p": pred}).group_by(["g", "p"], use_threads=False)
    table = np.zeros((CLASSES, CLASSES))
    for row in pairs.aggregate([([], "count_all")]).to_pylist():
        table[np.searchsorted(NAMES, row["g"]), np.searchsorted(NAMES, row["p"])] = row["count_all"]
    return f1_of(table)


@pytest.mark.parametrize("kind", ["int64", "int8", "strings"])
def test_classes(race, kind):
    gold, pred = (
        pa.array(NAMES[side]) if kind == "strings" else side.astype(kind) for side in labels(N, 2)
    )
    others = {"pyarrow, group_by" if kind == "strings" else "numpy, bincount": (
        lambda: (by_pyarrow if kind == "strings" else by_numpy)(gold, pred)
    )}  # fmt: skip
    if kind == "int64":
        others["scikit-learn"] = lambda: f1_score(gold, pred, average="macro")
    for call in others.values():
        np.testing.assert_allclose(fc.classify(gold, pred)["macro"].f1, call(), **EQUAL)
    race(f"classify, {N:,} {kind}", N, lambda: fc.classify(gold, pred), others)


def kappa_by_numpy(a: np.ndarray, b: np.ndarray) -> float:
    table = np.bincount(a * CLASSES + b, minlength=CLASSES**2).reshape(CLASSES, CLASSES) / len(a)
    chance = table.sum(0) @ table.sum(1)
    return (np.trace(table) - chance) / (1 - chance)


def test_kappa(race):
    a, b = labels(N, 2)
    others = {
        "numpy, bincount": lambda: kappa_by_numpy(a, b),
        "scikit-learn": lambda: cohen_kappa_score(a, b),
    }
    for call in others.values():
        assert fc.cohen_kappa(a, b) == pytest.approx(call(), abs=1e-12)
    race(f"Cohen's kappa, {N:,} int64", N, lambda: fc.cohen_kappa(a, b), others)


def agreement_by_numpy(data: np.ndarray) -> float:
    return np.mean([data[:, a] == data[:, b] for a, b in combinations(range(data.shape[1]), 2)])


def ac1_by_numpy(data: np.ndarray) -> float:
    share = np.bincount(data.ravel(), minlength=CLASSES) / data.size
    chance = (share * (1 - share)).sum() / (CLASSES - 1)
    return (agreement_by_numpy(data) - chance) / (1 - chance)


def pairwise_by_numpy(data: np.ndarray) -> float:
    return np.mean([kappa_by_numpy(a, b) for a, b in combinations(data.T, 2)])


RATED = {
    "percent_agreement": ("numpy", agreement_by_numpy),
    "majority_vote": ("scipy.stats.mode", lambda data: mode(data, axis=1).mode),
    "mean_pairwise_kappa": ("numpy, bincount", pairwise_by_numpy),
    "gwet_ac1": ("numpy", ac1_by_numpy),
}


@pytest.mark.parametrize("name", RATED)
def test_raters(race, name):
    data, (other, rival) = np.ascontiguousarray(labels(UNITS, 3).T), RATED[name]

    def ours():
        return fc.majority_vote(data, "first") if name == "majority_vote" else call(data)

    call = getattr(fc, name)
    np.testing.assert_allclose(ours(), rival(data), **EQUAL)
    race(f"{name}, {UNITS:,} × 3 int64", UNITS, ours, {other: lambda: rival(data)})

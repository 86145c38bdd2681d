"""Kendall's tau against scipy, and all tests of six metrics: equal, then timed."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau

import fastcausal as fc
from fastcausal.tasks.meta.correlations import correlations
from fastcausal.tasks.meta.levels import RatedScores
from fastcausal.tasks.meta.swaps import swap_tests

CORPUS = "2,500 random judgments"

N_ITEMS, N_SYSTEMS = 250, 10
N = N_ITEMS * N_SYSTEMS


def scores_and_labels(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw a metric with noise of size k, and labels 0 and 1."""
    labels = np.random.default_rng(0).integers(0, 2, N).astype(float)
    return np.round(labels + np.random.default_rng(k).normal(size=N) * (k + 1), 3), labels


@pytest.mark.benchmark(group="tau of 2,500 rows, labels 0/1")
@pytest.mark.parametrize("way", ["fastcausal", "scipy"])
def test_tau(benchmark, way: str) -> None:
    scores, labels = scores_and_labels(1)
    expected = kendalltau(scores, labels).statistic
    assert abs(correlations(scores, labels)["kendall"] - expected) <= 1e-12
    benchmark(correlations if way == "fastcausal" else kendalltau, scores, labels)


@pytest.mark.benchmark(group="15 tests of 1,000 exchanges of 2,500 rows")
def test_swaps(benchmark) -> None:
    items, systems = (
        np.repeat(np.arange(N_ITEMS), N_SYSTEMS),
        np.tile(np.arange(N_SYSTEMS), N_ITEMS),
    )
    rows = {f"m{k}": RatedScores(items, systems, *scores_and_labels(k)) for k in range(6)}
    tests = benchmark.pedantic(swap_tests, (rows, "pooled.kendall", 1000, 0), rounds=3)
    assert [(test.a, test.b) for test in tests] == list(combinations(rows, 2))
    taus = [kendalltau(*scores_and_labels(k)).statistic for k in (0, 1)]
    assert abs(tests[0].delta - (taus[0] - taus[1])) <= 1e-9


@pytest.mark.benchmark(group="start of meta on 30 rows")
@pytest.mark.parametrize("way", ["fastcausal meta", "import scipy.stats"])
def test_start(benchmark, tmp_path, way: str) -> None:
    labels = np.random.default_rng(0).integers(0, 2, (30, 3))
    rows = [{"system": f"s{k % 3}", "item": f"i{k // 3}", "m": k % 7} for k in range(30)]
    human = [
        {key: row[key] for key in ("system", "item")} | {"rater": f"r{r}", "label": int(label)}
        for row, said in zip(rows, labels, strict=True)
        for r, label in enumerate(said)
    ]
    for name, table in (("scores", rows), ("human", human)):
        lines = [",".join(table[0]), *(",".join(map(str, row.values())) for row in table)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    assert fc.meta(tmp_path / "scores.csv", tmp_path / "human.csv").n_items == 30
    arguments = ["-m", "fastcausal", "meta", "scores.csv", "human.csv", "--json"]
    run = [sys.executable, *(arguments if "meta" in way else ["-c", way])]
    benchmark.pedantic(
        lambda: subprocess.run(run, cwd=tmp_path, check=True, capture_output=True), rounds=5
    )

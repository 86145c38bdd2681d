"""Ranks of a thousand systems, against only a product of matrices, and the method of sacreBLEU;
2 to 20 systems, ranked and compared, against numpy on their joint rows and an exact test."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import fastcausal as fc
from fastcausal.significance.ranks import rank_sets, share
from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.tasks.relations.formula import RelationFormula

from . import corpus

CORPUS = "random counts"
SCORE = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None).only("overall_f1")
N_SYSTEMS, N_EXAMPLES, N_RESAMPLES = 1_000, 10_000, 1_000
# What is scored; number of systems; units; resamples, 10,000 unless numpy would take minutes.
FEW = (
    ("right or wrong", 2, 1_000, 10_000),
    ("right or wrong", 5, 14_000, 10_000),
    ("right or wrong", 20, 14_000, 1_000),
    ("right or wrong", 2, 1_000_000, 10_000),
    ("sentences", 2, 1_000, 10_000),
    ("sentences", 2, 100_000, 10_000),
    ("sentences", 20, 20_000, 1_000),
)
SCORES = {"right or wrong": "value", "sentences": "overall_f1"}
DRAWN = {"right or wrong": "drawn items", "sentences": "CNC"}


def counts(n_systems: int = N_SYSTEMS, n_examples: int = N_EXAMPLES) -> np.ndarray:
    """Draw TP, FP and FN of nearly equal systems: int8[n_examples, n_systems, 3]."""
    rng = np.random.default_rng(0)
    spans = rng.integers(0, 4, (n_examples, 1)) * (rng.random((n_examples, 1)) < 0.5)
    hits = rng.binomial(spans, 0.8, (n_examples, n_systems)).astype(np.int8)
    missed = spans.astype(np.int8) - hits
    return np.stack([hits, rng.binomial(missed, 0.9).astype(np.int8), missed], axis=-1)


def ranked(terms: np.ndarray, n_resamples: int = N_RESAMPLES) -> None:
    shared = share(SCORE, terms, n_resamples, 0)
    rank_sets(shared.values, shared.drawn, 0.95, len(terms))


def gathered(terms: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Gather the drawn rows of all resamples, add them up, score each, as sacreBLEU 2.6 does."""
    scores = [
        [SCORE.value(sums[None].astype(np.int64))[0] for sums in rows[draws].sum(axis=1)]
        for rows in np.moveaxis(terms, 1, 0).astype(np.float32)
    ]
    return np.array(scores)


def test_a_thousand_systems(race, note):
    terms = counts()
    few = np.ascontiguousarray(terms[:, :2])
    draws = np.random.default_rng(12345).integers(N_EXAMPLES, size=(N_RESAMPLES, N_EXAMPLES))
    by_example = np.stack([np.bincount(draw, minlength=N_EXAMPLES) for draw in draws])
    weighted = SCORE.value((by_example @ few.reshape(N_EXAMPLES, -1)).reshape(-1, 3))
    np.testing.assert_array_equal(weighted.reshape(N_RESAMPLES, 2).T, gathered(few, draws))
    weights = np.concatenate(
        [*bootstrap_weights(np.ones(N_EXAMPLES, np.int64), N_RESAMPLES, 0)]
    ).astype(np.float32)
    columns = terms.reshape(N_EXAMPLES, -1).astype(np.float32)
    outcome = race(
        f"ranks of {N_SYSTEMS} systems, {N_RESAMPLES} resamples",
        N_EXAMPLES,
        lambda: ranked(terms),
        {
            "the product alone, float32": lambda: weights @ columns,
            "sacreBLEU's way, of 2 systems": lambda: gathered(few, draws),
        },
        rounds=3,
    )
    if outcome is not None:
        ratio = N_SYSTEMS / 2 * outcome.ratio("sacreBLEU's way, of 2 systems")
        note(f"ranks: sacreBLEU's way takes {ratio:,.0f}× for all systems")
    memory = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, check=True)
    note(f"ranks: a process that does this peaks at {int(memory.stdout) / 2**20:.2f} GB")


MEMORY = """
import resource
from bench.test_leaderboard import counts, ranked
ranked(counts())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@lru_cache(1)
def systems(kind: str, n_systems: int, n: int) -> dict[str, fc.Statistics]:
    """Draw systems that differ by little: right or wrong on items, or relations of sentences."""
    rng = np.random.default_rng(0)
    names = [f"s{k:02d}" for k in range(n_systems)]
    if kind == "sentences":
        gold, _ = corpus.sentences(n)
        noises = (corpus.Noise(shift=0.3 + 0.01 * k) for k in range(n_systems))
        preds = (corpus.perturbed(gold, rng, noise) for noise in noises)
        return {s: fc.score(gold, pred).statistics for s, pred in zip(names, preds, strict=True)}
    ids, hard = pa.array(np.arange(n)), rng.random(n)
    right = (hard < 0.6 + 0.05 * rng.random(n) + 0.002 * k for k in range(n_systems))
    tables = (pa.table({"id": ids, "value": each.astype(float)}) for each in right)
    return {name: fc.statistics(table) for name, table in zip(names, tables, strict=True)}


def by_joint_rows(runs: dict[str, fc.Statistics], score: str, n_resamples: int) -> np.ndarray:
    """Draw how often each distinct row of all systems comes: float64[n_systems, n_resamples]."""
    formula, n = next(iter(runs.values())).formula.only(score), next(iter(runs.values())).n_units
    terms = np.concatenate([formula.terms(run.rows) for run in runs.values()], axis=1)
    rows, times = np.unique(terms, axis=0, return_counts=True)
    drawn, rng = [], np.random.default_rng(0)
    for first in range(0, n_resamples, 100):
        weights = rng.multinomial(n, times / n, min(100, n_resamples - first))
        sums = (weights @ rows).reshape(len(weights) * len(runs), -1)
        drawn.append(formula.value(sums).reshape(-1, len(runs)))
    return np.concatenate(drawn).T


@pytest.mark.parametrize(("kind", "n_systems", "n", "n_resamples"), FEW)
def test_few_systems(race, kind, n_systems, n, n_resamples):
    runs, score = systems(kind, n_systems, n), SCORES[kind]

    def ranked():
        return fc.leaderboard(runs, score, n_resamples=n_resamples, method="percentile")

    def by_numpy():
        return np.quantile(by_joint_rows(runs, score, n_resamples), [0.025, 0.975], axis=1)

    found = ranked()
    widths = [found[name].high - found[name].low for name in runs]
    near = 12 / np.sqrt(n_resamples)  # four Monte Carlo errors of a width
    np.testing.assert_allclose(widths, np.ptp(by_numpy(), axis=0), rtol=near)
    others = {"numpy, distinct joint rows": by_numpy}
    what = f"{n_systems} × {n:,}, {kind}, {n_resamples:,} resamples"
    race(f"leaderboard, {what}", n, ranked, others, rounds=3, corpus=DRAWN[kind])


@pytest.mark.parametrize(("kind", "n"), [(kind, n) for kind, few, n, _ in FEW if few == 2])
def test_two_systems(race, kind, n):
    (a, b), score = systems(kind, 2, n).values(), SCORES[kind]

    def compared():
        return fc.compare(a, b, score)[score]

    def exact():
        differ = (b.rows - a.rows)[:, 0]
        return binomtest(int((differ > 0).sum()), int((differ != 0).sum())).pvalue

    others = {"scipy, exact test of signs": exact} if kind == "right or wrong" else {}
    for test in others.values():
        assert compared().p == pytest.approx(test(), abs=0.02)
    race(f"compare, 2 × {n:,}, {kind}", n, compared, others, rounds=3, corpus=DRAWN[kind])

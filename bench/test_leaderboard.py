"""Ranks of a thousand systems, against only a product of matrices, and the method of sacreBLEU."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from fastcausal.significance.ranks import rank_sets, share
from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.tasks.relations.formula import RelationFormula

CORPUS = "random counts"
SCORE = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None).only("overall_f1")
N_SYSTEMS, N_EXAMPLES, N_RESAMPLES = 1_000, 10_000, 1_000


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

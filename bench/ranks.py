"""How often ranks of equal systems are wrong, and what the best of them is worth.

``python -m bench.ranks`` prints the tables of docs/decisions/inference.md. Gold relations are those
of `corpus`; equal systems make errors of the same kinds, each at other places.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

import fastcausal as fc
from fastcausal.significance.ranks import Shared, rank_sets, share
from fastcausal.significance.units import OneScore

from . import corpus

CONFIDENCE = 0.95
N_RESAMPLES = 400
SENTENCES = 15  # sentences of a document


class Pool:
    """Sentences with the counts of many equally good systems, to draw samples from."""

    def __init__(self, n_systems: int, n_sentences: int = 20_000) -> None:
        rng = np.random.default_rng(0)
        gold = corpus.drawn(
            corpus.source(), rng.integers(corpus.source().n_examples, size=n_sentences)
        )
        terms = []
        for _ in range(n_systems):
            pred = corpus.perturbed(gold, rng, corpus.Noise())
            statistics = fc.score(gold, pred).statistics
            self.score: OneScore = statistics.formula.only("overall_f1")
            terms.append(self.score.terms(statistics.rows).astype(np.int16))
        self.terms = np.stack(terms, axis=1)

    @property
    def truth(self) -> float:
        """True score of all systems: samples shuffle each sentence's counts among systems."""
        return float(self.score.value(self.terms.sum(axis=(0, 1))[None])[0])

    def samples(self, n_sentences: int, n: int, size: int = 1) -> Iterator[Shared]:
        """Yield resampled scores of n samples, of sentences or documents of ``size`` sentences."""
        for seed in range(n):
            rng = np.random.default_rng([seed, n_sentences])
            terms = self.terms[rng.integers(len(self.terms), size=n_sentences)]
            systems = np.tile(np.arange(terms.shape[1]), (n_sentences, 1))
            terms = np.take_along_axis(terms, rng.permuted(systems, axis=1)[:, :, None], axis=1)
            terms = terms.reshape(-1, size, *terms.shape[1:]).sum(axis=1)
            yield share(self.score, terms, N_RESAMPLES, seed)


def false_orders(pool: Pool, n_units: int, n: int, size: int = 1) -> tuple[float, float]:
    """Return the shares of samples in which some systems differ: by ranks, and by pairs alone."""
    by_ranks, by_pairs = 0, 0
    first, second = np.triu_indices(pool.terms.shape[1], 1)
    tails = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    for shared in pool.samples(n_units * size, n, size):
        sets = rank_sets(shared.values, shared.drawn, CONFIDENCE, n_units)
        by_ranks += bool(sets.low.max() > 1)
        low, high = np.nanquantile(shared.drawn[first] - shared.drawn[second], tails, axis=1)
        by_pairs += bool((low > 0).any() or (high < 0).any())
    return by_ranks / n, by_pairs / n


def winners(pool: Pool, n_sentences: int, n: int) -> tuple[float, float]:
    """Return the means over samples of the best system's score, and of its expected score."""
    shared = [*pool.samples(n_sentences, n)]
    values = [s.values.max() for s in shared]
    return float(np.mean(values)), float(np.mean([s.expected for s in shared]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000, help="of ten systems; of 200 a tenth")
    n = parser.parse_args().samples
    five, ten, many = Pool(5), Pool(10), Pool(200, 5_000)
    print("| equal systems | some order by rank sets | by each pair's interval |")
    print("| :-- | --: | --: |")
    for pool, unit, size, of_sample in (
        (five, "documents", SENTENCES, (8, 10, 12, 20, 40)),
        (ten, "documents", SENTENCES, (8, 12, 40)),
        (ten, "sentences", 1, (50, 100, 340)),
    ):
        for n_units in of_sample:
            ranks, pairs = false_orders(pool, n_units, n, size)
            name = f"{pool.terms.shape[1]} systems, {n_units} {unit}"
            print(f"| {name} | {ranks:.1%} | {pairs:.1%} |", flush=True)
    print("\n| equal runs | sentences | true F1 | of the best | expected |")
    print("| --: | --: | --: | --: | --: |")
    for pool, n_sentences in ((ten, 100), (many, 340), (many, 1000)):
        value, expected = winners(pool, n_sentences, max(1, n // 10))
        figures = f"{pool.truth:.3f} | {value:.3f} | {expected:.3f}"
        print(f"| {pool.terms.shape[1]} | {n_sentences} | {figures} |", flush=True)


if __name__ == "__main__":
    main()

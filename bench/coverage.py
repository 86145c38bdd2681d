"""How often intervals hold the true F1: ``python -m bench.coverage [--trials N] [--resamples N]``.

Sentences, or whole documents, are drawn from laws whose F1 is known; the tables of
docs/inference.md are what this prints.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.options import Method
from fastcausal.significance.draws import Draws
from fastcausal.significance.intervals import intervals_of
from fastcausal.significance.units import Units
from fastcausal.tasks.relations.formula import RelationFormula

from .false_alarms import outcomes

METHODS: tuple[Method, ...] = ("jackknife", "bca", "percentile")
SCORE = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None).only("overall_f1")
# Counts of a sentence: no gold and no prediction, all right, partly right, missed, invented.
OUTCOMES = np.array([(0, 0, 0), (3, 0, 0), (2, 1, 1), (0, 0, 3), (0, 3, 0)])
LAWS = {"middling": (0.4, 0.3, 0.15, 0.08, 0.07), "good": (0.4, 0.45, 0.1, 0.03, 0.02)}
SKILL = (2, 1)  # Beta law of a document's share of sentences that are all right
RIGHT, WRONG = np.array([3, 0, 0]), np.array([1, 2, 2])
SENTENCES = (5, 20)  # least and most sentences of a document
NEARLY_ALL = 0.97  # share of sentences that are all right

Sample = Callable[[np.random.Generator], np.ndarray]


def f1(counts: np.ndarray) -> float:
    tp, fp, fn = counts
    return float(2 * tp / (2 * tp + fp + fn))


def sentences(rng: np.random.Generator, n: int, law: tuple[float, ...]) -> np.ndarray:
    """Draw counts of n sentences."""
    return rng.choice(OUTCOMES, size=n, p=law)


def varied(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw counts of n sentences of 1 to 6 spans; sentences differ in difficulty."""
    return outcomes(rng, rng.integers(1, 7, n), rng.normal(0, 1, n))


def documents(rng: np.random.Generator, n: int, apart: bool) -> np.ndarray:
    """Draw counts of n documents, or with ``apart`` of their sentences as if independent."""
    sizes = rng.integers(SENTENCES[0], SENTENCES[1] + 1, n)
    right = rng.binomial(sizes, rng.beta(*SKILL, n))
    if apart:
        return np.repeat([RIGHT, WRONG], [right.sum(), (sizes - right).sum()], axis=0)
    return right[:, None] * RIGHT + (sizes - right)[:, None] * WRONG


def nearly_all_right(rng: np.random.Generator, n: int, spans: int, size: int) -> np.ndarray:
    """Draw counts of n documents of up to ``size`` sentences, each of up to ``spans`` spans.

    All spans of a sentence are right, or all are wrong.
    """
    documents = np.repeat(np.arange(n), rng.integers(1, size + 1, n))
    found = rng.integers(1, spans + 1, len(documents))
    right = rng.random(len(documents)) < NEARLY_ALL
    counts = np.zeros((n, 3), np.int64)
    np.add.at(counts, documents, np.stack([found * right, *[found * ~right] * 2], axis=1))
    return counts


def covered(sample: Sample, truth: float, trials: int, n_resamples: int) -> list[float]:
    """Return the percent of samples whose 95% interval holds the truth, for each method.

    The last value is the percent of samples in which all units have the same score.
    """
    hits = np.zeros(len(METHODS) + 1)
    for trial in range(trials):
        rows, row_of = distinct(sample(np.random.default_rng(trial)))
        units = Units(SCORE, rows, np.bincount(row_of), "unit")
        for k, method in enumerate(METHODS):
            [interval] = intervals_of(units, Draws(method, 0.95, n_resamples, trial)).values()
            hits[k] += interval.low <= truth <= interval.high
        hits[-1] += bool(units.alike({SCORE.name: f1(rows.T @ units.times)}))
    return (100 * hits / trials).tolist()


def designs() -> Iterator[tuple[str, Sample, float]]:
    """Yield each row of the table: its name, a function that draws a sample, the true F1."""
    for name, law in LAWS.items():
        truth = f1(np.array(law) @ OUTCOMES)
        for n in (10, 20, 50, 100, 340, 1000):
            yield f"{n} sentences, {name} (F1 {truth:.2f})", partial(sentences, n=n, law=law), truth
    truth = f1(varied(np.random.default_rng(0), 1_000_000).sum(axis=0))
    for n in (5, 10, 20, 50):
        yield f"{n} sentences of 1 to 6 spans (F1 {truth:.2f})", partial(varied, n=n), truth
    skill = SKILL[0] / sum(SKILL)
    truth = f1(skill * RIGHT + (1 - skill) * WRONG)
    for apart, drawn in ((False, "by document"), (True, "their sentences taken as independent")):
        for n in (5, 10, 20, 40, 100):
            yield f"{n} documents, {drawn}", partial(documents, n=n, apart=apart), truth


def alike() -> Iterator[tuple[str, Sample, float]]:
    """Yield each row of the table of samples that may be all right."""
    for drawn, spans, size in (
        ("sentences of one span", 1, 1),
        ("sentences of 1 to 6 spans", 6, 1),
        ("documents of 1 to 5 sentences", 6, 5),
    ):
        for n in (10, 30, 100):
            yield f"{n} {drawn}", partial(nearly_all_right, n=n, spans=spans, size=size), NEARLY_ALL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    head = "95% intervals hold the true F1, in percent of samples"
    print(f"| {head} | {' | '.join(METHODS)} |\n|---|{'---|' * len(METHODS)}")
    for name, sample, truth in designs():
        shares = covered(sample, truth, options.trials, options.resamples)
        print(f"| {name} | {' | '.join(f'{share:.1f}' for share in shares[:-1])} |", flush=True)
    head = f"95% intervals hold a true F1 of {NEARLY_ALL}"
    print(f"\n| {head} | {' | '.join(METHODS)} | samples all right |\n|---|{'---|' * 4}")
    for name, sample, truth in alike():
        shares = covered(sample, truth, options.trials, options.resamples)
        print(f"| {name} | {' | '.join(f'{share:.1f}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()

"""Samples from laws whose scores are known: sentences, documents, pairs of systems, right or wrong.

Counts are (tp, fp, fn); F1 is 2tp / (2tp + fp + fn) of their expectations.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import fastcausal as fc
from fastcausal.tasks.relations.formula import RelationFormula

Rng = np.random.Generator
Counts = npt.NDArray[np.int64]

FORMULA = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None)
F1 = "overall_f1"
# Counts of a sentence: no gold and no prediction, all right, partly right, missed, invented.
OUTCOMES = np.array([(0, 0, 0), (3, 0, 0), (2, 1, 1), (0, 0, 3), (0, 3, 0)])
MIDDLING = (0.4, 0.3, 0.15, 0.08, 0.07)  # their law
DOCUMENT = (5, 20)  # least and most sentences of a plain document
SKILL = 0.6  # of both systems of a pair, an F1


def f1(counts: npt.ArrayLike) -> float:
    tp, fp, fn = np.asarray(counts, float)
    return float(2 * tp / (2 * tp + fp + fn))


def scored(counts: Counts, documents: Counts | None = None) -> fc.Statistics:
    """Make statistics of extraction, as ``score --per-example`` writes them."""
    rows = np.hstack([counts, np.zeros((len(counts), 1), np.int64)])
    columns = {"id": [str(k) for k in range(len(counts))]}
    if documents is not None:
        columns["doc_id"] = [str(k) for k in documents]
    return fc.Statistics.of_units(FORMULA, "bench", rows, pa.table(columns))


def valued(**columns: npt.ArrayLike) -> fc.Statistics:
    """Make statistics of values; a column ``doc_id`` is kept for clusters."""
    table = {name: pa.array(np.asarray(values)) for name, values in columns.items()}
    ids = pa.array([str(k) for k in range(len(next(iter(table.values()))))])
    scores = [name for name in columns if name != "doc_id"]
    return fc.statistics(pa.table({"id": ids, **table}), scores)


def sentences(rng: Rng, n: int) -> Counts:
    return rng.choice(OUTCOMES, size=n, p=MIDDLING)


def found(rng: Rng, sizes: Counts, skill: float, spread: float) -> Counts:
    """Draw counts of documents whose expected F1 is ``skill``, whatever their sizes.

    A document's own skill has a Beta law; a larger ``spread`` keeps it nearer to the mean.
    """
    own = rng.beta(spread * skill, spread * (1 - skill), len(sizes))
    tp = rng.binomial(sizes, own)
    return np.stack([tp, rng.poisson(sizes * (1 - own)), sizes - tp], axis=1)


def plain_sizes(rng: Rng, n: int) -> Counts:
    return rng.integers(DOCUMENT[0], DOCUMENT[1] + 1, n)


def lognormal_sizes(rng: Rng, n: int) -> Counts:
    return np.ceil(rng.lognormal(2, 1, n)).astype(np.int64)


def pareto_sizes(rng: Rng, n: int) -> Counts:
    """Draw sizes with a finite mean and no finite variance, up to 10,000."""
    return np.minimum(np.ceil(4 * (1 + rng.pareto(1.5, n))), 10_000).astype(np.int64)


def mostly_empty_sizes(rng: Rng, n: int) -> Counts:
    """Draw sizes of which four of five are 0."""
    return plain_sizes(rng, n) * (rng.random(n) < 0.2)


def cautious_and_greedy(rng: Rng, n: int) -> tuple[Counts, Counts]:
    """Draw two systems of F1 .6: precision .9 and recall .45, precision .45 and recall .9.

    Both find half of the spans by the same luck.
    """
    gold = rng.integers(1, 6, n)
    shared = rng.binomial(gold, 0.5)
    easy = rng.binomial(shared, 0.45)  # whatever the cautious system finds, the greedy one does
    tp_cautious = easy + rng.binomial(gold - shared, 0.45)
    tp_greedy = easy + rng.binomial(shared - easy, 9 / 11) + rng.binomial(gold - shared, 0.9)
    cautious = [tp_cautious, rng.poisson(0.05 * gold), gold - tp_cautious]
    greedy = [tp_greedy, rng.poisson(1.1 * gold), gold - tp_greedy]
    return np.stack(cautious, axis=1), np.stack(greedy, axis=1)


def rivals(rng: Rng, n: int, gain: float) -> tuple[Counts, Counts]:
    """Draw two systems on the same sentences; the second has an F1 greater by ``gain``."""
    gold, ease = rng.integers(1, 6, n), rng.uniform(-0.3, 0.3, n)

    def of(skill: float) -> Counts:
        own = skill + ease * min(skill, 1 - skill)
        tp = rng.binomial(gold, own)
        return np.stack([tp, rng.poisson(gold * (1 - own)), gold - tp], axis=1)

    return of(SKILL), of(SKILL + gain)


def rivals_in_documents(rng: Rng, sizes: Counts, gain: float) -> tuple[Counts, Counts]:
    """Draw two systems on the same documents; the second has an F1 greater by ``gain``."""
    return found(rng, sizes, SKILL, 6), found(rng, sizes, SKILL + gain, 6)


def rivals_by_sentence(rng: Rng, n: int) -> tuple[Counts, Counts, Counts]:
    """Draw two equally good systems on the sentences of n documents; and their documents.

    Each system finds documents of its own hard.
    """
    documents = np.repeat(np.arange(n), plain_sizes(rng, n))
    gold = rng.integers(1, 4, len(documents))

    def system() -> Counts:
        own = rng.beta(6 * SKILL, 6 * (1 - SKILL), n)[documents]
        tp = rng.binomial(gold, own)
        return np.stack([tp, rng.poisson(gold * (1 - own)), gold - tp], axis=1)

    return system(), system(), documents


def broken(rng: Rng, n: int, share: float) -> tuple[Counts, Counts]:
    """Draw right and wrong answers of a system, and of one that breaks a share of all units."""
    luck = rng.random(n)
    return (luck < 0.9).astype(np.int64), ((share <= luck) & (luck < 0.9)).astype(np.int64)


def right_in_documents(rng: Rng, n: int, skill: float) -> tuple[Counts, Counts]:
    """Draw answers of n documents, and the document of each; documents differ in difficulty."""
    sizes = plain_sizes(rng, n)
    own = np.repeat(rng.beta(6 * skill, 6 * (1 - skill), n), sizes)
    return rng.binomial(1, own), np.repeat(np.arange(n), sizes)


def right_by_seed(rng: Rng, n: int, seeds: int, apart: float) -> Counts:
    """Draw answers of a model trained with some seeds, [seeds, n]: right in .6 of all.

    Units differ in difficulty, and seeds in skill by up to ``apart``.
    """
    skill = 0.6 + rng.uniform(-apart, apart, (seeds, 1)) + rng.uniform(-0.2, 0.2, n)
    return rng.binomial(1, skill)

"""Growth of cost with sentences, relations per sentence, spans per relation, and threads."""

from __future__ import annotations

import os
from math import factorial

import numpy as np
import pytest

from fastcausal.engine.run import run
from fastcausal.relations import ROLES

from . import corpus, ours, recess

CORPUS = "CNC"
KERNELS = ("cnc-2023", *ours.KERNELS)
RELATIONS = 4_000  # gold relations, in any number of sentences
SPANS = 100_000
REFERENCE = 2_000  # pairs of relations or spans that plain Python counts too
FEW = 8  # relations on a side that plain Python can pair
SENTENCE = 80  # tokens
# Relations on each side, and tokens: all in one sentence, or spread over a document.
CROWDED = [(n, SENTENCE) for n in (1, 2, 3, 4, 5, 6, 8, 16, 50, 100, 200)]
SPREAD = [(n, 10 * n) for n in (16, 50, 100, 200)]
ROUNDS = 5


def agrees(name, sides, n):
    """Return True if both backends count the first n examples alike."""
    some = [corpus.drawn(side, np.arange(n)) for side in sides]
    native, plain = (ours.counts(name, *some, backend=b) for b in ("cpu", "reference"))
    return (native == plain).all()


def worth(name, gold, pred):
    """Return the objective of pairing in each example; swapped sides give the same."""
    plan = ours.BY_NAME[name].plan(ROLES)
    return run(plan, gold, pred).counts @ plan.weights[:2].T


def grown(race, what, name, sides, others=None, num_threads=1):
    plan = ours.BY_NAME[name].plan(ROLES)
    groups = np.zeros(sides[0].n_examples, np.int64)
    race(
        f"{name}: {what}",
        sides[0].n_examples,
        lambda: run(plan, *sides, groups, 1, num_threads=num_threads),
        others,
        ROUNDS,
        corpus.n_bytes(*sides),
    )


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [32, 1_000, 10_000, 100_000, 1_000_000])
def test_sentences(race, request, n, name):
    if n > request.config.getoption("--sentences"):
        pytest.skip("more than --sentences")
    sides = corpus.sentences(n)
    assert agrees(name, sides, min(n, 1_000))
    grown(race, f"{n:,} sentences", name, sides)


@pytest.mark.parametrize("name", ["recess", "span_overlap"])
@pytest.mark.parametrize(("n", "tokens"), CROWDED + SPREAD)
def test_relations_per_sentence(race, n, tokens, name):
    sides = corpus.documents(RELATIONS // n, n, tokens)
    if n <= FEW:
        assert agrees(name, sides, max(1, REFERENCE // n**3))
    assert (worth(name, *sides) == worth(name, *sides[::-1])).all()
    grown(race, f"{n} × {n} relations, {tokens} tokens", name, sides)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_permutations(race, n):
    gold, pred = corpus.documents(1_000 // factorial(n) + 1, n, SENTENCE)
    spans = [recess.spans_of(side) for side in (gold, pred)]
    lengths = gold.lengths.tolist()

    def native():
        return ours.agreement(gold, pred, num_threads=1)

    def permuted():
        return recess.agreement(*spans, lengths)

    for group, scores in permuted().items():
        assert native()[group] == pytest.approx(scores, rel=1e-12)
    others = {"plain Python, every permutation": permuted}
    what = f"match, EM, OSB, TO, alpha: {n} × {n} relations"
    race(what, gold.n_examples, native, others, rounds=3)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("n", [1, 3, 10, 30, 100, 300])
def test_spans_per_relation(race, n, name):
    sides = corpus.wide(SPANS // n, n)
    assert agrees(name, sides, max(2, REFERENCE // n**2))
    grown(race, f"spans in a relation: {n}", name, sides)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("threads", [t for t in (2, 4, 8, 16, 32, 64) if t <= os.cpu_count()])
def test_threads(race, sentences, threads, name):
    plan = ours.BY_NAME[name].plan(ROLES)
    one, several = (run(plan, *sentences, num_threads=t) for t in (1, threads))
    assert (one.partner == several.partner).all()
    assert (one.counts == several.counts).all()
    groups = np.zeros(sentences[0].n_examples, np.int64)
    alone = {"1 thread": lambda: run(plan, *sentences, groups, 1, num_threads=1)}
    grown(race, f"{threads} threads", name, sentences, alone, threads)

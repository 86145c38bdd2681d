"""Pairing, EM, OSB, TO and alpha from rows in memory, on one core, against the same in plain
Python, numpy, numba and with scipy's assignment."""

from __future__ import annotations

import numpy as np
import pytest

from . import compiled, corpus, ours, recess, vectorised

CORPUS = "CNC"
PLAIN = 10_000  # sentences that plain Python scores in a second


def assert_equal(found, expected):
    """Assert equal measures; the means of numpy may differ in the last bit."""
    for group, scores in expected.items():
        for measure in ours.MEASURES:
            assert found[group][measure] == pytest.approx(scores[measure], rel=1e-15), group


def best_sum(scores):
    """Return the objective of pairing, as a mean over the pairs."""
    return sum(scores[role][m] for role in recess.ROLES for m in ("em", "osb", "to"))


@pytest.mark.parametrize("system", corpus.NOISES)
@pytest.mark.parametrize("which", ["all", "several relations"])
def test_against_plain_python(race, which, system):
    gold, pred = corpus.sentences(PLAIN, noise=corpus.NOISES[system])
    if which != "all":
        several = np.flatnonzero(np.diff(gold.relation_offsets) > 1)
        gold, pred = (corpus.drawn(side, several) for side in (gold, pred))
    spans = [recess.spans_of(side) for side in (gold, pred)]
    lengths = gold.lengths.tolist()

    def native():
        return ours.agreement(gold, pred, num_threads=1)

    others = {
        "plain Python, every permutation": lambda: recess.agreement(*spans, lengths),
        "the same, each pair once": lambda: recess.agreement(*spans, lengths, cached=True),
        "plain Python, scipy's assignment": lambda: recess.agreement_by_scipy(*spans, lengths),
    }
    by_scipy = others["plain Python, scipy's assignment"]()
    assert best_sum(by_scipy) == pytest.approx(best_sum(native()), rel=1e-12)
    for name, call in others.items():
        if "scipy" not in name:
            assert_equal(native(), call())
    race(
        f"match, EM, OSB, TO, alpha: {which}",
        gold.n_examples,
        native,
        others,
        n_bytes=corpus.n_bytes(gold, pred),
        n_relations=gold.n_relations + pred.n_relations,
    )


@pytest.mark.parametrize("sentences", corpus.NOISES, indirect=True)
def test_against_arrays(race, sentences):
    def native():
        return ours.agreement(*sentences, num_threads=1)

    others = {
        "whole-array numpy": lambda: vectorised.agreement(*sentences),
        "numba": lambda: compiled.agreement(*sentences),
    }
    for call in others.values():
        assert_equal(native(), call())
    race(
        "match, EM, OSB, TO, alpha: rows to means",
        sentences[0].n_examples,
        native,
        others,
        n_bytes=corpus.n_bytes(*sentences),
    )

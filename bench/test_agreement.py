"""Agreement: alpha over a million span pairs; three annotators of the large corpus
(``--sentences``) on one core."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations

import krippendorff
import numpy as np
import pytest

import fastcausal as fc
from fastcausal.engine.kernel import Int64
from fastcausal.engine.run import count_pairs
from fastcausal.rows import Rows
from fastcausal.tasks.relations.scores import binary_alpha

from . import corpus

CORPUS = "CNC, good system"
SPAN_PAIRS = 1_000_000
SAMPLED = 2_000  # span pairs for the krippendorff package, one call each
FEWER = 10_000  # sentences to resample
ROUNDS = 5
OVERLAP = fc.Protocol("overlap", kernel="span_overlap")
COUNTS = [OVERLAP.pair_kernel.fields.index(name) for name in ("n", "n1", "o01")]


@pytest.fixture(scope="module")
def span_pairs() -> tuple[Rows, Rows]:
    """Two annotators' versions of real spans, each pair an example of its own."""
    noise = corpus.Noise(swap=0, drop_signal=0, drop=0, add=0, permute=0)
    sides = corpus.sentences(SPAN_PAIRS * 3 // 5, noise=noise)
    once = [np.flatnonzero(np.all([_spans(s, r) == 1 for s in sides], axis=0)) for r in range(3)]
    pairs = [_pairs(side, once) for side in sides]
    assert pairs[0].n_examples == SPAN_PAIRS
    return pairs[0], pairs[1]


def _spans(rows: Rows, role: int) -> Int64:
    """Return the number of spans of a role in each relation."""
    relation = np.repeat(np.arange(rows.n_relations), np.diff(rows.row_offsets))
    return np.bincount(relation[rows.values[:, 0] == role], minlength=rows.n_relations)


def _pairs(rows: Rows, once: list[Int64]) -> Rows:
    """Return the spans of each role in these relations, all with one role."""
    relation = np.repeat(np.arange(rows.n_relations), np.diff(rows.row_offsets))
    role = rows.values[:, 0]
    chosen = [
        np.flatnonzero((role == r) & np.isin(relation, relations))
        for r, relations in enumerate(once)
    ]
    at = np.concatenate(chosen)[:SPAN_PAIRS]
    values = rows.values[at] * np.array([0, 1, 1], np.int32)
    each = np.arange(len(at) + 1)
    return Rows(values, each, each, rows.lengths[rows.example_of_relation()[relation[at]]])


def _alphas(a: Rows, b: Rows) -> np.ndarray:
    index = np.arange(a.n_relations)
    counts = count_pairs(OVERLAP.plan(("span",)), a, b, index, index)
    return binary_alpha(*(counts[:, k] for k in COUNTS), np.nan)


def _masks(rows: Rows) -> np.ndarray:
    """Return the masks of all examples, end to end: int8[n_tokens]."""
    first = np.cumsum(rows.lengths) - rows.lengths
    edges = np.zeros(rows.lengths.sum() + 1, np.int8)
    np.add.at(edges, first + rows.values[:, 1], 1)
    np.add.at(edges, first + rows.values[:, 2], -1)
    return np.cumsum(edges[:-1], dtype=np.int8)


def _alphas_of_masks(x: np.ndarray, y: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    first = np.cumsum(lengths) - lengths
    n1 = np.add.reduceat(x + y, first, dtype=np.int32)
    o01 = np.add.reduceat(x ^ y, first, dtype=np.int32)
    return binary_alpha(2 * lengths.astype(np.int64), n1, o01, np.nan)


def _alphas_of_bounds(a: Rows, b: Rows) -> np.ndarray:
    """Compute alphas without masks, which is possible with one span on each side."""
    x, y = a.values.astype(np.int64), b.values.astype(np.int64)
    n1 = x[:, 2] - x[:, 1] + y[:, 2] - y[:, 1]
    shared = np.minimum(x[:, 2], y[:, 2]) - np.maximum(x[:, 1], y[:, 1])
    return binary_alpha(2 * a.lengths.astype(np.int64), n1, n1 - 2 * np.maximum(shared, 0), np.nan)


def test_alpha(race, span_pairs):
    a, b = span_pairs
    x, y = _masks(a), _masks(b)
    alphas = _alphas(a, b)
    for others in (_alphas_of_masks(x, y, a.lengths), _alphas_of_bounds(a, b)):
        assert np.array_equal(alphas, others, equal_nan=True)
    race(
        "alpha of span pairs, from rows",
        SPAN_PAIRS,
        lambda: _alphas(a, b),
        {
            "numpy: masks from spans": lambda: _alphas_of_masks(_masks(a), _masks(b), a.lengths),
            "numpy: masks in memory": lambda: _alphas_of_masks(x, y, a.lengths),
            "numpy: bounds of one span a side": lambda: _alphas_of_bounds(a, b),
        },
    )


def test_alpha_against_krippendorff(race, span_pairs):
    """The package is called once a pair, so only a sample of the million pairs is raced."""
    some = [corpus.drawn(side, np.arange(SAMPLED)) for side in span_pairs]
    cuts = np.cumsum(some[0].lengths)[:-1]
    masks = [np.stack(m) for m in zip(*(np.split(_masks(s), cuts) for s in some), strict=True)]

    def package():
        return [krippendorff.alpha(m, level_of_measurement="nominal") for m in masks]

    np.testing.assert_allclose(_alphas(*some), package(), rtol=0, atol=1e-12)
    race(
        "alpha of span pairs, from rows",
        SAMPLED,
        lambda: _alphas(*some),
        {"krippendorff, a call a pair": package},
    )


@pytest.fixture
def one_core() -> Iterator[None]:
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


def annotators(sentences: tuple[Rows, Rows], most: int | None = None) -> dict[str, fc.Relations]:
    """Return gold relations and two noisy versions of them, of at most ``most`` sentences."""
    first = np.arange(sentences[0].n_examples)[:most]
    gold, pred = (corpus.drawn(side, first) for side in sentences)
    third = corpus.perturbed(gold, np.random.default_rng(1), corpus.Noise())
    sides = {"ann": gold, "ben": pred, "cid": third}
    return {name: corpus.table_of(rows) for name, rows in sides.items()}


def test_agreement(race, sentences, one_core):
    sides = annotators(sentences)

    def pair_by_pair():
        return [fc.score(sides[a], sides[b], OVERLAP) for a, b in combinations(sides, 2)]

    by_relation = fc.agree(sides, average="relation")
    for pair, report in zip(by_relation.pairs, pair_by_pair(), strict=True):
        for role in ("cause", "effect", "signal"):
            for name in ("em", "osb", "to"):
                assert pair.scores[role][name] == report[role][name]
    race(
        "agreement of 3 annotators, one core",
        len(sides["ann"]),
        lambda: fc.agree(sides),
        {"EM, OSB, TO alone: score of 3 pairs": pair_by_pair},
    )


def test_published_program(race, sentences, one_core):
    sides = annotators(sentences)
    race(
        "recess-code of 3 annotators, one core",
        len(sides["ann"]),
        lambda: fc.agree(sides, "recess-code"),
        {"recess": lambda: fc.agree(sides)},
    )


def test_intervals(race, sentences, one_core):
    sides = annotators(sentences, FEWER)
    found = fc.agree(sides)
    assert found.intervals() == found.intervals()
    race("intervals of 3 annotators, 1000 resamples", len(sides["ann"]), found.intervals)

"""Ranks of many systems equal plain loops; order, blocks and threads change no bit of them."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.significance import _ranks
from fastcausal.significance.ranks import _margins, rank_sets, share, widen_for_few_units
from fastcausal.significance.sampling import bootstrap_weights
from fastcausal.tasks.relations.formula import RelationFormula
from tests.oracles import ranks as oracle

F1 = RelationFormula("exact_spans", ("tp", "fp", "fn"), (), ("cause",), None).only("overall_f1")
SEEDS = st.integers(0, 2**32)


def counts(seed: int, n_units: int, n_systems: int) -> np.ndarray:
    """TP, FP and FN of every unit and system, many of them alike or zero."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n_units, n_systems, 3)) * (rng.random((n_units, n_systems, 1)) < 0.6)


@given(
    SEEDS, st.integers(1, 7), st.integers(1, 60), st.sampled_from([0.5, 0.95]), st.integers(2, 99)
)
def test_rank_sets(seed, n_systems, n_resamples, confidence, n_units):
    """Rank sets equal plain loops, with undefined and equal scores and few resamples too."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, n_systems) / 4
    drawn = values[:, None] + rng.normal(size=(n_systems, n_resamples)) * rng.choice([0.02, 0.2])
    drawn[rng.random(drawn.shape) < rng.choice([0, 0.3])] = np.nan
    drawn[rng.random(n_systems) < 0.2] = values[0]
    values[rng.random(n_systems) < 0.2] = np.nan
    sets = rank_sets(values, drawn, confidence, n_units)
    expected = oracle.rank_sets(values.tolist(), drawn.tolist(), confidence, n_units)
    assert list(zip(*map(np.ndarray.tolist, sets), strict=True)) == expected


@given(SEEDS, st.integers(2, 6), st.integers(3, 20), st.sampled_from([0.5, 0.95]))
def test_leads_of_few_units(seed, n_systems, n_units, confidence):
    """Margins of few units equal plain loops; they depend on the number of pairs."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n_systems)
    drawn = values[:, None] + rng.normal(size=(n_systems, 40))
    ours = _margins(drawn - values[:, None], confidence, n_units)
    for pair, lead in oracle.margins(values.tolist(), drawn.tolist(), confidence, n_units).items():
        assert ours[pair] == ours[pair[::-1]] == pytest.approx(lead, rel=1e-6)


@given(
    # scipy before 1.14 has no t beyond 1e100
    st.floats(0.5, 15),
    st.integers(2, 2000),
    st.integers(1, 10**6),
    st.sampled_from([0.5, 0.95]),
)
def test_few_units(critical, n_units, n_pairs, confidence):
    ours = widen_for_few_units(critical, n_units, n_pairs, confidence)
    assert ours == pytest.approx(oracle.wider(critical, n_pairs, confidence, n_units), rel=1e-6)
    assert ours >= critical


@given(SEEDS, st.integers(1, 12), st.integers(1, 6))
def test_shared_resamples(seed, n_units, n_systems):
    """Shared resamples equal plain loops, also with one unit or more systems than units."""
    terms = counts(seed, n_units, n_systems)
    shared = share(F1, terms, 30, seed)
    # F1 is 2 tp / (2 tp + fp + fn): units with equal parts in all systems are one row
    parts = [tuple((2 * tp, 2 * tp + fp + fn) for tp, fp, fn in unit) for unit in terms.tolist()]
    rows = sorted({*parts}, key=lambda unit: [*chain(*unit)])
    numbers = [parts.count(row) for row in rows]
    draws = np.concatenate([*bootstrap_weights(np.array(numbers), 30, seed)])

    def score(k, times):
        top, bottom = (
            sum(t * row[k][p] for t, row in zip(times, rows, strict=True)) for p in (0, 1)
        )
        return top / bottom if bottom else float("nan")

    def same(a, b, atol=1e-12):
        return np.testing.assert_allclose(a, b, rtol=0, atol=atol)

    same(shared.values, [score(k, numbers) for k in range(n_systems)])
    same(shared.drawn, [[score(k, times) for times in draws] for k in range(n_systems)])
    same(shared.expected, oracle.expected(score, n_systems, draws.tolist(), numbers), 1e-6)


@given(SEEDS, st.randoms())
def test_no_order_of_units_changes_a_bit(seed, random):
    terms = counts(seed, 40, 5)
    order = random.sample(range(40), 40)
    for a, b in zip(share(F1, terms, 50, 1), share(F1, terms[order], 50, 1), strict=True):
        np.testing.assert_array_equal(a, b)


def test_blocks_and_threads_change_no_bit(monkeypatch):
    terms = counts(0, 300, 30)
    whole = share(F1, terms, 200, 0)
    monkeypatch.setattr("fastcausal.significance.ranks.CELLS", 10_000)
    for a, b in zip(whole, share(F1, terms, 200, 0), strict=True):
        np.testing.assert_array_equal(a, b)
    strays = np.full((30, 256), np.nan)
    strays[:, :200] = whole.drawn - whole.values[:, None]
    alone, many = ((np.zeros((30, 30)), np.zeros(256)) for _ in range(2))
    for (spreads, largest), n_threads in ((alone, 1), (many, 4)):
        _ranks.spreads(strays, spreads, n_threads)
        _ranks.largest(strays, spreads, largest, n_threads)
    assert [a.tobytes() for a in alone] == [a.tobytes() for a in many]


def test_equal_systems_tie():
    terms = np.repeat(counts(0, 50, 1), 4, axis=1)
    shared = share(F1, terms, 100, 0)
    rank, low, high = rank_sets(shared.values, shared.drawn, 0.95, 50)
    assert (rank.tolist(), low.tolist(), high.tolist()) == ([1] * 4, [1] * 4, [4] * 4)


def test_units_that_are_all_alike_order_systems_by_their_number():
    """Differences that do not vary have the exact p of as many units: 1 for one unit."""
    terms = np.array([[[3, 0, 0], [0, 1, 1]]])
    for n, low, high in ((1, [1, 1], [2, 2]), (5, [1, 1], [2, 2]), (6, [1, 2], [1, 2])):
        shared = share(F1, np.repeat(terms, n, axis=0), 100, 0)
        sets = rank_sets(shared.values, shared.drawn, 0.95, n)
        assert [*map(np.ndarray.tolist, sets)] == [[1, 2], low, high]
    assert np.isnan(share(F1, terms, 10, 0).expected)


@pytest.mark.parametrize("wrong", [np.zeros((2, 63)), np.zeros((2, 64), np.int64), np.zeros(64)])
def test_arrays_that_do_not_fit_are_refused(wrong):
    with pytest.raises((TypeError, ValueError), match="expected"):
        _ranks.spreads(wrong, np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="expected 2"):
        _ranks.spreads(np.zeros((2, 64)), np.zeros((2, 3)), 1)

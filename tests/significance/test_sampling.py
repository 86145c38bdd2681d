"""Resamples follow the exact law, and depend on counts, seed and number alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fastcausal.significance import _sampling, sampling
from fastcausal.significance.sampling import HEAVY, bootstrap_weights, exchanges
from tests.oracles import sampling as oracle

N = 40_000  # resamples that are held against a law
SUP = 1.95  # of sqrt(N) |F - law|: the 99.9% quantile of Kolmogorov's distribution


def drawn(times, n=N, seed=5, first=0):
    return np.concatenate([*bootstrap_weights(np.array(times, np.int64), n, seed, first=first)])


def test_known_words():
    """The known answers that come with the generator's library."""
    pi = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)
    for counter, key, expected in [
        ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (*pi, (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1)),
    ]:
        assert oracle.philox(counter, key) == expected


@given(
    st.lists(st.integers(0, HEAVY), max_size=12),
    st.integers(0, 2**63 - 1),
    st.integers(0, 2**40),
)
def test_rare_rows_are_drawn_singly(times, seed, first):
    found = drawn(times, 2, seed, first)
    assert found.tolist() == [oracle.singly(times, seed, first + k) for k in range(2)]


def sup(values: np.ndarray, n: int, p: float) -> float:
    """Kolmogorov's distance from a binomial law."""
    ks = np.arange(n + 1)
    law = stats.binom.cdf(ks, n, p)
    return (
        np.sqrt(len(values))
        * np.abs(np.searchsorted(np.sort(values), ks, "right") / len(values) - law).max()
    )


@pytest.mark.parametrize(
    "times",
    [
        [1, 2, 3, 5],  # all rare
        [33, 40, 200, 2000],  # all frequent
        [1, 20, 33, 60, 100, 3000],
        [5, 900],  # few draws are left
        [100_000, 33, 1],
    ],
)
def test_the_exact_law(times):
    found, n = drawn(times), sum(times)
    assert (found.sum(axis=1) == n).all()
    for k, m in enumerate(times):
        assert sup(found[:, k], n, m / n) < SUP
        # The sum of a row and the one before, whose law a multinomial gives too.
        both = found[:, k] + found[:, k - 1]
        assert sup(both, n, (m + times[k - 1]) / n) < SUP


@pytest.mark.parametrize("m", [1, 7, HEAVY, HEAVY + 1, 200, 5000])
def test_the_law_of_exchanges(m):
    found = np.concatenate([*exchanges(np.array([m, 0, m]), N, 5)])
    assert sup(found[:, 0], m, 0.5) < SUP
    assert sup(found[:, 0] + found[:, 2], 2 * m, 0.5) < SUP
    assert not found[:, 1].any()


TIMES = [1, 3, 50, 700, 33, 2]


def test_each_resample_stands_alone(monkeypatch):
    whole = drawn(TIMES, 50)
    assert np.array_equal(drawn(TIMES, 20, first=30), whole[30:])
    assert not np.array_equal(drawn(TIMES, 50, seed=6), whole)
    swapped = [*exchanges(np.array(TIMES), 50, 5)]
    monkeypatch.setattr(sampling.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(sampling, "BLOCK", 7 * len(TIMES))
    blocks = [*bootstrap_weights(np.array(TIMES), 50, 5)]
    assert [len(block) for block in blocks] == [7] * 7 + [1]
    assert np.array_equal(np.concatenate(blocks), whole)
    assert np.array_equal(np.concatenate([*exchanges(np.array(TIMES), 50, 5)]), swapped[0])


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_threads_change_nothing(n_threads):
    times = np.array(TIMES)
    for call, arguments in [
        (_sampling.exchange, (times,)),
        (
            _sampling.resample,
            (np.flatnonzero(times > 32), times[times > 32], np.zeros(6, np.int32)),
        ),
    ]:
        alone, shared = np.zeros((2, 40, 6), np.int64)
        call(*arguments, 3, 0, alone, 1)
        call(*arguments, 3, 0, shared, n_threads)
        assert np.array_equal(alone, shared)


def test_no_units():
    assert drawn([], 3).shape == (3, 0)
    assert drawn([0, 0], 3).tolist() == [[0, 0]] * 3


@pytest.mark.parametrize(
    ("n_resamples", "seed", "message"),
    [
        (0, 0, "n_resamples is 0, expected at least 1"),
        (1, -1, r"seed is -1, expected 0 to 2\^63 - 1"),
        (1, 2**63, r"seed is 9\d+, expected 0 to 2\^63 - 1"),
    ],
)
def test_bad_arguments(n_resamples, seed, message):
    for draw in (bootstrap_weights, exchanges):
        with pytest.raises(ValueError, match=message):
            draw(np.array([1]), n_resamples, seed)

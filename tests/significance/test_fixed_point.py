"""Sums of floats under resamples and exchanges equal weighted sums, in any number of threads."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from fastcausal.significance import sampling
from fastcausal.significance.sampling import (
    bootstrap_sums,
    bootstrap_weights,
    exchange_sums,
    exchanges,
)
from fastcausal.significance.sums import FixedPoint, sums_of

N_DRAWS, SEED = 40, 7


@pytest.fixture(params=[(50, 1), (3000, 1e-9), (3000, 1e200), (200, 1e-310)])
def values(request):
    n, scale = request.param
    random = np.random.default_rng(1)
    values = random.normal(size=(n, 3)) * scale
    values[:, 2] = 1
    values[0, 0] *= 1e-8
    return values, random.integers(1, 50, n)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_sums_are_those_of_the_weights(values, threads, monkeypatch):
    monkeypatch.setattr(sampling, "_threads", lambda work: threads)
    rows, times = values
    weights = np.vstack([*bootstrap_weights(times, N_DRAWS, SEED)])
    expected = sums_of(rows, weights)
    assert bootstrap_sums(rows, times, N_DRAWS, SEED).tobytes() == expected.tobytes()


@pytest.mark.parametrize("most", [1, 40])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
@pytest.mark.parametrize("threads", [1, 3])
def test_sums_of_exchanged_units(n, most, threads, monkeypatch):
    monkeypatch.setattr(sampling, "_threads", lambda work: threads)
    random = np.random.default_rng(n)
    changes, times = random.integers(-9, 9, (n, 4)), random.integers(1, most + 1, n)
    changes[:, 1] = 0
    exchanged = np.vstack([*exchanges(times, N_DRAWS, SEED)])
    assert ((exchanged >= 0) & (exchanged <= times)).all()
    found = exchange_sums(changes, times, N_DRAWS, SEED)
    assert found.tolist() == (exchanged @ changes).tolist()


def test_sums_are_rounded_once(values):
    rows, times = values
    split = FixedPoint.split(rows, int(times.sum()))
    expected = [
        float(sum(Fraction(v) * t for v, t in zip(column.tolist(), times.tolist(), strict=True)))
        for column in rows.T
    ]
    assert split.rounded((split.parts @ times)[None])[0].tolist() == expected

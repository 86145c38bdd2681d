"""Formulas give numbers and arrays the same bits; sums of floats are rounded once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import Protocol
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.significance.sums import sums_of
from fastcausal.tasks.relations.scores import binary_alpha, scores_of

LARGE = st.sampled_from([2, 1000, 10**9, 4 * 10**9])


def fields_of(kernel: str) -> tuple[str, ...]:
    chosen = Protocol(kernel, kernel).plan(("cause",)).kernel
    return chosen.fields + chosen.overall


def bits(value: float) -> bytes:
    return np.float64(math.nan if math.isnan(value) else value).tobytes()


@pytest.mark.parametrize("kernel", KERNELS)
@given(st.integers(0, 2**32), LARGE, st.sampled_from([None, 0.0, 1.0]))
def test_arrays_and_numbers(kernel, seed, most, undefined):
    rng = np.random.default_rng(seed)
    counts = {field: rng.integers(0, most, 8) for field in fields_of(kernel)}
    if "n" in counts:
        counts["n"] = counts["n"] + counts["n1"]
    found = scores_of(kernel, counts, undefined)
    for k in range(8):
        alone = scores_of(kernel, {name: int(v[k]) for name, v in counts.items()}, undefined)
        assert list(alone) == list(found)
        for name, value in alone.items():
            assert bits(value) == bits(found[name][k]), name


def test_alpha_of_more_units_than_64_bits_multiply():
    n, n1, o01 = 2**40, 2**39, 2**38
    alpha = 1 - (n - 1) * o01 / ((n - n1) * n1)
    found = binary_alpha(*(np.array([v, w]) for v, w in ((n, n), (n1, 0), (o01, 0))), math.nan)
    assert found[0] == alpha == binary_alpha(n, n1, o01, math.nan)
    assert math.isnan(found[1])
    nothing = binary_alpha(np.array([n]), np.array([0]), np.array([0]), 1.0)
    assert nothing.tolist() == [1.0]


FLOATS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(
    st.lists(st.tuples(FLOATS, st.integers(0, 9)), max_size=20),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9)), max_size=20),
)
def test_sums_are_rounded_once(any_size, fractions):
    for pairs in (any_size, fractions):
        values = np.array([value for value, _ in pairs], np.float64)[:, None]
        times = np.array([n for _, n in pairs], np.int64)
        drawn = np.repeat(values, times).tolist()
        found = sums_of(values, np.stack([times, np.zeros_like(times)]))
        assert found.tolist() == [[math.fsum(drawn)], [0.0]]


@given(st.lists(st.tuples(st.integers(0, 2**56), st.integers(0, 50)), min_size=1, max_size=9))
def test_weighted_counts_are_exact(pairs):
    rows, times = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    expected = sum(value * n for value, n in pairs)
    if max(value for value, _ in pairs) * sum(n for _, n in pairs) < 2**62:
        assert sums_of(rows[:, None], times[None]).tolist() == [[expected]]


def test_sums_that_single_precision_rounds():
    rows = np.array([[2**24 - 1, 2**22], [1, 1], [1, 0]])
    assert sums_of(rows, np.array([[1, 1, 1], [1, 0, 2]])).tolist() == [
        [2**24 + 1, 2**22 + 1],
        [2**24 + 1, 2**22],
    ]


def test_counts_beyond_64_bits_are_refused():
    with pytest.raises(ValueError, match="expected less than 2\\^63"):
        sums_of(np.full((4, 1), 2**60), np.full((1, 4), 2))


def test_a_sum_of_three_parts_is_rounded_once():
    values = np.array([[1.0], [2.0**-53], [2.0**-110]])
    assert sums_of(values, np.ones((1, 3), np.int64)) == [[1 + 2.0**-52]]

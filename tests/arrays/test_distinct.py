"""The different rows, against NumPy's, whatever the order and the type of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from fastcausal.arrays.distinct import distinct

SHAPES = st.tuples(st.integers(0, 300), st.integers(1, 4))
INTEGERS = st.sampled_from([-(2**63), -1, 0, 1, 2**40, 2**63 - 1])
FLOATS = st.sampled_from([-np.inf, -1.5, -0.0, 0.0, 5e-324, 0.1, 1.5, np.inf])


@given(
    arrays.arrays(np.int64, SHAPES, elements=INTEGERS)
    | arrays.arrays(np.float64, SHAPES, elements=FLOATS)
)
def test_as_numpy(rows):
    different, row_of = distinct(rows)
    expected, inverse = np.unique(rows + 0, axis=0, return_inverse=True)
    assert np.array_equal(different, expected)
    assert np.array_equal(row_of, inverse.ravel())
    assert not np.signbit(different[different == 0]).any()


def test_many_rows():
    rows = np.random.default_rng(0).integers(0, 3, (20_000, 8))
    different, row_of = distinct(rows[::2])  # 6,561 contents: the table grows; not contiguous
    assert np.array_equal(different, np.unique(rows[::2], axis=0))
    assert np.array_equal(different[row_of], rows[::2])


@pytest.mark.parametrize(("shape", "n"), [((0, 3), 0), ((5, 0), 1), ((0, 0), 0)])
def test_nothing_to_tell_apart(shape, n):
    different, row_of = distinct(np.zeros(shape, np.int64))
    assert different.shape == (n, shape[1])
    assert row_of.tolist() == [0] * shape[0]

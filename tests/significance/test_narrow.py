"""Counts of many systems are kept in few bytes, and are the same counts."""

from __future__ import annotations

import numpy as np
import pytest

from fastcausal.significance.sums import narrowed


@pytest.mark.parametrize("bits", [1, 7, 8, 15, 16, 31, 32, 55])
def test_counts_keep_their_values(bits):
    for top in range(2**bits - 3, 2**bits + 4):
        terms = np.array([[0, max(top, 0)], [1, 0]])
        narrow = narrowed(terms)
        assert np.array_equal(narrow, terms)
        assert narrow.itemsize == 1 << max(0, (max(top, 0).bit_length() // 8).bit_length())


def test_sums_of_fractions_keep_their_values():
    terms = np.array([[0.25, 1.75], [300.5, 0.0]])
    assert np.array_equal(narrowed(terms), terms)

"""Digests of numbers against those of their bytes, row by row."""

from __future__ import annotations

import numpy as np
import pytest

from fastcausal.arrays import _digests
from fastcausal.arrays.arrow import strings, texts_of
from fastcausal.arrays.digests import digest_of_numbers


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 1000])
@pytest.mark.parametrize("n_columns", [0, 1, 5])
@pytest.mark.parametrize("has_ids", [False, True])
def test_rows_are_their_bytes(n, n_columns, has_ids):
    rows = np.random.default_rng(n).integers(-(2**63), 2**63 - 1, (n, n_columns))
    ids = strings([f"é{k}" * (k % 5) for k in range(n)]) if has_ids else None
    places = np.arange(n + 1, dtype=np.int32) * np.int32(8 * n_columns)
    texts = None if ids is None else texts_of(ids)
    expected = _digests.of_texts(texts, (rows.tobytes(), places))
    assert digest_of_numbers(ids, [*rows.T], n) == expected % 2**128

"""Distinct rows of a table of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays._distinct import distinct_rows

Int64 = npt.NDArray[np.int64]
AnyRows = npt.NDArray[Any]


def distinct(rows: AnyRows) -> tuple[AnyRows, Int64]:
    """Return the distinct rows, sorted by content, and the index of each row among them.

    Parameters
    ----------
    rows : int64 or float64[n_rows, n_fields]

    Returns
    -------
    rows : int64 or float64[n_distinct, n_fields]
        Ascending; -0 becomes 0.
    row_of : int64[n_rows]

    Examples
    --------
    >>> distinct(np.array([[2, 0], [1, 5], [2, 0]]))
    (array([[1, 5],
           [2, 0]]), array([1, 0, 1]))
    """
    rows = np.ascontiguousarray(rows)
    if rows.dtype.kind == "f":
        rows = rows + 0.0  # no -0
    first, row_of = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    n = distinct_rows(_ordered(rows), first, row_of)
    return rows[first[:n]], row_of


def _ordered(rows: AnyRows) -> Int64:
    """Map numbers to integers of the same order; for floats, bits with negatives flipped."""
    if rows.dtype.kind != "f":
        return rows
    bits = rows.view(np.int64)
    return np.where(bits < 0, bits ^ np.iinfo(np.int64).max, bits)

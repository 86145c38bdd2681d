"""Rows of a table that belong to one example, made one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import is_valid, joined, numbers
from fastcausal.files.keys import GroupCodes, Int64


def find_changes(values: pa.Array | pa.ChunkedArray, groups: GroupCodes) -> list[tuple[int, int]]:
    """Return the rows with another value than an earlier row of their group: (row, earlier row).

    >>> from fastcausal.files.keys import groups_of
    >>> find_changes(pa.array(["x", None, "y"]), groups_of([pa.array(["a", "a", "a"])]))
    [(2, 0)]
    """
    # A null equals any value.
    row_of = _first_valid(joined(values), groups)[groups[0]]
    differ = pc.not_equal(values, values.take(numbers(row_of)))
    rows = np.flatnonzero(np.asarray(differ.fill_null(False)))  # Arrow 25's own filter may crash
    return [(row, int(row_of[row])) for row in rows.tolist()]


def merge_groups(
    columns: Mapping[str, Any], groups: GroupCodes, shared: Collection[str], notes: Counter[str]
) -> dict[str, Any]:
    """Return one value per group of each column with a single value in every group."""
    # Columns in ``shared`` are known to have a single value, apart from nulls. Columns with several
    # values are dropped with a note.
    group, first = groups
    kept = {}
    for name, values in columns.items():
        if name in shared:
            kept[name] = values.take(numbers(_first_valid(joined(values), groups)))
        elif values.take(numbers(first[group])).equals(values):
            kept[name] = values.take(numbers(first))
        else:
            notes["columns that differ from row to row of a sentence left out"] += 1
    return kept


def _first_valid(values: pa.Array, groups: GroupCodes) -> Int64:
    """Return the first row with a value in each group, its first row if it has none."""
    group, first = groups
    if not values.null_count:
        return first
    rows = np.flatnonzero(is_valid(values))
    known, at = np.unique(group[rows], return_index=True)
    first = first.copy()
    first[known] = rows[at]
    return first

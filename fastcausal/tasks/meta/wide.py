"""One wide table, with columns of raters and of metrics, as two tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError
from fastcausal.files.records import Records
from fastcausal.files.values import find_most_common


def add_items(table: Records) -> Records:
    """Return a table with the column ``item``; a missing column gets the numbers of rows."""
    if table.has("item"):
        return table
    items = [str(k) for k in range(len(table))]
    rows: Any
    if any(table.is_mixed(name) for name in table.names):  # as text these would pass for words
        rows = [{**row, "item": item} for row, item in zip(table.objects(), items, strict=True)]
    else:
        rows = arrow.drop_columns(table.cells, {"item"}).append_column("item", arrow.strings(items))
    return Records(table.name, rows, lines=table.lines, header=table.header, typed=table.typed)


def judgments_of(table: Records, raters: Sequence[str], label: str) -> Records:
    """Return a row for each label in the columns of raters.

    >>> table = add_items(Records("t", [{"ann": "A", "ben": None}, {"ann": "B", "ben": "B"}]))
    >>> judgments_of(table, ["ann", "ben"], "label").table.to_pylist()[2]
    {'item': '1', 'rater': 'ben', 'label': 'B'}
    """
    if not raters:
        raise ValueError("raters is empty, expected a column of labels")
    if again := find_most_common(raters):
        raise ValueError(f'rater "{again[0]}" is given twice')
    keys = [name for name in ("system", "item") if table.has(name)]
    parts, places = [], []
    for rater in raters:
        column = _labels(table, rater)
        rows = np.flatnonzero(arrow.is_valid(column))
        columns = {name: table.table[name].take(arrow.numbers(rows)) for name in keys}
        columns["rater"] = arrow.strings([rater] * len(rows))
        parts.append(pa.table(columns | {label: column.take(arrow.numbers(rows))}))
        places += [table.locate(row) for row in rows.tolist()]
    try:
        together = pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException as error:
        kinds = ", ".join(
            f"{rater}: {part[label].type}" for rater, part in zip(raters, parts, strict=True)
        )
        raise InputError(f"{table.name}: raters give numbers and words ({kinds})") from error
    if not len(together):
        raise InputError(f"{table.name}: no label in {', '.join(raters)}")
    return Records(table.name, together, places=places, typed=table.typed)


def _labels(table: Records, rater: str) -> pa.Array:
    """Return a column of labels unchanged; refuse labels of several kinds."""
    table.labels(rater)
    return table.column(rater)

"""Agreement as Arrow tables: example by example, and pair of relations by pair of relations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.counts.arithmetic import ratio
from fastcausal.engine.run import count_pairs
from fastcausal.rows import Rows
from fastcausal.tasks.agreement.measures import Int64, MeasureSums
from fastcausal.tasks.relations.align import Aligned


def example_table(
    a: str, b: str, sums: MeasureSums, measures: Mapping[str, Iterable[str]]
) -> pa.Table:
    """Return the counted examples with columns of measures, such as ``cause_em``."""
    top, bottom = sums.rows().swapaxes(0, 1)
    values = ratio(top, bottom, math.nan)
    table = sums.examples
    for g, (group, names) in enumerate(measures.items()):
        for m, name in enumerate(names):
            column = pa.array(values[:, g, m], from_pandas=True)
            table = table.append_column(f"{group}_{name}", column)
    return _add_names(a, b, table.take(sums.counted()))


def match_table(a: str, b: str, aligned: Aligned, sums: MeasureSums) -> pa.Table:
    """Make a row per pair of relations: example, number of each in it (null if none), counts."""
    example, of_a, of_b = sums.pairs
    counts = count_pairs(sums.plan, sums.first, sums.second, of_a, of_b)
    examples = aligned.examples
    columns: dict[str, Any] = {"example": example}
    if "id" in examples.column_names:
        columns = {"id": examples["id"].take(example)}
    for side, rows, index in (("a", aligned.gold, of_a), ("b", aligned.pred, of_b)):
        number = numbers_of(rows, index, example)
        columns[f"{side}_relation"] = pa.array(number, mask=number < 0)
    fields = sums.plan.kernel.columns(aligned.roles)
    columns |= {name: counts[:, k] for k, name in enumerate(fields)}
    return _add_names(a, b, pa.table(columns))


def numbers_of(rows: Rows, relations: Int64, example: Int64) -> Int64:
    """Return the number of each marked relation within its example, from 0; -1 stays -1."""
    of_table = np.flatnonzero(np.diff(rows.row_offsets))
    number = of_table[relations] - rows.relation_offsets[example] if len(of_table) else relations
    return np.where(relations < 0, -1, number)


def _add_names(a: str, b: str, table: pa.Table) -> pa.Table:
    """Return the table with the names of the two annotators as first columns."""
    for name, annotator in (("b", b), ("a", a)):
        table = table.add_column(0, name, pa.array([annotator] * len(table), pa.string()))
    return table

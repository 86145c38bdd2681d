"""Columns of gold with one value for each document: topic, fold, split, language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError
from fastcausal.significance.sums import Int64
from fastcausal.tasks.eci.files import OWN, EventPairs


def columns_of_documents(gold: EventPairs, ids: pa.Array, required: Sequence[str] = ()) -> pa.Table:
    """Return a row of id and columns for each document."""
    # A column has one value per document; InputError if a required column is missing or has two.
    records = gold.records
    table: dict[str, pa.Array] = {"id": ids}
    names = [name for name in records.names if name not in (*OWN, "id")]
    for name in required:
        if name not in names:
            known = ", ".join(names) or "none"
            raise InputError(f'{records.name}: no column "{name}" of documents, found {known}')
    if not names:
        return pa.table(table)
    at = pc.index_in(records.texts("doc_id"), ids)
    document = arrow.values_of(at, -1).astype(np.int64)
    first = np.full(len(ids), -1, np.int64)
    order = np.arange(len(document) - 1, -1, -1)
    first[document[order]] = order
    for name in names:
        column = records.column(name)
        codes = _numbers(column)
        differs = np.flatnonzero(codes != codes[first[document]])
        if len(differs) and name in required:
            row = int(differs[0])
            one, other = (column[k].as_py() for k in (int(first[document[row]]), row))
            raise InputError(
                f'{records.locate(row)}: "{name}" of document "{ids[int(document[row])].as_py()}" '
                f'is "{other}", expected "{one}" as in an earlier row'
            )
        if not len(differs):
            table[name] = column.take(arrow.numbers(first, first >= 0))
    return pa.table(table)


def _numbers(column: pa.Array) -> Int64:
    """Number the values of a column, which may be objects or lists."""
    try:
        encoded = pc.dictionary_encode(column)
    except pa.ArrowNotImplementedError:
        encoded = pc.dictionary_encode(arrow.strings([*map(repr, column.to_pylist())]))
    return arrow.values_of(encoded.indices).astype(np.int64)

"""Joining of gold and predictions whose ids are not the same, or in another order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Remedy, Warnings, some_of, warning_lines
from fastcausal.options import Policy
from fastcausal.relations import Relations

Int64 = npt.NDArray[np.int64]


def joined_by_id(
    gold: Relations, pred: Relations, unmatched: Policy, warnings: Warnings
) -> tuple[Relations, Relations, Int64]:
    """Return the same examples of both sides, in the order of gold, and their places in it.

    Raises
    ------
    InputError
        Only one side has an id, and the policy is that this is an error.
    """
    a, b = gold.ids, pred.ids
    assert a is not None
    assert b is not None
    missing = a.filter(pc.invert(pc.is_in(a, b)))
    extra = b.filter(pc.invert(pc.is_in(b, a)))
    if len(missing) or len(extra):
        only_gold = f" examples of gold have no prediction{_some(missing)}, "
        only_pred = f" of pred are not in gold{_some(extra)}"
        counts = (len(missing), len(extra))
        if unmatched == "error":
            counted = warning_lines({("", only_gold, only_pred): counts})[0]
            raise InputError(counted, Remedy("unmatched", ("empty", "skip"), "would allow it"))
        warnings[f"unmatched={unmatched}: ", only_gold, only_pred] = counts
    if unmatched == "skip":
        ids = a.filter(pc.is_in(a, b))
    else:
        ids = pa.chunked_array([*a.chunks, *extra.chunks], pa.string())
    gold, places = _arrange(gold, ids)
    pred, _ = _arrange(pred, ids)
    return gold, pred, places


def _some(ids: pa.ChunkedArray) -> str:
    return some_of(ids.slice(0, 4).to_pylist())


def _arrange(relations: Relations, ids: pa.ChunkedArray) -> tuple[Relations, Int64]:
    """Return the examples with these ids, in this order, and their places, -1 for none.

    One that is not there has no relations.
    """
    at = pc.index_in(ids, relations.ids)
    table = relations.table.take(at)
    lists = arrow.joined(table["relations"])
    empty = arrow.lists(np.diff(arrow.offsets_of(lists)), lists.flatten())
    for name, column in (("id", ids), ("relations", empty)):
        table = table.set_column(table.column_names.index(name), name, column)
    places = arrow.values_of(arrow.joined(at), -1).astype(np.int64)
    return Relations.trusted(table, relations.reading), places

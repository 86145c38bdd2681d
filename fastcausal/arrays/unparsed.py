"""The column of reasons for unreadable relations, which travels beside the relations.

A table without unreadable relations may lack the column. A null relation without a reason was
null in its source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import flattened, is_valid, joined, lists, numbers, offsets_of, strings

UNPARSED = "unparsed"
REASON = pa.struct([("relation", pa.int32()), ("reason", pa.string()), ("text", pa.string())])
REASONS = pa.list_(REASON)
IS_NULL = "it is null"
Reason = tuple[int, int | None, str, str | None]
"""Example, number of its relation from 1 (None: the whole answer), reason, unreadable text."""
Booleans = npt.NDArray[np.bool_]


def reason_lists(reasons: Sequence[Reason], n: int) -> pa.ListArray:
    """Build the column for n examples from reasons in the order of examples and relations.

    >>> reason_lists([(1, None, "a refusal", "I cannot")], 2).to_pylist()
    [None, [{'relation': None, 'reason': 'a refusal', 'text': 'I cannot'}]]
    """
    examples, relations, why, texts = zip(*reasons, strict=True) if reasons else ((),) * 4
    number = np.array([k or 0 for k in relations], np.int32)
    parts = [numbers(number, number > 0), _strings(why), _strings(texts)]
    widths = np.bincount(np.array(examples, np.int64), minlength=n)
    return lists(widths, pa.StructArray.from_arrays(parts, fields=list(REASON)), widths > 0)


def _strings(values: Sequence[str | None]) -> pa.Array:
    """Convert texts; half of a surrogate pair becomes an escape."""
    texts = [v and v.encode(errors="backslashreplace").decode() for v in values]
    column = strings(texts)
    return column if column.type == pa.string() else column.cast(pa.string())


def column_of(table: pa.Table) -> pa.ListArray | None:
    """Return the column as one array; None if it is missing or of another type."""
    if UNPARSED not in table.column_names:
        return None
    kind = table[UNPARSED].type
    if kind == REASONS:
        return joined(table[UNPARSED])
    inner = getattr(kind, "value_type", None)
    if not isinstance(inner, pa.StructType) or {f.name for f in inner} != {f.name for f in REASON}:
        return None
    try:
        return joined(table[UNPARSED].cast(REASONS))
    except pa.ArrowException:
        return None


def add_null_answers(table: pa.Table, missing: Booleans) -> pa.Table:
    """Add the reason "null answer" to examples with missing answers that have no reason yet."""
    kept = column_of(table)
    if kept is None:
        kept = reason_lists([], len(table))
    widths = np.diff(offsets_of(kept))
    more = np.flatnonzero(missing & (widths == 0))
    null = reason_lists([(0, None, IS_NULL, None)] * len(more), 1).flatten()
    examples = np.concatenate([np.repeat(np.arange(len(table)), widths), more])
    entries = pa.concat_arrays([kept.flatten(), null]).take(
        numbers(examples.argsort(kind="stable"))
    )
    widths = np.bincount(examples, minlength=len(table))
    column = lists(widths, entries, widths > 0)
    if UNPARSED not in table.column_names:
        return table.append_column(UNPARSED, column)
    return table.set_column(table.column_names.index(UNPARSED), UNPARSED, column)


def reasons_of(table: pa.Table) -> dict[str, Any]:
    """Return a row for each null relation, in order.

    >>> rows = reasons_of(pa.table({"relations": [[None], [[], None]],
    ...     "unparsed": reason_lists([(0, None, "a refusal", "No")], 2)}))
    >>> rows["example"], rows["relation"].to_pylist(), rows["reason"].to_pylist()
    (array([0, 1]), [None, 2], ['a refusal', 'it is null'])
    """
    # ``example`` is int64[n]; ``relation`` counts from 1 and is null for a whole unreadable answer;
    # ``reason`` is text; ``text`` is the unreadable text if known.
    relations = joined(table["relations"])
    places = offsets_of(relations)
    null = np.flatnonzero(~is_valid(flattened(relations)[0]))
    example = np.searchsorted(places, null, "right") - 1
    entries = _entries(column_of(table), example, len(table))
    number = (null - places[example] + 1).astype(np.int32)
    relation, reason, text = entries.flatten()
    is_answer = is_valid(reason) & ~is_valid(relation)
    return {
        "example": example,
        "relation": numbers(number, ~is_answer),
        "reason": _strings([why or IS_NULL for why in reason.to_pylist()]),
        "text": text,
    }


def _entries(kept: pa.ListArray | None, example: Any, n: int) -> pa.StructArray:
    """Return the column's entry of each null relation; null if it has none."""
    if kept is None:
        return pa.nulls(len(example), REASON)
    starts = offsets_of(kept)
    known = np.diff(starts) == np.bincount(example, minlength=n)
    rank = np.arange(len(example)) - np.searchsorted(example, example)
    index = np.where(known[example], starts[example] + rank, 0)
    return pc.take(flattened(kept)[0], numbers(index, known[example]))

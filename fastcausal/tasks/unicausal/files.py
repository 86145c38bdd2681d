"""Files of UniCausal: tables of pairs, or of sentences with several pairs, and predictions."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.numerals import digits, each
from fastcausal.errors import InputError
from fastcausal.files.keys import repeated
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown

ROW = ("corpus", "doc_id", "sent_id", "eg_id", "index", "text", "text_w_pairs",
       "seq_label", "pair_label")  # fmt: skip
LIST, SIZE = "causal_text_w_pairs", "num_rs"
KEYS = ("index", "id")
LABELS = ("seq_pred", "pair_pred", "prediction", "pred", "label")
TAGS = ("prediction", "pred", "tags")


def tables(source: Any, name: str) -> list[Records]:
    """Read a table, or every CSV, TSV and text file in a folder or in a list of paths."""
    if isinstance(source, Records):
        return [source]
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        suffixes = (".csv", ".tsv", ".txt", ".jsonl")
        paths = sorted(p for p in Path(source).rglob("*") if p.name.endswith(suffixes))
        if not paths:
            raise InputError(f"{source}: no file, expected {', '.join(suffixes)}")
        return [read_records(path) for path in paths]
    if isinstance(source, list | tuple) and all(isinstance(p, str | os.PathLike) for p in source):
        return [read_records(path) for path in source]
    return [read_records(source, name, column=LABELS[-1])]


def texts_of_rows(found: Sequence[Records]) -> pa.Array | None:
    """Return the column ``text`` of tables as one; None if a table lacks it."""
    if not all("text" in records for records in found):
        return None
    return pa.concat_arrays([records.texts("text") for records in found])


def zeros_and_ones(records: Records, column: str, may_lack: bool = False) -> pa.Array:
    """Return a column of labels 0 and 1, in any form of `Records.labels`.

    >>> zeros_and_ones(read_records({"seq_label": ["1.0", " 0"]}), "seq_label").to_pylist()
    [1, 0]
    """
    texts = each(digits, pc.cast(records.labels(column, whole=True), pa.string()))
    places = pc.index_in(texts, arrow.strings(["0", "1"]))
    is_known = arrow.is_valid(places)
    wrong = ~is_known & (arrow.is_valid(texts) | (not may_lack))
    if wrong.any():
        row = int(wrong.argmax())
        got = shown(records.column(column)[row].as_py())
        raise InputError(f'{records.locate(row)}: "{column}" is {got}, expected 0 or 1')
    return arrow.numbers(arrow.values_of(places).astype(np.int64), is_known)


def numbered(ids: pa.Array) -> pa.Array:
    """Number the repetitions of an id.

    >>> numbered(pa.array(["a", "b", "a", "a"])).to_pylist()
    ['a', 'b', 'a#1', 'a#2']
    """
    # A sentence may come once per relation.
    if repeated(ids) is None:
        return ids
    seen: Counter[str] = Counter()
    names = []
    for id in ids.to_pylist():
        names.append(f"{id}#{seen[id]}" if seen[id] else id)
        seen[id] += 1
    return arrow.strings(names)


def keys_of(records: Sequence[Records]) -> pa.Array:
    """Return the numbered ids of predictions: string[n]."""
    return numbered(pa.concat_arrays([t.keys(t.find(*KEYS) or KEYS[0]) for t in records]))

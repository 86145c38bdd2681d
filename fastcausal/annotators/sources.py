"""Annotations of the same examples by several annotators, as one table of relations each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal import arrays
from fastcausal.align import unread_message
from fastcausal.errors import InputError
from fastcausal.formats import read, table
from fastcausal.formats.source import Source
from fastcausal.relations import Relations, taken

COLUMN = "annotator"


def read_annotators(annotations: Any, tags: str = "strict") -> dict[str, Relations]:
    """Relations by annotator.

    Parameters
    ----------
    annotations : mapping, sequence, or one table
        Annotator to anything `fastcausal.read` takes; or a list of such sources, named by their
        file names or by number; or one table, or Parquet or Arrow file, with a column
        ``annotator``.
    tags : {"strict", "cnc-2023", "cnc-2022"}
        How tagged sentences are read.

    Raises
    ------
    InputError
        There are fewer than two annotators, or two of the same name; and all that reading raises.
    """
    if isinstance(annotations, Mapping):
        sources = dict(annotations)
    elif isinstance(annotations, str | os.PathLike) or hasattr(annotations, "__arrow_c_stream__"):
        sources = _split(annotations)
    else:
        annotations = list(annotations)
        if len(annotations) == 1:
            return read_annotators(annotations[0], tags=tags)
        labels = _names(annotations)
        if len(set(labels)) != len(labels):
            raise InputError(f"two annotators have the same name: {', '.join(labels)}")
        sources = dict(zip(labels, annotations, strict=True))
    if len(sources) < 2:
        raise InputError(f"{len(sources)} annotator, expected at least two")
    return {name: read(source, tags=tags) for name, source in sources.items()}


def _names(sources: Sequence[Any]) -> list[str]:
    """File names without suffix where they differ, else whole paths; numbers for other sources."""
    if not all(isinstance(s, str | os.PathLike) for s in sources):
        return [f"annotator_{k}" for k in range(1, len(sources) + 1)]
    stems = [Path(source).stem for source in sources]
    return stems if len(set(stems)) == len(stems) else [os.fspath(source) for source in sources]


def _split(source: Any) -> dict[str, Relations]:
    """One table into a table per annotator."""
    if hasattr(source, "__arrow_c_stream__"):
        whole, name = taken(source), "the table"
    else:
        loaded = Source.open(source)
        name = loaded.name
        whole = table.load(loaded) if table.sniff(loaded.data) else pa.table({})
    if COLUMN not in whole.column_names:
        raise InputError(
            f'{name} is one source, expected several or a table with a column "{COLUMN}"'
        )
    rest = whole.drop_columns([COLUMN])
    annotators = pc.unique(whole[COLUMN]).to_pylist()
    if None in annotators:
        raise InputError(f'{name} has rows without an annotator in the column "{COLUMN}"')
    return {
        str(annotator): Relations.trusted(rest.filter(pc.equal(whole[COLUMN], annotator)))
        for annotator in annotators
    }


def named(sides: Mapping[str, Relations]) -> dict[str, Relations]:
    """The same with their places for ids where nobody has ids, so that examples can be left out."""
    if any(relations.ids is not None for relations in sides.values()):
        return dict(sides)
    return {
        name: Relations.trusted(
            r.table.add_column(0, "id", arrays.strings([str(k) for k in range(len(r))])), r.reading
        )
        for name, r in sides.items()
    }


def readable(
    relations: Relations, name: str, unparsed: str, warnings: dict[str, None]
) -> Relations:
    """An annotator's relations without those that could not be read, or without their examples."""
    count = relations.n_unread
    if not count:
        return relations
    if unparsed == "error":
        raise InputError(unread_message(relations, name, count))
    warnings[f"{name}: unparsed={unparsed}: {count} relations could not be read"] = None
    lists = arrays.joined(relations.table["relations"])
    read = arrays.is_valid(lists.flatten())
    starts = arrays.offsets_of(lists)
    n_read = np.diff(np.concatenate([[0], np.cumsum(read)])[starts])
    table = relations.table
    if unparsed == "empty":
        kept = lists.flatten().filter(arrays.numbers(read))
        at = table.column_names.index("relations")
        table = table.set_column(at, "relations", arrays.lists(n_read, kept))
        return Relations.trusted(table, relations.reading)
    kept = table.filter(arrays.numbers(n_read == np.diff(starts)))
    return Relations.trusted(kept, relations.reading)


def columns_of_either(examples: pa.Table, other: Relations) -> pa.Table:
    """Columns that only the second annotator's table has, put beside those of the first."""
    more = [c for c in other.table.column_names if c not in examples.column_names]
    more = [c for c in more if c not in ("relations", "length", "tagged", "id")]
    if not more or other.ids is None or "id" not in examples.column_names:
        return examples
    at = pc.index_in(examples["id"], other.ids)
    for name in more:
        examples = examples.append_column(name, other.table[name].take(at))
    return examples


def n_missing(a: Relations, b: Relations) -> int:
    """Examples that only one of two annotators has."""
    if a.ids is None or b.ids is None:
        return 0
    common = int(np.count_nonzero(arrays.is_valid(arrays.joined(pc.index_in(a.ids, b.ids)))))
    return len(a) + len(b) - 2 * common

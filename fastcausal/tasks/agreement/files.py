"""Annotations of the same examples by several annotators, one table of relations each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Remedy, counted, format_some
from fastcausal.files import binary
from fastcausal.files.keys import Match, lacking, places_of
from fastcausal.files.packed import name_of, stem_of
from fastcausal.files.parts import parts_of
from fastcausal.files.texts import RowTexts, same_texts
from fastcausal.formats import (
    UNTAKEN,
    documents_of,
    frames,
    opened,
    read_marked,
    refuse_untaken,
    table,
)
from fastcausal.formats.annotation.links import Document, relations_of
from fastcausal.formats.annotation.projects import documents
from fastcausal.formats.reading.batches import Stream, batch
from fastcausal.formats.reading.format import Opened
from fastcausal.marking import Marking
from fastcausal.options import LabelPolicy, MarkingSettings, Policy, TagReading
from fastcausal.relations import Relations, import_table
from fastcausal.tasks.relations.join import offer_texts, text_of
from fastcausal.tasks.relations.types import keep_relations
from fastcausal.tasks.relations.unread import unread_message

COLUMN = "annotator"
LEFT_OUT = Remedy("unmatched", ("skip",), "would leave them out")


def read_annotators(
    annotations: Any,
    tags: TagReading = "strict",
    **marking: Unpack[MarkingSettings],
) -> dict[str, Relations]:
    """Read relations by annotator.

    Parameters
    ----------
    annotations : mapping, sequence, or one source
        A mapping from annotators to sources of `fastcausal.read`; or one or several sources. In
        these the column ``annotator`` names the annotators, as in brat and WebAnno files, and all
        sources of an annotator are joined. A source without the column is one annotator, named by
        its file or its number. A directory stands for its brat or WebAnno files.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        The rules for reading tagged sentences.
    **marking
        Settings of reading relations, see `fastcausal.marking.Marking`.

    Raises
    ------
    InputError
        There are fewer than two annotators, two annotators have the same name, an example repeats,
        or a source cannot be read.
    """
    settings = Marking.make(**marking)
    given: dict[str, Any] = {"tags": tags, "marking": settings, "lenient": True}
    if isinstance(annotations, Mapping):
        sides = {
            name: _unnamed(read_marked(source, **given)) for name, source in annotations.items()
        }
    elif isinstance(annotations, str | os.PathLike) or hasattr(annotations, "__arrow_c_stream__"):
        sides = _split_by_annotator([annotations], given)
    else:
        sides = _split_by_annotator(list(annotations), given)
    refuse_untaken(sides.values(), settings)
    if len(sides) < 2:
        raise InputError(
            f"{len(sides)} annotator, expected at least two"
            + "".join(f': all examples are of "{name}"' for name in sides)
        )
    return sides


def _split_by_annotator(sources: Sequence[Any], given: dict[str, Any]) -> dict[str, Relations]:
    splits = []
    bare = []
    for file in chain.from_iterable(map(documents_of, sources)):
        splits.append(_split(file, given))
        if None in splits[-1]:
            bare.append(file.path if isinstance(file, Opened) else file)
    if len(splits) == 1 and bare:
        what = "the table" if hasattr(bare[0], "__arrow_c_stream__") else name_of(bare[0])
        raise InputError(
            f'{what} is one source, expected several or a table with a column "{COLUMN}"'
        )
    labels = _names(bare)
    known = {name for sides in splits for name in sides}
    if len({*labels} - known) != len(labels):
        raise InputError(f"two annotators have the same name: {', '.join(labels)}")
    unused = iter(labels)
    parts: dict[str, list[Relations]] = {}
    for sides in splits:
        for name, relations in sides.items():
            parts.setdefault(next(unused) if name is None else name, []).append(relations)
    return {name: _joined(name, of_annotator) for name, of_annotator in parts.items()}


def _names(sources: Sequence[Any]) -> list[str]:
    """Return file names without suffix if they differ, else paths; numbers for other sources."""
    if not all(isinstance(s, str | os.PathLike) for s in sources):
        return [f"annotator_{k}" for k in range(1, len(sources) + 1)]
    stems = [stem_of(source) for source in sources]
    return stems if len(set(stems)) == len(stems) else [os.fspath(source) for source in sources]


def _split(source: Any, given: dict[str, Any]) -> dict[str | None, Relations]:
    """Return a table per annotator; the key is None if the source names no annotator."""
    source = opened(source, whole=True)
    if isinstance(source, Opened):
        if (marked := documents(source, given["marking"])) is not None:
            return _split_by_document(source.name, marked)
        if source.format in (table.PARQUET, table.ARROW):
            whole = binary.load(source.source(), source.format.name)
            return _split_by_column(source.name, whole, given["marking"])
        if parts := parts_of(source.source(), COLUMN):
            files = {a: Opened(part, source.format, content=part) for a, part in parts.items()}
            return {a: _unnamed(read_marked(file, **given)) for a, file in files.items()}
    if (columns := frames.table_of(source)) is not None:
        return _split_by_column("the table", import_table(columns), given["marking"])
    relations = read_marked(source, **given)
    if COLUMN not in relations.table.column_names:
        return {None: relations}
    return _split_by_column(name_of(source), relations.table, given["marking"])


def _split_by_column(name: str, whole: pa.Table, marking: Marking) -> dict[str | None, Relations]:
    """Return a table per value of the column of annotators; the key is None without a column."""
    if COLUMN not in whole.column_names:
        return {None: frames.read(whole, marking=marking, name=name)}
    annotators = pc.unique(whole[COLUMN]).to_pylist()
    if None in annotators:
        raise InputError(f'{name} has rows without an annotator in the column "{COLUMN}"')
    rest = whole.drop_columns([COLUMN])
    parts = {str(a): rest.filter(pc.equal(whole[COLUMN], a)) for a in annotators}
    return {
        a: frames.read(part, marking=marking, name=f"{name} of {a}") for a, part in parts.items()
    }


def _split_by_document(name: str, documents: list[Document]) -> dict[str | None, Relations]:
    """Return a table per annotator of texts; documents of no such annotator belong to all."""
    of_texts = dict.fromkeys(document.annotator for document in documents if document.text)
    annotators = of_texts or dict.fromkeys(document.annotator for document in documents)
    return {
        a: _unnamed(
            relations_of(name, (d for d in documents if d.annotator not in {*annotators} - {a}))
        )
        for a in annotators
    }


def _unnamed(relations: Relations) -> Relations:
    """Drop the column of annotators, since the caller names the annotator."""
    if COLUMN not in relations.table.column_names:
        return relations
    named = Relations.trusted(relations.table.drop_columns([COLUMN]))
    if UNTAKEN in relations.kept:
        named.kept[UNTAKEN] = relations.kept[UNTAKEN]
    return named


def _joined(name: str, parts: list[Relations]) -> Relations:
    """Join the documents of an annotator."""
    if len(parts) == 1:
        return parts[0]
    return Stream(f'annotator "{name}"', lambda _: map(batch, parts)).whole()


def number_examples(sides: Mapping[str, Relations]) -> dict[str, Relations]:
    """Add positions as ids if no side has ids, so that examples can be left out."""
    if any(relations.ids is not None for relations in sides.values()):
        return dict(sides)
    return {
        name: Relations.trusted(
            r.table.add_column(0, "id", arrow.strings([str(k) for k in range(len(r))])), r.reading
        )
        for name, r in sides.items()
    }


def readable(
    relations: Relations, name: str, unparsed: Policy, warnings: dict[str, None]
) -> Relations:
    """Leave out unreadable relations or their examples, with a warning, or raise InputError."""
    count = relations.n_unread
    if not count:
        return relations
    if unparsed == "error":
        raise InputError(unread_message(relations.reading, name, count))
    warnings[f"{name}: unparsed={unparsed}: {counted(count, 'relation')} could not be read"] = None
    lists = arrow.joined(relations.table["relations"])
    read = arrow.is_valid(lists.flatten())
    if unparsed == "empty":
        return keep_relations(relations, read)
    starts = arrow.offsets_of(lists)
    n_read = np.diff(np.concatenate([[0], np.cumsum(read)])[starts])
    kept = relations.table.filter(arrow.numbers(n_read == np.diff(starts)))
    return Relations.trusted(kept, relations.reading)


def columns_of_either(examples: pa.Table, other: Relations) -> pa.Table:
    """Add to the first annotator's examples the columns that only the second annotator has."""
    more = [c for c in other.table.column_names if c not in examples.column_names]
    held = ["relations", "length", "tagged", "id", UNPARSED]
    held += [] if other.types is None else ["types"]
    more = [c for c in more if c not in held]
    if not more or other.ids is None or "id" not in examples.column_names:
        return examples
    at = places_of(examples["id"], other.ids)
    for name in more:
        column = other.table[name].take(arrow.numbers(at, at >= 0))
        examples = examples.append_column(name, column)
    return examples


def n_missing(a: Relations, b: Relations) -> int:
    """Count examples of only one of two annotators."""
    return len(a) + len(b) - 2 * n_common(a, b)


def n_common(a: Relations, b: Relations) -> int:
    """Count common examples: by id, or by position if one side has no ids."""
    if a.ids is None or b.ids is None:
        return len(a)
    return len(a) - len(lacking(a.ids, b.ids))


def require_common(sides: Mapping[str, Relations]) -> None:
    """Raise InputError if no two annotators have a common example."""
    if any(n_common(a, b) for a, b in combinations(sides.values(), 2)):
        return
    ids = {name: () if r.ids is None else r.ids[:4].to_pylist() for name, r in sides.items()}
    counts = [f"{name} has {len(r)}{format_some(ids[name])}" for name, r in sides.items()]
    error = InputError(
        f"no two annotators have an example of the same id: {', '.join(counts)}; an id in "
        "documents is the document's name and the number of the sentence"
    )
    first, second, *_ = sides.values()
    raise offer_texts(error, first, second)


def check_texts(
    sides: Mapping[str, Relations], unmatched: LabelPolicy, warnings: dict[str, None]
) -> dict[str, Relations]:
    """Compare the texts of each example with its text at the first annotator who has it."""
    # An annotator with another text is an error, or loses the example, with a warning.
    kept = dict(sides)
    for a, b in combinations(sides, 2):
        first, second = kept[a], kept[b]
        rows = np.arange(len(second))
        if first.ids is not None and second.ids is not None:
            at = places_of(second.ids, first.ids)
            keys = arrow.joined(second.ids)
        elif len(first) == len(second):
            at, keys = rows, pa.nulls(len(rows), pa.string())
        else:
            continue  # `align` reports it
        texts = RowTexts(text_of(first), partial(first.place, side=a))
        others = RowTexts(text_of(second), partial(second.where, side=b))
        try:
            stay = same_texts(Match(keys, at, rows, {}), texts, others, unmatched, LEFT_OUT)
        except InputError as error:
            raise offer_texts(error, first, second) from None
        if lost := len(rows) - len(stay.pred):
            noun = "example has" if lost == 1 else "examples have"
            warnings[f"{a} / {b}: unmatched={unmatched}: {lost} {noun} another text"] = None
            table = second.table.take(arrow.numbers(stay.pred))
            kept[b] = Relations.trusted(table, second.reading)
    return kept

"""Words shared by answers and references, counted natively."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import (
    is_valid,
    joined,
    numbers,
    offsets,
    strings,
    strings_at,
    texts_of,
)
from fastcausal.arrays.letters import letters_of_words
from fastcausal.errors import InputError
from fastcausal.tasks.answers import _words
from fastcausal.tasks.answers.batches import ItemTexts
from fastcausal.tasks.answers.formula import OF_ROLES, OF_WORDS
from fastcausal.tasks.answers.parse import PARSED_RELATIONS, PARSERS, Parsed
from fastcausal.tasks.words import words

Int64 = npt.NDArray[np.int64]
RELATIONS = slice(len(OF_ROLES) + 1, len(OF_WORDS))
MARKS = str.maketrans("01", "!#")  # punctuation, which is never part of a word


@dataclass(frozen=True)
class WordCounts:
    """Counts of the words of every answer and its reference."""

    # int64[n_fields, n]: The fields of `OF_WORDS`, then rows for the caller. ``contained`` is
    # 2 if all words of the answer are in the source, 1 if not, 0 without a source or an
    # answer. ``relation`` and ``pred_relation`` are indices of ``relations``, -1 for an
    # unreadable text.
    fields: Int64
    # The relations of all texts, as the protocol reads them; None is no relation. A relation
    # may occur several times.
    relations: tuple[str | None, ...]
    read: npt.NDArray[np.bool_]  # bool[n, 2]: True if reference and answer can be read

    def order_by_item(self, texts: ItemTexts) -> WordCounts:
        """Reorder counts from rows to items."""
        if texts.rows is None:
            return self
        return WordCounts(self.fields[:, texts.rows], self.relations, self.read[texts.rows])


def count_words(
    batches: Iterable[pa.RecordBatch],  # Of `ItemTexts`
    n: int,  # Rows in all batches
    protocol: str,  # "guide" or "fcr"
    n_fields: int = len(OF_WORDS),  # Rows of ``fields`` in the result
) -> WordCounts:
    """Compare the words of answers and references."""
    fields, names, _ = _compared(batches, n, protocol, n_fields)
    read = (fields[RELATIONS] >= 0).T
    return WordCounts(fields, tuple(map(PARSED_RELATIONS[protocol], names)), read)


def missing_words(batches: Iterable[pa.RecordBatch], n: int, protocol: str) -> pa.ChunkedArray:
    """Return the words of each answer that its source lacks."""
    # In order, separated by blanks; empty without a source or an answer. Parameters are as in
    # `count_words`.
    return _compared(batches, n, protocol, len(OF_WORDS), missing=True)[2]


def _compared(
    batches: Iterable[pa.RecordBatch],
    n: int,
    protocol: str,
    n_fields: int,
    missing: bool = False,
    lenient: bool = False,
) -> tuple[Int64, list[str], pa.ChunkedArray]:
    """Return fields, the relations that they number, and, if ``missing``, missing words."""
    fields, names, words = np.empty((n_fields, n), np.int64), list[str](), list[pa.Array]()
    start = 0
    for batch in batches:
        own = slice(start, start + len(batch))
        known = np.empty(len(batch), np.int8)
        sizes = np.empty(len(batch), np.int64) if missing else None
        source, reference, answer = map(_texts, batch.columns)
        texts = source[:2], reference[:2], answer[:2]
        letters = letters_of_words(*texts, by_letters=protocol != "fcr")
        out = (fields, start, known, sizes)
        options = (letters, lenient, protocol == "fcr", *out, os.cpu_count() or 1)
        relations, lacking = _words.compare(source, reference, answer, *options)
        _renumber(fields[RELATIONS, own], len(names))
        names += [name.decode() for name in relations]
        if sizes is not None:
            words.append(_strings(lacking, sizes))
        odd = np.flatnonzero(known == 0)
        if len(odd):  # texts with letters that native code cannot lower
            spelt = [_spelt(batch.take(numbers(odd)), protocol)]
            by = _compared(spelt, len(odd), protocol, n_fields, missing, lenient=True)
            _renumber(by[0][RELATIONS], len(names))
            fields[:, start + odd] = by[0]
            names += by[1]
            if missing:
                words[-1] = pc.replace_with_mask(words[-1], numbers(known == 0), joined(by[2]))
        start = own.stop
    return fields, names, pa.chunked_array(words, pa.string())


def _renumber(relations: Int64, n: int) -> None:
    """Add n to the numbers of relations, in place."""
    if n:
        np.add(relations, n, out=relations, where=relations >= 0)


def _texts(column: pa.Array) -> tuple[Any, Int64, npt.NDArray[np.int8] | None]:
    data, places = texts_of(column)
    valid = is_valid(column).astype(np.int8) if column.null_count else None
    return data, places.astype(np.int64), valid


def _strings(data: bytes, sizes: Int64) -> pa.Array:
    if len(data) >= 2**31:
        raise InputError("words that are missing take 2 GiB, expected less: score parts")
    return strings_at(data, offsets(sizes).astype(np.int32).tobytes())


def _spelt(batch: pa.RecordBatch, protocol: str) -> pa.RecordBatch:
    """Write the texts of a batch again, with their words normalised by Python."""
    source, *sides = (column.to_pylist() for column in batch.columns)
    spelt = [None if text is None else " ".join(words(text)) for text in source]
    parsed = [[_count_words(PARSERS[protocol](text)) for text in side] for side in sides]
    columns = [strings(spelt), *map(strings, parsed)]
    return pa.RecordBatch.from_arrays(columns, list(batch.schema.names))


def _count_words(parsed: Parsed | None) -> str:
    if parsed is None:
        return ""
    cause, effect = map(_write_spans, parsed[:2])
    relation = "" if parsed.relation is None else f"[Relation] {parsed.relation} "
    return f"[Cause] {cause} {relation}[Effect] {effect}"


def _write_spans(spans: Sequence[str]) -> str:
    """Write spans as words; marks before each span let spans sort as their own texts do."""
    place = {span: k for k, span in enumerate(sorted(spans))}
    width = len(spans).bit_length()
    marks = (f"{place[span]:0{width}b}".translate(MARKS) for span in spans)
    return " | ".join(f"{m} {' '.join(words(s))}" for m, s in zip(marks, spans, strict=True))

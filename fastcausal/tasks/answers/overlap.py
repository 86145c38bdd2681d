"""Words shared by answers and references, counted natively."""

from __future__ import annotations

import os
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import is_valid, numbers, offsets, strings, strings_at, texts_of
from fastcausal.errors import InputError
from fastcausal.tasks.answers import _words
from fastcausal.tasks.answers.files import Texts
from fastcausal.tasks.answers.parse import PARSERS, RELATIONS, Parsed
from fastcausal.tasks.words import words

Int64 = npt.NDArray[np.int64]
ROLES = ("cause", "effect")
ROLE_FIELDS = ("shared", "predicted", "wanted", "matched", "equal")  # order of csrc
FIELDS = tuple(f"{role}_{name}" for role in ROLES for name in ROLE_FIELDS)
SIGMA = 0x3A3  # has another lower case at the end of a word
N_LETTERS = 0x3000  # code points of the native table: all but Asian scripts and symbols
OTHER, LETTER, SPACE, DELETED = range(4)  # order of csrc
MARKS = str.maketrans("01", "!#")  # never part of a word


@dataclass(frozen=True)
class WordCounts:
    """Counts of the words of every answer and its reference.

    Attributes
    ----------
    rows : int64[n, 10]
        In the order of `FIELDS`.
    read : bool[n, 2]
        True if reference and answer can be read.
    contained : int64[n]
        1 if all words of the answer are in the source; -1 without a source or an answer.
    relation, pred_relation : string[n]
        Of reference and answer, or null.
    missing : string[n]
        Words absent from the source, in the order of the answer, separated by blanks.
    """

    rows: Int64
    read: npt.NDArray[np.bool_]
    contained: Int64
    relation: pa.Array
    pred_relation: pa.Array
    missing: pa.Array


def count_words(source: Texts, reference: Texts, answer: Texts, protocol: str) -> WordCounts:
    """Compare the words of answers and references.

    Parameters
    ----------
    source, reference, answer : string[n], in one array or in chunks
        ``source`` may have nulls.
    protocol : {"guide", "fcr"}

    Examples
    --------
    >>> texts = ("Rain again", "[Cause] the rain [Effect] floods", "[Cause] rain [Effect] mud")
    >>> counts = count_words(*(strings([text]) for text in texts), "guide")
    >>> dict(zip(FIELDS, counts.rows[0].tolist()))["cause_shared"], counts.missing.to_pylist()
    (1, ['mud'])
    """
    columns = (source, reference, answer)
    counts, known = _counted(columns, protocol)
    odd = np.flatnonzero(known == 0)
    if not len(odd):
        return counts
    texts = zip(*(column.take(numbers(odd)).to_pylist() for column in columns), strict=True)
    rows = [_spelt(a, b, c, protocol) for a, b, c in texts]
    spelt = [strings(column) for column in zip(*rows, strict=True)]
    return _replaced(counts, known == 0, _counted(spelt, protocol, lenient=True)[0])


def _counted(
    columns: Sequence[Texts], protocol: str, lenient: bool = False
) -> tuple[WordCounts, npt.NDArray[np.int8]]:
    """Return counts, with 0 for texts with letters outside the table."""
    n = len(columns[0])
    rows, sizes = np.empty((n, _words.N_FIELDS), np.int64), np.empty((n, 3), np.int64)
    known = np.empty(n, np.int8)
    fcr, threads = protocol == "fcr", os.cpu_count() or 1
    parts, start = [(b"", b"", b"")], 0
    for batch in pa.table(list(columns), ["source", "reference", "answer"]).to_batches():
        own = slice(start, start := start + len(batch))
        source, reference, answer = map(_texts, batch.columns)
        out = (rows[own], sizes[own], known[own])
        texts = _words.compare(source, reference, answer, _letters(), lenient, fcr, *out, threads)
        parts.append(texts)
    joined = map(b"".join, zip(*parts, strict=True))
    arrays = [_strings(data, size) for data, size in zip(joined, sizes.T, strict=True)]
    counts, (gold, pred, contained) = rows[:, : len(FIELDS)], rows[:, len(FIELDS) :].T
    read = np.column_stack([gold, pred]).astype(bool)
    relations = [_relations(arrays[k], read[:, k], protocol) for k in (0, 1)]
    return WordCounts(counts, read, contained, relations[0], relations[1], arrays[2]), known


def _texts(column: pa.Array) -> tuple[Any, Int64, npt.NDArray[np.int8] | None]:
    data, places = texts_of(column)
    valid = is_valid(column).astype(np.int8) if column.null_count else None
    return data, places.astype(np.int64), valid


def _strings(data: bytes, sizes: Int64) -> pa.Array:
    if len(data) >= 2**31:
        raise InputError("words that are missing take 2 GiB, expected less: score parts")
    return strings_at(data, offsets(sizes).astype(np.int32).tobytes())


def _relations(written: pa.Array, read: npt.NDArray[np.bool_], protocol: str) -> pa.Array:
    """Return relations as the protocol reads them; null for unreadable texts."""
    encoded = written.dictionary_encode()
    names = strings([RELATIONS[protocol](name) for name in encoded.dictionary.to_pylist()])
    return pc.if_else(numbers(read), names.take(encoded.indices), None)


def _spelt(source: str | None, reference: str, answer: str, protocol: str) -> list[str | None]:
    """Return the texts of an item with words normalised by Python."""
    spelt = None if source is None else " ".join(words(source))
    return [spelt, *(_of_words(PARSERS[protocol](text)) for text in (reference, answer))]


def _of_words(parsed: Parsed | None) -> str:
    if parsed is None:
        return ""
    cause, effect = map(_of_spans, parsed[:2])
    relation = "" if parsed.relation is None else f"[Relation] {parsed.relation} "
    return f"[Cause] {cause} {relation}[Effect] {effect}"


def _of_spans(spans: Sequence[str]) -> str:
    """Return spans as words, each after marks that keep the sort order of its own text."""
    place = {span: k for k, span in enumerate(sorted(spans))}
    width = len(spans).bit_length()
    marks = (f"{place[span]:0{width}b}".translate(MARKS) for span in spans)
    return " | ".join(f"{m} {' '.join(words(s))}" for m, s in zip(marks, spans, strict=True))


def _replaced(counts: WordCounts, odd: npt.NDArray[np.bool_], by: WordCounts) -> WordCounts:
    """Replace the counts of texts with letters outside the table."""
    for field in ("rows", "read", "contained"):
        getattr(counts, field)[odd] = getattr(by, field)
    mask = numbers(odd)
    names = ("relation", "pred_relation", "missing")
    arrays = {n: pc.replace_with_mask(getattr(counts, n), mask, getattr(by, n)) for n in names}
    return replace(counts, **arrays)


@cache
def _letters() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    """Return lower case and kind of the first code points; -1 if other letters decide."""
    lower, kinds = np.full(N_LETTERS, -1, np.int32), np.zeros(N_LETTERS, np.int8)
    for code in range(N_LETTERS):
        small = chr(code).lower()
        if len(small) == 1 and code != SIGMA:
            lower[code], kinds[code] = ord(small), _kind(small)
    return lower, kinds


def _kind(letter: str) -> int:
    if letter in string.punctuation:
        return DELETED
    return SPACE if letter.isspace() else LETTER if letter.isalnum() else OTHER

"""Words shared by answers and references, counted natively."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import is_valid, numbers, offsets, strings, strings_at, texts_of
from fastcausal.arrays.letters import letters_of_words
from fastcausal.errors import InputError
from fastcausal.tasks.answers import _words
from fastcausal.tasks.answers.files import Texts
from fastcausal.tasks.answers.formula import OF_ROLES, OF_WORDS
from fastcausal.tasks.answers.parse import PARSED_RELATIONS, PARSERS, Parsed
from fastcausal.tasks.words import words

Int64 = npt.NDArray[np.int64]
RELATIONS = slice(len(OF_ROLES) + 1, len(OF_WORDS))
MARKS = str.maketrans("01", "!#")  # never part of a word


@dataclass(frozen=True)
class WordCounts:
    """Counts of the words of every answer and its reference.

    Attributes
    ----------
    fields : int64[n_fields, n]
        Those of `OF_WORDS`; further ones are free for the caller. ``contained`` is 2 if all words
        of the answer are in the source, 1 if not, 0 without a source or an answer. ``relation`` and
        ``pred_relation`` are indices of ``relations``, -1 of a text that cannot be read.
    relations : tuple of str or None
        The relations of all texts, as the protocol reads them; one may be there several times.
    read : bool[n, 2]
        True if reference and answer can be read.
    """

    fields: Int64
    relations: tuple[str | None, ...]
    read: npt.NDArray[np.bool_]


def count_words(
    source: Texts, reference: Texts, answer: Texts, protocol: str, n_fields: int = len(OF_WORDS)
) -> WordCounts:
    """Compare the words of answers and references.

    Parameters
    ----------
    source, reference, answer : string[n], in one array or in chunks
        ``source`` may have nulls.
    protocol : {"guide", "fcr"}
    n_fields : int
        Rows of the result's ``fields``.

    Examples
    --------
    >>> texts = ("Rain again", "[Cause] the rain [Effect] floods", "[Cause] rain [Effect] mud")
    >>> counts = count_words(*(strings([text]) for text in texts), "guide")
    >>> dict(zip(OF_WORDS, counts.fields[:, 0].tolist()))["cause_shared"], counts.relations
    (1, (None,))
    """
    fields, names, _ = _compared((source, reference, answer), protocol, n_fields)
    read = (fields[RELATIONS] >= 0).T
    return WordCounts(fields, tuple(map(PARSED_RELATIONS[protocol], names)), read)


def missing_words(source: Texts, reference: Texts, answer: Texts, protocol: str) -> pa.Array:
    """Return the words absent from each source, in the order of the answer, between blanks.

    The parameters are those of `count_words`. Without a source or an answer there are none.

    Examples
    --------
    >>> texts = ("Rain again", "[Cause] the rain [Effect] floods", "[Cause] rain [Effect] mud")
    >>> missing_words(*(strings([text]) for text in texts), "guide").to_pylist()
    ['mud']
    """
    return _compared((source, reference, answer), protocol, len(OF_WORDS), missing=True)[2]


def _compared(
    columns: Sequence[Texts],
    protocol: str,
    n_fields: int,
    missing: bool = False,
    lenient: bool = False,
) -> tuple[Int64, list[str], pa.Array | None]:
    """Return fields, the relations that these number, and missing words, if requested."""
    n = len(columns[0])
    fields, known = np.empty((n_fields, n), np.int64), np.empty(n, np.int8)
    sizes = np.empty(n, np.int64) if missing else None
    names, parts, start = list[str](), list[bytes](), 0
    for batch in pa.table(list(columns), ["source", "reference", "answer"]).to_batches():
        own = slice(start, start + len(batch))
        source, reference, answer = map(_texts, batch.columns)
        letters = letters_of_words(source[:2], reference[:2], answer[:2])
        out = (fields, start, known[own], None if sizes is None else sizes[own])
        options = (letters, lenient, protocol == "fcr", *out, os.cpu_count() or 1)
        relations, lacking = _words.compare(source, reference, answer, *options)
        _renumber(fields[RELATIONS, own], len(names))
        names += [name.decode() for name in relations]
        parts.append(lacking)
        start = own.stop
    words = None if sizes is None else _strings(b"".join(parts), sizes)
    odd = np.flatnonzero(known == 0)
    if len(odd):  # letters outside the table
        texts = zip(*(column.take(numbers(odd)).to_pylist() for column in columns), strict=True)
        spelt = zip(*(_spelt(a, b, c, protocol) for a, b, c in texts), strict=True)
        by = _compared([*map(strings, spelt)], protocol, n_fields, missing, lenient=True)
        _renumber(by[0][RELATIONS], len(names))
        fields[:, odd] = by[0]
        names += by[1]
        words = None if words is None else pc.replace_with_mask(words, numbers(known == 0), by[2])
    return fields, names, words


def _renumber(relations: Int64, n: int) -> None:
    """Number relations from n on."""
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

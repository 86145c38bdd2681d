"""Comparison of tagged sentences with their texts: stale sentences, and unknown mark-up.

A sentence without a tag marks nothing, which is a valid answer. Without these checks, a sentence
with unknown mark-up, or the words of another sentence, would pass for such an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import (
    is_valid,
    joined,
    numbers,
    strings,
    text_lists,
)
from fastcausal.arrays.arrow import texts_of as characters_of
from fastcausal.files.values import shown
from fastcausal.formats import _native
from fastcausal.formats.cnc.markup import strip_tags
from fastcausal.formats.examples import column_of_tagged, first_sentences, texts_of
from fastcausal.formats.reading.builder import Int64
from fastcausal.relations import Relations

Int8 = npt.NDArray[np.int8]
OTHER_WORDS, OTHER_SENTENCE, SIGNS = 1, 2, 4  # bits of csrc/tags/copies.hpp
NOTE = "sentence with other words than its text"
UNKNOWN = "sentence with unknown mark-up"
TAGS = "<ARG0>, <ARG1>, <SIG0>, <SIG1>, ..."
_ROLE = r"(?:arg|sig|cause|effect|signal|trigger)s?[ _-]?[0-9]*"
_LETTER = r"[ces][0-9]*"
# Mark-up in angles; names of roles in any brackets; and mark-up that is certain in any text, which
# "[S]tudents" and "(C)" are not.
_ANGLES = re.compile(r"(?:<|&lt;)\s*/?\s*[a-z][^<>&]{0,60}(?:>|&gt;)", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?:<|&lt;|[\[{{(|*_#~=^])\s*/?\s*(?:{_ROLE}|{_LETTER})\s*/?(?:>|&gt;|[\]}})|*_#~=^:])",
    re.IGNORECASE,
)
_CERTAIN = re.compile(
    rf"(?:<|&lt;)\s*/?\s*(?:{_ROLE}|{_LETTER})\s*/?(?:>|&gt;)|[\[{{]\s*/?(?:{_ROLE})[\]}}]",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"[<>\[\]{}()*_|#~^=&]")


def texts_like(like: Relations | None, rows: Int64) -> pa.Array | None:
    """Return the texts of these rows of gold, null if missing; None without gold.

    Without a column of texts, first tagged sentences are used.
    """
    if like is None:
        return None
    names = like.table.column_names
    column = joined(like.table["text"]) if "text" in names else pa.nulls(len(like), pa.string())
    if column.type not in (pa.string(), pa.large_string()) or column.null_count:
        tagged = column_of_tagged(like.table)
        if "text" not in names and tagged is None:
            return column
        if "text" not in names and tagged is not None and not tagged.null_count:
            column = first_sentences(tagged)
        else:
            column = strings(texts_of(like))
    if np.array_equal(rows, np.arange(len(column))):
        return column
    return pc.take(column, numbers(np.maximum(rows, 0), rows >= 0))


def unlike(
    kept: pa.ChunkedArray,  # list<string> of each example
    texts: pa.Array | None,  # None if unknown: the first sentence of each example is used instead
    widths: Any,  # int32[n_sentences]: -1 for an unreadable sentence, which is skipped
) -> Int8:
    """Compare each readable sentence with the text of its example."""
    # Returns the bits `OTHER_WORDS`, `OTHER_SENTENCE` (half of the words differ) and `SIGNS`
    # (possible mark-up that the text lacks; without a text, possible names of roles in brackets).
    are_known = texts is not None
    texts = first_sentences(kept) if texts is None else texts
    outcomes = np.empty(len(widths), np.int8)
    data, places = characters_of(texts)
    places = places.astype(np.int64, copy=False)
    valid = is_valid(texts).astype(np.int8) if texts.null_count else None
    example = sentence = 0
    for chunk in kept.chunks:
        starts, letters, offsets = text_lists(chunk)
        stops = example + len(chunk), sentence + int(starts[-1])
        if len(chunk):
            _native.compare_copies(
                letters,
                offsets,
                starts,
                data,
                places[example : stops[0] + 1],
                None if valid is None else valid[example : stops[0]],
                are_known,
                widths[sentence : stops[1]],
                outcomes[sentence : stops[1]],
            )
        example, sentence = stops
    return outcomes


def unknown_mark(sentence: str, text: str | None, *, is_bare: bool) -> str | None:
    """Return mark-up of a sentence that is neither a tag nor in its text."""
    # Without a text, only names of roles count as mark-up. A sentence without marks (bare) may have
    # no signs of mark-up that the text lacks.
    plain = strip_tags(sentence)
    for mark in _marks(plain, text):
        if text is None or mark.casefold() not in text.casefold():
            return f"unknown tag {shown(mark)}, expected {TAGS}"
    if not is_bare or text is None:
        return None
    signs = dict.fromkeys(sign[0] for sign in _SIGNS.finditer(plain))
    added = next((s for s in signs if plain.count(s) > text.count(s)), None)
    return added and f"has no tag, but signs that the text lacks: {shown(added)}"


def _marks(plain: str, text: str | None) -> Iterator[str]:
    """Yield possible mark-up of a sentence without its tags."""
    for pattern in (_CERTAIN,) if text is None else (_ANGLES, _NAMED):
        for match in pattern.finditer(plain):
            yield match[0]

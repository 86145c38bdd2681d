"""Answers read natively, if they are plain; Python reads the others.

::

    answers ── native ──▶ Written, ways ──┐
        └── relations_in ──▶ relations ───┴─▶ located ──▶ Builder
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import is_valid, strings, texts_of
from fastcausal.errors import InputError
from fastcausal.formats import _span_lines
from fastcausal.formats.model_output.shapes import NO_SPAN, Notes
from fastcausal.formats.model_output.texts import relations_in
from fastcausal.formats.reading.builder import UnreadError

FENCED, PROSE, BARE = 2, 3, 4  # ways, as in csrc/readers/model_answers.hpp
PLACES = {FENCED: "answer in a fence", PROSE: "answer in prose", BARE: "answer in prose"}
# Notes of an answer in other text, in their order.
BEFORE = ("answer in a string", "thinking left out")
BEHIND = ("further answer left out", "other name of a key", "further key")


class ParsedAnswers(NamedTuple):
    """Answers with their relations."""

    written: _span_lines.Written  # The answers that native code read
    plain: npt.NDArray[np.int8]  # int8[n]: 0 for all other answers
    # Relations of the other answers, by the number of the answer
    others: dict[int, list[Any] | UnreadError]


def parsed(answers: pa.Array | Sequence[Any], notes: Notes) -> ParsedAnswers:
    """Read the relations of raw answers; count the ways of reading."""
    ways = np.zeros(len(answers), np.int8)
    texts = answers if isinstance(answers, pa.Array) else encoded(answers)
    data, places = texts_of(texts)
    no_spans = "\n".join(NO_SPAN).encode()
    written = _span_lines.read_answers(data, places.astype(np.int64), no_spans, ways)
    ways[~is_valid(texts)] = 0  # a null may have any bytes
    if notes.own:  # native code knows the usual roles alone
        ways[:] = 0
    first = {way: int(np.argmax(ways == way)) for way in PLACES if (ways == way).any()}
    others: dict[int, list[Any] | UnreadError] = {}
    # Notes keep the order in which they first occur.
    for k in sorted({*np.flatnonzero(ways == 0).tolist(), *first.values()}):
        if way := int(ways[k]):
            notes.update(dict.fromkeys((*BEFORE, PLACES[way], *BEHIND), 0))
        else:
            answer = value_at(answers, k)
            others[k] = answer if isinstance(answer, UnreadError) else relations_in(answer, notes)
    for way in first.keys() - {BARE}:
        notes[PLACES[way]] += int(np.count_nonzero(ways == way))
    return ParsedAnswers(written, (ways > 0).astype(np.int8), others)


def value_at(values: pa.Array | Sequence[Any], k: int) -> Any:
    """Return a value of an array or of a sequence as a Python object."""
    value = values[k]
    return value.as_py() if isinstance(value, pa.Scalar) else value


def encoded(values: Sequence[Any]) -> pa.Array:
    """Return texts as an array; null for other values, and for texts that files cannot store."""
    texts = [value if isinstance(value, str) else None for value in values]
    try:
        return strings(texts)
    except InputError:  # half a surrogate pair
        return strings([text if text is None or _is_whole(text) else None for text in texts])


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)

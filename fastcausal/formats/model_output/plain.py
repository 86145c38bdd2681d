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

from fastcausal.arrays.arrow import is_valid, texts_of
from fastcausal.formats import _span_lines
from fastcausal.formats.model_output.brackets import PYTHON
from fastcausal.formats.model_output.shapes import NO_SPAN, Notes
from fastcausal.formats.model_output.texts import relations_in
from fastcausal.formats.reading.builder import UnreadError

_NO_SPANS = "\n".join(NO_SPAN).encode()
FENCED, PROSE, BARE = 2, 3, 4  # ways, as in csrc/readers/model_answers.hpp
PLACES = {FENCED: "answer in a fence", PROSE: "answer in prose", BARE: "answer in prose"}
MOST_REREAD = 1 << 12  # texts
THOUGHT, LITERAL = 8, 16  # added behind thinking, and for a comma behind a last item
PLACES |= {way + THOUGHT: place for way, place in PLACES.items()}
PLACES |= {way + LITERAL: place for way, place in PLACES.items()}
# Notes of an answer in other text, in their order.
BEFORE = ("answer in a string", "thinking left out")
BEHIND = ("further answer left out", "other name of a key", "further key")


class ParsedAnswers(NamedTuple):
    """Answers with their relations."""

    written: _span_lines.Written  # The answers that native code read
    plain: npt.NDArray[np.int8]  # int8[n]: 0 for all other answers
    # Relations of the other answers, by the number of the answer
    others: dict[int, list[Any] | UnreadError]


class Reread(NamedTuple):
    """The relations of an answer that may be given again, and the ways of reading it."""

    relations: list[Any] | UnreadError
    notes: Notes


def parsed(answers: pa.Array | Sequence[Any], notes: Notes) -> ParsedAnswers:
    """Read the relations of raw answers; count the ways of reading."""
    ways = np.zeros(len(answers), np.int8)
    if isinstance(answers, pa.Array):
        data, places = texts_of(answers)
        written = _span_lines.read_answers((data, places.astype(np.int64)), _NO_SPANS, ways)
        ways[~is_valid(answers)] = 0  # a null may have any bytes
    else:
        written = _span_lines.read_answers([*answers], _NO_SPANS, ways)
    if notes.own:  # native code knows the usual roles alone
        ways[:] = 0
    codes = ways.tobytes()
    first = {way: place for way in PLACES if (place := codes.find(way)) >= 0}
    others: dict[int, list[Any] | UnreadError] = {}
    again: dict[str, Reread] = {}
    # Notes keep the order in which they first occur.
    for k in sorted({*(np.flatnonzero(ways == 0).tolist() if 0 in codes else ()), *first.values()}):
        if way := codes[k]:
            literal = (PYTHON,) if way & LITERAL else ()
            names = (*BEFORE, PLACES[way], *BEHIND[:1], *literal, *BEHIND[1:])
            notes.update(dict.fromkeys(names, 0))
        else:
            others[k] = _read(value_at(answers, k), notes, again)
    for way in first:
        n = codes.count(way)
        notes[PLACES[way]] += n if way % THOUGHT != BARE else 0
        notes["thinking left out"] += n if way & THOUGHT else 0
        if way & LITERAL:
            notes[PYTHON] += n
    return ParsedAnswers(written, (ways > 0).astype(np.int8), others)


def _read(answer: Any, notes: Notes, again: dict[str, Reread]) -> list[Any] | UnreadError:
    """Read one answer, and equal texts once: models repeat short ones."""
    if isinstance(answer, UnreadError):
        return answer
    if not isinstance(answer, str):
        return relations_in(answer, notes)
    found = again.get(answer)
    if found is None:
        own = Notes()
        own.own = notes.own
        found = Reread(relations_in(answer, own), own)
        # An error within a list is raised later, and each only once: it would keep its frames.
        relations = found.relations
        is_whole = isinstance(relations, UnreadError) or UnreadError not in map(type, relations)
        if is_whole and len(again) < MOST_REREAD:
            again[answer] = found
    notes.update(found.notes)
    return found.relations


def value_at(values: pa.Array | Sequence[Any], k: int) -> Any:
    """Return a value of an array or of a sequence as a Python object."""
    value = values[k]
    return value.as_py() if isinstance(value, pa.Scalar) else value

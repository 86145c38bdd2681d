"""Sentences with marked spans, for people: on a terminal and in tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fastcausal.engine.kernel import Int32
from fastcausal.errors import InputError
from fastcausal.report.grid import Grid
from fastcausal.tasks.relations.sentences import Piece, Sentence

MAX_NUMBERS = 1 << 20  # tokens of an example without text; "length" may be any number


class Line(NamedTuple):
    """A text with its marks, and a label in front."""

    name: str
    pieces: Sequence[Piece]


class Marked(NamedTuple):
    """A displayed example: its name, a remark, and one or more lines per relation."""

    name: str
    remark: str
    lines: Sequence[Line]


def lines_of(name: str, rows: Int32 | None, sentence: Sentence) -> Iterator[Line]:
    """Yield the lines of a relation, one or more; None is no relation."""
    if rows is None:
        yield Line(name, [("none", None)])
        return
    for k, pieces in enumerate(sentence.marked(rows)):
        yield Line("" if k else name, pieces)


def numbered(n_tokens: int) -> Sentence:
    """Make a sentence of the numbers of tokens, for an example without text.

    >>> numbered(3).words(1, 3)
    '1 2'
    """
    if n_tokens > MAX_NUMBERS:
        raise InputError(
            f"an example without text has {n_tokens} tokens, expected at most {MAX_NUMBERS} to "
            "show their numbers"
        )
    stops, at = [], -1
    for k in range(n_tokens):
        at += 1 + len(str(k))
        stops.append(at)
    starts = [stop - len(str(k)) for k, stop in enumerate(stops)]
    return Sentence(" ".join(map(str, range(n_tokens))), starts, stops)


def bracketed(pieces: Iterable[Piece], roles: Sequence[str]) -> str:
    """Write marks as brackets that start with the role."""
    return "".join(text if k is None else f"[{roles[k]} {text}]" for text, k in pieces)


def grid_of(title: str, examples: Iterable[Marked], roles: Sequence[str]) -> Grid:
    """Make a table: a part per example, a row per line."""
    grid = Grid(title, ["sentence"], text=True)
    for example in examples:
        grid.part(f"{example.name}: {example.remark}")
        for line in example.lines:
            grid.add(line.name, bracketed(line.pieces, roles))
    return grid

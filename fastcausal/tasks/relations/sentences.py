"""The running text of examples, and the words of spans in it."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import Booleans, flattened, is_valid, joined, offsets, strings
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.errors import InputError
from fastcausal.formats._tokens import token_bounds
from fastcausal.formats.sentences import placed_tokens
from fastcausal.formats.span_texts import span_texts
from fastcausal.rows import Rows

GAP = " ... "  # between two spans of one role
Piece = tuple[str, int | None]
"""A part of a text, and the role marked on it."""


class Sentence(NamedTuple):
    """A text, with the start and stop of each token."""

    text: str
    starts: list[int]
    stops: list[int]

    def words(self, start: int, stop: int) -> str:
        """Return the text of tokens [start, stop).

        >>> Sentence("Heavy  rain fell", [0, 7, 12], [5, 11, 16]).words(0, 2)
        'Heavy  rain'
        """
        return self.text[self.starts[start] : self.stops[stop - 1]]

    def roles(self, rows: Int32, n_roles: int) -> list[str | None]:
        """Return the words marked for each role; None without a span."""
        words: list[list[str]] = [[] for _ in range(n_roles)]
        for role, start, stop in rows.tolist():
            words[role].append(self.words(start, stop))
        return [GAP.join(each) if each else None for each in words]

    def marked(self, rows: Int32) -> list[list[Piece]]:
        """Cut the text at the spans of a relation.

        >>> import numpy as np
        >>> sentence = Sentence("a b c", [0, 2, 4], [1, 3, 5])
        >>> sentence.marked(np.array([[0, 0, 2], [1, 1, 3]], np.int32))
        [[('a b', 0), (' c', None)], [('a ', None), ('b c', 1)]]
        """
        # Overlapping spans are marked in further lines. Every line has the whole text. Spans take
        # the first line with room, in their order.
        lines: list[list[list[int]]] = [[]]
        for row in rows.tolist():
            line = next((each for each in lines if not each or each[-1][2] <= row[1]), None)
            if line is None:
                lines.append(line := [])
            line.append(row)
        return [self._cut(line) for line in lines]

    def _cut(self, spans: list[list[int]]) -> list[Piece]:
        pieces: list[Piece] = []
        at = 0
        for role, start, stop in spans:
            begin, end = self.starts[start], self.stops[stop - 1]
            pieces += [(self.text[at:begin], None), (self.text[begin:end], role)]
            at = end
        return [piece for piece in [*pieces, (self.text[at:], None)] if piece[0]]


def words_of(examples: pa.Table, lengths: Int32, rows: Rows) -> pa.Array:
    """Return the text of each row in its sentence of `sentences_of`."""
    # Null without a sentence
    example = np.repeat(
        np.arange(rows.n_examples), np.diff(rows.row_offsets[rows.relation_offsets])
    )
    texts, is_text = _strings(examples, len(lengths))
    found, n_tokens = span_texts(texts, rows)
    fits = is_text & (n_tokens == lengths)
    if (is_text & ~fits).any():  # perhaps their tokens are letters
        by_letters, n_letters = span_texts(texts, rows, by_letters=True)
        found = pc.if_else(pa.array(fits[example]), found, by_letters)
        fits |= is_text & (n_letters == lengths)
    of_text = pc.if_else(pa.array(fits[example]), found, pa.scalar(None, found.type))
    if fits[example].all() or "tokens" not in examples.column_names:
        return of_text
    return pc.coalesce(of_text, _join_tokens(examples["tokens"], lengths, rows, example))


def _strings(examples: pa.Table, n: int) -> tuple[pa.Array, Booleans]:
    """Return the column ``text`` with empty texts for other values, and a mask of the texts."""
    if "text" not in examples.column_names:
        return strings([""] * n), np.zeros(n, bool)
    column = joined(examples["text"])
    if column.type not in (pa.string(), pa.large_string()):
        column = strings([t if isinstance(t, str) else None for t in column.to_pylist()])
    return column.fill_null(""), is_valid(column)


def _join_tokens(tokens: pa.ChunkedArray, lengths: Int32, rows: Rows, example: Int64) -> pa.Array:
    """Return the tokens of each row, joined by spaces; null if the example has no tokens."""
    column = joined(tokens)
    if column.type not in (pa.list_(pa.string()), pa.list_(pa.large_string())):
        column = pa.array(
            [_accept_tokens(each) for each in column.to_pylist()], pa.list_(pa.string())
        )
    flat, places = flattened(column)
    n_nulls = offsets(~is_valid(flat))[places]
    fits = is_valid(column) & (np.diff(places) == lengths) & (np.diff(n_nulls) == 0)
    fits = fits[example]
    starts, stops = (rows.values[:, k] + places[example] for k in (1, 2))
    ends = offsets(np.where(fits, stops - starts, 0))
    taken = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], np.diff(ends))
    words = pc.take(flat.cast(pa.large_string()), pa.array(taken))
    lists = pa.LargeListArray.from_arrays(pa.array(ends), words, mask=pa.array(~fits))
    return pc.binary_join(lists, pa.scalar(" ", pa.large_string()))


def _accept_tokens(tokens: Any) -> list[str] | None:
    is_list = isinstance(tokens, list) and all(isinstance(token, str) for token in tokens)
    return tokens if is_list else None


def sentences_of(examples: pa.Table, lengths: Int32) -> list[Sentence | None]:
    """Return the text of each example: ``text``, else its ``tokens`` joined by spaces.

    None if both are missing, or if the number of tokens differs from the example's.
    """
    unknown = [None] * len(lengths)
    texts, tokens = (
        examples[name].to_pylist() if name in examples.column_names else unknown
        for name in ("text", "tokens")
    )
    return [
        _sentence(text, words, length)
        for text, words, length in zip(texts, tokens, lengths.tolist(), strict=True)
    ]


def _sentence(text: Any, tokens: Any, length: int) -> Sentence | None:
    are_tokens = _accept_tokens(tokens) is not None and len(tokens) == length
    if isinstance(text, str):
        if are_tokens:
            try:
                return Sentence(text, *placed_tokens(text, tokens))
            except InputError:  # tokens of another form, as of a tokenizer of sub-words
                pass
        # Letters that are tokens are as many as words only if they are the words.
        for by_letters in (False, True):
            starts, stops = token_bounds(text, by_letters)
            if len(starts) == length:
                return Sentence(text, list(starts), list(stops))
    if not are_tokens:
        return None
    stops = [n - 1 for n in accumulate(len(token) + 1 for token in tokens)]
    starts = [stop - len(token) for stop, token in zip(stops, tokens, strict=True)]
    return Sentence(" ".join(tokens), starts, stops)

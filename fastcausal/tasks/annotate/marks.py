"""Pieces of a text with marks: spans of reference and model, and words absent from the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import groupby

from fastcausal.formats._tokens import is_of_letters, token_bounds
from fastcausal.tasks.words import words

REFERENCE, MODEL, ABSENT = 1, 2, 4
_WORD = re.compile(r"\w+")
Piece = tuple[str, int]
Stretch = tuple[int, int]


def marked_source(
    source: str,
    reference: Iterable[str],  # spans of all roles
    model: Iterable[str],  # spans of all roles
) -> list[Piece]:
    """Mark the words of reference and model spans in a source."""
    # Pieces have the sum of their marks. A span found in the source is marked at each occurrence;
    # for any other, its words are marked in the order of the source.
    flags = bytearray(len(source))
    for spans, mark in ((reference, REFERENCE), (model, MODEL)):
        for span in spans:
            for start, stop in _stretches(source, span):
                for k in range(start, stop):
                    flags[k] |= mark
    return _pieces(source, flags)


def marked_span(span: str, source_words: set[str]) -> list[Piece]:
    """Mark the parts of a span with words absent from the source.

    >>> marked_span("the heavy hail", {"heavy", "rain"})
    [('the heavy ', 0), ('hail', 4)]
    """
    flags = bytearray(len(span))
    for start, stop in zip(*token_bounds(span, by_letters=True), strict=True):
        if not source_words.issuperset(words(span[start:stop])):
            flags[start:stop] = bytes([ABSENT]) * (stop - start)
    return _pieces(span, flags)


def words_by_letters(text: str) -> set[str]:
    """Return the words of a text for comparison; letters of scripts without blanks are words.

    >>> sorted(words_by_letters("The rain, 大雨"))
    ['rain', '大', '雨']
    """
    bounds = zip(*token_bounds(text, by_letters=True), strict=True)
    return {word for start, stop in bounds for word in words(text[start:stop])}


def _stretches(source: str, span: str) -> list[Stretch]:
    """Return the places of a span's words in a source."""
    pattern = r"\s+".join(re.escape(token) for token in span.split())
    if not pattern:
        return []
    # A letter of a script without blanks is a word: its neighbours may be letters.
    before, behind = (
        "" if is_of_letters(2 * letter) else bound
        for letter, bound in ((span.strip()[0], r"(?<!\w)"), (span.strip()[-1], r"(?!\w)"))
    )
    same = re.finditer(rf"{before}{pattern}{behind}", source, re.IGNORECASE)
    return [match.span() for match in same] or list(_find_stretches(source, span))


def _find_stretches(source: str, span: str) -> Iterator[Stretch]:
    """Yield the stretches of a source that share words with the span, in one order."""
    placed, sought = _placed_words(source), _placed_words(span)
    ours, theirs = (
        [text[a:b].lower() for a, b in at] for text, at in ((source, placed), (span, sought))
    )
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for first, _, size in matcher.get_matching_blocks():
        if size:
            yield placed[first][0], placed[first + size - 1][1]


def _placed_words(text: str) -> list[Stretch]:
    """Return the places of words, without punctuation."""
    tokens = zip(*token_bounds(text, by_letters=True), strict=True)
    return [word.span() for token in tokens for word in _WORD.finditer(text, *token)]


def _pieces(text: str, flags: bytearray) -> list[Piece]:
    """Cut a text at every change of its marks."""
    cuts = groupby(range(len(text)), flags.__getitem__)
    return [(text[(inside := [*run])[0] : inside[-1] + 1], mark) for mark, run in cuts]

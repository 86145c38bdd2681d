"""Pieces of a text with marks: spans of reference and model, and words absent from the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import groupby

from fastcausal.tasks.words import words

REFERENCE, MODEL, ABSENT = 1, 2, 4
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
    for token in re.finditer(r"\S+", span):
        if not source_words.issuperset(words(token[0])):
            flags[slice(*token.span())] = bytes([ABSENT]) * len(token[0])
    return _pieces(span, flags)


def _stretches(source: str, span: str) -> list[Stretch]:
    """Return the places of a span's words in a source."""
    pattern = r"\s+".join(re.escape(token) for token in span.split())
    if not pattern:
        return []
    same = re.finditer(rf"(?<!\w){pattern}(?!\w)", source, re.IGNORECASE)
    return [match.span() for match in same] or list(_find_stretches(source, span))


def _find_stretches(source: str, span: str) -> Iterator[Stretch]:
    """Yield the stretches of a source that share words with the span, in one order."""
    placed = [*re.finditer(r"\w+", source)]
    its_words = [word.lower() for word in re.findall(r"\w+", span)]
    matcher = SequenceMatcher(None, [word[0].lower() for word in placed], its_words, autojunk=False)
    for first, _, size in matcher.get_matching_blocks():
        if size:
            yield placed[first].start(), placed[first + size - 1].end()


def _pieces(text: str, flags: bytearray) -> list[Piece]:
    """Cut a text at every change of its marks."""
    cuts = groupby(range(len(text)), flags.__getitem__)
    return [(text[(inside := [*run])[0] : inside[-1] + 1], mark) for mark, run in cuts]

"""Sentences of a document: marks become examples sentence by sentence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from fastcausal.errors import InputError
from fastcausal.formats.cnc.markup import TOKEN, count_tokens
from fastcausal.formats.sentences import WHITE, SearchedSentence
from fastcausal.formats.words import BLANK, WordCutter

CharRange = tuple[int, int]
"""(start, stop) in characters, stop exclusive."""


class Passage(SearchedSentence):
    """A sentence within a document, and a future example."""

    def __init__(
        self,
        number: int,  # Its place among the sentences of the document, from 1
        offset: int,  # The start of its text in the document
        text: str,
        # In characters of the document; by default the rule cuts the text
        tokens: Sequence[CharRange] | None = None,
        rule: WordCutter = BLANK,
    ) -> None:
        own = rule if tokens is None else BLANK
        super().__init__(text, own.by_letters, own.tokens_of(text))
        self.rule = own
        self.number = number
        self.offset = offset
        self.end: int = offset + len(text)
        if tokens is not None:
            self.are_given = True
            self.starts: list[int] = [start - offset for start, _ in tokens]
            self.stops: list[int] = [stop - offset for _, stop in tokens]

    @property
    def tokenised(self) -> str | None:
        """A text with tokens separated by white space: its own, or else its joined tokens."""
        # None if a token contains white space. Letters that are tokens need no blanks.
        if self.rule.by_letters:
            return self.text
        words = [self.text[a:b] for a, b in zip(self.starts, self.stops, strict=True)]
        if TOKEN.findall(self.text) == words:
            return self.text
        joined = " ".join(words)
        return joined if count_tokens(joined) == len(words) else None


def passages(
    text: str,
    sentences: Iterable[CharRange],
    tokens: Iterable[CharRange] | None = None,
    rule: WordCutter = BLANK,  # Cuts texts without given tokens
    file: str = "",  # Its name in messages
) -> list[Passage]:
    """Return the non-blank sentences of a document, numbered from 1 in their order."""
    # A token belongs to the sentence around it.
    ordered = _apart("sentences", sentences)
    words = None if tokens is None else _apart("tokens", (t for t in tokens if t[0] < t[1]))
    starts = [start for start, _ in words or ()]
    numbered = []
    for number, (start, stop) in enumerate(ordered, 1):
        inside = None
        if words is not None:
            first, last = bisect_right(starts, start - 1), bisect_right(starts, stop - 1)
            inside = [token for token in words[first:last] if token[1] <= stop]
        if text[start:stop].strip(WHITE):
            try:
                numbered.append(Passage(number, start, text[start:stop], inside, rule))
            except InputError as error:  # words of a tokenizer
                raise InputError(f"{file}: sentence {number}: {error}") from error
    return numbered


def lines_of(text: str) -> Iterator[CharRange]:
    """Yield the lines of a text, without line ends."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line.removesuffix("\r"))
        start += len(line) + 1


def _apart(what: str, bounds: Iterable[CharRange]) -> list[CharRange]:
    ordered = sorted(bounds)
    for (_, stop), (start, _) in pairwise(ordered):
        if start < stop:
            raise InputError(f"two {what} overlap at character {start}")
    return ordered

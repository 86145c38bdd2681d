"""Search for span texts in a sentence."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import NamedTuple

from fastcausal.errors import InputError, Remedy
from fastcausal.files.values import shown
from fastcausal.formats._tokens import is_of_letters, occurrences, token_bounds
from fastcausal.formats.reading.builder import UnreadError

WHITE = " \t\n\r\x0b\x0c"
AMBIGUOUS = "ambiguous span"
CUT = "span cut a token"
OTHER_SIGNS = "span with other quotes or dashes"
OTHER_ENDS = "span with other punctuation around it"
IN_PIECES = "span in pieces around an ellipsis"
# One form for variants of quotes, dashes and the ellipsis. Tokenizers double the double quote.
SIGNS = dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032`\u00b4"), "'")
SIGNS |= dict.fromkeys(map(ord, '"\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb'), "''")
SIGNS |= dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
SIGNS |= {ord("\u2026"): "..."}
_DASHES = re.compile("--+")
MAX_SIGNS = 4  # around a text: up to 4 are dropped one by one, more of them all at once
_ENDS = WHITE + ".,;:!?-'()[]{}" + "".join(map(chr, SIGNS))
_ELLIPSIS = re.compile(r"\.{3,}|\u2026")
_INK = re.compile(r"\S")
_QUOTES = {"``": '"', "''": '"'}  # as tokenizers of the Penn Treebank write them
MAX_SHOWN = 40  # characters of a text in messages
TO_LETTERS = Remedy("words", ("letters",), "makes each letter of such scripts a token")
CharRange = tuple[int, int]
"""Characters [start, stop)."""
Fold = Callable[[str], str]


class CutLettersError(InputError):
    """A span cuts a token with letters of a script without blanks."""

    # Widened to the token, spans of such a text would all be equal.

    def __init__(self, span: str, token: str, is_given: bool = False) -> None:
        given = "given token" if is_given else "token"
        super().__init__(
            f"span {shown(span)} cuts the {given} {shown(token)}, expected spans of whole tokens",
            None if is_given else TO_LETTERS,
        )


class Found(NamedTuple):
    """The place of a span text: characters [start, stop)."""

    start: int
    stop: int
    again: bool  # True if the text occurs elsewhere, too
    way: str = ""  # A note on mapped or dropped characters; empty for an exact match


class SearchedSentence:
    """A text in which spans are searched, in characters and in tokens."""

    def __init__(
        self,
        text: str,
        by_letters: bool = False,  # True makes letters of scripts without blanks tokens
        tokens: Sequence[str] | None = None,  # The tokens, in place of others
    ) -> None:
        self.text = text
        self.are_given: bool = tokens is not None
        self.starts: list[int]
        self.stops: list[int]
        self.starts, self.stops = (
            token_bounds(text, by_letters) if tokens is None else placed_tokens(text, tokens)
        )

    def locate(
        self,
        # Searched exactly, then regardless of case and white space; occurrences of whole tokens
        # come first. Then the same with one form of quotes and dashes, then without punctuation
        # around the text.
        wanted: str,
        # Among several occurrences, take the one that reaches least beyond one of these places; in
        # a tie, or without places, the first
        near: Sequence[CharRange] = (),
        taken: Collection[CharRange] = (),  # Places to use only if there is no other
        after: int = 0,  # The earliest start of the span
    ) -> Found:
        """Find the characters of a span text; raise UnreadError if it does not occur."""
        wanted = wanted.strip(WHITE)
        if fold_signs(wanted.strip(_ENDS) or wanted) not in self._loosest:  # as none of the forms
            raise UnreadError(f"{shown(wanted)} is not in the text", wanted)
        ends = ((OTHER_ENDS, text, (None, _loose, fold_signs)) for text in _inner(wanted))
        whole = ("", wanted, (None, _loose)), (OTHER_SIGNS, wanted, (fold_signs,))
        for way, text, folds in chain(whole, ends):
            places = self._places(text, folds, after)
            if places:
                return Found(*_chosen(places, near, taken), len(places) > 1, way)
        raise UnreadError(f"{shown(wanted)} is not in the text", wanted)

    def pieces(
        self, wanted: str, near: Sequence[CharRange] = (), taken: Collection[CharRange] = ()
    ) -> list[Found]:
        """Find a span text, or its pieces around an ellipsis; see `locate`."""
        try:
            return [self.locate(wanted, near, taken)]
        except UnreadError:
            texts = [piece for piece in _ELLIPSIS.split(wanted) if piece.strip(_ENDS)]
            if len(texts) < 2:
                raise
            placed = [Found(0, 0, False)]
            for text in texts:
                placed.append(self.locate(text, near, taken, placed[-1].stop))
            return [place._replace(way=IN_PIECES) for place in placed[1:]]

    def tokens(self, start: int, stop: int) -> tuple[int, int, bool]:
        """Return the tokens that characters [start, stop) touch, and True if one is cut."""
        first = bisect_right(self.stops, start)
        last = bisect_left(self.starts, stop)
        if first >= last:
            raise UnreadError(f"characters {start} to {stop} mark no token")
        cut = self.starts[first] < start, stop < self.stops[last - 1]
        for is_cut, token in zip(cut, (first, last - 1), strict=True):
            if is_cut and is_of_letters(word := self.text[self.starts[token] : self.stops[token]]):
                raise CutLettersError(self.text[start:stop], word, self.are_given)
        return first, last, any(cut)

    def _places(self, text: str, folds: Sequence[Fold | None], after: int) -> list[CharRange]:
        """Find a text in the first form of the sentence that contains it, if possible as tokens."""
        cut: list[CharRange] = []
        for fold in folds:
            letters = self._letters(fold)
            places = [place for place in letters.places(text) if place[0] >= after]
            if whole := [place for place in places if self._is_whole(place)]:
                return whole
            cut = cut or places
        return cut

    def _is_whole(self, place: CharRange) -> bool:
        start, stop = place
        bounds = self._bounds
        return start in bounds[0] and stop in bounds[1]

    @cached_property
    def _bounds(self) -> tuple[frozenset[int], frozenset[int]]:
        return frozenset(self.starts), frozenset(self.stops)

    @cached_property
    def _loosest(self) -> str:
        return fold_signs(self.text)

    def _letters(self, fold: Fold | None) -> Letters:
        if fold not in self._forms:
            self._forms[fold] = Letters.fold_text(self.text, fold)
        return self._forms[fold]

    @cached_property
    def _forms(self) -> dict[Fold | None, Letters]:
        return {}


def placed_tokens(text: str, tokens: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the starts and the stops of tokens in their text, in order, with blanks between.

    >>> placed_tokens("New York rose.", ["New York", "rose", "."])
    ([0, 9, 13], [8, 13, 14])
    """
    starts: list[int] = []
    stops: list[int] = []
    at = 0
    for number, token in enumerate((*tokens, ""), 1):
        ink = _INK.search(text, at)
        place = ink.start() if ink else len(text)
        if number > len(tokens) and ink is None:
            break
        forms = token.strip(), _QUOTES.get(token, "")
        form = next((form for form in forms if form and text.startswith(form, place)), None)
        if form is None:
            named = shown(token) if number <= len(tokens) else "missing"
            rest = shown(text[place : place + MAX_SHOWN]) if ink else "at its end"
            raise InputError(f'token {number} of "tokens" is {named}, but "text" goes on {rest}')
        starts.append(place)
        at = place + len(form)
        stops.append(at)
    return starts, stops


@dataclass(frozen=True)
class Letters:
    """The compared letters of a text."""

    text: str
    # Start and stop of each letter in the sentence
    starts: Sequence[int]
    stops: Sequence[int]
    fold: Fold | None  # The mapping of letters

    @classmethod
    def fold_text(cls, text: str, fold: Fold | None) -> Letters:
        """Fold the letters of a text one by one; each may become several, or none."""
        if fold is None:
            return cls(text, range(len(text)), range(1, len(text) + 1), None)
        letters: list[str] = []
        starts: list[int] = []
        stops: list[int] = []
        for k, folded in enumerate(map(partial(_fold_letter, fold), text)):
            for letter in folded:
                if letter == "-" and fold is fold_signs and letters[-1:] == ["-"]:
                    stops[-1] = k + 1  # several dashes are one
                    continue
                letters.append(letter)
                starts.append(k)
                stops.append(k + 1)
        return cls("".join(letters), starts, stops, fold)

    def places(self, wanted: str) -> list[CharRange]:
        """Return the places of a text in the sentence, in characters, in order."""
        wanted = wanted if self.fold is None else self.fold(wanted)
        n = len(wanted) - 1
        return [(self.starts[k], self.stops[k + n]) for k in occurrences(self.text, wanted)]


def _inner(text: str) -> Iterator[str]:
    """Yield a text with ever less punctuation: without quotes, then end signs, then all."""
    inner = text.strip(_ENDS)
    if not inner:
        return
    for _ in range(MAX_SIGNS):
        quoted = ord(text[0]) in SIGNS and ord(text[-1]) in SIGNS
        if text[-1] not in _ENDS:
            break
        text = text[quoted:-1].strip(WHITE)
        yield text
    yield inner


def fold_signs(text: str) -> str:
    """Return a text without case and white space, with one form of quotes and single dashes."""
    return _DASHES.sub("-", _loose(text.translate(SIGNS)))


def _loose(text: str) -> str:
    return "".join(text.casefold().split())


@lru_cache(1 << 12)
def _fold_letter(fold: Fold, letter: str) -> str:
    return fold(letter)


def _chosen(
    places: Sequence[CharRange], near: Sequence[CharRange], taken: Collection[CharRange]
) -> CharRange:
    """Choose one of several occurrences, see `SearchedSentence.locate`."""
    free = [place for place in places if place not in taken] or places
    return min(free, key=lambda place: min((_reach(place, gap) for gap in near), default=0))


def _reach(place: CharRange, gap: CharRange) -> int:
    """Return the number of characters of a place outside a gap."""
    return max(gap[0] - place[0], place[1] - gap[1], 0)

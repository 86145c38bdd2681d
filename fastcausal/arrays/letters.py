"""Python's properties of letters, for native code."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.arrays import _objects

Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]
PLANE = 0x10000  # code points up to three bytes of UTF-8: the letters of nearly all texts
ALL = 0x110000  # all code points
SIZES = ((0x80, 0x80), (0xE0, 0x800), (0xE3, 0x3000))  # first byte, number of lower code points
BEYOND = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")  # four bytes of UTF-8
SIGMA = "\u03a3"  # its lower case differs at the end of a word
OTHER, LETTER, BLANK, DELETED, ALONE, MARK = range(6)  # as in csrc/text/words.hpp
SCRIPT_LETTER, SCRIPT_MARK = 1, 2  # as in csrc/text/scripts.hpp
DIGIT, SPACE, ALNUM = 1, 2, 4  # as in csrc/text/letters.hpp


def kinds_of(data: Any) -> Int8:
    """Return Python's properties of letters by code point: the bits `DIGIT`, `SPACE`, `ALNUM`.

    >>> kinds_of(b"a")[[ord("a"), ord("5"), ord(" ")]].tolist() == [
    ...     ALNUM, DIGIT + ALNUM, SPACE]
    True
    """
    # The table reaches as far as the letters of the text, which is UTF-8 in any buffer. Beyond
    # `PLANE` it has only letters of the text.
    most = int(np.frombuffer(data, np.uint8).max(initial=0))
    if most < 0xF0:
        return _kinds_below(_size(most))
    kinds = np.zeros(ALL, np.int8)
    kinds[:PLANE] = _kinds_below(PLANE)
    for letter in _letters_beyond(data):
        kinds[ord(letter)] = _kind(letter)
    return kinds


@cache
def _kinds_below(size: int) -> Int8:
    return np.array([_kind(chr(code)) for code in range(size)], np.int8)


def _kind(letter: str) -> int:
    is_word = letter.isalnum() or letter == "_"
    return DIGIT * letter.isdecimal() + SPACE * letter.isspace() + ALNUM * is_word


def letters_of_words(*texts: tuple[Any, Any], by_letters: bool = False) -> tuple[Int32, Int8]:
    r"""Return the lower case of letters by code point, and its class: `OTHER` to `MARK`.

    >>> lower, parts = letters_of_words(("Aß\u03a3\u0130,".encode(), [0, 8]))
    >>> [int(lower[ord(letter)]) for letter in "Aß\u03a3\u0130"], parts[ord(",")].item() == DELETED
    ([97, 223, -1, -1], True)
    """
    # The lower case is -1 if it depends on other letters or has several letters. Texts are UTF-8
    # with offsets; the first and the last offset bound the text. Letters that no text has may be
    # missing. By letters, those of scripts without blanks are words (`ALONE`).
    used = [np.frombuffer(data, np.uint8)[places[0] : places[-1]] for data, places in texts]
    most = max(int(text.max(initial=0)) for text in used)
    if most < 0xF0:
        return _letters_below(_size(most), by_letters)
    lower, parts = np.full(ALL, -1, np.int32), np.zeros(ALL, np.int8)
    lower[:PLANE], parts[:PLANE] = _letters_below(PLANE, by_letters)
    for letter in chain.from_iterable(map(_letters_beyond, used)):
        lower[ord(letter)], parts[ord(letter)] = _lower(letter)
    if by_letters:
        _mark_scripts(parts[PLANE:], _script_kinds()[PLANE:])
    return lower, parts


@cache
def _letters_below(size: int, by_letters: bool) -> tuple[Int32, Int8]:
    lower, parts = zip(*(_lower(chr(code)) for code in range(size)), strict=True)
    kinds = np.array(parts, np.int8)
    if by_letters:
        _mark_scripts(kinds, _script_kinds()[:size])
    return np.array(lower, np.int32), kinds


@cache
def _script_kinds() -> Int8:
    return np.frombuffer(_objects.script_kinds(ALL), np.int8)


def _mark_scripts(parts: Int8, kinds: Int8) -> None:
    """Set the letters of scripts without blanks, and marks, in place."""
    parts[kinds == SCRIPT_LETTER] = ALONE
    parts[kinds == SCRIPT_MARK] = MARK


def _lower(letter: str) -> tuple[int, int]:
    small = letter.lower()
    return (-1, OTHER) if len(small) > 1 or letter == SIGMA else (ord(small), _part(small))


def _part(letter: str) -> int:
    if letter in string.punctuation:
        return DELETED
    return BLANK if letter.isspace() else LETTER if letter.isalnum() else OTHER


def _size(most: int) -> int:
    """Return the size of a table for letters whose UTF-8 has no byte above ``most``, below 0xF0."""
    return next((size for byte, size in SIZES if most < byte), PLANE)


def _letters_beyond(data: Any) -> Iterator[str]:
    """Yield the different letters of a text from `PLANE` on."""
    for encoded in set(BEYOND.findall(data)):
        yield from encoded.decode(errors="ignore")

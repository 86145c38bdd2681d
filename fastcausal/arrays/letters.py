"""Python's properties of letters, for native code."""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from unicodedata import category

import numpy as np
import numpy.typing as npt

PLANE = 0x10000  # code points of letters in use
BEYOND = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
WORD, DIGIT, SPACE, UPPER, LOWER, ALNUM = 1, 2, 4, 8, 16, 32  # as in csrc/letters.hpp


def kinds_of(data: Any) -> npt.NDArray[np.int8]:
    """Return Python's properties of the first code points, enough for the letters of a text.

    The text is UTF-8, in anything with the buffer protocol.

    Examples
    --------
    >>> kinds_of(b"a")[[ord("a"), ord("5"), ord(" ")]].tolist() == [
    ...     WORD + LOWER + ALNUM, WORD + DIGIT + ALNUM, SPACE]
    True
    """
    most = int(np.frombuffer(data, np.uint8).max(initial=0))
    if most < 0xF0:
        return _kinds_below(0x80 if most < 0x80 else 0x800 if most < 0xE0 else PLANE)
    kinds = np.zeros(0x110000, np.int8)
    kinds[:PLANE] = _kinds_below(PLANE)
    for encoded in set(BEYOND.findall(data)):
        for letter in encoded.decode(errors="ignore"):
            kinds[ord(letter)] = _kind(letter)
    return kinds


@cache
def _kinds_below(size: int) -> npt.NDArray[np.int8]:
    return np.array([_kind(chr(code)) for code in range(size)], np.int8)


def _kind(letter: str) -> int:
    is_word = letter.isalnum() or letter == "_"
    return (
        WORD * (is_word and category(letter) != "No")
        + DIGIT * letter.isdecimal()
        + SPACE * letter.isspace()
        + UPPER * letter.isupper()
        + LOWER * letter.islower()
        + ALNUM * is_word
    )

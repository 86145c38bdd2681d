"""The reader of an answer as a letter, yes or no, or a score.

`fastcausal.tasks.crab.parse` has the rules; `words.py` reads answers in everyday words.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from fastcausal.tasks.classification.choices.words import find_value

READ, MISSING, UNREADABLE, OUT_OF_RANGE = range(4)
TAG = re.compile(r"<(/?)answer>", re.ASCII | re.IGNORECASE)
# Possessive quantifiers (*+) keep the time in proportion to the text.
SCORE = re.compile(
    r"([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*+(?:%|/\s*+100)?\s*+\.?"
)
LETTERS = r"0-9A-Z_a-z\u00c0-\u1fff"  # of a word
WORD = re.compile(rf"[{LETTERS}]+")
YES_NO = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
FRACTION = re.compile(r"[.,][0-9]")
OR = re.compile(rf"[\s\"'*`)\]\u2018-\u201f]*+(?:/|[oO][rR](?![{LETTERS}]))")


def read_text(text: str, kind: str, last: str = "D") -> tuple[float, int]:
    """Return the value of an answer and the reason, `READ` or another.

    >>> read_text("<Answer>B</Answer>", "letter"), read_text("E.", "letter", "E")
    ((1.0, 0), (4.0, 0))
    >>> read_text("yes or no", "binary")
    (nan, 2)
    """
    # Letters count from 0 for A to the last one; 1 is yes, 0 is no. The value is NaN if unread.
    said = text.strip()
    if not said:
        return math.nan, MISSING
    value = None
    if (inside := _find_answer(said)) is not None:
        value = _read_letter(inside, last) if kind == "letter" else READERS[kind](inside)
    if value is None:
        value = find_value(text, kind, last)
    if value is None:
        return math.nan, UNREADABLE
    return (value, READ) if kind != "score" or 0 <= value <= 100 else (math.nan, OUT_OF_RANGE)


def _find_answer(text: str) -> str | None:
    """Return the content of the last closed tag, the text without tags, None if none is closed."""
    closing = None
    tags = [*TAG.finditer(text)]
    for tag in reversed(tags):
        if tag[1]:
            closing = tag.start()
        elif closing is not None:
            return text[tag.end() : closing].strip()
    return None if any(not tag[1] for tag in tags) else text


def _read_score(text: str) -> float | None:
    score = SCORE.fullmatch(text)
    return float(score[1]) if score else None


def _read_yes_no(text: str) -> float | None:
    word = WORD.search(text)
    value = YES_NO.get(word[0].lower()) if word else None
    if word is None or value is None or OR.match(text, word.end()):
        return None
    before = text[word.start() - 1 : word.start()]
    is_part = before in ("+", "-", ".", ",") or FRACTION.match(text, word.end())
    return None if is_part and word[0] in "01" else value


def _read_letter(text: str, last: str) -> float | None:
    choice, named = _letter_patterns(last)
    first = choice.match(text)
    if first is None:
        return None
    letter = (first[1] or first[2] or first[3]).upper()
    if any(other[0].upper() != letter for other in named.finditer(text, first.end())):
        return None
    return float(ord(letter) - ord("A"))


@lru_cache
def _letter_patterns(last: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the pattern of the letter at the start, and of a letter named as a choice."""
    letter = f"[A-{last}a-{last.lower()}]"
    # In A.B. the first full stop belongs to the answer; in U.S.A. it does not.
    own_word = rf"(?:(?<![{LETTERS}.])|(?<=\A..)(?<=\.))"
    return (
        re.compile(rf"\[({letter})\]|\(({letter})\)|({letter})(?:[.:)]|\Z)"),
        re.compile(
            rf"(?<=\[){letter}(?=\])|(?<=\(){letter}(?=\))|{own_word}{letter}(?=[.:)](?:\s|\Z))"
        ),
    )


READERS = {"score": _read_score, "binary": _read_yes_no}

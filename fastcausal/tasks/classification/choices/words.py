"""Answers in everyday words: ``Causality score: 45``, ``I would say **45** out of 100``, ``**B**``.

The value is after a label, in bold, or before "out of 100". If a text has several such values, they
must be equal. A range, a choice of two, another scale and long texts are not read.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST = 10_000  # characters
_MARKS = ("**", ":", "=", " is ", "100")  # every such answer has one of these, or begins so:
_NAMED = r"\W{0,4}(?i:option|choice|answer)\s"
_BEGINS = re.compile(rf"{_NAMED}|[\"'`“\u2018]")
_TAG = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.IGNORECASE | re.DOTALL | re.ASCII)
_LABEL = (
    r"(?i:\b(?:answer|choice|option|class|label|verdict|rating|score|causality|judge?ment|estimate)"
    r"(?: is)?[*_`\"]{0,3}\s?[:=][*_`\"]{0,3}\s{0,2}"
    r"|\b(?:answer|choice|rating|score|estimate) is )[*_`\"(\[]{0,4}"
)
_OPEN, _CLOSE = r"\*\*[(\[\"]?", r"[)\]\"]?[.:]?\*\*"
_NUMBER = r"(?<![\w.,/-])([0-9]{1,3}(?:\.[0-9]{1,9})?)(?![0-9]|[.,][0-9])"
_OF_100 = r"\s?(?:/\s?100\b|out of (?:a )?100\b)"
_ALONE = r"(?!\s(?!out of|because|since|as\b|points?)[a-z])"  # not 45 people
_WORD = r"((?i:yes|no|true|false))(?![\w'’-])"
_BEHIND = r"(?=[*_`)\]\"]{0,4}(?:[.:]\s|[.:]?\s*\Z))"  # of a letter at the start
_SAID = {
    kind: tuple(map(re.compile, said))
    for kind, said in {
        "score": (
            rf"{_LABEL}{_NUMBER}{_ALONE}",
            rf"\*\*{_NUMBER}(?:%|{_OF_100})?[.]?\*\*",
            rf"{_NUMBER}\*{{0,2}}{_OF_100}",
        ),
        "binary": (rf"{_LABEL}{_WORD}", rf"{_OPEN}{_WORD}(?:{_CLOSE}|[,.:]\s)"),
    }.items()
}
_CLOSED = r"[*_`\")\]%]{0,4}\s?"
_OTHER = {
    "score": re.compile(
        rf"{_CLOSED}(?:(?:-|–|to\b|or\b|and\b)\s?[*]{{0,2}}[0-9]|(?:/|out of)\s?(?!100\b)[0-9])"
    ),
    "binary": re.compile(rf"{_CLOSED}(?:or\b|and\b|/)", re.IGNORECASE),
}
_FROM = re.compile(r"[0-9]\s?(?:-|–|to|or|and)\s?\*{0,2}\Z")  # the start of a range
_ARTICLE = re.compile(r" [a-z]")  # A strong link, I think
_YES = ("yes", "true")


@lru_cache
def _letters(last: str) -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    """Compile the patterns of letters from A to the last one, and of another letter behind one."""
    letter = rf"([A-{last}])(?![\w'’])"
    said = (
        rf"{_LABEL}{letter}",
        rf"{_OPEN}{letter}(?:{_CLOSE}|[.:)]\s)",
        rf"\A[\"'`“\u2018]{{1,2}}([A-{last}])[\"'`”’]{{1,2}}[.:]?\s*\Z",
        rf"\A{_NAMED}[*_`\"(\[]{{0,4}}{letter}{_BEHIND}",
    )
    other = rf"{_CLOSED}(?:or\b|and\b|/|,|&)\s?[*(\[]{{0,3}}[A-{last}]\b"
    return tuple(map(re.compile, said)), re.compile(other)


def find_value(text: str, kind: str, last: str = "D") -> float | None:
    """Return the only value in a text, or None."""
    # A score; 0 for A and so on; 1 for yes, 0 for no
    if len(text) > LONGEST or not (any(mark in text for mark in _MARKS) or _BEGINS.match(text)):
        return None
    closed = _TAG.findall(text)
    if not closed and "<answer>" in text.lower():
        return None
    text = closed[-1] if closed else text
    patterns, other = _letters(last) if kind == "letter" else (_SAID[kind], _OTHER[kind])
    found: set[float] = set()
    for match in (match for said in patterns for match in said.finditer(text)):
        before, end = text[max(match.start(1) - 12, 0) : match.start(1)], match.end(1)
        if other.match(text, end) or (kind == "score" and _FROM.search(before)):
            return None
        if match[1] in ("A", "I") and _ARTICLE.match(text, end):
            return None
        found.add(_value(match[1], kind))
    return found.pop() if len(found) == 1 else None


def _value(said: str, kind: str) -> float:
    if kind == "letter":
        return float(ord(said) - ord("A"))
    return float(said) if kind == "score" else float(said.lower() in _YES)


def match_pattern(text: str, pattern: re.Pattern[str]) -> str:
    """Return the text in the group of a pattern; empty without a match, or if matches differ."""
    found = {match[1] for match in pattern.finditer(text) if match[1] is not None}
    return found.pop() if len(found) == 1 else ""


@lru_cache
def pattern_of(text: str) -> re.Pattern[str]:
    r"""Compile a pattern with one group.

    >>> match_pattern("Final: 45. Final: 45.", pattern_of(r"Final: (\d+)"))
    '45'
    """
    # ValueError if it is invalid, or has not exactly one group.
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise ValueError(f"pattern {text!r} is no regular expression: {error}") from None
    if pattern.groups != 1:
        raise ValueError(f"pattern {text!r} has {pattern.groups} groups, expected one")
    return pattern

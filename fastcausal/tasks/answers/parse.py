"""Causes, effects and relation of one text, as the two protocols read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_BRACKETS = re.compile(r"\[(cause|effect|relation)\]", re.IGNORECASE | re.ASCII)
_LINES = re.compile(r"^[ \t]*(cause|effect|relation):", re.IGNORECASE | re.ASCII | re.MULTILINE)
_QUOTES = re.compile('"{2,}')
_FCR = re.compile(r"\[Cause\](.*?)\[Relation\](.*?)\[Effect\](.*?)$")


class Parsed(NamedTuple):
    """Causes, effects and relation of an answer or a reference."""

    cause: tuple[str, ...]
    effect: tuple[str, ...]
    relation: str | None


def parse_guide(text: str) -> Parsed | None:
    r"""Read a text with marked parts, or return None.

    >>> parse_guide("So: [effect] floods | the mud [cause] heavy  rain")
    Parsed(cause=('heavy rain',), effect=('floods', 'the mud'), relation=None)
    >>> parse_guide("Cause: rain\nRelation: Enable\nEffect:")
    Parsed(cause=('rain',), effect=(), relation='enable')
    >>> parse_guide("[Cause] rain [Cause] hail [Effect] floods")
    """
    # Marks are ``[Cause]``, ``[Effect]`` and ``[Relation]``; in a text without these, ``Cause:``,
    # ``Effect:`` and ``Relation:`` at the start of a line. They may be in any order and letter
    # case, each at most once. Cause and effect are required. ``|`` separates spans.
    marks = [*_BRACKETS.finditer(text)] or [*_LINES.finditer(text)]
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    parts = {m[1].lower(): text[m.end() : end] for m, end in zip(marks, ends, strict=False)}
    if len(parts) < len(marks) or not {"cause", "effect"} <= parts.keys():
        return None
    relation = _guide_relation(parts.get("relation", ""))
    return Parsed(_spans(parts["cause"]), _spans(parts["effect"]), relation)


def parse_fcr(text: str) -> Parsed | None:
    """Read a text as the published program does, with marks in this order and letter case.

    >>> parse_fcr("[Cause] b | a [Relation] Cause [Effect] c")
    Parsed(cause=('b', 'a'), effect=('c',), relation='cause')
    >>> parse_fcr("[cause] b [relation] cause [effect] c")
    """
    # Spans stay in the order of the text; the program sorts them before comparing words.
    match = _FCR.search(_QUOTES.sub('"', text))
    if match is None:
        return None
    cause, relation, effect = match.groups()
    return Parsed(_stripped(cause), _stripped(effect), _fcr_relation(relation))


def _guide_relation(text: str) -> str | None:
    return _collapsed(text).lower() or None


def _fcr_relation(text: str) -> str:
    return _QUOTES.sub('"', text).strip().lower()


PARSERS: dict[str, Callable[[str], Parsed | None]] = {"guide": parse_guide, "fcr": parse_fcr}

PARSED_RELATIONS: dict[str, Callable[[str], str | None]] = {
    "guide": _guide_relation,
    "fcr": _fcr_relation,
}


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _spans(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_collapsed, text.split("|"))))


def _stripped(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (span.strip() for span in text.split("|"))))

"""Texts after labels, line by line: ``Cause: rain``, ``- **Effect**: floods``, ``signal: [so]``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress

RoleOf = Callable[[str], str | None]

# As words of their own these begin sentences of prose.
PROSE = {"reason", "reasons", "result", "results"}
_BULLET = r"[ \t]*(?:[-*+•–>#]+(?=[ \t*_`])|\(?\d+[.)](?=\s))?[ \t]*"
_NAME = r"[*_`(]{0,3}(?P<name>[A-Za-z]\w*(?:[ _-][A-Za-z]+){0,2})(?:[ _#]*\d+)?[*_`)]{0,3}"
_LABEL = rf"{_NAME}[ \t]*[:=][*_`]{{0,3}}(?=\s|$|[\"'“\[*_`<\w])[ \t]*"
_FIRST = re.compile(
    rf"{_BULLET}(?:[*_`]*(?:relation(?:ship)?|pair)[ #]*\d*[*_`]*[.:)-][*_`]*\s*)?{_LABEL}", re.I
)
_FURTHER = re.compile(rf"(?:[;|,.(]|-+>|=+>|[→⇒]|\)|\s[-–—])\s*{_LABEL}")
_LISTED = re.compile(r"[-*+•–] ")
_HEADER = re.compile(
    rf"{_BULLET}[*_`\"]*(?:causal[ _-])?(?:relation(?:ship)?|pair)s?\b[^:]*:?[*_`\"\s]*|\s*---+\s*",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"(?:#+[ \t]*)?{_BULLET}{_NAME}[ \t]*:?[*_`]{{0,3}}", re.IGNORECASE)
_LONGEST_HEADING = 60
_ITEM = re.compile(r"\s*-\s+(?P<text>\S.*)")


def labelled(
    text: str,
    role_of: RoleOf,  # Returns the role that a label stands for
    is_yaml: bool = False,  # Values are scalars or lists of YAML, perhaps on the following lines
) -> Iterator[tuple[str, str] | None]:
    """Yield the role and the text of each label, None at the head of a relation.

    >>> [*labelled("1. **Cause**: rain; Effect: floods", lambda name: name.lower())]
    [('cause', 'rain'), ('effect', 'floods')]
    """
    role: str | None = None
    heading: str | None = None  # the role of the text below
    for line in (" ".join(line.split()) for line in text.splitlines()):
        if not is_yaml and line:
            above = _HEADING.fullmatch(line) if len(line) <= _LONGEST_HEADING else None
            below = heading
            heading = _role(above, role_of) if above else None
            if heading:
                continue
            if below and not _FIRST.match(line) and not _HEADER.fullmatch(line):
                yield below, re.sub(_BULLET, "", line, count=1)
                heading = below if _LISTED.match(line) else None
                continue
        first = _FIRST.match(line)
        name = _role(first, role_of) if first else None
        if first and name:
            if is_yaml:
                role = name
                for value in _scalars(line[first.end() :]):
                    yield role, value
            else:
                yield from _read_line(line, first, role_of)
        elif is_yaml and role and (item := _ITEM.fullmatch(line)):
            for value in _scalars(item["text"]):
                yield role, value
        elif _HEADER.fullmatch(line):
            role = None
            yield None
        elif first:
            role = None  # another key


def _role(label: re.Match[str], role_of: RoleOf) -> str | None:
    name = label["name"].casefold()
    return None if name in PROSE else role_of(name)


def _read_line(line: str, first: re.Match[str], role_of: RoleOf) -> Iterator[tuple[str, str]]:
    """Yield the texts of all labels in a line that begins with one."""
    labels = [first, *(m for m in _FURTHER.finditer(line, first.end()) if _role(m, role_of))]
    stops = [*(label.start() for label in labels[1:]), len(line)]
    for label, stop in zip(labels, stops, strict=True):
        role = _role(label, role_of)
        if role is not None:
            yield role, line[label.end() : stop].rstrip(" \t;,|")


def _scalars(text: str) -> list[str]:
    """Return the scalars of a value of YAML: quoted, plain, or a list of these."""
    text = text.strip()
    if text[:1] == text[-1:] == '"' or (text[:1], text[-1:]) == ("[", "]"):
        with suppress(ValueError):
            value = json.loads(text)
            return [str(item) for item in (value if isinstance(value, list) else [value])]
    if (text[:1], text[-1:]) == ("[", "]"):
        return [_unquoted(item.strip()) for item in text[1:-1].split(",")]
    return [] if text in ("", "|", ">", ">-", "|-", "null", "~") else [_unquoted(text)]


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text

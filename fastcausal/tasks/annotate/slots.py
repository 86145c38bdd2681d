"""Files with slots: the unchanged text of a JSON file, except for the values a rater fills in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

RATER = -1
"""The slot of the rater's name; those of answers are numbered from 0."""

Place = tuple[int, int]
Slotted = list[str | int]

_JSON = json.JSONDecoder()  # for text that a reader has accepted, repeated keys included
_BLANK = re.compile(r"[ \t\r\n]*")


def root(text: str) -> int:
    """Return the place of the first non-blank character of a JSON text."""
    return _after_blank(text, 0)


def members(
    text: str,  # valid JSON
    start: int,  # place of the opening bracket
) -> Iterator[tuple[str | int, Place]]:
    """Yield key and bounds of each value of a JSON object or list.

    >>> text = '{"a": [1, null], "a": "b"}'
    >>> [(key, text[slice(*place)]) for key, place in members(text, 0)]
    [('a', '[1, null]'), ('a', '"b"')]
    """
    # In a list, the key is the number of the value. Bounds are its first character and the
    # character after its last.
    is_object = text[start] == "{"
    at = _after_blank(text, start + 1)
    number = 0
    while text[at] not in "}]":
        key: str | int = number
        if is_object:
            key, at = _JSON.raw_decode(text, at)
            at = _after_blank(text, _after_blank(text, at) + 1)
        stop = _JSON.raw_decode(text, at)[1]
        yield key, (at, stop)
        at = _after_blank(text, stop)
        if text[at] == ",":
            at = _after_blank(text, at + 1)
        number += 1


def without(text: str, key: str) -> str:
    """Cut the member of a key out of a JSON object that has others.

    >>> without('{"a": 1, "b": 2}', "a"), without('{"a": 1, "b": 2}', "b")
    ('{ "b": 2}', '{"a": 1}')
    """
    places = list(members(text, 0))
    found = next((k for k, (name, _) in enumerate(places) if name == key), None)
    if found is None:
        return text
    stop = places[found][1][1]
    if found:
        return text[: places[found - 1][1][1]] + text[stop:]
    return text[0] + text[text.index(",", stop) + 1 :]


def without_members(text: str, objects: Iterable[Place], key: str) -> str:
    """Cut the member of a key out of each of these objects of a text, in ascending order.

    >>> without_members('[{"a": 1, "b": 2}, {"a": 3}]', [(1, 17), (19, 27)], "b")
    '[{"a": 1}, {"a": 3}]'
    """
    parts = []
    at = 0
    for start, stop in objects:
        parts += [text[at:start], without(text[start:stop], key)]
        at = stop
    return "".join([*parts, text[at:]])


def cut_slots(text: str, slots: Iterable[tuple[Place, int]]) -> Slotted:
    """Cut values out of a text and put slots in their places.

    >>> cut_slots('{"a": null, "b": 1}', [((6, 10), 0)])
    ['{"a": ', 0, ', "b": 1}']
    """
    parts: Slotted = []
    at = 0
    for (start, stop), slot in sorted(slots):
        parts += [text[at:start], slot]
        at = stop
    return [*parts, text[at:]]


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return at if blank is None else blank.end()


def cut_lines(rows: Iterable[Mapping[str, Any]], rater: str = "rater") -> Iterator[str | int]:
    r"""Yield a line of JSON for each row, with slots for the rater and for further members.

    >>> [*cut_lines([{"item": "a"}])]
    ['{"item": "a", "rater": ', -1, ', ', 0, '}\n']
    """
    end = ""
    for k, row in enumerate(rows):
        yield end + json.dumps(row, ensure_ascii=False)[:-1] + f', "{rater}": '
        yield from (RATER, ", ", k)
        end = "}\n"
    yield end

"""Values of JSON: parsed without hidden keys, named in messages, and written."""

from __future__ import annotations

import gc
import json
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastcausal.errors import InputError

KINDS: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    dict: "an object",
    list: "a list",
    type(None): "null",
}
KINDS |= {int: "a number", float: "a number"}
WANTED = KINDS | {int: "an integer"}


def find_most_common(names: Collection[str]) -> tuple[str, int] | None:
    """Return the most frequent name and its count; None if no name repeats.

    >>> find_most_common(["a", "b", "a"]), find_most_common(["a", "b"])
    (('a', 2), None)
    """
    return None if len(set(names)) == len(names) else Counter(names).most_common(1)[0]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs) and (again := find_most_common([key for key, _ in pairs])):
        raise InputError(f'an object has the key "{again[0]}" {again[1]} times')
    return value


class _Decoder(json.JSONDecoder):
    """A JSON decoder that skips no white space around an object."""

    def decode(self, s: str, *args: Any) -> Any:
        """Read a whole text."""
        value, end = self.raw_decode(s) if s.startswith("{") else (None, -1)
        return value if end == len(s) else super().decode(s, *args)


JSON = _Decoder(object_pairs_hook=_object)
"""Decodes JSON; raises InputError if a key repeats within an object."""


@contextmanager
def pause_gc() -> Iterator[None]:
    """Keep the garbage collector from looking through values of JSON again and again."""
    # They hold no circles, and collecting many of them takes as long as reading them. At the end
    # the collector runs again if it was enabled before. Nested calls change nothing; of several
    # threads, the first to end enables it.
    was_enabled = gc.isenabled()
    try:
        gc.disable()
        yield
    finally:
        if was_enabled:
            gc.enable()


def kind(value: object) -> str:
    """Name the kind of a JSON value: ``"a string"``, ``"a number"``, ...; others by their type."""
    return KINDS.get(type(value)) or f"a {type(value).__name__}"


def require(
    value: object,
    # A list has the shape of its items; a dict has the shape of each value by key. Keys ending in
    # ``?`` may be missing.
    shape: Any,
    *where: str | int,  # Keys and places on the path to the value, for messages
) -> None:
    """Raise InputError if a JSON value does not have a shape.

    >>> shape = {"id": (int, str), "spans": [{"start": int, "label?": str}]}
    >>> require({"id": 7, "spans": [{"start": 0}]}, shape)
    >>> require({"id": 7, "spans": [{"start": 0}, None]}, shape)
    Traceback (most recent call last):
    fastcausal.errors.InputError: "spans"[1] is null, expected an object
    """
    if isinstance(shape, type):
        types: tuple[type, ...] = (shape,)
    else:
        types = shape if isinstance(shape, tuple) else (type(shape),)
    if type(value) not in types:
        wanted = " or ".join(dict.fromkeys(WANTED[each] for each in types))
        raise InputError(f"{_place(where)} is {kind(value)}, expected {wanted}".lstrip())
    if isinstance(shape, dict) and isinstance(value, dict):
        for key, inner in shape.items():
            name = key if key in value else key.removesuffix("?")
            if name not in value:
                if name == key:
                    raise InputError(": ".join(filter(None, (_place(where), f"no {shown(name)}"))))
                continue
            held = type(value[name])
            if held is not inner and (type(inner) is not tuple or held not in inner):
                require(value[name], inner, *where, name)
    elif isinstance(shape, list) and isinstance(value, list):
        for k, item in enumerate(value):
            require(item, shape[0], *where, k)


def _place(where: tuple[str | int, ...]) -> str:
    """Format the place of a value: its last key and its place in the list below.

    >>> _place(("entities", 1, "label")), _place(())
    ('"entities"[1]: "label"', '')
    """
    parts = [f"[{part}]" if isinstance(part, int) else f": {shown(part)}" for part in where]
    return "".join(parts).removeprefix(": ")


def shown(value: object) -> str:
    r"""Format a value for a message: on one line, and not too long.

    >>> shown(["a", 1]), shown(b"a")  # a column of Arrow may hold bytes
    ('["a", 1]', '"b\'a\'"')
    """
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else text[:57] + "..."


def write_cell(value: Any) -> str | None:
    """Return a value of JSON as text for a column of strata; None for null and NaN.

    >>> write_cell(2.0), write_cell(" a  b "), write_cell(None), write_cell([1])
    ('2', 'a b', None, '[1]')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return " ".join(value.split()).encode(errors="backslashreplace").decode()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return shown(value)


def follow_path(value: Any, path: str) -> Any:
    """Follow a name with dots into JSON; None if the path leads nowhere.

    >>> value = {"deep": {"x": [1, 2]}, "a.b": 3}
    >>> [follow_path(value, path) for path in ("deep.x.1", "a.b", "c")]
    [2, 3, None]
    """
    if isinstance(value, Mapping) and path in value:
        return value[path]
    first, dot, rest = path.partition(".")
    if isinstance(value, list | tuple):
        value = value[int(first)] if first.isdecimal() and int(first) < len(value) else None
    else:
        value = value.get(first) if isinstance(value, Mapping) else None
    return follow_path(value, rest) if dot else value


class JsonTexts:
    """A writer of JSON; values of other types are written as text.

    >>> import datetime
    >>> written = JsonTexts()
    >>> written.json({"day": datetime.date(2026, 1, 2)}), written.lost
    ('{"day": "2026-01-02"}', ['values of type date are written as text'])
    """

    def __init__(self) -> None:
        self._odd: set[str] = set()
        self._encoder = json.JSONEncoder(ensure_ascii=False, default=self._write_text)

    def json(self, value: Any) -> str:
        """Return a value on one line."""
        return self._encoder.encode(value)

    @property
    def lost(self) -> list[str]:
        """Messages on types that were written as text."""
        return [f"values of type {name} are written as text" for name in sorted(self._odd)]

    def _write_text(self, value: object) -> str:
        self._odd.add(type(value).__name__)
        return str(value)

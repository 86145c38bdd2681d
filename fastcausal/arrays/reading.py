"""The origin of a table of relations, stored in its schema metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import pyarrow as pa

from fastcausal.errors import InputError

ROLES = ("cause", "effect", "signal")
METADATA_KEY = b"fastcausal"
LETTERS = "letters"  # the rule of `Reading.words` that makes letters tokens


@dataclass(frozen=True)
class Reading:
    """The origin of a table; travels in its schema metadata."""

    roles: tuple[str, ...] = ROLES  # Role names; ``role`` in a span indexes them
    # The tag reading of the source (``"strict"``, ``"cnc-2023"``, ``"cnc-2022"``), None if
    # the source had no tags to interpret
    tags: str | None = None
    # Messages about unreadable relations (the first ten). The relations themselves are null
    # in the table.
    unread: tuple[str, ...] = ()
    # Counted remarks about the source, such as ``{"ambiguous span": 3}``
    notes: Mapping[str, int] = field(default_factory=dict)
    # True if the source is a file of predictions, which cannot serve as gold
    predicted: bool = False
    # The occurrence that a span's text denotes (``"gap"``, ``"first"``), None if the source
    # had no texts to find
    spans: str | None = None
    # The forms of the raw answers in the source, such as ``"json"``, ascending
    forms: tuple[str, ...] = ()
    # The rule that cut texts into tokens (``"letters"``), None for blanks or given tokens
    words: str | None = None

    def content_settings(self) -> list[tuple[str, str]]:
        """Return the settings of signatures that come from the content."""
        named = {
            "spans": self.spans,
            "words": self.words,
        }
        given = [(name, value) for name, value in named.items() if value is not None]
        return [*given, *roles_setting(self.roles), *(("answers", form) for form in self.forms)]

    def serialise(self) -> bytes:
        """Serialise the reading for the schema metadata."""
        stored = vars(self).copy()
        if self.words is None:
            del stored["words"]
        return json.dumps(stored).encode()

    @classmethod
    def read(cls, schema: pa.Schema) -> Reading:
        """Read the metadata of a table; return the default if it has none."""
        stored = (schema.metadata or {}).get(METADATA_KEY)
        return _stored(stored) if stored else cls()

    @classmethod
    def parse(cls, text: bytes) -> Reading:
        """Parse the output of `serialise`."""
        try:
            stored = json.loads(text)
            json.dumps(stored, ensure_ascii=False).encode()  # no half of a surrogate pair
        except (ValueError, RecursionError) as error:
            raise InputError(f"metadata {_start(text)} cannot be read: {error}") from error
        if not isinstance(stored, dict) or not {"roles", "unread"} <= set(stored) <= set(_FIELDS):
            fields = ", ".join(_FIELDS)
            raise InputError(f"metadata are {_start(text)}, expected an object with {fields}")
        for name, value in stored.items():
            expected, holds = _FIELDS[name]
            if not holds(value):
                raise InputError(f"metadata: {name} is {value!r:.80}, expected {expected}")
        lists = {name: tuple(stored.get(name, ())) for name in ("roles", "unread", "forms")}
        return cls(**{**stored, **lists, "roles": checked_roles(lists["roles"])})


@lru_cache(maxsize=64)
def _stored(text: bytes) -> Reading:
    """Parse metadata, cached because the batches and files of one system share it."""
    return Reading.parse(text)


def _start(text: bytes) -> str:
    """Return the first characters of metadata for messages."""
    return ascii(text[:40].decode(errors="replace"))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_counts(value: object) -> bool:
    return isinstance(value, dict) and all(type(n) is int and n >= 0 for n in value.values())


# Expected JSON type of each field of a `Reading`.
_FIELDS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "roles": ("a list of strings", _is_texts),
    "tags": ("a string or null", lambda value: value is None or isinstance(value, str)),
    "unread": ("a list of strings", _is_texts),
    "notes": ("an object of counts", _is_counts),
    "spans": ("a string or null", lambda value: value is None or isinstance(value, str)),
    "forms": ("a list of strings", _is_texts),
    "words": ("a string or null", lambda value: value is None or isinstance(value, str)),
    "predicted": ("true or false", lambda value: isinstance(value, bool)),
}


def arguments_of(roles: Sequence[str]) -> tuple[int, ...]:
    """Return the places of the two arguments among the roles: cause and effect, or the first two.

    >>> arguments_of(("signal", "cause", "effect")), arguments_of(("reason", "claim", "degree"))
    ((1, 2), (0, 1))
    """
    if {*ROLES[:2]} <= {*roles}:
        return tuple(map(roles.index, ROLES[:2]))
    return tuple(range(len(roles[:2])))


def roles_setting(roles: Sequence[str]) -> list[tuple[str, str]]:
    """Return the setting of signatures for roles of one's own; none for the usual ones."""
    return [] if tuple(roles) == ROLES else [("roles", "+".join(roles))]


def checked_roles(roles: Sequence[str]) -> tuple[str, ...]:
    """Return the role names; refuse repeated ones and the names of sums over roles."""
    names = tuple(roles)
    if not names or len(set(names)) != len(names) or {"overall", "total"} & set(names):
        raise InputError(f'roles are {names}, expected different names, not "overall" or "total"')
    return names

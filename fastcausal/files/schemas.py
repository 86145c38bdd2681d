"""Checks of a file's schema and of its version, before a reader takes the file."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.errors import InputError
from fastcausal.files.values import find_most_common


def require_plain(schema: pa.Schema, name: str) -> None:
    """Raise InputError for an invalid schema: two columns of one name, an unknown time zone."""
    if again := find_most_common(schema.names):
        raise InputError(f'{name}: column "{again[0]}" occurs {again[1]} times, expected once')
    for field in schema:
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            try:
                pa.array([0], pa.int64()).cast(field.type).cast(pa.string())
            except pa.ArrowException as error:
                raise InputError(
                    f'{name}: column "{field.name}" is {field.type}, expected a time zone that '
                    "is known here"
                ) from error


def require_version(got: Any, expected: int, name: str, what: str) -> None:
    """Raise InputError for a file of another version; the message calls a newer version newer."""
    if type(got) is int and got == expected:
        return
    newer = ""
    if type(got) is int and got > expected:
        newer = f"; a newer fastcausal than {__version__} wrote it"
    raise InputError(f"{name}: {what} {got!r}, expected version {expected}{newer}")

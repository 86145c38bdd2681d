"""The format of a file, from its name and its content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from fastcausal.errors import InputError
from fastcausal.formats.io.files import Source
from fastcausal.formats.io.format import Format
from fastcausal.formats.io.lines import first_object
from fastcausal.formats.io.packed import suffix_of

Formats = Mapping[str, Format]


def named(path: Any, formats: Formats) -> Format | None:
    """Return the format that the suffix of a file stands for, None where it has several."""
    like = _of_suffix(path, formats)
    return like[0] if len(like) == 1 else None


def _of_suffix(path: Any, formats: Formats) -> list[Format]:
    suffix = suffix_of(path)
    return [format for format in formats.values() if suffix in format.suffixes]


def choice(formats: Iterable[str]) -> str:
    """Advise to give a format, where it cannot be told."""
    return f"give a format: {', '.join(formats)}"


def sniff(source: Source, formats: Formats) -> Format:
    """Return the format of a file, from its name and then its content.

    Raises
    ------
    InputError
        Neither tells.
    """
    if like := _of_suffix(source.name, formats):
        return next((f for f in like if f.sniff is not None and f.sniff(source)), like[0])
    known = sniff_head(source, formats)
    if known is not None:
        return known
    for format in formats.values():
        if format.sniff is not None and format.sniff(source):
            return format
    if source.is_json:
        return _sniff_json(source, formats)
    raise InputError(f"{source.name}: the format cannot be told, {choice(formats)}")


def sniff_head(source: Source, formats: Formats) -> Format | None:
    """Return the format that the first bytes tell, or the first of several JSON lines."""
    for format in formats.values():
        if format.marks and source.data.startswith(format.marks):
            return format
    if source.data.find(b"\n") in (-1, len(source.data) - 1):  # one line may be anything
        return None
    return _format_of(first_object(source), source, formats)


def _sniff_json(source: Source, formats: Formats) -> Format:
    """Return the format of JSON lines: the first line that only one format can have."""
    undecided: Format | None = None
    for _, line in source.lines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict):
            continue
        if known := _format_of(row, source, formats):
            return known
        # Without a relation, spans know the length from the text.
        undecided = undecided or next((f for f in formats.values() if f.key in row), None)
    if undecided is None:
        raise InputError(
            f"{source.name}: no line is a JSON object with {' or '.join(_keys(formats))}, "
            f"{choice(formats)}"
        )
    return undecided


def _format_of(row: Mapping[str, Any], source: Source, formats: Formats) -> Format | None:
    like = [format for format in formats.values() if format.key in row]
    if len({format.key for format in like}) > 1:
        keys = " and ".join(_keys(formats))
        raise InputError(f"{source.name}: both {keys}, {choice(formats)}")
    return next((f for f in like if f.is_row is None or f.is_row(row)), None)


def _keys(formats: Formats) -> list[str]:
    """Return the keys of JSON lines, each with the formats that have it."""
    keyed = [format for format in formats.values() if format.key is not None]
    return [
        f'"{key}" ({", ".join(format.name for format in group)})'
        for key, group in groupby(keyed, lambda format: format.key)
    ]

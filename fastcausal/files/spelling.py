"""Names of columns in any case, and other words for a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import pyarrow as pa

from fastcausal.errors import notify

TEXT = ("text", "sentence")  # the words for the text of an example


def spelled(
    names: Iterable[str],
    known: Iterable[str | tuple[str, ...]],  # In a tuple, other words follow a name
) -> dict[str, str]:
    """Map the names that stand for known names to the known names.

    >>> spelled(["ID", "Sentence", "cause"], ["id", ("text", "sentence"), "cause"])
    {'ID': 'id', 'Sentence': 'text'}
    >>> spelled(["Id", "ID", "text", "sentence"], ["id", ("text", "sentence")])
    {}
    """
    # A known name stands for itself. If it is missing, the same name in another case stands for it,
    # and after that another word for it, in any case. Several candidates stand for nothing.
    names = dict.fromkeys(names)
    found: dict[str, str] = {}
    for each in known:
        words = (each,) if isinstance(each, str) else each
        if words[0] in names:
            continue
        for word in words:
            like = [word] if word in names else _like(names, word)
            if len(like) == 1:
                found[like[0]] = words[0]
            if like:
                break
    return found


def _like(names: Iterable[str], word: str) -> list[str]:
    folded = word.casefold()
    return [name for name in names if name.casefold() == folded]


def notify_of_text(name: str, other: str) -> None:
    """Give a notice that a column of another name holds the texts of a source."""
    notify(f'{name}: column "{other}" read as "text"')


def respell_columns(table: pa.Table, known: Iterable[str | tuple[str, ...]]) -> pa.Table:
    """Return a table with known names of columns, see `spelled`.

    >>> respell_columns(pa.table({"Id": [1], "Doc": [2]}), ["id"]).column_names
    ['id', 'Doc']
    """
    found = spelled(table.column_names, known)
    if not found:
        return table
    return table.rename_columns([found.get(name, name) for name in table.column_names])


class Spelling:
    """A change of the keys of objects to known names, see `spelled`.

    >>> spelling = Spelling("id", ("text", "sentence"))
    >>> spelling({"Id": 1, "sentence": "It rains", "Doc": 2})
    {'id': 1, 'text': 'It rains', 'Doc': 2}
    """

    def __init__(self, *known: str | tuple[str, ...]) -> None:
        self._known = known
        self._found: dict[tuple[str, ...], dict[str, str]] = {}

    def __call__(self, row: Mapping[str, Any]) -> Any:
        """Return an object with known names; the object itself if no name changes."""
        keys = tuple(row)
        found = self._found.get(keys)
        if found is None:
            found = self._found[keys] = spelled(keys, self._known)
        return {found.get(key, key): value for key, value in row.items()} if found else row

    def respell(self, rows: list[Any]) -> list[Any]:
        """Return objects with known names; the list itself if no name changes."""
        folded = {each if isinstance(each, str) else each[0] for each in self._known}
        keys = set(chain.from_iterable(rows)) - folded
        return [*map(self, rows)] if any(key.casefold() in folded for key in keys) else rows

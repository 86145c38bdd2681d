"""Parts of a text file whose rows belong to several annotators."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fastcausal.errors import InputError
from fastcausal.files.cells import header_of, separator_of
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object


def parts_of(source: Source, column: str) -> dict[str, Source]:
    """Split CSV or JSON lines by a column; return {} if the column is missing."""
    # Each part has the lines of the whole file, with the others blank, so that messages name the
    # lines of the file.
    if column.encode() not in source.data:
        return {}
    source = _list_lines(source) if source.is_list else source
    rows = list(_json_rows(source, column) if source.is_json else _csv_rows(source, column))
    if not rows:
        return {}
    lines = source.text.split("\n")
    ends = [first - source.first for first, _ in rows[1:]] + [len(lines)]
    header = 0 if source.is_json else rows[0][0] - source.first
    parts: dict[str, list[str]] = {}
    for (first, value), end in zip(rows, ends, strict=True):
        if value == "":
            raise InputError(f'{source.name}:{first}: no "{column}"')
        blank = [*lines[:header], *[""] * (len(lines) - header)]
        part = parts.setdefault(value, blank)
        part[first - source.first : end] = lines[first - source.first : end]
    return {
        value: Source(source.name, "\n".join(part).encode(), source.first)
        for value, part in parts.items()
    }


def _list_lines(source: Source) -> Source:
    """Return a list as lines; each item is on its own first line or a later one."""
    lines: list[str] = []
    for number, item in source.items():
        lines += [""] * (number - source.first - len(lines))
        lines.append(json.dumps(item))
    return Source(source.name, "\n".join(lines).encode(), source.first)


def _csv_rows(source: Source, column: str) -> Iterator[tuple[int, str]]:
    """Yield the first line of each row, and its value in the column."""
    head, _, _ = source.data.partition(b"\n")
    if column.encode() not in head:
        return
    (_, names), *rows = source.rows(separator_of(header_of(source)))
    if column in names:
        at = names.index(column)
        yield from ((line, row[at].strip()) for line, row in rows)


def _json_rows(source: Source, column: str) -> Iterator[tuple[int, str]]:
    """Yield the line and value of each object; lines that are not objects belong to all parts."""
    if column not in first_object(source):
        return
    for number, line in source.filled_lines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        value = row.get(column) if isinstance(row, dict) else None
        yield number, "" if value is None else str(value)

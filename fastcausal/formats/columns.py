"""Tables with a column of relations under any name, such as one table of gold and predictions."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from fastcausal.errors import InputError, Remedy
from fastcausal.files.columns import is_text
from fastcausal.files.files import Source
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import JsonTexts, kind
from fastcausal.formats.declared import FORMATS
from fastcausal.formats.reading.format import Opened
from fastcausal.formats.reading.opening import sniff_lines

RELATIONS = "relations"


def take_relations(source: Any, column: str, other: str | None = None) -> Opened | pa.Table:
    """Return the rows of a table, whose relations are in this column, for `fastcausal.read`."""
    # ``other`` is the column of the other side, which is left out. A cell may be JSON text.
    records = read_records(source)
    if other is not None and other != column and other in records:
        records = records.without(other)
    records = records.renamed(column, RELATIONS)
    stored = records.chunks(RELATIONS)
    if stored is not None and not is_text(stored.type):
        return records.table
    rows = lines_of(records, [_parsed(records, k, row) for k, row in enumerate(records.objects())])
    return Opened(rows, sniff_lines(rows, FORMATS), content=rows)


def _parsed(records: Records, row: int, values: Any) -> dict[str, Any]:
    cell = values.get(RELATIONS)
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except ValueError:
            raise InputError(
                f"{records.locate(row)}: a text that is no JSON, expected relations",
                Remedy("answers", ("COLUMN",), "reads raw answers of a model"),
            ) from None
    if cell is not None and not isinstance(cell, list):
        raise InputError(f"{records.locate(row)}: {kind(cell)}, expected a list of relations")
    return {name: v for name, v in values.items() if v is not None} | {RELATIONS: cell or []}


def lines_of(records: Records, rows: list[dict[str, Any]]) -> Source:
    """Return rows as JSON lines, each in the line that it has in its file."""
    written = JsonTexts()
    lines: list[str] = []
    for k, row in enumerate(rows):
        number = 0 if records.lines is None else records.lines[k]
        lines += [""] * (number - 1 - len(lines)) + [written.json(row)]
    return Source(records.name, "".join(f"{line}\n" for line in lines).encode())

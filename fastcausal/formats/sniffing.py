"""The format of a file, from its name and its content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, get_args

from fastcausal.errors import InputError
from fastcausal.formats import table
from fastcausal.formats.annotation import webanno
from fastcausal.formats.cnc import JSON_SUFFIXES
from fastcausal.formats.io.files import Source
from fastcausal.formats.io.lines import first_object
from fastcausal.formats.schemes import is_tag
from fastcausal.options import ReadFormat

FORMATS = get_args(ReadFormat)
READ_SUFFIXES: dict[str, ReadFormat] = {
    ".csv": "cnc",
    **dict.fromkeys((".bio", ".iob", ".iob2", ".conll"), "bio"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".arrows", ".ipc", ".feather"), "arrow"),
    ".ann": "brat",
}
HEAD = 1 << 20  # bytes of a file that tell its format before it is read
CHOICE = f"give a format: {', '.join(FORMATS)}"


def sniff(source: Source) -> ReadFormat:
    """The format of a file, from its name and then its content.

    Raises
    ------
    InputError
        Neither tells.
    """
    named = READ_SUFFIXES.get(Path(source.name).suffix.lower())
    if named is not None:
        return named
    binary = table.sniff(source.data)
    if binary is not None:
        return binary
    if plain := _sniff_line(source):
        return plain
    if webanno.sniff(source.text):
        return "webanno"
    start = source.text.lstrip()[:1000]
    if start.startswith("{") or Path(source.name).suffix.lower() in JSON_SUFFIXES:
        return _sniff_json(source)
    if "text_w_pairs" in start.partition("\n")[0]:
        return "cnc"
    if any(_is_bio_line(line) for _, line in islice(source.lines(), 1000)):
        return "bio"
    raise InputError(f"{source.name}: the format cannot be told, {CHOICE}")


def _sniff_line(source: Source) -> ReadFormat | None:
    """The format of JSON lines where the first one tells, without a look at all the others."""
    if source.data.find(b"\n") in (-1, len(source.data) - 1):  # one line may be anything
        return None
    return _format_of(first_object(source), source)


def _sniff_json(source: Source) -> ReadFormat:
    """The format of JSON lines: the first line that only one format can have."""
    undecided: ReadFormat | None = None
    for _, line in source.lines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict):
            continue
        if found := _format_of(row, source):
            return found
        if "relations" in row:
            undecided = "spans"  # without a relation, spans know the length from the text
    if undecided is None:
        raise InputError(
            f'{source.name}: no line is a JSON object with "prediction" (cnc) or "relations" '
            f"(spans, jsonl), {CHOICE}"
        )
    return undecided


def _format_of(row: Mapping[str, Any], source: Source) -> ReadFormat | None:
    relations = row.get("relations")
    if "prediction" in row and "relations" in row:
        raise InputError(
            f'{source.name}: both "prediction" (cnc) and "relations" (spans, jsonl), {CHOICE}'
        )
    if "prediction" in row:
        return "cnc"
    kinds = {type(r) for r in relations} if isinstance(relations, list) else set()
    if list in kinds or "length" in row:
        return "jsonl"
    return "spans" if dict in kinds else None


def _is_bio_line(line: str) -> bool:
    columns = line.split()
    return line.startswith("# id = ") or (len(columns) > 1 and is_tag(columns[-1]))


def format_in_parts(path: Path, name: str) -> ReadFormat | None:
    """The format of a file that can be read in parts, told as `sniff` does, None for others."""
    named = READ_SUFFIXES.get(path.suffix.lower())
    if named is not None:
        return named if named in ("parquet", "arrow") else None
    try:
        with path.open("rb") as file:
            head = Source(name, file.read(HEAD))
    except (OSError, ValueError):  # of which reading will tell
        return None
    found = table.sniff(head.data) or _sniff_line(head)
    return found if found in ("parquet", "arrow", "jsonl", "cnc") else None

"""doccano: a JSON object per text, with entities and the relations between them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError, Problems
from fastcausal.formats.annotation.links import Document, relations_of
from fastcausal.formats.annotation.tasks import NUMBER, Task, objects_of, value_of
from fastcausal.formats.io.files import Source
from fastcausal.formats.io.folders import LINE_FILES
from fastcausal.formats.io.format import Format
from fastcausal.relations import Relations

HELD = ("id", "text", "entities", "relations", "Comments", "comments", "annotator")


def read(source: Source) -> Relations:
    """Read an export of doccano, a JSON object per line.

    Returns
    -------
    Relations
        An example per line, see `fastcausal.formats.annotation.links.relations_of`, its id that of
        doccano. The annotator is the name of the file, as in an export of several; further keys
        are columns.

    Raises
    ------
    InputError
        A line is not of this form, or the project has no relations.
    """
    return relations_of(source.name, documents(source))


def documents(source: Source) -> list[Document]:
    """Return the document of each line."""
    problems = Problems()
    marked = []
    for number, row in source.objects(problems):
        try:
            marked.append(_doccano_task(source.name, row))
        except InputError as error:
            problems.add(f"{source.name}:{number}: {error}")
    problems.raise_if_any()
    return marked


def _doccano_task(file: str, row: Mapping[str, Any]) -> Document:
    if "entities" not in row or "relations" not in row:
        raise InputError(
            "a doccano export without relations: expected one of a project for sequence labeling "
            'that uses relations, with "entities" and "relations"'
        )
    columns = {name: value for name, value in row.items() if name not in HELD}
    text, name = value_of(row, "text", str), str(value_of(row, "id", *NUMBER))
    task = Task(file, name, Path(file).stem, text, columns)
    for entity in objects_of(row, "entities"):
        start, stop = value_of(entity, "start_offset", int), value_of(entity, "end_offset", int)
        task.mark(value_of(entity, "id", *NUMBER), value_of(entity, "label", str), start, stop)
    for link in objects_of(row, "relations"):
        ends = [value_of(link, end, *NUMBER) for end in ("from_id", "to_id")]
        task.link(f"{ends[0]} to {ends[1]}", *ends)
    return task.document()


def is_row(row: Mapping[str, Any]) -> bool:
    """Tell whether an object with relations is doccano's."""
    return "entities" in row and "text" in row


def sniff(source: Source) -> bool:
    """Tell whether the first line is of doccano, with relations or without."""
    try:
        row = json.loads(next((line for _, line in source.filled_lines()), ""))
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return False
    listed = row.get("label", row.get("labels"))
    spans = listed if isinstance(listed, list) else []
    triples = [[int, int, str] == [type(v) for v in s] for s in spans if isinstance(s, list)]
    offsets = [isinstance(e, dict) and "start_offset" in e for e in _listed(row, "entities")]
    return any(triples) or any(offsets)


def _listed(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row.get(name)
    return value if isinstance(value, list) else []


FORMAT = Format(
    "doccano",
    read,
    folder=LINE_FILES,
    key="relations",
    is_row=is_row,
    sniff=sniff,
    documents=documents,
    empty=False,
)

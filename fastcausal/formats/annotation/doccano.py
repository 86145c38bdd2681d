"""doccano: a JSON object per text, with entities and the relations between them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastcausal.arrays.arrow import drop_columns
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source, replacing
from fastcausal.files.values import JsonTexts, require
from fastcausal.formats.annotation.drawing import drawn, types_column
from fastcausal.formats.annotation.links import Document, relations_of
from fastcausal.formats.annotation.tasks import NUMBER, AnnotatedText, read_lines
from fastcausal.formats.reading.builder import messages
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

SHAPE = {
    "id": NUMBER,
    "text": str,
    "entities": [{"id": NUMBER, "label": str, "start_offset": int, "end_offset": int}],
    "relations": [{"from_id": NUMBER, "to_id": NUMBER, "type?": (str, type(None))}],
}
WRITTEN = ("id", "text", "length", "relations", "tagged", "entities", "annotator", UNPARSED)
HELD = ("id", "text", "entities", "relations", "Comments", "comments", "annotator")


def read(
    source: Source,
    marking: Marking = MARKING,
) -> Relations:
    """Read an export of doccano, a JSON object per line."""
    # An example per line, see
    # `fastcausal.formats.annotation.links.relations_of`, with doccano's id. The annotator is the
    # name of the file, as in an export of several; other keys are columns.
    return relations_of(source.name, documents(source, marking))


def documents(source: Source, marking: Marking = MARKING) -> list[Document]:
    """Return the document of each line."""
    return read_lines(source, lambda row: _doccano_task(source.name, row, marking))


def _doccano_task(file: str, row: Mapping[str, Any], marking: Marking) -> Document:
    if "entities" not in row or "relations" not in row:
        if marking.lone == "drop":
            raise InputError(
                "a doccano export without relations: expected one of a project for sequence "
                'labeling that uses relations, with "entities" and "relations", or --lone keep or '
                "pair, which read spans alone"
            )
        row = _add_relations(row)
    require(row, SHAPE)
    columns = {name: value for name, value in row.items() if name not in HELD}
    task = AnnotatedText(file, str(row["id"]), Path(file).stem, row["text"], columns, marking)
    for entity in row["entities"]:
        task.mark(entity["id"], entity["label"], entity["start_offset"], entity["end_offset"])
    for link in row["relations"]:
        task.link(link["from_id"], link["to_id"], link.get("type"))
    return task.document()


def _add_relations(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the line of a project without relations in the form of others."""
    key = next((name for name in ("label", "labels") if name in row), "label")
    if "entities" in row:
        return {**row, "relations": []}
    require(row, {key: list})
    spans = row[key]
    if not all(isinstance(s, list) and [*map(type, s)] == [int, int, str] for s in spans):
        raise InputError(f'"{key}" has other things than [start, stop, label]')
    names = ("start_offset", "end_offset", "label")
    entities = [dict(zip(names, span, strict=True), id=k) for k, span in enumerate(spans)]
    rest = {name: value for name, value in row.items() if name != key}
    return {**rest, "entities": entities, "relations": []}


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write texts with their relations for import into a project that uses relations."""
    # Each relation gets its own spans, so that reading returns them unchanged and in order. Further
    # columns become metadata. InputError if a text is missing or of another length.
    lost = Problems()
    written = JsonTexts()
    lines: list[str] = []
    further = drop_columns(relations.table, (*WRITTEN, *types_column(relations))).to_pylist()
    n_marks = n_links = 0
    for drawing, columns in zip(drawn(relations, lost), further, strict=True):
        entities = [
            {"id": n_marks + k, "label": label, "start_offset": start, "end_offset": stop}
            for k, (label, start, stop) in enumerate(drawing.marks)
        ]
        links = [
            {"id": n_links + k, "from_id": n_marks + source, "to_id": n_marks + to, "type": type}
            for k, (type, source, to) in enumerate(drawing.links)
        ]
        n_marks, n_links = n_marks + len(entities), n_links + len(links)
        row: dict[str, Any] = {"id": drawing.example.id, "text": drawing.text}
        row |= {"entities": entities, "relations": links, **columns}
        lines.append(written.json(row) + "\n")
    with replacing(target) as file:
        file.write("".join(lines).encode())
    return written.lost + messages(lost)


def is_row(row: Mapping[str, Any]) -> bool:
    """Return True if an object with relations is from doccano."""
    return "entities" in row and "text" in row


def sniff(source: Source) -> bool:
    """Return True if the first line is from doccano, with or without relations."""
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

"""Scores of Langfuse: a row for each score of a trace, of an observation or of a session."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fastcausal.files.records import Records
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.exports import ExportedAnswer, answers_of, number_repeats
from fastcausal.tasks.values.reading import ValueReading

# Names of columns in exports of tables, and in those to a store
_IDS = (("observationId", "traceId", "sessionId"), ("observation_id", "trace_id", "session_id"))
_KINDS = ("dataType", "data_type")
_TEXTS = ("stringValue", "string_value")
NUMBERS = ("NUMERIC", "BOOLEAN")


def holds_table(names: Collection[str]) -> bool:
    """Return True for the columns of an export of scores."""
    return {"name", "value"} <= {*names} and any(
        kind in names and ids[1] in names for kind, ids in zip(_KINDS, _IDS, strict=True)
    )


def read_table(records: Records, reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of an export."""
    return answers_of(records.name, {"format": "langfuse"}, _list_answers(records), reading)


def _list_answers(records: Records) -> Iterator[ExportedAnswer]:
    rows = records.objects()
    ids = [next((row[key] for keys in _IDS for key in keys if row.get(key)), None) for row in rows]
    # Several judges may give a score of one name.
    repeats = number_repeats((str(row.get("name")), id) for row, id in zip(rows, ids, strict=True))
    for k, (row, id, (_, repeat)) in enumerate(zip(rows, ids, repeats, strict=True)):
        yield ExportedAnswer(
            records.locate(k), id, {str(row.get("name")): _value(row)}, row, epoch=repeat
        )


def _value(row: Mapping[str, Any]) -> Any:
    """Return a number; the text of a category, which may be a letter or yes or no."""
    kind = next((row[key] for key in _KINDS if row.get(key)), None)
    text = next((row[key] for key in _TEXTS if row.get(key)), None)
    return row.get("value") if kind in NUMBERS or text is None else text

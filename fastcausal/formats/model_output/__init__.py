"""Raw answers of language models: relations read from a column of text."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastcausal.errors import InputError, Remedy
from fastcausal.files.records import read_records
from fastcausal.formats import spans
from fastcausal.formats.model_output.texts import relations_in
from fastcausal.formats.reading.format import Format
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.options import Occurrence
from fastcausal.relations import Relations


def schema() -> dict[str, Any]:
    """Return the JSON Schema of an answer, for services of structured output.

    Examples
    --------
    >>> schema()["required"]
    ['relations']
    """
    stored = Path(__file__).with_name("answers.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(stored)
    return loaded


def read(
    source: RelationSource,
    like: Relations | None = None,
    answers: str | None = None,
    occurrence: Occurrence = "gap",
) -> Relations:
    r"""Read relations from a column of raw answers.

    Parameters
    ----------
    source : path, table or list of mappings
        A row per example, in the form of `read_records`: the answer, and perhaps ``id`` and
        ``text``. All other columns are carried along.
    like : Relations, optional
        The gold side: its column ``text`` replaces a missing one, by id, or by place without ids.
    answers : str
        The column of answers, as text or as parsed values.
    occurrence : {"gap", "first"}
        As in `fastcausal.formats.spans.located`.

    Returns
    -------
    Relations
        Thinking is removed. Then come the answers in fences, and those in prose: JSON, Python
        literals, or JSON repaired by json_repair (extra ``llm``). ``reading.notes`` counts each of
        these. An answer without JSON of relations is one null relation, and so is each malformed
        relation: `Relations.unparsed` has the reasons.

    Raises
    ------
    InputError
        The source cannot be read or lacks the column, ``answers`` is missing, or a text is
        missing.

    Examples
    --------
    >>> relations = read([{"text": "Rain brings floods", "output":
    ...     '```json\n{"relations": [{"cause": "rain", "effect": "floods"}]}\n```'}],
    ...     answers="output")
    >>> relations.to_examples()[0]["relations"], relations.reading.notes
    ([{'cause': [(0, 1)], 'effect': [(2, 3)]}], {'answer in a fence': 1})
    """
    records = read_records(source, "answers")
    if answers is None:
        column = Remedy("answers", ("COLUMN",), "would say which")
        raise InputError(f"{records.name}: no column of answers is named", column)
    notes = Counter[str]()
    examples: list[dict[str, Any]] = [
        {"relations": relations_in(_without_nulls(answer), notes)}
        for answer in records.values(answers)
    ]
    if "text" in records:
        for example, text in zip(examples, records.texts("text").to_pylist(), strict=True):
            example["text"] = text
    places = [records.where(row) for row in range(len(records))]
    ids = records.keys("id").to_pylist() if records.has("id") else None
    name, lines = records.name, records.lines
    relations = spans.located(name, examples, like, occurrence, places, lines, ids)
    notes.update(relations.reading.notes)
    table = relations.table
    carried = records.without(*spans.HELD, answers)
    for name_of_column, column in zip(carried.column_names, carried.columns, strict=True):
        table = table.append_column(name_of_column, column)
    reading = replace(relations.reading, notes=dict(+notes), predicted=True)
    return Relations.trusted(table, reading)


def _without_nulls(answer: Any) -> Any:
    """Return an object without nulls: in a column of objects, each has the keys of all others."""
    if not isinstance(answer, dict):
        return answer
    return {key: _without_nulls(value) for key, value in answer.items() if value is not None}


FORMAT = Format("answers", read, takes=("like", "answers", "occurrence"))

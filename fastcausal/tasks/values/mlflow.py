"""Tables of MLflow: a row for each input, with columns ``NAME/score`` or ``NAME/value``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.records import Records
from fastcausal.files.values import kind, write_cell
from fastcausal.tasks.values.answers import ValueAnswers
from fastcausal.tasks.values.exports import ExportedAnswer, answers_of
from fastcausal.tasks.values.logs import digest_of
from fastcausal.tasks.values.reading import ValueReading

SCORE, VALUE, TRACE = "/score", "/value", "trace_id"
INPUTS = ("request", "inputs", "input", "question")
LONG = 60  # characters of an input that is no id


def holds(first: Mapping[str, Any]) -> bool:
    """Return True for a table of ``mlflow.log_table``: names of columns, and rows."""
    columns = first.get("columns")
    return first.keys() == {"columns", "data"} and isinstance(columns, list) and _named(columns)


def holds_table(names: Collection[str]) -> bool:
    """Return True for the columns of such a table, as CSV or a list of objects, without ids."""
    return _named(names) and "id" not in names


def _named(names: Collection[Any]) -> bool:
    """Return True if there are scores; values need the ids of traces beside them."""
    texts = [name for name in names if isinstance(name, str)]
    return any(n.endswith(SCORE) or (n.endswith(VALUE) and TRACE in texts) for n in texts)


def read(file: Source, first: Mapping[str, Any], reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of a table in JSON."""
    columns, rows = first["columns"], first["data"]
    if not isinstance(rows, list):
        raise InputError(f"{file.name}: data is {kind(rows)}, expected a list of rows")
    for k, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(columns):
            raise InputError(f"{file.name}: data[{k}]: expected a list of {len(columns)} values")
    objects = [dict(zip(map(str, columns), row, strict=True)) for row in rows]
    places = [f"{file.name}: data[{k}]" for k in range(len(rows))]
    return read_table(Records(file.name, objects, places=places), reading)


def read_table(records: Records, reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of a table."""
    return answers_of(records.name, {"format": "mlflow"}, _list_answers(records), reading)


def _list_answers(records: Records) -> Iterator[ExportedAnswer]:
    names = records.names
    ending = VALUE if TRACE in names else SCORE
    scored = [name for name in names if name.endswith(ending)]
    # A table of a data set has its order; traces come in any order, and are known by their input.
    inputs = next((name for name in INPUTS if name in names), None)
    for k, row in enumerate(records.objects()):
        content = row.get(inputs) if inputs else None
        text = write_cell(content) or ""
        id = k if ending == SCORE else text if 0 < len(text) <= LONG else digest_of(text)
        scores = {name.removesuffix(ending): row.get(name) for name in scored}
        yield ExportedAnswer(records.locate(k), id, scores, row, texts=_texts(row), content=content)


def _texts(row: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    keys = (INPUTS, ("targets", "expectations"), ("response", "outputs"))
    input, target, answer = (next((row[k] for k in some if k in row), None) for some in keys)
    return input, target, answer

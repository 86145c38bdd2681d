"""Plain tables: a row for each answer, with its id and its value."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import follow_path, kind, shown, write_cell
from fastcausal.significance.sums import Float64
from fastcausal.tasks.values.answers import Text, ValueAnswers, flags_of, number_of
from fastcausal.tasks.values.logs import write_text
from fastcausal.tasks.values.reading import ValueReading

IDS = ("id", "doc_id")
VALUE, EPOCH = "value", "epoch"
RATIO = ("numerator", "denominator")
# Columns of texts, the first found of each
TAGGED = ("relations", "causal_text_w_pairs")
TEXTS = (
    ("input", "prompt", "question"),
    ("target", "expected", "reference"),
    ("answer", "output", "response", "completion", "prediction", "label", *TAGGED),
)
# The same of gold, which has the right answer
ASKED = (
    ("input", "prompt", "question", "text"),
    ("target", "expected", "answer", "label", *TAGGED),
    (),
)


def systems_of(records: Records, reading: ValueReading) -> list[ValueAnswers]:
    """Return the answers of each system of a table."""
    if reading.systems is not None:
        name = reading.scores[0] if reading.scores else VALUE
        parts = {
            column: records.without(*(c for c in reading.systems if c != column)).renamed(
                column, name
            )
            for column in map(records.require, reading.systems)
        }
    elif reading.system is not None:
        id = records.require(*([reading.id] if reading.id else IDS))
        parts = {
            name: part.without(reading.system)
            for name, part in records.split(reading.system, id).items()
        }
    else:
        return [answers_of(records, reading)]
    return [replace(answers_of(part, reading), system=name) for name, part in parts.items()]


def answers_of(records: Records, reading: ValueReading) -> ValueAnswers:
    """Return the answers of one system."""
    reading.refuse(records.name, "a table", "scorer", "metric", "filter")
    id = records.require(*([reading.id] if reading.id else IDS))
    epoch = reading.epoch or (EPOCH if EPOCH in records else None)
    scores, used = _scores(records, reading)
    own = {id, epoch, *used, *RATIO, VALUE}
    others = [name for name in records.names if name not in own]
    if asked := reading.kept_columns:
        found = [name for name in reading.found_columns if name in others]
        kept = {name: _texts(records, name) for name in dict.fromkeys((*asked, *found))}
    else:
        kept = {name: records.column(name) for name in others}
    return ValueAnswers(
        records.name,
        records.keys(id),
        scores,
        records.locate,
        None if epoch is None else _texts(records, epoch),
        columns=kept,
        about={"format": "table"},
        texts=partial(texts_of_examples, records, id, epoch),
    )


def texts_beside(gold: Any, pred: Any, examples: Container[str]) -> Iterator[Text]:
    """Yield the texts of gold and predictions, of those that are flat tables with ids."""
    asked, said = (_read_texts(source, names) for source, names in ((gold, ASKED), (pred, TEXTS)))
    if asked and len(asked) == len(said) and {t.id for t in asked}.isdisjoint(t.id for t in said):
        said = [
            text._replace(id=of.id) for text, of in zip(said, asked, strict=True)
        ]  # by position
    of_gold = {text.id: text for text in asked if text.id in examples}
    for text in said:
        if text.id in examples:
            of = of_gold.pop(text.id, text)
            yield text._replace(input=of.input or text.input, target=of.target)
    yield from of_gold.values()


def _read_texts(source: Any, names: Sequence[tuple[str, ...]]) -> list[Text]:
    """Return the texts of all rows; none of a format of its own."""
    try:
        records = read_records(source)
        for name in ("id", *chain.from_iterable(names)):
            records.spell(name)
        id = records.require("id", "index", "doc_id")
        ids = records.keys(id).to_pylist()
        return [*texts_of(records, ids, None, names)]
    except InputError:
        return []


def texts_of_examples(
    records: Records, id: str, epoch: str | None, examples: Container[str]
) -> Iterator[Text]:
    """Yield the texts of the answers to some examples."""
    ids = records.keys(id).to_pylist()
    rows = [row for row, name in enumerate(ids) if name in examples]
    # Of a large table few are shown
    kept = records.take(np.array(rows, np.int64))
    return texts_of(kept, [ids[row] for row in rows], epoch)


def texts_of(
    records: Records,
    ids: Sequence[str],
    epoch: str | None = None,
    names: Sequence[tuple[str, ...]] = TEXTS,
) -> Iterator[Text]:
    """Yield the texts of all rows; nothing of a table without columns of texts."""
    found = [records.find(*each) for each in names]
    if not any(found):
        return
    repeats = [None] * len(ids) if epoch is None else _texts(records, epoch).to_pylist()
    columns = [[None] * len(ids) if name is None else records.values(name) for name in found]
    for id, repeat, *texts in zip(ids, repeats, *columns, strict=True):
        yield Text(id, repeat, *map(write_text, texts))


def lacking(records: Records, reading: ValueReading) -> str | None:
    """Return the default column of ids or scores that a table lacks; None if it lacks none."""
    if reading.id is None and records.find(*IDS) is None:
        return IDS[0]
    if reading.value is not None or reading.is_ratio or _is_ratio(records):
        return None
    wanted = reading.systems or reading.scores or (VALUE,)
    return next(
        (n for n in wanted if n not in records and n.partition(".")[0] not in records), None
    )


def _scores(
    records: Records, reading: ValueReading
) -> tuple[dict[str, tuple[Float64, Float64 | None]], list[str]]:
    """Return the scores, and the columns that hold them."""
    if reading.is_ratio or (not reading.scores and reading.value is None and _is_ratio(records)):
        columns = [reading.numerator or RATIO[0], reading.denominator or RATIO[1]]
        name = _only_name(reading, "/".join(columns))
        (top, of_top), (bottom, of_bottom) = (_numbers(records, column) for column in columns)
        if of_top is not None or of_bottom is not None:
            raise InputError(
                f"{records.name}: {name} is of lists of booleans, each of which is numerator and "
                "denominator by itself: name its column with --value"
            )
        return {name: (top, bottom)}, columns
    if reading.value is not None:
        name = _only_name(reading, reading.value)
        return {name: _numbers(records, reading.value)}, [reading.value]
    columns = [*(reading.scores or (VALUE,))]
    return {name: _numbers(records, name) for name in columns}, columns


def _is_ratio(records: Records) -> bool:
    return VALUE not in records and all(name in records for name in RATIO)


def _only_name(reading: ValueReading, name: str) -> str:
    if len(reading.scores) > 1:
        raise InputError(f"{len(reading.scores)} scores of one column, expected one")
    return reading.scores[0] if reading.scores else name


def _cells(records: Records, path: str) -> Sequence[Any]:
    """Return the values of a column, or the values at a path in a column of JSON."""
    first, dot, rest = path.partition(".")
    if path in records or not dot or first not in records:
        records.column(path)  # raises for a missing column
        return records.values(path)
    return [follow_path(value, rest) for value in records.values(first)]


def _numbers(records: Records, path: str) -> tuple[Float64, Float64 | None]:
    """Return a column as numbers, NaN for null, and denominators for lists of booleans."""
    if path in records and not records.is_mixed(path):
        column = records.column(path)
        types = pa.types
        if types.is_boolean(column.type):
            column = column.cast(pa.float64())
        if types.is_integer(column.type) or types.is_floating(column.type):
            return arrow.values_of(column.cast(pa.float64(), safe=False), np.nan), None
    cells = _cells(records, path)
    if (flags := flags_of(cells)) is not None:
        return flags
    values = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            values[row] = number_of(cell)
        except ValueError as error:
            got = shown(cell) if isinstance(cell, str) else kind(cell)
            parts = f"; {path}.0 names a part" if isinstance(cell, list) else ""
            raise InputError(
                f'{records.locate(row)}: "{path}" is {got}, expected a number{parts}'
            ) from error
    return values, None


def _texts(records: Records, path: str) -> pa.Array:
    """Return a column, or a place in JSON, as text or numbers."""
    if path in records and not records.is_mixed(path):
        return records.column(path)
    return arrow.strings([write_cell(cell) for cell in _cells(records, path)])

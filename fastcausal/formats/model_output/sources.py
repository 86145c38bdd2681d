"""Sources of raw answers: a column of a table, a path into its values, or a log.

::

    .eval, JSON of inspect-ai ── samples ─┐
    JSON lines, a list, a table ─ records ┴─▶ saying ──▶ RawAnswers: answers and ids
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.errors import InputError, Remedy
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import local, name_of
from fastcausal.files.records import Records, Taken, read_records
from fastcausal.files.values import follow_path, shown
from fastcausal.files.zips import Archive, is_zip
from fastcausal.formats import spans
from fastcausal.formats.logs import inspect_ai
from fastcausal.formats.logs.replies import ids_in, log_of, reply_of, split_answers
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.formats.span_lines import SpanLines

SUFFIXES = (".eval",)
START = 1 << 20  # bytes that tell a log from other files
_IDS = ("id", "custom_id")


@dataclass(frozen=True)
class RawAnswers:
    """Raw answers."""

    records: Records  # The source
    # Text, values of JSON, rows of a log, or UnreadError for failed requests
    answers: pa.Array | Sequence[Any]
    id: str | None  # The column or path of the ids
    ids: pa.Array | None
    carried: Mapping[str, Any] = field(default_factory=dict)  # Columns to keep
    texts: pa.Array | None = None  # The text of each example, or null


def saying(source: RelationSource, answers: str | None, id: str | None) -> RawAnswers:
    """Read the answers in a source, as `fastcausal.formats.model_output.read` takes it."""
    records = _records(source, answers, id)
    if answers is not None and answers in records:
        id = id or records.find(*_IDS)
        kept = records.drop(*spans.HELD, answers, id)
        carried = dict(zip(kept.column_names, kept.columns, strict=True))
        said = _read_column(records, answers)
        return RawAnswers(records, said, id, _ids(records, id), carried, _texts(records))
    rows = records.objects()
    log = log_of(rows[0])
    if log is not None:
        _require_one_epoch(records.name, rows)
    texts = _texts(records) if log is None else None
    if answers is not None:
        said = [_read_path(row, answers) for row in rows]
        if all(value is None or isinstance(value, UnreadError) for value in said):
            records.require(answers)
    elif log is None:
        column = Remedy("answers", ("COLUMN",), "would say which")
        raise InputError(f"{records.name}: no column of answers is named", column)
    else:
        said = [*_keep_first_filter(rows)]
        records = records if len(said) == len(rows) else Records(records.name, said)
    id = id or (records.find(*_IDS) if log is None else ids_in(records.objects(), log))
    return RawAnswers(records, said, id, _ids(records, id), texts=texts)


def _read_column(records: Records, name: str) -> pa.Array | list[Any]:
    """Return the answers in a column: text as it is stored, other values as objects."""
    stored = records.column(name)
    if stored.type in (pa.string(), pa.large_string()) and not records.is_mixed(name):
        return stored
    return [*map(_drop_nulls, records.values(name))]


def _texts(records: Records) -> pa.Array | None:
    return records.texts("text") if "text" in records else None


def is_log(source: Source) -> bool:
    """Return True for a log, by its first row."""
    if is_zip(source.data):
        return inspect_ai.is_archive(Archive(source.name, source.data, is_log=True))
    if log_of(first_object(source)) is not None:
        return True
    is_object = source.data.lstrip()[:1] == b"{"
    return is_object and inspect_ai.is_document(source.name, BytesIO(source.data))


def load(path: str | os.PathLike[str] | Source) -> Source:
    """Open a file; the zip of a log stays packed."""
    if not isinstance(path, Source) and str(local(path)).lower().endswith(SUFFIXES):
        path = local(path)
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            raise InputError(
                f"{name_of(path)}: {getattr(error, 'strerror', None) or error}"
            ) from error
        if is_zip(data):
            return Source(name_of(path), data)
    return Source.open(path)


def _records(source: RelationSource, answers: str | None, id: str | None) -> Records:
    if not isinstance(source, str | os.PathLike | Source):
        return read_records(source, "answers")
    file = load(source)
    if is_zip(file.data):
        named = list(inspect_ai.archived_samples(Archive(file.name, file.data, is_log=True)))
        return _samples(file.name, [sample for _, sample in named], [place for place, _ in named])
    if file.data.lstrip()[:1] == b"{" and inspect_ai.is_document(file.name, BytesIO(file.data)):
        return _samples(file.name, inspect_ai.samples_of(file.name, BytesIO(file.data)))
    quick = _read_lines(file, answers, id)
    top = None if answers is None else answers.partition(".")[0]
    return read_records(file, column=top) if quick is None else quick


def _read_lines(file: Source, answers: str | None, id: str | None) -> Records | None:
    """Read JSON lines without an object per line; None if Python has to read them."""
    # Relations beside the answers are left out.
    lines = SpanLines.read(file) if answers is not None and file.is_json else None
    if lines is None or answers not in lines.columns or id not in (None, *lines.columns):
        return None
    columns = {name: column.stored() for name, column in lines.columns.items()}
    if any(is_mixed for _, is_mixed in columns.values()):
        return None
    table = pa.table({name: array for name, (array, _) in columns.items()})
    return Records(file.name, table, lines=lines.numbers)


def _samples(name: str, samples: list[Any], places: list[str] | None = None) -> Records:
    if not samples:
        raise InputError(f"{name}: a log without samples")
    for k, sample in enumerate(samples):
        if not isinstance(sample, Mapping):
            where = f"{name}: samples[{k}]" if places is None else places[k]
            raise InputError(f"{where}: {shown(sample)}, expected an object")
    return Records(name, samples, places=places)


def _require_one_epoch(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    epochs = dict.fromkeys(row.get("epoch") for row in rows)
    ids = {str(row.get("id")) for row in rows}
    if len(epochs) > 1 and len(ids) < len(rows):
        raise InputError(
            f"{name}: {len(epochs)} epochs, expected one answer to each sample; the commands score "
            "and compare take all"
        )


def may_be_log(source: Any) -> bool:
    """Return True if the start of a file looks like a log."""
    path = local(source)
    if not isinstance(path, str | os.PathLike) or not Path(path).is_file():
        return False  # a pipe can be read only once
    if str(path).lower().endswith(SUFFIXES):
        return True
    try:
        start = Source.open(path, most=START)
    except InputError:
        return False
    data = start.data.lstrip()
    if data[:1] == b"{":
        return log_of(first_object(start)) is not None or b'"eval"' in data
    return data[:1] == b"[" and log_of(first_object(start)) is not None


def rows_of_log(path: str | os.PathLike[str]) -> tuple[Records, list[tuple[Any, int]]] | None:
    """Return a row for each answer in a log, with its epoch and choice; None for another file."""
    if not may_be_log(path) or not is_log(load(path)):
        return None
    records = _records(path, None, None)
    every = [*map(split_answers, _keep_first_filter(records.objects()))]
    at = np.repeat(np.arange(len(every)), [*map(len, every)])
    rows = [*chain.from_iterable(every)]
    samples = [(row.get("epoch"), k) for each in every for k, row in enumerate(each)]
    return Records(records.name, rows, places=Taken(records.locate, at)), samples


def _keep_first_filter(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the rows of lm-eval's first filter: other filters repeat the same replies."""
    first = rows[0].get("filter")
    return [row for row in rows if row.get("filter") == first] if first is not None else rows


def _ids(records: Records, id: str | None) -> pa.Array | None:
    if id is None or (id in records and not records.has(id)):
        return None
    if id not in records:
        at_path = [{id: follow_path(row, id)} for row in records.objects()]
        places = [records.locate(row) for row in range(len(records))]
        records = Records(records.name, at_path, places=places)
    return records.keys(id)


def _read_path(row: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path; without a value, the reason why the request failed."""
    value = follow_path(row, path)
    if value is None and log_of(row) is not None:
        try:
            reply_of(row, Counter())
        except UnreadError as reason:
            return reason
    return value


def _drop_nulls(answer: Any) -> Any:
    """Return an object without nulls: in a column of objects, each has the keys of all others."""
    if not isinstance(answer, dict):
        return answer
    return {key: _drop_nulls(value) for key, value in answer.items() if value is not None}

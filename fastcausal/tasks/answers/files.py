"""Extractions, references and verdicts from files: a list, a tool's items, or a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import drop_columns, numbers, strings
from fastcausal.errors import InputError
from fastcausal.files.binary import format_of
from fastcausal.files.cells import encodable
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import local
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import kind
from fastcausal.tasks.answers.batches import ItemTexts, texts_of
from fastcausal.tasks.answers.reasons import NONE, reasons_of
from fastcausal.tasks.verdicts import verdicts_of

SOURCES = ("input", "passage", "text")
REFERENCES = ("annotation", "reference", "gold")
ANSWERS = ("output", "model")
# Possible beginnings of the names of columns with a cause, effect or relation, by side.
PARTS = {"reference": ("ref", *REFERENCES), "model": ("pred", *ANSWERS)}
VERDICTS = ("answers", "valid", "answer", "gold")
MISSING, INVALID, VALID, UNSURE = -1, 0, 1, 2
Int8 = npt.NDArray[np.int8]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ItemVerdicts:
    """Single verdicts; a rater may have given several on one item."""

    item: Int64  # int64[n]: Row of each verdict
    rater: pa.DictionaryArray  # string[n], in a dictionary
    valid: Int8  # int8[n]: 1 valid, 0 invalid, 2 unsure, -1 missing
    reasons: Int8  # int8[n, 2]: Side and kind in the reason of an invalid verdict, -1 for none


@dataclass(frozen=True)
class ExtractionFile:
    """Items of one file, in its order."""

    records: Records  # Rows of the file, for messages
    reference: str  # The column of references: ``gold``, unless this column has the verdicts
    ids: pa.Array  # string[n]: Ids, or positions from 0
    keys: pa.Array  # string[n]: Unique names of items: ids, or ``SYSTEM/ID`` with several systems
    texts: ItemTexts
    ratings: ItemVerdicts
    columns: pa.Table  # All other columns

    def locate(self, row: int) -> str:
        """Return the place of an item for messages."""
        return f"{self.records.locate(row)}: {self.id_of(row)}"

    def id_of(self, row: int) -> str:
        """Return the name of an item in messages, with its id."""
        return f'id "{self.ids[row]}"'

    @property
    def systems(self) -> pa.Array:
        """The system of each item, string[n]; empty text without a column ``system``."""
        if "system" not in self.columns.column_names:
            return strings([""]).take(_zeros(self.records))
        return pc.fill_null(self.records.texts("system"), "")


def read_file(
    source: Any,
    name: str,  # For messages of a source that is not a file
    rater: str,  # The rater of verdicts without a name, if the file has no user name
) -> ExtractionFile:
    """Read the items of one file or other source."""
    rows, user = _items(source, name)
    records = _joined(_flat(read_records(rows, name, in_file=True)))
    source_column = records.find(*SOURCES)
    reference, answer = records.require(*REFERENCES), records.require(*ANSWERS)
    texts = texts_of(records, source_column, reference, answer)
    verdicts = _verdict_column(records, reference)
    has_reasons = verdicts is not None and "reason" in records
    of_reasons = "reason" if has_reasons else None
    read = ("id", "username", source_column, reference, answer, of_reasons, *VERDICTS)
    rater, ids = user or rater, _ids(records)
    return ExtractionFile(
        records,
        reference,
        ids,
        ids,
        texts,
        _ratings(records, verdicts, rater),
        records.drop(*read),
    )


def _items(source: Any, name: str) -> tuple[Any, str | None]:
    """Return the items of a source, and its user name or None."""
    if isinstance(source, str | os.PathLike | Source):
        if not isinstance(source, Source) and format_of(local(source)) is not None:
            return source, None
        source = Source.open(source)
        document = _document(source)
        if document is None:
            return source, None
        name = source.name
    elif isinstance(source, Mapping) and "items" in source:
        document = source
    else:
        return source, None
    if not isinstance(items := document["items"], list):
        raise InputError(f'{name}: "items" is {kind(items)}, expected a list')
    if not items:
        raise InputError(f"{name} has no items")
    user = document.get("username")
    if not isinstance(user, str | None):
        raise InputError(f'{name}: "username" is {kind(user)}, expected a string')
    return read_records(items, name), encodable(user) if user else None


def _document(source: Source) -> Mapping[str, Any] | None:
    """Return the single JSON object of a file of ``items``; None for any other file."""
    if not source.data.lstrip().startswith(b"{"):
        return None
    try:
        document: Mapping[str, Any] = source.document()
    except InputError:
        if first_object(source):  # the file has JSON lines
            return None
        raise
    if "items" not in document and not first_object(source):
        raise InputError(f'{source.name}: no "items", expected in an object of answers')
    return document if "items" in document else None


def _flat(records: Records) -> Records:
    """Move the texts of a column ``data`` beside the other columns."""
    if "data" not in records:
        return records
    rows = []
    for k, row in enumerate(records.objects()):
        if not isinstance(inner := row.get("data"), Mapping):
            raise InputError(f'{records.locate(k)}: "data" is {kind(inner)}, expected an object')
        besides = {name: value for name, value in row.items() if name != "data"}
        rows.append({**besides, **inner, **besides})
    return Records(records.name, rows, lines=records.lines)


def _joined(records: Records) -> Records:
    """Join columns of parts, such as ``ref_cause`` and ``ref_effect``, to one text per side."""
    for side, starts in PARTS.items():
        names = (tuple(f"{start}_{part}" for part in ("cause", "effect")) for start in starts)
        parts = next((pair for pair in names if all(name in records for name in pair)), None)
        if parts is None or side in records:
            continue
        relation = parts[0].removesuffix("cause") + "relation"
        cause, effect, kind = (
            pc.fill_null(records.texts(name), "") if name in records else ""
            for name in (*parts, relation)
        )
        text = pc.binary_join_element_wise(
            "[Cause]", cause, "[Relation]", kind, "[Effect]", effect, " "
        )
        kept = drop_columns(records.cells, {*parts, relation}).append_column(side, text)
        records = Records(
            records.name, kept, lines=records.lines, header=records.header, typed=records.typed
        )
    return records


def _ids(records: Records) -> pa.Array:
    """Return the id of every item, or its position."""
    if "id" in records:
        return records.keys("id")
    return numbers(np.arange(len(records))).cast(pa.string())


def _verdict_column(records: Records, reference: str) -> str | None:
    """Return the column of verdicts; raise InputError if several have values."""
    names = [name for name in VERDICTS if name in records and name != reference]
    filled = [name for name in names if records.has(name)]
    if len(filled) > 1:
        raise InputError(f"{records.name}: verdicts in {' and in '.join(filled)}, expected one")
    return next(iter(filled or names), None)


def _ratings(records: Records, column: str | None, rater: str) -> ItemVerdicts:
    if column is None:
        none = np.zeros(0, np.int64)
        return ItemVerdicts(none, strings([]).dictionary_encode(), _codes([], str), _reasons([]))
    values = records.column(column)
    if records.is_mixed(column) or pa.types.is_nested(values.type):
        return _listed(records, column, rater)
    encoded = values.dictionary_encode(null_encoding="encode")
    codes = encoded.indices.to_numpy()

    def where(code: int) -> str:
        return records.locate(int(np.argmax(codes == code)))

    valid = _codes(encoded.dictionary.to_pylist(), where)[codes]
    given = records.has("reason") if "reason" in records else False
    reasons = reasons_of(records.values("reason"), valid, records.locate) if given else None
    return ItemVerdicts(
        np.arange(len(records)),
        pa.DictionaryArray.from_arrays(_zeros(records), strings([rater])),
        valid,
        _reasons(valid) if reasons is None else reasons,
    )


def _zeros(records: Records) -> pa.Array:
    return numbers(np.zeros(len(records), np.int64))


def _listed(records: Records, column: str, rater: str) -> ItemVerdicts:
    """Read lists of verdicts, with or without names of raters."""
    rows: dict[str, list[int]] = {}
    given: dict[str, list[Any]] = {}
    reasons: dict[str, list[Any]] = {}
    if "reason" in records and records.has("reason"):
        raise InputError(
            f'{records.name}: "reason" beside lists of verdicts, expected in their entries'
        )
    for row, value in enumerate(records.values(column)):
        for entry in value if isinstance(value, list) else [value]:
            name, verdict, reason = _entry(entry, rater, records.locate(row))
            rows.setdefault(name, []).append(row)
            given.setdefault(name, []).append(verdict)
            reasons.setdefault(name, []).append(reason)
    wheres = [_places(records, places) for places in rows.values()]
    valid = [_codes(said, where) for said, where in zip(given.values(), wheres, strict=True)]
    parsed = map(reasons_of, reasons.values(), valid, wheres)
    names = [name for name, places in rows.items() for _ in places]
    items = [np.array(places, np.int64) for places in rows.values()]
    return ItemVerdicts(
        np.concatenate([np.zeros(0, np.int64), *items]),
        strings(names).dictionary_encode(),
        np.concatenate([_codes([], str), *valid]),
        np.concatenate([_reasons([]), *parsed]),
    )


def _places(records: Records, rows: Sequence[int]) -> Callable[[int], str]:
    return lambda k: records.locate(rows[k])


def _entry(entry: Any, rater: str, where: str) -> tuple[str, Any, Any]:
    """Return the rater, the verdict and its reason of an entry of a list."""
    if not isinstance(entry, Mapping):
        return rater, entry, None
    name = entry.get("name")
    if name is not None and not isinstance(name, str):
        raise InputError(f'{where}: "name" is {kind(name)}, expected a string')
    keys = [key for key in ("answer", "valid") if key in entry]
    if not keys:
        raise InputError(f'{where}: a verdict has no "answer", expected one beside its name')
    values = [entry[key] for key in keys]
    verdict = next((value for value in values if value is not None), None)
    return name or rater, verdict, entry.get("reason")


def _codes(values: Sequence[Any], where: Callable[[int], str]) -> Int8:
    """Return the codes of verdicts of one rater."""
    unsure = [isinstance(value, str) and value.strip().lower() == "unsure" for value in values]
    sure = [None if is_unsure else v for v, is_unsure in zip(values, unsure, strict=True)]
    codes = [MISSING if verdict is None else verdict for verdict in verdicts_of(sure, where)]
    return np.where(unsure, UNSURE, np.array(codes, np.int8)).astype(np.int8)


def _reasons(verdicts: Sequence[Any] | Int8) -> Int8:
    """Return an array of no reasons, one for each verdict."""
    return np.full((len(verdicts), 2), NONE, np.int8)

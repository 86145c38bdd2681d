"""Sentence labels: CSV, JSON lines, Parquet or Arrow files, lists, arrays and columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import joined, validate, without
from fastcausal.errors import InputError, Problems
from fastcausal.files.keys import repeated
from fastcausal.files import binary
from fastcausal.files.cells import cells, columns_of, note_other_kinds
from fastcausal.files.files import Source
from fastcausal.files.packed import suffix_of
from fastcausal.files.values import kind, most_common, shown

IDS = ("id", "index")
LABELS = ("label", "prediction")
_INTEGER = r"^-?[0-9]{1,18}$"


@dataclass(frozen=True)
class Labels:
    """A label per sentence.

    Attributes
    ----------
    name : str
        The source, for messages.
    values : pyarrow.Array
        int64 or string; null where there is no label.
    ids : pyarrow.Array, optional
        string: names of the sentences; int64: their positions. Without it they come in order.
    texts : pyarrow.Array, optional
        The sentences themselves.
    lines : sequence of int, optional
        Their lines in the file.
    typed : bool
        False where a file cannot tell 1 from "1" (CSV): then the other side decides.
    columns : pyarrow.Table, optional
        What the source says of the sentences besides.
    """

    name: str
    values: pa.Array
    ids: pa.Array | None = None
    texts: pa.Array | None = None
    lines: Sequence[int] | None = None
    typed: bool = True
    columns: pa.Table | None = None

    def __len__(self) -> int:
        return len(self.values)

    def where(self, row: int) -> str:
        """Say how messages call a row: file, line and id, as far as known."""
        line = self.name if self.lines is None else f"{self.name}:{self.lines[row]}"
        return f"{line}: example {row if self.ids is None else self.ids[row]}"

    def take(self, rows: pa.Array) -> Labels:
        """Keep rows, in this order: integers[n]."""
        return replace(
            self,
            values=self.values.take(rows),
            ids=None if self.ids is None else self.ids.take(rows),
            texts=None if self.texts is None else self.texts.take(rows),
            lines=None if self.lines is None else np.asarray(self.lines)[rows.to_numpy()],
            columns=None if self.columns is None else self.columns.take(rows),
        )

    @property
    def kind(self) -> str:
        """``"integers"`` where all are, or look like, integers; else ``"strings"``."""
        whole = pa.types.is_integer(self.values.type) or (
            not self.typed
            and pc.all(pc.match_substring_regex(self.values, _INTEGER), min_count=0).as_py()
        )
        return "integers" if whole else "strings"

    def as_kind(self, wanted: str, other: str) -> Labels:
        """Return the same labels as ``"integers"`` or ``"strings"``.

        Raises
        ------
        InputError
            They are of the other kind; ``other`` says who wants them so.
        """
        if wanted == "strings" and not pa.types.is_integer(self.values.type):
            return self
        if self.values.null_count == len(self):  # none at all
            arrow = pa.int64() if wanted == "integers" else pa.string()
            return replace(self, values=pa.nulls(len(self), arrow))
        if wanted != self.kind:
            row = 0
            if not self.typed:
                whole = pc.fill_null(pc.match_substring_regex(self.values, _INTEGER), True)
                row = pc.index(whole, False).as_py()
            raise InputError(
                f"{self.where(row)}: label {shown(self.values[row].as_py())}, but the labels of "
                f"{other} are {wanted}"
            )
        return replace(self, values=self.values.cast(pa.int64()), typed=True)


def read(source: Any, name: str = "labels") -> Labels:
    """Read labels: integers or strings, booleans as 1 and 0.

    Parameters
    ----------
    source : path, list, array, column or table
        A path, or ``"-"`` for standard input. CSV: columns ``index`` or ``id``, ``label`` or
        ``prediction``, perhaps ``text``; an empty label is a missing one. JSON lines:
        ``{"index": ..., "prediction": ...}``, or ``id`` and ``label``. Parquet, Arrow, or any
        Arrow table (of pandas, polars, ...): columns as in CSV. Or a list, an array or a column
        of labels. An ``index`` of integers is a position, counted from 0; in CSV all ids are names.
    name : str
        What messages call a source other than a file.

    Raises
    ------
    InputError
        It is not as described above, or an id occurs twice.

    Examples
    --------
    >>> read([0, 1, None]).values.to_pylist()
    [0, 1, None]
    """
    if isinstance(source, Labels):
        return source
    if not isinstance(source, str | os.PathLike | Source):
        return _read_object(source, name)
    file = Source.open(source)
    if binary.sniff(file.data) is not None:
        return _from_table(binary.load(file), file.name)
    if file.is_json:
        return _read_lines(file)
    return _read_csv(file)


def is_label_file(source: Source) -> bool:
    """Tell if a file is a CSV file with a column of labels and without relations."""
    if suffix_of(source.name) != ".csv":
        return False
    header = source.text.partition("\n")[0]
    cells = {cell.strip('" \r') for cell in header.split(",")}
    return "w_pairs" not in header and not cells.isdisjoint(LABELS)


def _read_csv(source: Source) -> Labels:
    rows, lines, header = cells(source)
    label = _require_label(rows.column_names, header)
    filled = pc.if_else(pc.equal(rows[label], ""), None, rows[label])
    rows = rows.set_column(rows.column_names.index(label), label, filled)
    return _from_table(rows, source.name, lines, typed=False)


def _read_lines(source: Source) -> Labels:
    problems = Problems()
    columns: dict[str, list[Any]] = {"id": [], "index": [], "label": []}
    besides: list[dict[str, Any]] = []
    lines: list[int] = []
    for line, row in source.objects(problems):
        label = next((name for name in LABELS if name in row), None)
        if label is None:
            problems.add(f'{source.name}:{line}: no "label" or "prediction"')
            continue
        named = {"id": row.get("id"), "index": row.get("index"), "label": row[label]}
        for name, value in named.items():
            what = label if name == "label" else name
            if type(value) is bool and name == "label":
                named[name] = int(value)
            elif type(value) not in (int, str, type(None)):
                got = shown(value) if type(value) is float else kind(value)
                problems.add(
                    f'{source.name}:{line}: "{what}" is {got}, expected an integer or a string'
                )
                named[name] = None
        named["id"] = None if named["id"] is None else str(named["id"])
        for name, value in named.items():
            columns[name].append(value)
        besides.append({k: v for k, v in row.items() if k not in (*IDS, label)})
        lines.append(line)
    for name, values in columns.items():
        note_other_kinds(source.name, lines, name, values, problems)
    problems.raise_if_any()
    arrays = {
        name: _array(values, source.name)
        for name, values in columns.items()
        if name == "label" or any(value is not None for value in values)
    }
    return _from_table(pa.table(arrays | columns_of(besides)), source.name, lines)


def _read_object(source: Any, name: str) -> Labels:
    if not hasattr(source, "__arrow_c_stream__"):
        return Labels(name, _label_array(_array(source, name), name))
    try:
        column = pa.chunked_array(source)
        validate(pa.table({"labels": column}))
        table_of_source = pa.table(source) if pa.types.is_struct(column.type) else None
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"{name}: the Arrow data cannot be read: {error}") from error
    if table_of_source is not None:
        return _from_table(table_of_source, name)
    return Labels(name, _label_array(joined(column), name))


def _from_table(
    rows: pa.Table, name: str, lines: Sequence[int] | None = None, typed: bool = True
) -> Labels:
    if again := most_common(rows.column_names):
        raise InputError(f'{name}: column "{again[0]}" occurs {again[1]} times')
    label = _require_label(rows.column_names, name)
    values = _label_array(joined(rows[label]), name)
    named = next((c for c in IDS if c in rows.column_names), None)
    ids = texts = None
    if named is not None:
        ids = joined(rows[named])
        positions = named == "index" and pa.types.is_integer(ids.type)
        ids = _cast(ids, pa.int64() if positions else pa.string(), name)
    if "text" in rows.column_names:
        texts = _cast(joined(rows["text"]), pa.string(), name)
    columns = without(rows, (named or "", label))
    labels = Labels(name, values, ids, texts, lines, typed, columns)
    _require_names(labels)
    return labels


def _require_label(columns: Sequence[str], where: str) -> str:
    label = next((name for name in LABELS if name in columns), None)
    if label is None:
        raise InputError(f'{where}: no column "label": found {", ".join(columns)[:200]}')
    return label


def _require_names(labels: Labels) -> None:
    """Raise InputError unless every id is there once."""
    if labels.ids is None or (not labels.ids.null_count and _distinct(labels.ids)):
        return
    ids = labels.ids.to_pylist()
    places = range(len(ids)) if labels.lines is None else labels.lines
    if None in ids:
        raise InputError(f"{labels.name}:{places[ids.index(None)]}: no id, other rows have one")
    if (rows := repeated(ids)) is not None:
        first, again = (places[row] for row in rows)
        value = ids[rows[1]]
        raise InputError(f'{labels.name}:{again}: id "{value}" occurs twice, first in {first}')


def _distinct(array: pa.Array) -> bool:
    return bool(pc.count_distinct(array).as_py() == len(array))


def _label_array(array: pa.Array, name: str) -> pa.Array:
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_integer(array.type) or str(array.type) in ("bool", "null"):
        return _cast(array, pa.int64(), name)
    if str(array.type) in ("string", "large_string", "string_view"):
        return _cast(array, pa.string(), name)
    raise InputError(f"{name}: labels are of type {array.type}, expected integers or strings")


def _array(values: Any, name: str) -> pa.Array:
    try:
        return joined(pa.array(values, from_pandas=True))
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{name}: cannot be read as labels: {error}") from error


def _cast(array: pa.Array, wanted: pa.DataType, name: str) -> pa.Array:
    try:
        return array.cast(wanted)
    except pa.ArrowException as error:
        raise InputError(f"{name}: {error}") from error

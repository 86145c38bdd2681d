"""Sentence labels: tables of them, lists, arrays and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import drop_columns, joined
from fastcausal.arrays.distinct import code_texts
from fastcausal.arrays.numerals import are_whole, digits, each
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.packed import suffix_of
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown

IDS = ("id", "index")
LABELS = ("label", "prediction")


@dataclass(frozen=True)
class Labels:
    """A label per sentence."""

    name: str  # The source, for messages
    # int64 or string as `fastcausal.files.records.Records.labels`; null for a missing label
    values: pa.Array
    # string: names of the sentences; int64: their positions. None: they are in order.
    ids: pa.Array | None = None
    texts: pa.Array | None = None  # The sentences themselves
    lines: Sequence[int] | None = None  # Their lines in the file
    columns: pa.Table | None = None  # Further columns of the source

    def __len__(self) -> int:
        return len(self.values)

    def locate(self, row: int) -> str:
        """Return the place of a row for messages: file, line if known, and id or position."""
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

    @cached_property
    def encoded(self) -> pa.DictionaryArray:
        """The labels as places among the distinct ones."""
        return code_texts(self.values)

    @property
    def counted(self) -> pa.Array:
        """The labels as `count_pairs` takes them soonest: integers as they are, texts encoded."""
        return self.values if pa.types.is_integer(self.values.type) else self.encoded

    @cached_property
    def kind(self) -> str:
        """``"integers"`` if all labels are whole numbers or booleans, else ``"strings"``."""
        is_whole = pa.types.is_integer(self.values.type) or are_whole(self.encoded.dictionary)
        return "integers" if is_whole else "strings"

    def convert_to_kind(self, wanted: str, other: str) -> Labels:
        """Return the same labels as integers or strings; InputError names the other side."""
        of = pa.int64() if wanted == "integers" else pa.string()
        if self.values.type == of:
            return self
        if self.values.null_count == len(self):  # none at all
            return replace(self, values=pa.nulls(len(self), of))
        if wanted == "strings":
            return replace(self, values=self.values.cast(of))
        if self.kind == "strings":
            row = next(row for row in range(len(self)) if not are_whole(self.values[row : row + 1]))
            raise InputError(
                f"{self.locate(row)}: label {shown(self.values[row].as_py())}, but the labels of "
                f"{other} are {wanted}"
            )
        return replace(self, values=each(lambda words: digits(words).cast(of), self.values))

    def require_causal(self) -> pa.Array:
        """Return the labels as integers; InputError for any but 1 (causal) and 0 (not)."""
        values = self.convert_to_kind("integers", "a corpus").values
        odd = pc.index(pc.is_in(values, pa.array([0, 1])), False).as_py()
        if odd >= 0:
            label = values[odd].as_py()
            raise InputError(f"{self.locate(odd)}: label {label}, expected 1 (causal) or 0 (not)")
        return values

    def renamed(self, names: Mapping[str, str]) -> Labels:
        """Return the same labels with new names."""
        old, new = pa.array(names.keys(), pa.string()), pa.array(names.values(), pa.string())

        def change(words: pa.Array) -> pa.Array:
            places = pc.index_in(words, old)
            return pc.if_else(pc.is_valid(places), new.take(places), words)

        return replace(self, values=each(change, self.values.cast(pa.string())))


def read(source: Any, name: str = "labels", column: str | None = None) -> Labels:
    """Read labels: integers or strings, in any source alike.

    Whole numbers may be written as 1.0, booleans are 1 and 0, and blanks around are no part of a
    label; its letter case is.

    Parameters
    ----------
    source : path, list, array, column or table
        Any source of `fastcausal.files.records.read_records`, with the columns ``index`` or
        ``id``, ``label`` or ``prediction``, perhaps ``text``; an empty label is a missing one. Or
        a list, an array or a column of labels. An ``index`` of integers is a position, counted
        from 0; in CSV all ids are names.
    name : str
        The name for messages of a source that is not a file.
    column : str, optional
        The column of labels.

    Raises
    ------
    InputError
        The source has another form, or an id repeats.

    Examples
    --------
    >>> read([0, 1, None]).values.to_pylist()
    [0, 1, None]
    >>> read([{"id": "a", "label": "yes"}]).ids.to_pylist()
    ['a']
    """
    if isinstance(source, Labels):
        return source
    records = read_records(source, name, column=LABELS[0], may_be_empty=True)
    label = records.require(*(LABELS if column is None else (column,)))
    key = next((column for column in IDS if records.has(column)), None)
    text = records.find("text", "sentence")
    cells, columns = records.cells, records.table
    values = records.labels(label, whole=True)
    read = Labels(
        records.name,
        values,
        None if key is None else _ids(records, key),
        joined(pc.cast(cells[text], pa.string())) if text else None,
        records.lines,
        drop_columns(columns, {IDS[0], key or "", label}),  # an id without values is none
    )
    if values is records.column(label) and not pa.types.is_integer(values.type):
        vars(read)["encoded"] = records.codes(label)  # made by `Records.labels`
    return read


def labels_in(values: Sequence[Any]) -> list[Any]:
    """Return values as labels: all integers, or all strings.

    >>> labels_in([True, "0.0"]), labels_in([" yes", "1.0"])
    ([1, 0], ['yes', '1'])
    """
    labels = read([*values])
    held: list[Any] = labels.convert_to_kind(labels.kind, "").values.to_pylist()
    return held


def parse_labels(text: str) -> list[int] | list[str]:
    """Return labels with commas between them: integers if all of them look like integers."""
    labels = text.split(",")
    try:
        return [int(label) for label in labels]
    except ValueError:
        return labels


def names_in(changes: Mapping[Any, Any] | str) -> dict[str, str]:
    """Return old labels with their new names, from a mapping or ``yes=1,no=0``.

    >>> names_in("yes=1, no=0"), names_in({"yes": True})
    ({'yes': '1', 'no': '0'}, {'yes': '1'})
    """
    if isinstance(changes, str):
        pairs = [tuple(part.split("=")) for part in changes.split(",")]
    else:
        pairs = [*changes.items()]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"map is {shown(changes)}, expected old and new labels: yes=1,no=0")
    sides = [[labels_in([label])[0] for label in side] for side in zip(*pairs, strict=True)]
    names = {str(old): str(new) for old, new in zip(*sides, strict=True)}
    if len(names) < len(pairs) or None in (*sides[0], *sides[1]):
        raise ValueError(f"map is {shown(changes)}, expected different old labels, none empty")
    return names


def read_gold(gold: Any, **options: Any) -> tuple[Labels, Labels]:
    """Read gold for many runs; return it as gold and as predictions."""
    labels = read(gold, "gold")
    return labels, labels


def public(gold: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the sentences of gold with all its labels in turn, and always with the first.

    >>> public([{"id": "a", "label": 1}, {"id": "b", "label": 1}, {"id": "c", "label": 0}])[0]
    [{'id': 'a', 'label': 0}, {'id': 'b', 'label': 1}, {'id': 'c', 'label': 0}]
    """
    labels = read(gold, "gold")
    values = labels.convert_to_kind(labels.kind, "gold").values
    found = sorted(values.drop_null().unique().to_pylist())
    named: dict[str, list[Any]] = {}
    if labels.ids is not None:
        is_place = pa.types.is_integer(labels.ids.type)
        named["index" if is_place else "id"] = labels.ids.to_pylist()
    if labels.texts is not None:
        named["text"] = labels.texts.to_pylist()
    rows = [{name: each[k] for name, each in named.items()} for k in range(len(labels))]
    turns = [{**row, "label": found[k % len(found)]} for k, row in enumerate(rows)]
    return turns, [{**row, "label": found[0]} for row in rows]


def is_label_file(source: Source) -> bool:
    """Return True for a CSV file with a column of labels and without relations."""
    if suffix_of(source.name) != ".csv":
        return False
    header = source.text.partition("\n")[0]
    cells = {cell.strip('" \r') for cell in header.split(",")}
    return "w_pairs" not in header and not cells.isdisjoint(LABELS)


def _ids(records: Records, key: str) -> pa.Array:
    """Return names of sentences; positions for an ``index`` of integers."""
    keys = records.keys(key)
    require_unique(keys, records.locate)
    is_position = key == "index" and pa.types.is_integer(records.column(key).type)
    return pc.cast(records.column(key), pa.int64()) if is_position else keys

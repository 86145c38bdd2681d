"""JSON lines of span texts, read without an object for each line.

::

    Source ── native ──▶ columns, relations ── placed ──▶ texts ── native ──▶ spans ──▶ Builder
                                    └─ lines of another form: objects ── add ───────────┘

Lines with faults are left to the plain reader, which names them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import (
    compact,
    is_utf8,
    is_valid,
    joined,
    numbers,
    strings_at,
    texts_of,
)
from fastcausal.arrays.examples import FURTHER
from fastcausal.errors import InputError, Problems
from fastcausal.files.cells import column_of
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.spelling import TEXT
from fastcausal.files.values import JSON
from fastcausal.formats import _span_lines
from fastcausal.formats.cnc.tagged import token_counts
from fastcausal.formats.reading.builder import Builder, Int32, placed, typed
from fastcausal.formats.sentences import AMBIGUOUS, CUT
from fastcausal.formats.words import WordCutter
from fastcausal.relations import ROLES, Relations

MISSING, NOTHING, TEXT_VALUE, OTHER = range(4)  # kinds of values, as in csrc/readers/span_lines.hpp
KNOWN = {"id", "relations", *TEXT}
NOTHING_LEFT = np.zeros(0, np.int64)
_INTEGER = re.compile("0|-?[1-9][0-9]*")
Int8 = npt.NDArray[np.int8]
TextBytes = list[Any] | tuple[Any, npt.NDArray[np.int64]]  # Texts, or their UTF-8 and offsets
Add = Callable[[Builder, str, Mapping[str, Any], Any, int | None, bool, WordCutter], None]


class JsonColumn(NamedTuple):
    """The values of a key."""

    texts: pa.Array  # Texts, and other values as they are written; null for no value
    kinds: Any  # uint8[n]: `MISSING`, `NOTHING` (null), `TEXT_VALUE` or `OTHER`

    @classmethod
    def wrap(cls, data: bytes, places: bytes, kinds: bytes) -> JsonColumn:
        """Take the arrays of native code."""
        codes = np.frombuffer(kinds, np.uint8)
        return cls(strings_at(data, places, codes >= TEXT_VALUE, large=True), codes)

    def values(self) -> list[Any]:
        """Return the values as objects."""
        values: list[Any] = self.texts.to_pylist()
        others = np.flatnonzero(self.kinds == OTHER).tolist()
        decoded = JSON.decode(f"[{','.join(values[k] for k in others)}]")
        for k, value in zip(others, decoded, strict=True):
            values[k] = value
        return values

    def stored(self) -> tuple[pa.Array, bool]:
        """Return the values as `column_of` does."""
        if OTHER in self.kinds or TEXT_VALUE not in self.kinds:
            return column_of(self.values())
        return compact(self.texts), False

    def typed(self, source: str, name: str) -> pa.Array:
        """Return the values as `ColumnBuilder.typed` does."""
        if OTHER in self.kinds:
            return typed(source, name, self.values())
        return compact(self.texts)


class SpanLines(NamedTuple):
    """The lines of a file, before spans are found."""

    source: Source
    written: _span_lines.Written  # Their relations, and their places in the source
    columns: dict[str, JsonColumn]  # The values of all other keys, in the order of their first use

    @classmethod
    def read(cls, source: Source) -> SpanLines | None:
        """Read the lines; None if Python might read or refuse one in another way."""
        if source.is_list or not is_utf8(source.data):
            return None
        written = _span_lines.read_lines(source.data)
        if written is None:
            return None
        columns = {
            name: JsonColumn.wrap(*written.column(k)) for k, name in enumerate(written.names)
        }
        return cls(source, written, columns)

    @property
    def numbers(self) -> LineNumbers:
        """The number of each line in its file."""
        first, numbers = self.source.first, self.written.places[2]
        return LineNumbers(lambda: (np.frombuffer(numbers, np.int64) + first).tolist())


def read(
    source: Source,
    like: Relations | None,
    by_gap: bool,
    rule: WordCutter,
    held: Collection[str],
    add: Add,
) -> Relations | None:
    """Read lines as `fastcausal.formats.spans.read`; None leaves them to the plain reader.

    Parameters
    ----------
    held : collection of str
        Keys that are no further columns.
    add : callable
        Adds an example that native code cannot read to a builder, see `spans`.
    """
    if rule.cutting is not None or (like is not None and "tokens" in like.table.column_names):
        return None
    lines = SpanLines.read(source)
    if lines is None or any(map(_is_other_name, lines.columns)) or "tokens" in lines.columns:
        return None
    ids = _ids(lines.columns.get("id"))
    if ids is None and "id" in lines.columns and (lines.columns["id"].kinds >= TEXT_VALUE).any():
        return None
    if like is not None and not _has_strings(like.table):
        return None
    return _Unlocated(lines, ids, like, by_gap, rule).read(held, add)


def _is_other_name(name: str) -> bool:
    """Return True for another spelling of a known key."""
    return name not in ("id", "text") and name.casefold() in KNOWN


def _has_strings(gold: pa.Table) -> bool:
    """Return True unless a column ``text`` holds anything but strings."""
    return "text" not in gold.column_names or _are_strings(gold["text"].type)


def _are_strings(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in (pa.string(), pa.large_string())


def _ids(column: JsonColumn | None) -> pa.Array | None:
    """Return ids as strings; None without any, or if one is missing or is no text or integer."""
    if column is None or (column.kinds < TEXT_VALUE).any():
        return None
    others = pc.filter(column.texts, numbers(column.kinds == OTHER)).to_pylist()
    return compact(column.texts) if all(map(_INTEGER.fullmatch, others)) else None


class _Unlocated(NamedTuple):
    """Lines whose spans are to be found."""

    lines: SpanLines
    ids: pa.Array | None
    like: Relations | None
    by_gap: bool
    rule: WordCutter

    def read(self, held: Collection[str], add: Add) -> Relations:
        """Find the spans; InputError names the faulty lines."""
        source, written, columns = self.lines
        name, n = source.name, len(written.plain)
        rows, of_gold = placed(self.like, self.ids, n, name)
        known = of_gold | ({} if self.ids is None else {"id": self.ids})
        own = columns["text"].texts if "text" in columns else None
        texts = texts_among(own, known.get("text"), n)
        lengths = token_counts(self.like, "strict", rows)
        plain = np.frombuffer(written.plain, np.int8).copy()
        if "text" in columns:
            plain[columns["text"].kinds == OTHER] = 0
        starts, stops, numbers = (np.frombuffer(each, np.int64) for each in written.places)

        def add_line(build: Builder, k: int) -> None:
            example = JSON.decode(source.data[starts[k] : stops[k]].decode())
            line = f"{name}:{source.first + numbers[k]}"
            where = f"{line}: example {known['id'][k].as_py() if 'id' in known else k}"
            own = example.get("text")
            text = own if own is not None else texts[k].as_py()
            length = None if lengths[k] < 0 else int(lengths[k])
            try:
                add(build, where, example, text, length, self.by_gap, self.rule)
            except InputError as error:
                raise InputError(f"{where}: {error.problem}", error.remedy) from error

        letters = open_texts(texts, plain)
        build = find_spans(name, written, letters, lengths, plain, self.by_gap, self.rule, add_line)
        further = {
            key: column.typed(name, key) for key, column in columns.items() if key not in held
        }
        all_columns = {**known, "text": compact(texts), **further}
        return build.table(all_columns, lines=self.lines.numbers)


def texts_among(own: pa.Array | None, of_gold: pa.ChunkedArray | None, n: int) -> pa.Array:
    """Return the text of each example, else its text in gold; null without either."""
    if own is not None and not own.null_count:
        return own
    others = pa.nulls(n, pa.large_string())
    if of_gold is not None and _are_strings(of_gold.type):
        others = joined(of_gold.cast(pa.large_string()))
    return others if own is None else pc.coalesce(own.cast(pa.large_string()), others)


def open_texts(texts: pa.Array, plain: Int8) -> TextBytes:
    """Return texts for native code; an example without a text is no longer plain."""
    if texts.null_count:
        plain[~is_valid(texts)] = 0
    data, places = texts_of(texts)
    return data, places.astype(np.int64)


def find_spans(
    name: str,  # The source, for messages
    written: _span_lines.Written,
    texts: TextBytes,
    lengths: Int32,  # [n_examples]: required tokens, -1 for any
    # [n_examples]: 0 for examples that Python has to read; set to 0 where spans are not found
    plain: Int8,
    by_gap: bool,
    rule: WordCutter,
    add: Callable[[Builder, int], None],  # Reads and adds an example in Python; takes its number
    roles: tuple[str, ...] = ROLES,
) -> Builder:
    """Find the spans of examples in their texts, and return the builder of their table."""
    # InputError has the faults of all examples that `add` refuses.
    found = written.find(texts, lengths, plain, by_gap, rule.by_letters)
    values, rows, relations, sizes, n_again, n_cut, n_texts, n_further = found
    build = Builder(name, roles)
    build.words = rule.name
    build.notes.update({AMBIGUOUS: n_again, CUT: n_cut, FURTHER: n_further})
    if n_texts:
        build.spans = "gap" if by_gap else "first"
    others = NOTHING_LEFT
    if 0 in plain.tobytes():
        others = np.flatnonzero(plain == 0)
        problems = Problems()
        for k in others.tolist():
            try:
                add(build, k)
            except InputError as error:
                problems.add(error.problem, error.remedy)
        problems.raise_if_any()
    build.put_among(others, values, rows, relations, sizes, _types(written, plain))
    return build


def _types(written: _span_lines.Written, plain: Int8) -> pa.Array | None:
    """Return the types of the relations of plain examples, null if unknown; None without any."""
    data, places = written.types
    if not data:
        return None
    ends = np.frombuffer(places, np.int64)
    counts: Any = np.diff(np.frombuffer(written.examples, np.int64))
    types = strings_at(data, places, np.diff(ends) > 0, large=True).cast(pa.string())
    return types.filter(numbers(np.repeat(plain > 0, counts)))

"""Relations built example by example: flat Python lists, converted to Arrow arrays at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays._spans import sort
from fastcausal.arrays.arrow import lists, numbers, offsets, strings
from fastcausal.arrays.span_arrays import relation_columns
from fastcausal.arrays.unparsed import UNPARSED, Reason, reason_lists
from fastcausal.errors import InputError, Problems, counted
from fastcausal.files.keys import places_of, require_unique
from fastcausal.files.values import JsonTexts, kind
from fastcausal.options import Occurrence
from fastcausal.relations import PLACES, ROLES, Reading, Relations
from fastcausal.rows import Rows

MAX_PLACED = 1 << 16  # examples of a source whose lines are kept for messages
REPLACED = 'column "types" replaced by types of relations'  # a note
MAX_COLUMNS = 1_000  # of examples: each costs time and memory even if few lines have it
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Ids: TypeAlias = "pa.Array | pa.ChunkedArray | Sequence[Any] | None"
RoleSpan = tuple[int, int, int]
"""(role, start, stop), in tokens, stop exclusive."""


class UnreadError(ValueError):
    """One relation, or a whole answer, cannot be read. It becomes a null with a reason."""

    def __init__(
        self,
        reason: str,
        text: str | None = None,  # The unreadable text
    ) -> None:
        super().__init__(reason)
        self.text = text


def unread_message(where: str, number: int, reason: str, noun: str = "relation") -> str:
    """Return the message for an unread relation: its place and the reason.

    >>> unread_message("a.csv:1", 2, "it is null"), unread_message("b", 1, "has 3 tokens")
    ('a.csv:1: relation 2: it is null', 'b: relation 1 has 3 tokens')
    """
    return f"{where}: {noun} {number}{' ' if reason.startswith('has ') else ': '}{reason}"


class Builder:
    """Builder of one table from examples added in turn."""

    def __init__(
        self,
        name: str,
        roles: tuple[str, ...] = ROLES,  # The role names
    ) -> None:
        self.name = name
        self.roles = roles
        self.unread: Problems = Problems()
        self.reasons: list[Reason] = []  # of all unread relations
        self.notes: Counter[str] = Counter()
        self.spans: Occurrence | None = None  # the policy for span texts, if any were located
        self.words: str | None = None  # the rule of tokens, see `Reading.words`
        self._spans: list[RoleSpan] = []
        self._widths: list[int] = []  # spans of each relation, -1 for an unread one
        self._types: dict[int, str] = {}  # of relations that have one, by their place
        self._counts: list[int] = []  # relations of each example
        self._values: Any = None
        self._offsets: tuple[Int64, Int64] | None = None  # of `Rows`, if they are known
        self._all_types: pa.Array | None = None
        self._lengths: list[int] = []  # -1 if unknown
        self._seen = 0

    def relation(self, spans: Sequence[RoleSpan], type: str | None = None) -> None:
        """Add a relation to the current example."""
        if type:
            self._types[len(self._widths)] = type
        self._spans.extend(spans)
        self._widths.append(len(spans))

    def unread_relation(self, where: str, error: UnreadError) -> None:
        """Add an unreadable relation; ``where`` names the current example."""
        self._widths.append(-1)
        number = len(self._widths) - self._seen
        self.unread.add(unread_message(where, number, str(error)))
        self.reasons.append((len(self._counts), number, str(error), error.text))

    def unread_answer(self, where: str, error: UnreadError) -> None:
        """Add one relation for the whole answer of the current example, which is unreadable."""
        self._widths.append(-1)
        self.unread.add(f"{where}: {error}")
        self.reasons.append((len(self._counts), None, str(error), error.text))

    def set_all(
        self,
        values: Any,  # int32[n_spans, 3]: The spans of all relations
        widths: Any,  # int64[n_relations]: Spans of each relation, -1 for an unreadable one
        counts: Any,  # int64[n_examples]: Relations of each example
        lengths: Any,  # int64[n_examples]: Tokens of each example, -1 if unknown
        types: pa.Array | None = None,  # string[n_relations]: The type of each, null if unknown
    ) -> None:
        """Set all examples."""
        self._values, self._widths, self._counts, self._lengths = values, widths, counts, lengths
        self._all_types = types

    def put_among(
        self,
        places: Int64,
        values: Int32,
        row_offsets: Int64,
        relation_offsets: Int64,
        lengths: Int32,
        types: pa.Array | None = None,  # As in `set_all`, of the others
    ) -> None:
        """Put the examples so far at places among others, given as the arrays of `Rows`."""
        # The others have nothing at these places.
        if len(places) == len(lengths):
            return
        widths = row_offsets[1:] - row_offsets[:-1]
        counts = relation_offsets[1:] - relation_offsets[:-1]
        self._offsets = None if len(places) else (row_offsets, relation_offsets)
        if len(places):
            n = 3 * len(self._spans)
            own = np.fromiter(chain.from_iterable(self._spans), np.int32, n).reshape(-1, 3)
            example = np.concatenate(
                [np.repeat(np.arange(len(counts)), counts), np.repeat(places, self._counts)]
            )
            widths = np.concatenate([widths, np.array(self._widths, np.int64)])
            of_row = np.repeat(example, np.maximum(widths, 0))
            values = np.concatenate([values, own])[np.argsort(of_row, kind="stable")]
            order = np.argsort(example, kind="stable")
            if types is not None or self._types:
                others = pa.nulls(len(row_offsets) - 1, pa.string()) if types is None else types
                types = pa.concat_arrays([others, self._own_types()]).take(numbers(order))
            widths = widths[order]
            counts[places], lengths[places] = self._counts, self._lengths
            self.reasons = [(int(places[k]), n, why, text) for k, n, why, text in self.reasons]
        self.set_all(values, widths, counts, lengths, types)

    def types(self) -> pa.Array | None:
        """Return the type of each relation, null if unknown; None if no relation has one."""
        return self._own_types() if self._values is None and self._types else self._all_types

    def _own_types(self) -> pa.Array:
        """Return the types of the relations added one by one."""
        return strings([*map(self._types.get, range(len(self._widths)))]).cast(pa.string())

    def end_example(self, length: int | None) -> None:
        """Finish the current example; ``length`` in tokens, None if unknown."""
        self._counts.append(len(self._widths) - self._seen)
        self._seen = len(self._widths)
        self._lengths.append(-1 if length is None else length)

    def rows(self) -> Rows:
        """Return all examples as Rows; an unreadable relation has no rows."""
        values, widths = self._flat()
        places = self._offsets
        if places is None:
            places = offsets(np.maximum(widths, 0)), offsets(self._counts)
        sort(values, places[0])
        return Rows(values, *places, np.array(self._lengths, np.int32))

    def _flat(self) -> tuple[Int32, Int64]:
        """Return the spans of all relations, and the number of spans of each."""
        values = self._values
        if values is None:
            n = 3 * len(self._spans)
            values = np.fromiter(chain.from_iterable(self._spans), np.int32, n).reshape(-1, 3)
        return values, np.array(self._widths, np.int64)

    def table(
        self,
        # Further columns, a value per example; ``id`` may be None: known by position
        columns: Mapping[str, Any],
        *,
        tags: str | None = None,  # The reading of tags
        lines: Sequence[int] | None = None,  # The line of each example, for messages
    ) -> Relations:
        """Return all examples as Relations."""
        values, widths = self._flat()
        flat = (
            values.T,
            widths,
            self._counts,
            np.array(self._lengths, np.int32),
        )
        types = self.types()
        if types is None and "types" in columns:
            types = _listed_types(columns["types"], self._counts)
        elif types is not None:
            self.notes[REPLACED] += "types" in columns
        if types is not None:
            columns = {**columns, "types": lists(self._counts, types)}
        reading = Reading(
            self.roles,
            tags,
            tuple(self.unread.first),
            dict(+self.notes),
            spans=self.spans,
            words=self.words,
        )
        if self.reasons:
            # Reasons of the source itself, as in lines written by fastcausal, stay.
            columns = dict(columns)
            columns.setdefault(UNPARSED, reason_lists(self.reasons, len(self._counts)))
        return assembled(self.name, columns, flat, reading, lines)


def _listed_types(column: Any, counts: Sequence[int]) -> pa.Array | None:
    """Return the types in lists that were written as JSON, as long as those of relations."""
    # None for any other column, which stays one of the examples.
    texts = column.to_pylist() if isinstance(column, pa.Array) else column
    types: list[str | None] = []
    for text, n in zip(texts, counts, strict=True):
        try:
            listed = [None] * n if text is None else json.loads(text)
        except (TypeError, ValueError, RecursionError):
            return None
        if not isinstance(listed, list) or len(listed) != n:
            return None
        if not all(isinstance(of, str | None) for of in listed):
            return None
        types += listed
    return strings(types).cast(pa.string()) if any(types) else None


class ColumnBuilder:
    """Collector of further columns of lines, null if a line lacks one."""

    def __init__(
        self,
        but: Collection[str],  # Keys to ignore
    ) -> None:
        self._but = but
        self._values: dict[str, list[Any]] = {}
        self._n = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Add the columns of the next example; refuse too many columns."""
        for name, value in row.items():
            if name not in self._but:
                column = self._values.setdefault(name, [])
                column += [None] * (self._n - len(column))
                column.append(value)
        self._n += 1
        require_few(len(self._values))

    def values(self) -> dict[str, list[Any]]:
        """Return the columns, each with a value for every line."""
        for column in self._values.values():
            column += [None] * (self._n - len(column))
        return self._values

    def typed(self, source: str) -> dict[str, pa.Array]:
        """Return the columns as text, unless all values are numbers or all are booleans."""
        return {name: typed(source, name, values) for name, values in self.values().items()}


def require_few(n_columns: int) -> None:
    """Refuse a source with more columns than `MAX_COLUMNS`."""
    if n_columns > MAX_COLUMNS:
        raise InputError(f"{n_columns} columns, expected at most {MAX_COLUMNS}")


def typed(source: str, name: str, values: Sequence[Any]) -> pa.Array:
    """Return a column as text, unless all values are numbers or all are booleans."""
    return column(source, name, _typed(values))


def _typed(values: Sequence[Any]) -> Any:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds in ({bool}, {int}, {float}, {int, float}):
        valid = np.array([value is not None for value in values], bool)
        try:
            filled = np.array([value or 0 for value in values])
            return numbers(filled.astype(bool) if kinds == {bool} else filled, valid)
        except (TypeError, OverflowError, pa.ArrowException):  # integers above 64 bits
            pass
    written = JsonTexts()
    return [v if isinstance(v, str | None) else written.json(v) for v in values]


def assembled(
    name: str,
    columns: Mapping[str, Any],
    flat: tuple[Any, Any, Any, Any],
    reading: Reading,
    lines: Sequence[int] | None = None,
) -> Relations:
    """Join columns with the inputs of `relation_columns`, see `Builder.table`."""
    try:
        require_few(len(columns))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    arrays = {key: column(name, key, v) for key, v in columns.items() if v is not None}
    try:
        relations = Relations.trusted(pa.table(arrays | relation_columns(*flat)), reading)
    except (InputError, UnicodeEncodeError) as error:  # a name with half a surrogate pair
        if (ids := arrays.get("id")) is not None:
            require_unique(ids, partial(_place, name, lines))
        raise InputError(f"{name}: {error}") from error
    if len(relations) <= MAX_PLACED:
        place: Callable[[int], str] = partial(_file_and_line, name, lines)
        relations.kept[PLACES] = place
    return relations


def ids_of(ids: Sequence[Any], places: Sequence[str], problems: Problems) -> list[str] | None:
    """Return ids as strings, None if all are; report missing and invalid ones."""
    if all(name is None for name in ids):
        return None
    for place, name in zip(places, ids, strict=True):
        if name is None:
            problems.add(f'{place}: no "id", other examples have one')
        elif type(name) not in (str, int):
            problems.add(f'{place}: "id" is {kind(name)}, expected a string')
    return list(map(str, ids))


def column(source: str, name: str, values: Any) -> Any:
    """Return values as an Arrow array; raise InputError without a common type."""
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    try:
        if all(map(_is_texts, values)) and (values or name == "tagged"):
            return lists(map(len, values), strings(list(chain.from_iterable(values))))
        if all(value is None or isinstance(value, str) for value in values):
            return strings(values)
        return pa.array(values)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InputError(f'{source}: column "{name}" cannot be stored: {error}') from error


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _file_and_line(name: str, lines: Sequence[int] | None, row: int) -> str:
    return f"{name}:{lines[row]}" if lines else name


def _place(name: str, lines: Sequence[int] | None, row: int) -> str:
    return f"{name}:{lines[row]}" if lines else f"{name}: example {row}"


def not_held(table: pa.Table, held: Collection[str], message: str) -> list[str]:
    """Return a message on columns that a writer drops; ``{}`` in it becomes "the columns a, b".

    >>> table = pa.table({"id": ["a"], "doc": ["x"], "year": [1999]})
    >>> not_held(table, {"id"}, "a submission does not hold {}")
    ['a submission does not hold the columns doc, year']
    """
    names = [name for name in table.column_names if name not in held]
    return [message.format(f"the columns {', '.join(names)}")] if names else []


def roles_not_held(roles: Sequence[str]) -> list[str]:
    """Return a message on roles of one's own, whose list JSON lines do not hold."""
    if tuple(roles) == ROLES:
        return []
    return [f"JSON lines do not hold the list of roles: {', '.join(roles)}"]


def messages(problems: Problems) -> list[str]:
    """Return the first messages, and the number of the others."""
    more = problems.count - len(problems.first)
    return problems.first + ([f"... and {more} more"] if more else [])


def places_in(like: Relations | None, ids: Ids, n: int, name: str) -> Int64:
    """Return the row of ``like`` for each of n examples: by id if both have ids, else by place."""
    # int64[n], -1 if ``like`` is None or lacks the id. InputError if n examples without ids face
    # another number of rows.
    if like is None:
        return np.full(n, -1)
    if ids is not None and like.ids is not None:
        if isinstance(ids, pa.Array | pa.ChunkedArray):
            if ids.type == like.ids.type:
                return places_of(ids, like.ids)
            ids = ids.to_pylist()
        rows = {known: row for row, known in enumerate(like.ids.to_pylist())}
        return np.array([rows.get(wanted, -1) for wanted in ids], np.int64)
    if n != like.table.num_rows:
        raise InputError(f"{name} has {counted(n, 'example')}, expected {len(like)}")
    return np.arange(n)


def take_or_missing(values: Int32, rows: Int64) -> Int32:
    """Return the values at these rows, -1 for row -1."""
    return np.where(rows < 0, np.int32(-1), values.take(rows, mode="clip") if len(values) else -1)


def placed(like: Relations | None, ids: Ids, n: int, name: str) -> tuple[Int64, dict[str, Any]]:
    """Match examples with ``like``: return `places_in` it, with its ids and texts, if any."""
    rows = places_in(like, ids, n, name)
    if like is None:
        return rows, {}
    columns = {n: like.table[n] for n in ("id", "text") if n in like.table.column_names}
    if not np.array_equal(rows, np.arange(like.table.num_rows)):
        places = numbers(np.maximum(rows, 0), rows >= 0)
        columns = {name: column.take(places) for name, column in columns.items()}
    return rows, columns

"""The canonical table of causal relations: every reader returns it, every scorer takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import _spans, arrow, unparsed
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import ArrowStreamExportable
from fastcausal.arrays.examples import FURTHER, TYPE, columns_of
from fastcausal.arrays.kept import Kept, Key
from fastcausal.arrays.reading import METADATA_KEY, checked_roles
from fastcausal.arrays.reading import ROLES as ROLES
from fastcausal.arrays.reading import Reading as Reading
from fastcausal.arrays.span_arrays import RELATIONS as RELATIONS
from fastcausal.arrays.span_arrays import SPAN as SPAN
from fastcausal.arrays.span_arrays import TYPES as TYPES
from fastcausal.arrays.span_arrays import SpanArrays, span_arrays
from fastcausal.arrays.validation import validate
from fastcausal.errors import InputError
from fastcausal.files.columns import is_coded_text, is_list
from fastcausal.files.keys import Int64, require_unique

PLACES: Key[Callable[[int], str]] = Key("places")  # of `Relations.kept`: file and line of a row
NO_RELATION = "no relation in any example"  # a warning of every command


class Relations:
    """Causal relations of a set of examples, in one Arrow table.

    A row is an example (a sentence or a document): ``relations`` lists its relations, each a list
    of spans ``{role, start, stop}`` over tokens, ``stop`` exclusive. ``length`` is the number of
    tokens (null: unknown), ``id`` names the example (without this column, examples are known by
    position). A null relation is an unreadable one. ``types`` lists the type of each relation, null
    if it is unknown; a table without any type lacks the column. All other columns are carried along
    and may serve as strata.

    Parameters
    ----------
    data : pyarrow.Table or any object with ``__arrow_c_stream__``
        Columns as above; integer and list widths may differ and are converted.
    reading : Reading, optional
        Replaces the reading in the schema metadata.

    Attributes
    ----------
    table : pyarrow.Table
        All columns, the three above in their canonical types.
    reading : Reading
        The origin of the table.
    roles : tuple of str
        The role names.
    ids : pyarrow.ChunkedArray or None
        The example ids, None if examples are known by position alone.
    arrays : SpanArrays
        The relations as flat arrays.
    values : int32[n_spans, 3]
        Role, start and stop of each span, sorted by (start, stop, role) within a relation.
    types : pyarrow.Array or None
        The column ``types`` as one array, None without it.
    n_unread : int
        Number of unreadable relations.
    kept : Kept
        Values derived from the table, which does not change.

    Raises
    ------
    InputError
        A column is missing or of another type, a span is empty, negative, past the end of its
        example or of an unknown role, or an id is null or occurs twice.

    Examples
    --------
    >>> gold = Relations.from_examples(
    ...     [{"id": "a", "length": 9, "relations": [{"cause": (0, 2), "effect": (4, 9)}]}]
    ... )
    >>> len(gold), gold.n_relations, gold.ids.to_pylist()
    (1, 1, ['a'])
    """

    def __init__(self, data: ArrowStreamExportable, reading: Reading | None = None) -> None:
        self._set(import_table(data), reading, require_unique)

    @classmethod
    def trusted(cls, table: pa.Table, reading: Reading | None = None) -> Relations:
        """Build from a table with sound memory: of the package, or from `import_table`."""
        relations = cls.__new__(cls)
        relations._set(table, reading, require_unique)
        return relations

    @classmethod
    def part(cls, table: pa.Table, reading: Reading | None = None) -> Relations:
        """Build from a part of a sound table; ids are checked for repeats later, over all parts."""
        relations = cls.__new__(cls)
        relations._set(table, reading, lambda ids: None, is_part=True)
        return relations

    def _set(
        self,
        table: pa.Table,
        reading: Reading | None,
        require: Callable[[pa.ChunkedArray], None],
        is_part: bool = False,
    ) -> None:
        table, types = _take_types(canonical(table), is_part)
        self.types: pa.ListArray | None = types
        metadata = table.schema.metadata or {}
        self.reading: Reading = Reading.read(table.schema) if reading is None else reading
        if reading is not None or METADATA_KEY not in metadata:
            table = table.replace_schema_metadata(
                metadata | {METADATA_KEY: self.reading.serialise()}
            )
        self.table: pa.Table = table
        self.kept: Kept = Kept()
        self.roles: tuple[str, ...] = self.reading.roles
        names = self.table.column_names
        self.ids: pa.ChunkedArray | None = self.table["id"] if "id" in names else None
        if self.ids is not None:
            if self.ids.null_count:
                missing = pc.index(pc.is_null(self.ids), True)
                raise InputError(f"example {missing.as_py()} has no id")
            require(self.ids)
        self.arrays: SpanArrays = span_arrays(self.table["relations"], self.table["length"])
        self.n_unread: int = self.arrays.n_null
        self.values: npt.NDArray[np.int32] = _values(self)

    def __reduce__(self) -> tuple[Callable[..., Relations], tuple[pa.Table, Reading]]:
        return Relations.part, (self.table, self.reading)

    @classmethod
    def from_examples(
        cls, examples: Iterable[Mapping[str, Any]], roles: Sequence[str] = ROLES
    ) -> Relations:
        """Build from Python objects.

        Parameters
        ----------
        examples : iterable of mappings
            ``relations``: a list of relations, each a mapping from role name to a span
            ``(start, stop)``, a list of spans or None, or None for an unreadable relation. Its
            ``type`` is a text. Further keys are left out and counted in ``reading.notes``.
            ``length``: number of tokens; or ``tokens``: the tokens; or ``text``: tokens separated
            by white space. ``id`` is optional; other keys become columns.
        roles : sequence of str
            The role names.

        Raises
        ------
        InputError
            A key may be a missing role, a span is not a pair of integers, and all errors of
            `Relations`.

        Examples
        --------
        >>> Relations.from_examples([{"relations": [{"reason": (0, 1)}], "length": 3}])
        Traceback (most recent call last):
        fastcausal.errors.InputError: example 0: unknown role "reason", expected one of cause, \
effect, signal
        """
        roles = checked_roles(roles)
        examples = list(examples)
        for k, example in enumerate(examples):
            if not isinstance(example, Mapping):
                raise InputError(f"example {k} is a {type(example).__name__}, expected a mapping")
        try:
            columns, n = columns_of(examples, {role: i for i, role in enumerate(roles)})
            table = pa.table(columns)
        except InputError:
            raise
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError, ValueError) as error:
            raise InputError(f"examples cannot be read: {error}") from error
        return cls.trusted(table, Reading(roles=roles, notes={FURTHER: n} if n else {}))

    def to_examples(self) -> list[dict[str, Any]]:
        """Convert to a dict per example, the inverse of `from_examples`; spans are in lists.

        Examples
        --------
        >>> Relations.from_examples([{"relations": [{"cause": (0, 1)}], "length": 3}]).to_examples()
        [{'length': 3, 'relations': [{'cause': [(0, 1)]}]}]
        """
        rows: list[dict[str, Any]] = self.table.to_pylist()
        for row in rows:
            row["relations"] = [self._group_by_role(relation) for relation in row["relations"]]
        if self.types is not None and TYPE not in self.roles:
            for row in rows:
                for relation, of_type in zip(row["relations"], row.pop("types"), strict=True):
                    if of_type is not None and relation is not None:
                        relation[TYPE] = of_type
        return rows

    def _group_by_role(self, relation: list[dict[str, int]] | None) -> dict[str, Any] | None:
        if relation is None:
            return None
        named: dict[str, Any] = {}
        for span in relation:
            named.setdefault(self.roles[span["role"]], []).append((span["start"], span["stop"]))
        return named

    @property
    def unparsed(self) -> pa.Table:
        """All unreadable relations, one row each: (id, relation, reason, text).

        ``relation`` counts from 1 and is null for a whole unreadable answer; ``text`` is the
        unreadable text if known.

        Examples
        --------
        >>> read = Relations(pa.table({"id": ["a", "b"], "relations": [[None], None]}))
        >>> read.unparsed.to_pylist()[1]
        {'id': 'b', 'relation': None, 'reason': 'it is null', 'text': None}
        """
        columns = unparsed.reasons_of(self.table)
        names = map(self.name, columns.pop("example").tolist())
        return pa.table({"id": arrow.strings(list(names)), **columns})

    @property
    def n_relations(self) -> int:
        """Number of relations that mark at least one span."""
        return int(np.count_nonzero(np.diff(self.arrays.row_offsets)))

    def name(self, example: int) -> str:
        """Name an example for messages: its id, else its position."""
        return str(self.ids[example]) if self.ids is not None else str(example)

    def place(self, example: int, side: str) -> str:
        """Return the file and line of an example for messages; ``side`` if they are unknown."""
        place = self.kept.get(PLACES)
        return side if place is None else place(example)

    def where(self, example: int, side: str) -> str:
        """Return the place of an example for messages, and its name."""
        return f"{self.place(example, side)}: example {self.name(example)}"

    def with_reading(self, **changes: Any) -> Relations:
        """Return the same table with some fields of its `Reading` replaced."""
        return Relations.trusted(self.table, replace(self.reading, **changes))

    def arranged(self, rows: Int64, ids: pa.Array | None) -> Relations:
        """Return the examples in these rows under these ids; row -1 is an example of no relations.

        Without ids in the table, ``ids`` are ignored.

        Examples
        --------
        >>> one = Relations.from_examples([{"id": "a", "length": 3, "relations": [None]}])
        >>> one.arranged(np.array([-1, 0]), pa.array(["b", "a"])).to_examples()[0]
        {'id': 'b', 'length': None, 'relations': []}
        """
        table = self.table.take(arrow.numbers(rows, rows >= 0))
        lists = arrow.joined(table["relations"])
        filled = arrow.lists(np.diff(arrow.offsets_of(lists)), lists.flatten())
        columns = {"relations": filled} if self.ids is None else {"id": ids, "relations": filled}
        for name, column in columns.items():
            table = table.set_column(table.column_names.index(name), name, column)
        return Relations.trusted(table, self.reading)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        return f"<Relations: {len(self)} examples, {self.n_relations} relations>"

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def import_table(data: ArrowStreamExportable) -> pa.Table:
    """Convert foreign Arrow data to a table and check its memory."""
    try:
        table = data if isinstance(data, pa.Table) else pa.table(data)
        validate(table)
        table = arrow.cast_to_plain(table)
    except (pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise InputError(f"the Arrow data cannot be read: {error}") from error
    return table


_FIELDS = {
    name: pa.field(name, kind)
    for name, kind in (("id", pa.string()), ("length", pa.int32()), ("relations", RELATIONS))
}


def canonical(table: pa.Table) -> pa.Table:
    """Cast the three columns to their types; a null list becomes a list of one null relation."""
    names = table.column_names
    if "relations" not in names:
        raise InputError(f'no column "relations": found {", ".join(names) or "no columns"}')
    if "length" not in names:
        table = table.append_column("length", pa.nulls(len(table), pa.int32()))
        names.append("length")
    for name, field in _FIELDS.items():
        if name not in names:
            continue
        if names.count(name) > 1:
            raise InputError(f'column "{name}" occurs {names.count(name)} times, expected once')
        k, wanted = names.index(name), field.type
        column = table.column(k)
        if name == "relations" and (column.null_count or column.num_chunks != 1):
            pass
        elif table.field(k).equals(field, True):
            continue
        column = cast(column, wanted, name)
        if name == "relations" and column.null_count:
            table = unparsed.add_null_answers(table, ~arrow.is_valid(arrow.joined(column)))
        if name == "relations" and (column.null_count or column.num_chunks != 1):
            column = _fill_null_lists(arrow.joined(column))
        table = table.set_column(k, name, column)
    return table


def _take_types(table: pa.Table, is_part: bool) -> tuple[pa.Table, pa.ListArray | None]:
    """Return the table with canonical ``types``, and these; None if no relation has a type."""
    # Lists that are not as long as those of ``relations`` make it a column of examples.
    if table.column_names.count("types") != 1:
        return table, None
    at = table.column_names.index("types")
    column, relations = arrow.joined(table.column(at)), arrow.joined(table["relations"])
    item = column.type.value_type if is_list(column.type) else pa.null()
    if pa.types.is_null(item):
        return table, None
    column = column.cast(pa.list_(item))
    places = arrow.offsets_of(relations)
    counts, widths = np.diff(places), np.diff(arrow.offsets_of(column))
    as_long = widths == counts
    # A null list fits any relations, as in joined tables of which one lacks the column; an empty
    # one fits an unreadable answer, which is one null relation.
    unread = np.append(~arrow.is_valid(relations.flatten()), False)[places[:-1]] & (counts == 1)
    if not (as_long | ~arrow.is_valid(column) | unread & (widths == 0)).all():
        return table, None
    texts = column.flatten()
    if not is_coded_text(item):
        if not len(texts):
            return table, None
        raise InputError(f'column "types" is {column.type}, expected {TYPES}')
    texts = texts.cast(pa.string())
    if not as_long.all():
        known = np.repeat(as_long, counts)
        texts = texts.take(arrow.numbers(np.cumsum(known) - 1, known))
    # Arrow 21 leaves wrong offsets in pc.if_else of a slice.
    texts = pc.replace_with_mask(texts, pc.equal(texts, ""), pa.scalar(None, texts.type))
    if texts.null_count == len(texts) and not is_part:  # another part may have types
        return table.drop_columns(["types"]), None
    types = arrow.lists(counts, texts)
    return table.set_column(at, "types", types), types


def cast(column: pa.ChunkedArray, wanted: pa.DataType, name: str) -> pa.ChunkedArray:
    """Cast a column to a type; raise InputError if its values do not fit."""
    if column.type == wanted:
        return column
    try:
        made = column.cast(wanted)
        made.validate()  # Arrow's cast of list views leaves offsets too short
    except pa.ArrowException as error:
        raise InputError(f'column "{name}" is {column.type}, expected {wanted}: {error}') from error
    return made


def _fill_null_lists(relations: pa.ListArray) -> pa.ListArray:
    """Replace each null list by a list of one unreadable relation."""
    if not relations.null_count:
        return relations
    missing = ~arrow.is_valid(relations)
    starts = arrow.offsets_of(relations)
    widths = np.where(missing, 1, np.diff(starts))
    unread = np.zeros(int(widths.sum()), bool)
    unread[arrow.offsets(widths)[:-1][missing]] = True
    children = relations.flatten().take(arrow.numbers(np.cumsum(~unread) - 1, ~unread))
    return arrow.lists(widths, children)


def _values(relations: Relations) -> npt.NDArray[np.int32]:
    """Return the spans in the layout of the kernels; refuse invalid ones."""
    spans = relations.arrays
    if not spans.is_complete:
        raise InputError("a span is null, or has a null role, start or stop")
    lengths = relations.table["length"]
    role, start, stop, row_offsets, relation_offsets, length, *_ = spans
    if np.count_nonzero(length < 0) > lengths.null_count:
        example = int(np.argmax(arrow.values_of(arrow.joined(lengths), 0) < 0))
        raise InputError(f"example {relations.name(example)}: length is {lengths[example]}")
    values = np.empty((len(role), 3), np.int32)
    k = _spans.pack(*spans[:6], len(relations.roles), values)
    if k < 0:
        values.flags.writeable = False
        return values
    offsets = row_offsets[relation_offsets]
    example = int(np.searchsorted(offsets[1:], k, side="right"))
    where = f"example {relations.name(example)}: span ({start[k]}, {stop[k]})"
    if not 0 <= role[k] < len(relations.roles):
        raise InputError(f"{where} has role {role[k]}, expected 0 to {len(relations.roles) - 1}")
    if start[k] < 0:
        raise InputError(f"{where} starts before the first token")
    if stop[k] <= start[k]:
        raise InputError(f"{where} ends before it starts, expected start < stop")
    raise InputError(f"{where} ends after the last token, the example has {length[example]} tokens")

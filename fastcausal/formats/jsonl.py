"""JSON lines of the canonical table: an example per line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, TypeGuard

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import (
    drop_columns,
    is_valid,
    joined,
    offsets_of,
    strings,
    values_of,
)
from fastcausal.arrays.unparsed import IS_NULL, UNPARSED, reason_lists
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import LineNumbers, Source
from fastcausal.files.lines import Lines, first_object, objects
from fastcausal.files.values import JsonTexts, kind, pause_gc, shown
from fastcausal.files.writing import Strings, WrittenColumn, json_cells, json_lines
from fastcausal.formats import _writing
from fastcausal.formats.blockwise import Blockwise
from fastcausal.formats.examples import Block
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.builder import (
    MAX_COLUMNS,
    Builder,
    ColumnBuilder,
    RoleSpan,
    UnreadError,
    assembled,
    ids_of,
    roles_not_held,
    unread_message,
)
from fastcausal.formats.reading.folders import LINE_FILES
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.formats.words import WordCutter
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import ROLES, TYPES, Reading, Relations

LIMIT = 2**31
NAMED_SPAN = pa.struct([("role", pa.string()), ("start", pa.int64()), ("stop", pa.int64())])
NAMED_RELATIONS = pa.list_(pa.list_(NAMED_SPAN))


def read(source: str | os.PathLike[str] | Source, marking: Marking = MARKING) -> Relations:
    """Read JSON lines ``{"id", "length", "relations": [[{"role", "start", "stop"}, ...], ...]}``.

    Parameters
    ----------
    source : path
        A role is a name, such as ``"cause"``; ``types`` lists the type of each relation; other keys
        become columns.
    marking : Marking
        Its ``roles`` are the allowed names.

    Raises
    ------
    InputError
        A line has another form, and all errors of `Relations`.
    """
    made = _read_lines(Source.open(source), marking.roles)
    if marking.words is None:
        return made
    return made.with_reading(words=WordCutter.choose(marking.words).name)


class _OffsetWriter:
    """The writer of the canonical table as JSON lines, without the column ``tagged``."""

    header: bytes = b""
    checks: tuple[Callable[[Block], None], ...] = ()

    def __init__(self, relations: Relations, target: str | os.PathLike[str]) -> None:
        self._written = JsonTexts()
        self._roles = [json.dumps(role, ensure_ascii=False).encode() for role in relations.roles]
        self._names = drop_columns(relations.table, ("tagged",)).column_names

    def rows(self, block: Block) -> bytes:
        """Return the lines of a block."""
        made = _writing.write_offsets(block.spans, block.first, len(block), self._roles)
        of_relations = WrittenColumn(Strings.wrap(*made))
        columns = {
            name: of_relations
            if name == "relations"
            else json_cells(block.table[name], self._written)
            for name in self._names
        }
        return json_lines(columns, len(block))

    def lost(self, reading: Reading) -> list[str]:
        """Return messages on values, and on the parts of a reading that JSON lines do not hold."""
        lost = [*self._written.lost, *roles_not_held(reading.roles)]
        if reading.tags is not None:
            lost.append(f"JSON lines do not hold how tags were read ({reading.tags})")
        if reading.unread or reading.notes:
            lost.append("JSON lines do not hold the messages and notes of the reading")
        return lost


def line_batches(
    source: str | os.PathLike[str], n: int, roles: Sequence[str] = ROLES
) -> Iterator[Relations]:
    """Read JSON lines of any size, n examples at a time.

    Raises
    ------
    InputError
        As `read`; faults in lines are reported for the first faulty batch.
    """
    with closing(Lines(source)) as lines:
        while batch := lines.take(n):
            yield _read_lines(batch, tuple(roles))


def _read_lines(source: Source, roles: tuple[str, ...]) -> Relations:
    return _plain_lines(source, roles) or _checked_lines(source, roles)


def _plain_lines(source: Source, roles: tuple[str, ...]) -> Relations | None:
    """Read as `_checked_lines` does, but fast; return None if that must report an error."""
    types = {str: pa.string(), int: pa.int64()}
    row = first_object(source)
    kinds = {name: types.get(type(value)) for name, value in row.items()}
    kinds |= {"relations": NAMED_RELATIONS, "length": pa.int64()}
    if isinstance(row.get("types"), list):
        kinds["types"] = TYPES
    if None in kinds.values() or "relations" not in row or len(row) > MAX_COLUMNS:
        return None
    table = objects(source, {name: kinds[name] for name in row})
    if table is None or table["relations"].null_count:
        return None
    column = joined(table["relations"])
    relations = column.flatten()
    spans = relations.flatten()
    known = joined(table["length"]) if "length" in row else pa.nulls(len(table), pa.int64())
    lengths = values_of(known, 0)
    role = pc.index_in(spans.field(0), strings(roles))
    start, stop = spans.field(1), spans.field(2)
    if any(part.null_count for part in (spans, role, start, stop)):
        return None
    start, stop = values_of(start), values_of(stop)
    if ((lengths < 0) | (lengths >= LIMIT)).any():
        return None
    if ((start < 0) | (start >= stop) | (stop >= LIMIT)).any():
        return None
    columns = {name: table[name] for name in row if name not in ("length", "relations")}
    if "id" in row:
        columns["id"] = pc.cast(columns["id"], pa.string())
        if columns["id"].null_count:
            return None
    places = offsets_of(column)
    read = is_valid(relations)
    widths = np.where(read, np.diff(offsets_of(relations)), -1).astype(np.int32)
    numbered = LineNumbers(lambda: (line for line, _ in source.filled_lines()))
    null = np.flatnonzero(~read)
    example = np.searchsorted(places, null, "right") - 1
    number = null - places[example] + 1
    reasons = [(int(k), int(n), IS_NULL, None) for k, n in zip(example, number, strict=True)]
    if reasons:
        columns.setdefault(UNPARSED, reason_lists(reasons, len(table)))
    unread = [
        unread_message(f"{source.name}:{numbered[k]}", n, why)
        for k, n, why, _ in reasons[: Problems.shown]
    ]
    numbers = values_of(role).astype(np.int8), start.astype(np.int32), stop.astype(np.int32)
    return assembled(
        source.name,
        columns,
        (numbers, widths, np.diff(places), values_of(known, -1).astype(np.int32)),
        Reading(roles, unread=tuple(unread)),
        numbered,
    )


@pause_gc()
def _checked_lines(source: Source, roles: tuple[str, ...]) -> Relations:
    """Read line by line, and report faults."""
    problems = Problems()
    build = Builder(source.name, roles)
    numbers = {role: k for k, role in enumerate(roles)}
    columns = ColumnBuilder(("length", "relations"))
    lines: list[int] = []
    for line, row in source.objects(problems):
        try:
            _add_line(build, row, numbers, f"{source.name}:{line}")
            columns.add(row)
        except InputError as error:
            problems.add(f"{source.name}:{line}: {error}")
            continue
        lines.append(line)
    values: dict[str, Any] = columns.values()
    places = [f"{source.name}:{line}" for line in lines]
    values["id"] = ids_of(values.get("id", ()), places, problems)
    problems.raise_if_any()
    return build.table(values, lines=lines)


def _add_line(build: Builder, row: dict[str, Any], numbers: dict[str, int], where: str) -> None:
    length, relations = row.get("length"), row.get("relations")
    if "relations" not in row:
        raise InputError('no "relations"')
    if length is not None and not _is_count(length):
        raise InputError(f'"length" is {shown(length)}, expected a number of tokens')
    if relations is None:
        build.unread_answer(where, UnreadError(IS_NULL))
        relations = []
    if not isinstance(relations, list):
        raise InputError(f'"relations" is {kind(relations)}, expected a list of relations')
    for spans in [None if r is None else _spans(r, numbers) for r in relations]:
        if spans is None:
            build.unread_relation(where, UnreadError(IS_NULL))
        else:
            build.relation(spans)
    tokens = row.get("tokens")
    build.end_example(len(tokens) if length is None and isinstance(tokens, list) else length)


def _spans(relation: Any, numbers: dict[str, int]) -> list[RoleSpan]:
    if not isinstance(relation, list):
        raise InputError(f"a relation is {kind(relation)}, expected a list of spans")
    spans = []
    for span in relation:
        if not isinstance(span, dict):
            raise InputError(f"a span is {kind(span)}, expected an object")
        role, start, stop = span.get("role"), span.get("start"), span.get("stop")
        if not isinstance(role, str) or role not in numbers:
            raise InputError(f"unknown role {shown(role)}, expected one of {', '.join(numbers)}")
        if not (_is_count(start) and _is_count(stop) and start < stop):
            raise InputError(
                f"span ({shown(start)}, {shown(stop)}), expected token numbers, start < stop"
            )
        spans.append((numbers[role], start, stop))
    return spans


def _is_count(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < LIMIT


def _stream(source: Opened, columns: Collection[str | None] | None, tags: str) -> Stream:
    def read_batches(golds: Iterator[Relations]) -> Iterator[batches.ReadingBatch]:
        return map(batches.batch, line_batches(source.path, batches.ROWS))

    # Without a name: messages of batches start with it already.
    return Stream("", read_batches, n_bytes=source.size())


def _is_row(row: Mapping[str, Any]) -> bool:
    relations = row["relations"]
    return "length" in row or (
        isinstance(relations, list) and any(isinstance(relation, list) for relation in relations)
    )


FORMAT = Format(
    "jsonl",
    read,
    Blockwise(_OffsetWriter),
    written=LINE_FILES,
    folder=LINE_FILES,
    takes=("roles", "words"),
    key="relations",
    is_row=_is_row,
    stream=_stream,
    empty=False,
)

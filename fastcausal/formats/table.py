"""The canonical table in files: Parquet, Arrow IPC, JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fastcausal.arrays.arrow import is_valid, joined, offsets_of, owned, strings, values_of
from fastcausal.errors import InputError, OutputError, Problems
from fastcausal.formats.io.builder import MOST_COLUMNS, Builder, Columns, Span, assembled
from fastcausal.formats.io.files import LineNumbers, Source, Written, kind, replacing, shown
from fastcausal.formats.io.lines import Lines, first_object, objects
from fastcausal.options import ReadFormat
from fastcausal.relations import ROLES, Reading, Relations, span_lists

PARQUET_MARK = b"PAR1"
ARROW_MARKS = (b"ARROW1", b"\xff\xff\xff\xff")  # the file and the stream format
MARK = 6  # bytes that tell
# What a damaged file makes pyarrow, or the reading of its metadata, raise.
DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError)
LIMIT = 2**31
LINES = 1 << 12  # rows that are Python objects at a time
ROW_SUFFIXES = (".parquet", ".arrow", ".csv")  # of tables of rows, which `appending` writes
BATCH = 1 << 17  # rows of a record batch written: what is read at once
NAMED_SPAN = pa.struct([("role", pa.string()), ("start", pa.int64()), ("stop", pa.int64())])
NAMED_RELATIONS = pa.list_(pa.list_(NAMED_SPAN))


def read(
    source: str | os.PathLike[str] | Source,
    format: str | None = None,
    roles: Sequence[str] = ROLES,
) -> Relations:
    """Read a canonical table.

    Parameters
    ----------
    source : path
        Parquet, Arrow IPC (file or stream), or JSON lines ``{"id", "length", "relations": [[{
        "role": "cause", "start": 0, "stop": 3}, ...], ...]}``. Other columns are kept.
    format : {"parquet", "arrow", "jsonl"}, optional
        Told by the first bytes if not given.
    roles : sequence of str
        The role names that JSON lines may use; the other formats hold their own.

    Raises
    ------
    InputError
        The file is damaged or of another format, a line is not of the form above, and all that
        `Relations` raises.
    """
    source = Source.open(source)
    format = format or sniff(source.data) or "jsonl"
    if format == "jsonl":
        return _read_lines(source, tuple(roles))
    found = load(source, format)
    try:
        return Relations.trusted(found)
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from error
    except DAMAGE as error:  # of the metadata
        raise damaged(source.name, format, error) from error


def load(source: Source, format: str | None = None) -> pa.Table:
    """The table of a Parquet or Arrow IPC file as it is.

    Raises
    ------
    InputError
        The file is damaged or of another format.
    """
    format = format or sniff(source.data) or "parquet"
    try:
        found = {"parquet": _load_parquet, "arrow": _load_arrow}[format](owned(source.data))
        found.validate(full=True)  # offsets of a damaged file may lead anywhere
    except DAMAGE as error:
        raise damaged(source.name, format, error) from error
    return found


def damaged(name: str, format: str, error: BaseException) -> InputError:
    """What is said of a file in which pyarrow cannot find its way."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(f"{name}: cannot be read as {format}: {reason}")


def write(relations: Relations, target: str | os.PathLike[str], format: str) -> list[str]:
    """Write a canonical table, without the column ``tagged``.

    Parameters
    ----------
    relations : Relations
    target : path
        ``.arrows`` makes the stream format of Arrow IPC, any other suffix the file format.
    format : {"parquet", "arrow", "jsonl"}

    Returns
    -------
    list of str
        What the file cannot hold.

    Raises
    ------
    InputError
        A column is of a type that the format does not have, or the file cannot be written.
    """
    table = relations.table
    if "tagged" in table.column_names:
        table = table.drop_columns(["tagged"])
    with replacing(target) as file:
        if format == "jsonl":
            return _write_lines(relations, table, file)
        try:
            if format == "parquet":
                import pyarrow.parquet as pq

                pq.write_table(table, file)
            else:
                stream = os.fspath(target).lower().endswith(".arrows")
                new = pa.ipc.new_stream if stream else pa.ipc.new_file
                with new(file, table.schema) as writer:
                    writer.write_table(table, max_chunksize=BATCH)
        except pa.ArrowException as error:
            raise InputError(f"{target}: cannot be written as {format}: {error}") from error
    return []


@contextmanager
def appending(target: str | os.PathLike[str]) -> Iterator[Callable[[pa.Table], None]]:
    """Write tables of one schema to a file, which is there when all are written.

    Its suffix tells the format: ``.parquet`` (also without a suffix, as of a device), ``.arrow``,
    or ``.csv`` for tables without lists.

    Raises
    ------
    InputError
        The suffix is another one, a column is of a type that the format does not have, or the file
        cannot be written.
    """
    suffix = Path(target).suffix.lower() or ".parquet"
    if suffix not in ROW_SUFFIXES:
        known = ", ".join(ROW_SUFFIXES)
        raise InputError(f'{target}: unknown suffix "{suffix}" of a table, expected one of {known}')
    writer: Any = None

    def append(table: pa.Table) -> None:
        nonlocal writer
        try:
            writer = writer or _row_writer(suffix, file, table.schema)
            writer.write_table(table)
        except pa.ArrowException as error:
            raise OutputError(f"{target}: cannot be written as {suffix[1:]}: {error}") from error

    with replacing(target) as file:
        try:
            yield append
        finally:
            if writer is not None:
                writer.close()


def _row_writer(suffix: str, file: Any, schema: pa.Schema) -> Any:
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.ParquetWriter(file, schema)
    if suffix == ".csv":
        import pyarrow.csv

        return pyarrow.csv.CSVWriter(file, schema)
    return pa.ipc.new_file(file, schema)


def sniff(data: bytes) -> ReadFormat | None:
    """The binary format that some bytes begin like."""
    if data.startswith(PARQUET_MARK):
        return "parquet"
    return "arrow" if data.startswith(ARROW_MARKS) else None


def _load_parquet(buffer: Any) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(buffer))


def _load_arrow(buffer: Any) -> Any:
    if buffer[:6].to_pybytes() == ARROW_MARKS[0]:
        return pa.ipc.open_file(buffer).read_all()
    return pa.ipc.open_stream(buffer).read_all()


def line_parts(
    source: str | os.PathLike[str], n: int, roles: Sequence[str] = ROLES
) -> Iterator[Relations]:
    """Read JSON lines of any size, n examples at a time.

    Raises
    ------
    InputError
        As `read`; of faults in lines, those of the first part that has any.
    """
    with closing(Lines(source)) as lines:
        while part := lines.take(n):
            yield _read_lines(part, tuple(roles))


def _read_lines(source: Source, roles: tuple[str, ...]) -> Relations:
    return _plain_lines(source, roles) or _checked_lines(source, roles)


def _plain_lines(source: Source, roles: tuple[str, ...]) -> Relations | None:
    """What `_checked_lines` gives, or None where it is needed to tell."""
    types = {str: pa.string(), int: pa.int64()}
    row = first_object(source)
    kinds = {name: types.get(type(value)) for name, value in row.items()}
    kinds |= {"relations": NAMED_RELATIONS, "length": pa.int64()}
    if None in kinds.values() or "relations" not in row or len(row) > MOST_COLUMNS:
        return None
    found = objects(source, {name: kinds[name] for name in row})
    if found is None or found["relations"].null_count:
        return None
    column = joined(found["relations"])
    relations = column.flatten()
    spans = relations.flatten()
    known = joined(found["length"]) if "length" in row else pa.nulls(len(found), pa.int64())
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
    columns = {name: found[name] for name in row if name not in ("length", "relations")}
    if "id" in row:
        columns["id"] = pc.cast(columns["id"], pa.string())
        if columns["id"].null_count:
            return None
    places = offsets_of(column)
    read = is_valid(relations)
    widths = np.where(read, np.diff(offsets_of(relations)), -1).astype(np.int32)
    numbered = LineNumbers(lambda: (line for line, _ in source.filled_lines()))
    unread = []
    for k in np.flatnonzero(~read)[: Problems.shown].tolist():
        example = int(np.searchsorted(places, k, "right")) - 1
        number = k - int(places[example]) + 1
        unread.append(f"{source.name}:{numbered[example]}: relation {number}: it is null")
    numbers = values_of(role).astype(np.int8), start.astype(np.int32), stop.astype(np.int32)
    return assembled(
        source.name,
        columns,
        values_of(known, -1).astype(np.int32),
        span_lists(numbers, widths, np.diff(places)),
        Reading(roles, unread=tuple(unread)),
        numbered,
    )


def _checked_lines(source: Source, roles: tuple[str, ...]) -> Relations:
    """Line by line, with what is wrong with them."""
    problems = Problems()
    build = Builder(source.name, roles)
    numbers = {role: k for k, role in enumerate(roles)}
    columns = Columns(("length", "relations"))
    lines: list[int] = []
    for line, row in source.objects(problems):
        try:
            _add_line(build, row, numbers, f"{source.name}:{line}")
            columns.add(row)
        except InputError as error:
            problems.add(f"{source.name}:{line}: {error}")
            continue
        lines.append(line)
    problems.raise_if_any()
    found: dict[str, Any] = columns.values()
    if "id" in found:
        if None in found["id"]:
            line = lines[found["id"].index(None)]
            raise InputError(f'{source.name}:{line}: no "id", other examples have one')
        found["id"] = list(map(str, found["id"]))
    return build.table(found, lines=lines)


def _add_line(build: Builder, row: dict[str, Any], numbers: dict[str, int], where: str) -> None:
    length, relations = row.get("length"), row.get("relations")
    if "relations" not in row:
        raise InputError('no "relations"')
    if length is not None and not _is_count(length):
        raise InputError(f'"length" is {shown(length)}, expected a number of tokens')
    if row.get("id") is not None and type(row["id"]) not in (str, int):
        raise InputError(f'"id" is {kind(row["id"])}, expected a string')
    if relations is None:
        relations = [None]
    if not isinstance(relations, list):
        raise InputError(f'"relations" is {kind(relations)}, expected a list of relations')
    found = [None if r is None else _spans(r, numbers) for r in relations]
    for number, spans in enumerate(found, 1):
        if spans is None:
            build.unread_relation(f"{where}: relation {number}: it is null")
        else:
            build.relation(spans)
    build.end_example(length)


def _spans(relation: Any, numbers: dict[str, int]) -> list[Span]:
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


def _write_lines(relations: Relations, table: Any, file: Any) -> list[str]:
    written = Written()
    for batch in table.to_batches(max_chunksize=LINES):  # rows are some 100 times as large
        for row in batch.to_pylist():
            row["relations"] = [
                r and [{**span, "role": relations.roles[span["role"]]} for span in r]
                for r in row["relations"]
            ]
            file.write((written.json(row) + "\n").encode())
    reading = relations.reading
    lost = written.lost
    if relations.roles != ROLES:
        lost.append(f"JSON lines do not hold the list of roles: {', '.join(relations.roles)}")
    if reading.tags is not None:
        lost.append(f"JSON lines do not hold how tags were read ({reading.tags})")
    if reading.unread or reading.notes:
        lost.append("JSON lines do not hold the messages and notes of the reading")
    return lost

"""Binary tables in Parquet and Arrow IPC; tables of rows appended to files of any format."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import cast_to_plain, copy_to_arrow
from fastcausal.errors import InputError, OutputError
from fastcausal.files.files import Source, replacing
from fastcausal.files.packed import name_of
from fastcausal.files.schemas import require_plain
from fastcausal.files.values import JsonTexts
from fastcausal.files.writing import blocks, json_cells, json_lines

PARQUET_MARKS = (b"PAR1",)
ARROW_MARKS = (b"ARROW1", b"\xff\xff\xff\xff")  # the file and the stream format
# Exceptions of pyarrow, and of the metadata reader, for a damaged file.
DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError, MemoryError)
ROW_SUFFIXES = (
    ".parquet",
    ".arrow",
    ".csv",
    ".jsonl",
)  # the formats of `appending`
FEW = 1 << 12  # one thread reads so many rows before others are awake
BATCH = 1 << 17  # rows of a written record batch: the unit of reading
PAGE = 1 << 20  # bytes of a Parquet column at a time: a row group may be as large as its file


def load(
    source: str | os.PathLike[str] | Source, format: str | None = None, encoded: bool = False
) -> pa.Table:
    """Return the table of a Parquet or Arrow IPC file unchanged."""
    # A path is a file on disk, not compressed as a whole. If ``encoded``, text columns of Parquet
    # stay in dictionaries.
    if isinstance(source, Source):
        name, known = source.name, sniff(source.data)
    else:
        name, known = name_of(source), format_of(source)
    format = format or known or "parquet"
    try:
        with _opened(source) as file:
            loaded = _load_arrow(file) if format == "arrow" else _load_parquet(file, encoded)
        loaded.validate(full=True)  # offsets of a damaged file may point anywhere
    except DAMAGE as error:
        raise damaged(name, format, error) from error
    require_plain(loaded.schema, name)
    return cast_to_plain(loaded)


def _opened(source: str | os.PathLike[str] | Source) -> Any:
    """Open a file on disk, or a copy of bytes in memory, for Arrow."""
    if isinstance(source, Source):
        return pa.BufferReader(copy_to_arrow(source.data))
    return pa.OSFile(os.fspath(source))


def schema_of(source: str | os.PathLike[str] | Source) -> pa.Schema | None:
    """Return the schema of a Parquet or Arrow IPC file; None for other or damaged files."""
    try:
        format = sniff(source.data) if isinstance(source, Source) else format_of(source)
        if format is None:
            return None
        with _opened(source) as file:
            if format == "parquet":
                import pyarrow.parquet as pq

                return pq.read_schema(file)
            head = file.read(6)
            file.seek(0)
            return _reader_of_arrow(file, head).schema
    except DAMAGE:
        return None


@contextmanager
def appending(
    target: str | os.PathLike[str],
    # Called at the end for the metadata of the schema; CSV and JSON lines store none
    metadata: Callable[[], dict[bytes, bytes]] | None = None,
    suffix: str | None = None,  # By default that of the target
) -> Iterator[Callable[[pa.Table], None]]:
    """Write tables of one schema to a file, which appears when all of them are written."""
    # The suffix decides the format: ``.parquet`` (also without a suffix, as for a device),
    # ``.arrow``, ``.jsonl``, or ``.csv`` for tables without lists.
    suffix = suffix or Path(target).suffix.lower() or ".parquet"
    if suffix not in ROW_SUFFIXES:
        known = ", ".join(ROW_SUFFIXES)
        raise InputError(f'{target}: unknown suffix "{suffix}" of a table, expected one of {known}')

    def call(write: Callable[..., None], *tables: pa.Table) -> None:
        try:
            write(*tables)
        except pa.ArrowException as error:
            reason = f"cannot be written as {suffix[1:]}: {error}"
            raise OutputError(f"{target}: {reason}") from error

    with replacing(target) as file, closing(_RowWriter(file, suffix, metadata)) as writer:
        yield partial(call, writer.append)
        call(writer.finish)


class _RowWriter:
    """A file to which tables are appended: the first opens it, a thread writes the others."""

    # An Arrow file begins with its schema. If metadata are only known at the end, tables wait in a
    # temporary file.

    def __init__(
        self, file: Any, suffix: str, metadata: Callable[[], dict[bytes, bytes]] | None
    ) -> None:
        self.file, self.suffix, self.metadata = file, suffix, metadata
        self.waits = suffix == ".arrow" and metadata is not None
        self.held: Any = file
        if self.waits:
            from tempfile import TemporaryFile

            self.held = TemporaryFile()  # noqa: SIM115
        self.writer: Any = None
        self.thread: Any = None
        self.wait: Callable[[], None] = lambda: None  # for the thread, and raise its error

    def append(self, table: pa.Table) -> None:
        """Write a table, or begin to."""
        if self.suffix == ".csv":  # for an empty piece Arrow 21 writes the rows before it again
            table = table.combine_chunks()
        if self.writer is None:
            self.schema = table.schema
            in_the_end = self.metadata is not None
            self.writer = _row_writer(self.suffix, self.held, table.schema, in_the_end)
            self.writer.write_table(table)
            return
        if self.thread is None:
            from concurrent.futures import ThreadPoolExecutor  # not needed by a single table

            self.thread = ThreadPoolExecutor(1)
        self.wait()
        self.wait = self.thread.submit(self.writer.write_table, table).result

    def finish(self) -> None:
        """Write the metadata, and the tables that waited for them."""
        self.wait()
        if self.writer is None or self.metadata is None:
            return
        metadata = self.metadata()
        schema = self.schema.with_metadata(metadata)
        if self.suffix == ".parquet":  # the file is the same as with metadata from the start
            stored = {b"ARROW:schema": b64encode(schema.serialize())}
            self.writer.add_key_value_metadata(metadata | stored)
        elif self.waits:
            self.writer.close()
            self.held.seek(0)
            with pa.ipc.open_file(self.held) as reader, pa.ipc.new_file(self.file, schema) as to:
                for k in range(reader.num_record_batches):
                    to.write_batch(reader.get_batch(k).replace_schema_metadata(metadata))

    def close(self) -> None:
        """Write the end of the format; the caller closes the file."""
        if self.thread is not None:
            self.thread.shutdown()
        if self.writer is not None:
            self.writer.close()
        if self.waits:
            self.held.close()


def _row_writer(suffix: str, file: Any, schema: pa.Schema, in_the_end: bool) -> Any:
    """Open the writer of a format; with ``in_the_end`` metadata are written at the end."""
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.ParquetWriter(file, schema, store_schema=not in_the_end)
    if suffix == ".csv":
        import pyarrow.csv

        return pyarrow.csv.CSVWriter(file, schema)
    if suffix == ".jsonl":
        return _LineWriter(file)
    return pa.ipc.new_file(file, schema)


class _LineWriter:
    """A file of JSON lines to which tables are appended."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write_table(self, table: pa.Table) -> None:
        """Write a line per row; NaN is null."""
        for _, block in blocks(table):
            columns = {
                name: json_cells(_not_nan(block[name]), JsonTexts()) for name in table.column_names
            }
            self.file.write(json_lines(columns, len(block)))

    def close(self) -> None:
        """Do nothing: the caller closes the file."""


def _not_nan(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Replace NaN by null."""
    if not pa.types.is_floating(column.type):
        return column
    return pc.if_else(pc.is_nan(column), None, column)


def sniff(data: bytes) -> str | None:
    """Return the binary format of a file by its first bytes; None for other files."""
    marks = {"parquet": PARQUET_MARKS, "arrow": ARROW_MARKS}
    return next((name for name, begin in marks.items() if data.startswith(begin)), None)


def format_of(path: str | os.PathLike[str]) -> str | None:
    """Return the binary format of a file on disk by its first bytes; None for anything else."""
    try:
        if path == "-" or not Path(path).is_file():  # a pipe is read only once
            return None
        with Path(path).open("rb") as file:
            return sniff(file.read(8))
    except (OSError, ValueError):  # the reader will report it
        return None


def _load_parquet(source: Any, encoded: bool) -> Any:
    import pyarrow.parquet as pq

    texts = []
    if encoded:
        schema = pq.read_schema(source)
        texts = [field.name for field in schema if field.type == pa.string()]
    file = pq.ParquetFile(source, read_dictionary=texts, buffer_size=PAGE)
    if texts or file.metadata.num_rows <= BATCH:
        return file.read(use_threads=file.metadata.num_rows > FEW)  # also two columns of one name
    # Reading all pages of a column at once takes twice the memory of the table, and more time.
    return pa.Table.from_batches(file.iter_batches(BATCH), file.schema_arrow)


def _load_arrow(source: Any) -> Any:
    head = source.read(6)
    source.seek(0)
    return _reader_of_arrow(source, head).read_all()


def _reader_of_arrow(source: Any, head: bytes) -> Any:
    """Return a reader of Arrow's file or stream format, by the first bytes."""
    return (pa.ipc.open_file if head == ARROW_MARKS[0] else pa.ipc.open_stream)(source)


def damaged(name: str, format: str, error: BaseException) -> InputError:
    """Return the InputError for a file that pyarrow cannot read."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return InputError(f"{name}: cannot be read as {format}: {reason}")

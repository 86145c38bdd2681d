"""Tables that stay in their file: read part by part, or column by column, when asked for.

::

    path ── parts ──▶ record batches of Parquet or Arrow IPC
      └─ OnDisk ──▶ columns, and batches of columns, of a large Parquet file
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.validation import validate
from fastcausal.errors import InputError
from fastcausal.files.binary import ARROW_MARKS, BATCH, DAMAGE, PAGE, damaged, format_of, load
from fastcausal.files.packed import name_of
from fastcausal.files.schemas import require_plain

ROWS = 1 << 14  # rows of text at a time, so that they stay in the processor's cache


def parts(
    path: str | os.PathLike[str],
    format: str,
    n_rows: int,  # Most rows in a batch of Parquet; Arrow has the batches that were written
    whole: int = 0,  # A Parquet file with at most this number of rows is read at once
    columns: Collection[str | None] | None = None,  # The only columns needed from a Parquet file
) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    """Open a file; return its schema, and its rows in order as batches."""
    if format == "arrow":
        return _parts_of_arrow(os.fspath(path))
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, pre_buffer=False, buffer_size=PAGE)
    schema = file.schema_arrow
    kept = None if columns is None else [name for name in schema.names if name in columns]

    def batches() -> Iterator[pa.RecordBatch]:
        if file.metadata.num_rows <= whole:
            threads = Path(path).stat().st_size > PAGE  # starting them takes longer than a page
            yield from file.read(kept, use_threads=threads).to_batches()
            return
        for groups in _row_groups(file.metadata, n_rows):  # one call for all would keep them all
            yield from file.iter_batches(n_rows, row_groups=groups, columns=kept)

    return schema, batches()


def _row_groups(metadata: Any, least: int) -> Iterator[list[int]]:
    """Yield runs of row groups, each with at least ``least`` rows except the last."""
    groups: list[int] = []
    n_rows = 0
    for k in range(metadata.num_row_groups):
        groups.append(k)
        n_rows += metadata.row_group(k).num_rows
        if n_rows >= least or k == metadata.num_row_groups - 1:
            yield groups
            groups, n_rows = [], 0


def _parts_of_arrow(path: str) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    file = pa.OSFile(path)
    if file.read(len(ARROW_MARKS[0])) == ARROW_MARKS[0]:
        reader = pa.ipc.open_file(file)
        return reader.schema, map(reader.get_batch, range(reader.num_record_batches))
    file.seek(0)
    stream = pa.ipc.open_stream(file)
    return stream.schema, stream


def store_alike(
    paths: tuple[str | os.PathLike[str], str | os.PathLike[str]], names: Collection[str]
) -> bool:
    """Compare columns of two Parquet files without decoding them."""
    # Return True if one file has none of these columns, or if both store them in the same bytes:
    # then the values are equal. False leaves it open.
    import pyarrow.parquet as pq

    try:
        ours, theirs = (list(_chunks(pq.read_metadata(path), names)) for path in paths)
        if not ours or not theirs:
            return True
        if [about for about, _ in ours] != [about for about, _ in theirs]:
            return False
        with Path(paths[0]).open("rb") as a, Path(paths[1]).open("rb") as b:
            return all(
                _same_bytes(a, b, start, other, about[-1])
                for (about, start), (_, other) in zip(ours, theirs, strict=True)
            )
    except DAMAGE:  # reading reports it
        return False


def _chunks(metadata: Any, names: Collection[str]) -> Iterator[tuple[tuple[Any, ...], int]]:
    """Yield the type and size of each chunk of columns, and its place in the file."""
    for group in range(metadata.num_row_groups):
        for k in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(k)
            if chunk.path_in_schema.partition(".")[0] in names:
                start = chunk.dictionary_page_offset or chunk.data_page_offset
                about = chunk.path_in_schema, chunk.physical_type, chunk.compression
                yield (*about, chunk.num_values, chunk.total_compressed_size), start


def _same_bytes(a: IO[bytes], b: IO[bytes], start: int, other: int, size: int) -> bool:
    a.seek(start)
    b.seek(other)
    steps = [min(PAGE, size - done) for done in range(0, size, PAGE)]
    return all(a.read(n) == b.read(n) for n in steps)


class OnDisk:
    """The table of a Parquet file; each column is read at its first access."""

    # Every access raises InputError if the file is damaged, or has changed since it was opened.

    def __init__(
        self,
        path: str | os.PathLike[str],  # A file on disk that is not compressed as a whole
    ) -> None:
        import pyarrow.parquet as pq

        self.name: str = name_of(path)
        self._path, self._version = path, _version(path)
        self._columns: dict[str, pa.ChunkedArray] = {}
        try:
            self._metadata = pq.read_metadata(path)
            self.schema: pa.Schema = self._metadata.schema.to_arrow_schema()
        except DAMAGE as error:
            raise damaged(self.name, "parquet", error) from error
        require_plain(self.schema, self.name)

    def __len__(self) -> int:
        return int(self._metadata.num_rows)

    @property
    def column_names(self) -> list[str]:
        """Names of all columns."""
        return list(self.schema.names)

    def __getitem__(self, column: str) -> pa.ChunkedArray:
        return self.select([column])[column]

    def select(self, columns: Sequence[str]) -> pa.Table:
        """Return a table of columns; read and keep columns that were not read before."""
        if missing := [name for name in columns if name not in self._columns]:
            table = pa.concat_tables(self._tables(missing, BATCH))
            self._columns |= zip(table.column_names, table.columns, strict=True)
        return pa.table({name: self._columns[name] for name in columns})

    def batches(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield tables of columns, some rows at a time; keep nothing in memory."""
        return self._tables(columns, ROWS)

    def _tables(self, columns: Sequence[str], n_rows: int) -> Iterator[pa.Table]:
        n = 0
        try:
            if _version(self._path) != self._version:
                raise InputError(f"{self.name} has changed since it was opened")
            _, batches = parts(self._path, "parquet", n_rows, columns=columns)
            for batch in batches:
                table = pa.Table.from_batches([batch])
                validate(table)  # offsets of a damaged file may point anywhere
                n += len(table)
                yield arrow.cast_to_plain(table.select(columns))
            if n != len(self):
                raise ValueError(f"{n} rows, expected {len(self)}")
        except InputError:
            raise
        except DAMAGE as error:
            load(self._path)  # raises the same message as reading the whole file
            raise damaged(self.name, "parquet", error) from error

    def lacks_null(self, column: str) -> bool:
        """Return True if, by the file's metadata, a column of plain values has no null."""
        schema = self._metadata.schema
        [k] = [k for k in range(len(schema)) if schema.column(k).path == column]
        groups = range(self._metadata.num_row_groups)
        about = (self._metadata.row_group(g).column(k).statistics for g in groups)
        return all(each is not None and each.null_count == 0 for each in about)


def open_on_disk(path: str | os.PathLike[str]) -> OnDisk | None:
    """Open a large Parquet file; return None for other files, which are read at once."""
    if format_of(path) != "parquet":
        return None
    file = OnDisk(path)
    return file if len(file) > BATCH else None


def _version(path: str | os.PathLike[str]) -> tuple[int, int, int]:
    about = Path(path).stat()
    return about.st_ino, about.st_size, about.st_mtime_ns

"""Parquet and Arrow IPC files a few rows at a time, in bounded memory whatever their size."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.errors import InputError
from fastcausal.formats.table import ARROW_MARKS, DAMAGE, damaged
from fastcausal.relations import Reading

ROWS = 1 << 17  # examples at a time
PAGE = 1 << 20  # bytes of a Parquet column at a time: a row group may be as large as its file

Piece = tuple[Reading | None, pa.Table]
"""Some examples, and how they were read; None where an earlier piece of the same file says so."""


def read(
    path: str | os.PathLike[str],
    format: str,
    name: str,
    columns: Collection[str | None] | None = None,
) -> Iterator[Piece]:
    """The rows of a file from the first to the last, at least one piece.

    One record batch of an Arrow file, and some pages of a Parquet file, are in memory at once.

    Parameters
    ----------
    path : path
    format : {"parquet", "arrow"}
    name : str
        What messages call the file.
    columns : collection of str, optional
        The only columns needed of a Parquet file.

    Raises
    ------
    InputError
        The file is damaged or of another format.
    """
    try:
        opened = _parquet(path, columns) if format == "parquet" else _arrow(os.fspath(path))
        for reading, found in of_one_file(*opened):
            arrow.validate(found)  # offsets of a damaged file may lead anywhere
            yield reading, found
    except InputError:
        raise
    except DAMAGE as error:
        raise damaged(name, format, error) from error


def of_one_file(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
    """Record batches as pieces, an empty one where there are none."""
    reading: Reading | None = Reading.of(schema)
    for batch in batches:
        yield reading, pa.Table.from_batches([batch])
        reading = None
    if reading is not None:
        yield reading, schema.empty_table()


def n_examples(path: str | os.PathLike[str], format: str) -> int | None:
    """The number of rows of a file, None where it is not told in one place."""
    if format != "parquet":
        return None
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except DAMAGE:  # which reading will tell of
        return None


def _parquet(
    path: str | os.PathLike[str], columns: Collection[str | None] | None
) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path, pre_buffer=False, buffer_size=PAGE)
    schema = file.schema_arrow
    kept = None if columns is None else [name for name in schema.names if name in columns]

    def batches() -> Iterator[pa.RecordBatch]:
        for groups in _row_groups(file.metadata):  # all at once would stay in memory
            yield from file.iter_batches(ROWS, row_groups=groups, columns=kept)

    return schema, batches()


def _row_groups(metadata: Any) -> Iterator[list[int]]:
    """Numbers of row groups that follow each other and have `ROWS` rows, in case they are small."""
    groups: list[int] = []
    n_rows = 0
    for k in range(metadata.num_row_groups):
        groups.append(k)
        n_rows += metadata.row_group(k).num_rows
        if n_rows >= ROWS or k == metadata.num_row_groups - 1:
            yield groups
            groups, n_rows = [], 0


def _arrow(path: str) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    file = pa.OSFile(path)
    if file.read(len(ARROW_MARKS[0])) == ARROW_MARKS[0]:
        reader = pa.ipc.open_file(file)
        return reader.schema, map(reader.get_batch, range(reader.num_record_batches))
    file.seek(0)
    stream = pa.ipc.open_stream(file)
    return stream.schema, stream

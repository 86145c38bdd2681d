"""The canonical table in binary files: Parquet and Arrow IPC."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import pyarrow as pa

from fastcausal.arrays.arrow import drop_columns
from fastcausal.arrays.reading import METADATA_KEY
from fastcausal.errors import InputError
from fastcausal.files.binary import (
    ARROW_MARKS,
    BATCH,
    DAMAGE,
    PARQUET_MARKS,
    appending,
    damaged,
    load,
    sniff,
)
from fastcausal.files.files import Source, replacing
from fastcausal.formats import frames
from fastcausal.formats.blockwise import Conversion, Progress, WrittenParts
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.marking import MARKING, Marking
from fastcausal.options import Occurrence
from fastcausal.relations import Relations


def read(
    # A Parquet or Arrow IPC file (the file or the stream format)
    source: str | os.PathLike[str] | Source,
    format: str | None = None,  # By default found from the first bytes
    like: Relations | None = None,  # As in `fastcausal.formats.spans.located`
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
) -> Relations:
    """Read a table with all its columns, canonical or in a form of `fastcausal.formats.frames`."""
    source = Source.open(source)
    format = format or sniff(source.data) or "parquet"
    loaded = load(source, format)
    if occurrence != "gap" or not frames.is_canonical(loaded.schema):
        return frames.read(loaded, None, like, occurrence, marking, source.name)
    try:
        return frames.read_canonical(loaded, marking, "")
    except InputError as error:
        raise InputError(f"{source.name}: {error}") from error
    except DAMAGE as error:  # in the metadata
        raise damaged(source.name, format, error) from error


def write(
    relations: Relations,
    # ``.arrows`` makes the stream format of Arrow IPC, any other suffix the file format
    target: str | os.PathLike[str],
    format: str,
) -> list[str]:
    """Write a canonical table, without the column ``tagged``."""
    # Nothing is lost.
    table = drop_columns(relations.table, ("tagged",))
    with replacing(target) as file:
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


class _WriteParquet:
    """The `write` of Parquet files."""

    def __call__(self, relations: Relations, target: str | os.PathLike[str]) -> list[str]:
        """Write relations in memory."""
        return write(relations, target, "parquet")

    def stream(
        self, examples: Stream, target: str | os.PathLike[str], progress: Progress | None
    ) -> Conversion:
        """Write the examples of a stream; memory holds a row group, and 8 bytes for every id."""

        def metadata() -> dict[bytes, bytes]:
            assert examples.reading is not None
            return {**examples.metadata, METADATA_KEY: examples.reading.serialise()}

        parts = WrittenParts(examples, progress)
        with (
            closing(parts.read()) as read,
            appending(target, metadata, ".parquet") as append,
        ):
            for table in batches.cut((drop_columns(p.table, ("tagged",)) for p in read), BATCH):
                append(table)
        return parts.done([])


def stream(
    name: str, files: Mapping[Path, str], format: str, columns: Collection[str | None] | None
) -> Stream | None:
    """Stream files by `batches.stream_files`; return None if `frames.read` needs whole tables."""
    first, label = next(iter(files.items()))
    schema = batches.schema_of(first, format, label)
    if schema is not None and not frames.is_canonical(schema):
        return None
    made = batches.stream_files(name, files, format, columns)
    if schema is not None and len(files) == 1:
        made.metadata = schema.metadata or {}
    return made


def _stream(source: Opened, columns: Collection[str | None] | None, tags: str) -> Stream | None:
    name = source.name
    return stream(name, {Path(source.path): name}, source.format.name, columns)


PARQUET = Format(
    "parquet",
    partial(read, format="parquet"),
    _WriteParquet(),
    suffixes=(".parquet", ".pq"),
    takes=("like", "occurrence", "roles", "words"),
    folder=(".parquet", ".pq"),
    marks=PARQUET_MARKS,
    stream=_stream,
)
ARROW = Format(
    "arrow",
    partial(read, format="arrow"),
    partial(write, format="arrow"),
    suffixes=(".arrow", ".arrows", ".ipc", ".feather"),
    takes=("like", "occurrence", "roles", "words"),
    marks=ARROW_MARKS,
    stream=_stream,
)

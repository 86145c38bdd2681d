"""Sources batch by batch, and the files of a directory or a zip one after another."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.files.packed import name_of
from fastcausal.formats import cnc, declared, frames, table
from fastcausal.formats.annotation import projects
from fastcausal.formats.cnc import submissions, truth
from fastcausal.formats.reading import batches, folders
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.formats.reading.opening import is_folder, is_project, opened, sniff
from fastcausal.marking import MARKING, Marking
from fastcausal.options import ReadFormat, TagReading
from fastcausal.relations import Relations


def stream(
    # Relations, path, `Opened`, `pyarrow.RecordBatchReader` or iterator: The path of a Parquet or
    # Arrow IPC file, of a large file of JSON lines or a submission, or of a directory as `read`
    # takes it; an iterator of Relations or Arrow data
    source: Any,
    columns: Collection[str | None] | None = None,  # The only columns needed of Parquet files
    tags: TagReading = "strict",  # The reading of tagged sentences
) -> Stream | None:
    """Stream the examples of a source; return None if it must be read at once."""
    if isinstance(source, Relations):
        read_all = [(source.reading, source.table)]
        return Stream("", lambda _: read_all, len(source), relations=source)
    if isinstance(source, pa.RecordBatchReader):
        if not frames.is_canonical(source.schema):
            return None
        return Stream("", lambda _: batches.read_batches(source), n_bytes=None)
    if isinstance(source, Iterator):
        return stream_of(source)
    if not isinstance(source, Opened):
        source = opened(source)
    if isinstance(source, Opened):
        batched = source.format.stream if source.can_stream else None
        return None if batched is None else batched(source, columns, tags)
    if is_project(source):
        return projects.stream(name_of(source), None, lambda: zipped(source))
    return folder_stream(*files_of(source), columns) if is_folder(source) else None


def stream_alone(
    source: Any,  # `Opened`, or the path of a directory
    format: ReadFormat | None = None,  # Of the files of a directory
) -> Stream | None:
    """Stream files that can be read again and need no gold; None for other sources."""
    if is_project(source):
        return None
    if is_folder(source):
        name, known, files = files_of(source, format)
        return folder_stream(name, known, files) if known is not None and known.marks else None
    # A pipe is read only once.
    if not isinstance(source, Opened) or not source.can_stream or not Path(source.path).is_file():
        return None
    if source.format is not cnc.FORMAT:
        return stream(source)
    if source.head is None or not source.head.is_json:
        return truth.stream(source, None, "strict")
    lines = submissions.line_batches
    return Stream("", lambda _: map(batches.batch, lines(source.path, batches.ROWS)))


def stream_of(items: Iterator[Any]) -> Stream:
    """Make a stream of consecutive relations or Arrow data."""
    return Stream("", lambda _: map(batches.batch, items), n_bytes=None)


def files_of(
    source: str | os.PathLike[str], format: ReadFormat | None = None
) -> tuple[str, Format | None, list[Path]]:
    """Return the name of a directory, its files, and their format if suffixes decide it."""
    if format is not None and not declared.FORMATS[format].folder:
        raise InputError(f"{name_of(source)}: a directory, {format} is read from one file")
    formats = {
        name: f for name, f in declared.FORMATS.items() if f.folder and format in (None, name)
    }
    return name_of(source), *folders.files_of(source, formats)


def folder_stream(
    name: str,
    format: Format | None,
    files: Sequence[Path],
    columns: Collection[str | None] | None = None,
    marking: Marking = MARKING,
) -> Stream | None:
    """Stream the examples of a directory; return None if text files must be read at once."""
    if format is None:
        return None
    if format.documents is None:
        return table.stream(name, {file: str(file) for file in files}, format.name, columns)
    opens = [Opened(file, format) for file in files]
    return projects.stream(name, sum(file.size() for file in opens), lambda: opens, marking)


def zipped(source: str | os.PathLike[str], format: ReadFormat | None = None) -> Iterator[Opened]:
    """Yield the files of marked texts in a zip."""
    marked = {
        name: f for name, f in declared.FORMATS.items() if f.documents and format in (None, name)
    }
    if not marked:
        raise InputError(f"{name_of(source)}: a zip of files, {format} is read from one file")
    yield from projects.files_of(source, marked, sniff)


def documents_of(source: Any) -> Iterator[Any]:
    """Yield the files of marked texts in a directory or zip as `Opened`; else only the source."""
    if is_project(source):
        yield from zipped(source)
        return
    if is_folder(source):
        _, format, files = files_of(source)
        if (format or opened(files[0]).format).documents:
            yield from (Opened(file, format) if format else opened(file) for file in files)
            return
    yield source

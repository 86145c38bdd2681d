"""Reading and writing causal relations: one file per format, each with its ``read`` and ``write``.

path, list, DataFrame ──▶ read ──▶ Relations ──▶ write ──▶ path
                           │ sniffing.py              │ returns what was lost
                           ▼                          ▼
     cnc.py  tagged.py  bio.py  spans.py  table.py ── tags.py, builder.py, source.py, lines.py
      └─ truth.py, submissions.py                      └─ _native.pyx: csrc/tagged.hpp, ...
     webanno.py  brat.py ──────────────────────────── links.py: spans and links become relations
     folders.py: directories of files of one format
     squad.py  nli.py ─────────────────────────────── arguments.py: relations become pairs
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.formats import bio, cnc, spans, table
from fastcausal.formats.annotation import brat, webanno
from fastcausal.formats.annotation.links import Document
from fastcausal.formats.cnc import submissions, tagged
from fastcausal.formats.cnc.markup import reading
from fastcausal.formats.export import nli, squad
from fastcausal.formats.io import batches, folders, pieces
from fastcausal.formats.io.batches import Stream
from fastcausal.formats.io.files import Source, name_of
from fastcausal.formats.io.sources import RelationSource
from fastcausal.formats.schemes import are_like_tags
from fastcausal.formats.sniffing import CHOICE, READ_SUFFIXES, format_in_parts, sniff
from fastcausal.options import ExportFormat, Premise, ReadFormat, TagReading, WriteFormat, check
from fastcausal.relations import Relations

WRITE_ONLY = get_args(ExportFormat)
WRITE_SUFFIXES = READ_SUFFIXES | dict.fromkeys((".jsonl", ".ndjson"), "jsonl")


def read(
    source: RelationSource,
    format: ReadFormat | None = None,
    like: Relations | None = None,
    tags: TagReading = "strict",
) -> Relations:
    """Read causal relations from a file, Python lists or any Arrow data.

    Parameters
    ----------
    source : path, Relations, Arrow data, list or iterator
        A path, ``"-"`` for standard input, or a `Source`; a directory of Parquet files, or of
        the brat or WebAnno files of one annotator; an iterator of Relations or Arrow data that
        follow each other; an object with ``__arrow_c_stream__`` (a table of pyarrow, pandas,
        polars, DuckDB); lists of tagged sentences, lists of tags (or lists of such lists),
        or example dicts as `Relations.from_examples` takes them. Relations are returned as they
        are.
    format : {"cnc", "bio", "spans", "parquet", "arrow", "jsonl", "brat", "webanno"}, optional
        Told from the file name and the content if not given.
    like : Relations, optional
        The gold side of predictions: ids, texts and lengths are taken from it.
    tags : {"strict", "cnc-2023", "cnc-2022"}
        How tagged sentences are read, see `fastcausal.formats.cnc.markup.parse`.

    Raises
    ------
    InputError
        The format cannot be told, or the content is not of that format.
    ValueError
        An unknown format or tag reading.

    Examples
    --------
    >>> gold = read([["<ARG0>Rain</ARG0> brings <ARG1>floods</ARG1>"]])
    >>> gold.to_examples()[0]["relations"] == read([["B-C", "O", "B-E"]]).to_examples()[0][
    ...     "relations"]
    True
    """
    if format is not None:
        check("format", format, ReadFormat)
    reading(tags)  # refuse an unknown one even where there are no tags
    if isinstance(source, Relations):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        exported: Any = source
        return Relations(exported)
    if folders.is_folder(source) and format in (None, *folders.SUFFIXES):
        return _folder(source, format).whole()
    if isinstance(source, Iterator):
        return _iterated(source).whole()
    if isinstance(source, str | os.PathLike | Source):
        source, format = load(source, format)
        return _read_file(source, format, like, tags)
    if isinstance(source, list | tuple):
        return _read_list(source, format, like, tags)
    raise InputError(
        f"cannot read a {type(source).__name__}, expected a path, a list or Arrow data"
    )


def load(
    source: str | os.PathLike[str] | Source, format: ReadFormat | None = None
) -> tuple[Source, ReadFormat]:
    """The content of a file and its format, told from its name and content if not given.

    Raises
    ------
    InputError
        The file cannot be opened or is empty, or its format cannot be told.
    """
    if isinstance(source, str | os.PathLike):
        named = format or READ_SUFFIXES.get(Path(source).suffix.lower())
        source = brat.load(source) if named == "brat" else Source.open(source)
    return source, format or sniff(source)


def stream(
    source: Any, columns: Collection[str | None] | None = None, tags: TagReading = "strict"
) -> Stream | None:
    """The examples of a source one after another, None where it has to be read whole.

    Parameters
    ----------
    source : Relations, path, `pyarrow.RecordBatchReader` or iterator
        The path of a Parquet or Arrow IPC file, of JSON lines or a submission, or of a directory
        as `read` takes it; an iterator of Relations or Arrow data.
    columns : collection of str, optional
        The only columns needed of Parquet files with more than one part.
    tags : {"strict", "cnc-2023", "cnc-2022"}
        How tagged sentences are read.

    Raises
    ------
    InputError
        A directory has no files of a known format.
    """
    if isinstance(source, Relations):
        return Stream("", lambda _: [(source.reading, source.table)], len(source))
    if isinstance(source, pa.RecordBatchReader):
        return Stream("", lambda _: batches.of_reader(source), n_bytes=None)
    if isinstance(source, Iterator):
        return _iterated(source)
    if not isinstance(source, str | os.PathLike):
        return None
    if folders.is_folder(source):
        return _folder(source, None, columns)
    path, name = Path(source), name_of(source)
    format = format_in_parts(path, name)
    if format in ("parquet", "arrow"):
        return _binary_stream(path, name, {path: format}, columns)
    if format not in ("jsonl", "cnc"):
        return None

    def read_lines(golds: Iterator[Relations]) -> Iterator[pieces.Piece]:
        if format == "jsonl":
            return map(batches.piece, table.line_parts(source, pieces.ROWS))
        return map(batches.piece, submissions.parts(source, golds, tags))

    # Without a name: what these tell of faults begins with it.
    return Stream("", read_lines, n_bytes=path.stat().st_size, follows=format == "cnc")


def _iterated(source: Iterator[Any]) -> Stream:
    return Stream("", lambda _: map(batches.piece, source), n_bytes=None)


def _binary_stream(
    path: Path, name: str, files: Mapping[Path, str], columns: Collection[str | None] | None
) -> Stream:
    counts = [pieces.n_examples(*file) for file in files.items()]
    n_examples = None if None in counts else sum(filter(None, counts))
    # One part is all a report needs of a source, so it has all columns.
    some = columns if n_examples is not None and n_examples > pieces.ROWS else None

    def read_all(_: Any) -> Iterator[pieces.Piece]:
        for file, format in files.items():
            yield from pieces.read(file, format, name if file == path else str(file), some)

    return Stream(name, read_all, n_examples, sum(file.stat().st_size for file in files))


def _folder(
    source: str | os.PathLike[str],
    format: ReadFormat | None,
    columns: Collection[str | None] | None = None,
) -> Stream:
    format, files = folders.files_of(source, format)
    name = name_of(source)
    if format == "parquet":
        return _binary_stream(Path(source), name, dict.fromkeys(files, format), columns)
    size = sum(file.stat().st_size for file in files)
    return Stream(name, lambda _: map(batches.piece, _documents(files, format)), n_bytes=size)


def _documents(files: Sequence[Path], format: ReadFormat) -> Iterator[Relations]:
    """The relations of each document; InputError where one comes twice."""
    seen: dict[str, str] = {}
    for file in files:
        found = document(load(file, format)[0], format)
        assert found is not None  # a directory has no other files
        before = seen.setdefault(found.name, found.file)
        if before != found.file:
            raise InputError(
                f'{found.file}: document "{found.name}" is also in {before}, expected the '
                "documents of one annotator; agreement takes those of several"
            )
        yield found.relations()


def document(source: Source, format: str) -> Document | None:
    """The spans and links of a WebAnno or brat file, None where a format has relations alone."""
    if format == "brat":
        return brat.parse(source)
    return webanno.parse(source) if format == "webanno" else None


def write(
    relations: Relations,
    target: str | os.PathLike[str],
    format: WriteFormat | None = None,
    *,
    seed: int | None = None,
    premise: Premise | None = None,
) -> list[str]:
    """Write causal relations to a file, which appears complete or not at all.

    Parameters
    ----------
    relations : Relations
    target : path
        Its suffix decides the format: ``.csv`` cnc; ``.bio``, ``.iob``, ``.iob2``, ``.conll``
        bio; ``.parquet``; ``.arrow``, ``.ipc``, ``.feather``, ``.arrows`` (stream) arrow;
        ``.jsonl``, ``.ndjson`` jsonl; ``.ann`` brat.
    format : {"cnc", "bio", "spans", "parquet", "arrow", "jsonl", "brat", "squad", "nli"}, optional
        Overrides the suffix; ``cnc`` without ``.csv`` is a submission. No suffix means ``squad``
        or ``nli``.
    seed : int, optional
        Of ``squad`` alone: which questions are drawn, 0 if not given.
    premise : {"cause", "effect"}, optional
        Of ``nli`` alone: what is the premise, the cause if not given.

    Returns
    -------
    list of str
        What the format cannot hold; empty when nothing was lost.

    Raises
    ------
    InputError
        The name does not tell the format, which needs what the table does not have, or writing
        failed.
    ValueError
        The format is unknown, is not written, or has no such option.
    """
    to = _format_to_write(target, format)
    for name, value, of in (("seed", seed, "squad"), ("premise", premise, "nli")):
        if value is not None and to != of:
            raise ValueError(f"{name} is for {of}, the format of {target} is {to}")
    if to == "squad":
        return squad.write(relations, target, seed or 0)
    if to == "nli":
        return nli.write(relations, target, premise or "cause")
    if to in ("parquet", "arrow", "jsonl"):
        lost = table.write(relations, target, to)
    else:
        writers = {"cnc": cnc, "bio": bio, "spans": spans, "brat": brat}
        lost = writers[to].write(relations, target)
    if not len(relations) and to in ("jsonl", "bio", "spans", "brat"):
        lost.append("a file without examples is empty and cannot be read back")
    return lost


def _format_to_write(target: str | os.PathLike[str], format: WriteFormat | None) -> str:
    if format is not None:
        check("format", format, WriteFormat)
        return format
    by_name = WRITE_SUFFIXES.get(Path(target).suffix.lower())
    if by_name is None:
        raise InputError(
            f"{target}: the name does not tell the format, {CHOICE}, {', '.join(WRITE_ONLY)}"
        )
    return by_name


def _read_file(source: Source, format: str, like: Relations | None, tags: str) -> Relations:
    if format == "cnc":
        return cnc.read(source, like, tags)
    if format == "bio":
        return bio.read(source, like)
    if format == "spans":
        return spans.read(source, like)
    annotated = document(source, format)
    return table.read(source, format) if annotated is None else annotated.relations()


def _read_list(
    source: Sequence[Any], format: str | None, like: Relations | None, tags: str
) -> Relations:
    if all(isinstance(example, Mapping) for example in source):
        return spans.read(source, like) if format == "spans" else Relations.from_examples(source)
    if not all(isinstance(example, list | tuple) for example in source):
        raise InputError(
            "cannot read the list, expected dicts, lists of tagged sentences or lists of tags"
        )
    if format is None:
        nested = not all(issubclass(t, str) for t in set(map(type, chain.from_iterable(source))))
        items = set() if nested else set(chain.from_iterable(source))
        format = "bio" if nested or are_like_tags(items) else "cnc"
    if format == "bio":
        return bio.read(source, like)
    if format == "cnc":
        return tagged.read(source, like, tags)
    raise InputError(f'lists cannot be read as "{format}", expected cnc or bio')

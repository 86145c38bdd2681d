"""Reading and writing causal relations: one file per format, which declares itself as `FORMAT`.

path, list, DataFrame ──▶ opened ──▶ read ──▶ Relations ──▶ write ──▶ path
                            │ sniffing.py                     │ returns what was lost
                            ▼                                 ▼
     cnc/  bio.py  spans.py  table.py  jsonl.py ── io/: files, lines, batches, builder
     answers/: raw answers of language models, whose spans spans.py finds
     frames.py: tables and dicts in memory ─────── flat.py: a row per relation in files
     examples.py: what writers and checks take ─── one example at a time
     annotation/: brat.py  webanno.py ... ──────── links.py: spans and links become relations
     export/: squad.py  nli.py ─────────────────── arguments.py: relations become pairs

A reader is a quick way that may decline a source, and a plain one that tells what is wrong with it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeGuard

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.formats import answers as raw
from fastcausal.formats import bio, cnc, examples, flat, frames, jsonl, sniffing, spans, table
from fastcausal.formats.annotation import (
    brat,
    doccano,
    label_studio,
    projects,
    webanno,
    webanno_tsv,
    xmi,
)
from fastcausal.formats.cnc import rereading, tagged
from fastcausal.formats.export import nli, squad
from fastcausal.formats.io import batches, folders
from fastcausal.formats.io.batches import Stream
from fastcausal.formats.io.files import Source, name_of, plain_file
from fastcausal.formats.io.format import Format, Opened
from fastcausal.formats.io.packed import local
from fastcausal.formats.io.sources import RelationSource
from fastcausal.formats.schemes import are_like_tags
from fastcausal.options import Occurrence, Premise, ReadFormat, TagReading, WriteFormat, check
from fastcausal.relations import Relations

# Every format, once: another one is its file and its line here.
ALL = (
    cnc.FORMAT,
    flat.FORMAT,
    bio.FORMAT,
    spans.FORMAT,
    raw.FORMAT,
    examples.FORMAT,
    table.PARQUET,
    table.ARROW,
    jsonl.FORMAT,
    doccano.FORMAT,
    brat.FORMAT,
    webanno.FORMAT,
    webanno_tsv.FORMAT,
    xmi.FORMAT,
    label_studio.FORMAT,
    squad.FORMAT,
    nli.FORMAT,
)
FORMATS = {format.name: format for format in ALL if format.read is not None}
WRITE_ONLY = tuple(format.name for format in ALL if format.read is None)
HEAD = 1 << 20  # bytes that tell the format of a large file
SMALL = HEAD  # bytes of a file that is read whole


def read(
    source: RelationSource,
    format: ReadFormat | None = None,
    like: Relations | None = None,
    tags: TagReading = "strict",
    answers: str | None = None,
    occurrence: Occurrence = "gap",
) -> Relations:
    """Read causal relations from a file, Python lists or any Arrow data.

    Parameters
    ----------
    source : path, Relations, Arrow data, list or iterator
        A path, a URL, ``"-"`` for standard input, or a `Source`; a directory of Parquet, CSV or
        JSON lines files, or of an annotation tool's files of one annotator, or a zip of these; an
        iterator of Relations or Arrow data that follow each other; a table of pyarrow, pandas,
        polars, DuckDB or ``datasets``, as `fastcausal.formats.frames.read` takes it; lists of
        tagged sentences, lists of tags (or lists of such lists), or dicts: examples, or a row per
        relation. Relations are returned as they are.
    format : str, optional
        One of `fastcausal.options.ReadFormat`; told from the name and the content if not given.
    like : Relations, optional
        The gold side of predictions: ids, texts and lengths are taken from it.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        How tagged sentences are read, see `fastcausal.formats.cnc.markup.parse`. ``aligned`` puts
        the tags of sentences that were rewritten (joined tokens, other quotes and dashes) into the
        texts of ``like``, or those of the source itself.
    answers : str, optional
        The column that holds raw answers of a language model; the format is then ``answers``.
    occurrence : {"gap", "first"}
        Which occurrence a span text means that occurs several times, see
        `fastcausal.formats.spans.located`.

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
        check("format", format, FORMATS)
    check("tags", tags, TagReading)  # even where there are no tags
    check("occurrence", occurrence, Occurrence)
    given = {"like": like, "tags": tags, "answers": answers, "occurrence": occurrence}
    relations = _read(local(source), format or implied(answers), given)
    return rereading.with_aligned(relations, like) if tags == "aligned" else relations


def _read(source: RelationSource, format: ReadFormat | None, given: Mapping[str, Any]) -> Relations:
    if isinstance(source, Relations):
        return _as_located(source, given["occurrence"])
    if format == raw.FORMAT.name and not is_folder(source) and not isinstance(source, Opened):
        return raw.read(source, **{name: given[name] for name in raw.FORMAT.takes})
    like, occurrence = given["like"], given["occurrence"]
    if isinstance(source, Opened):
        assert source.format.read is not None
        content = source.content or source.format.load(source.path)
        _refuse_others(source.format, given)
        if source.format in (spans.FORMAT, examples.FORMAT) and table.sniff(content.data):
            of: Any = source.format.name
            return frames.read(table.load(content), of, like, occurrence, content.name)
        return source.format.read(content, **{name: given[name] for name in source.format.takes})
    if format is not None:
        _refuse_others(FORMATS[format], given)
    if (columns := frames.table_of(source)) is not None:
        return frames.read(columns, format, like, occurrence)
    if is_folder(source):
        return _read_folder(source, format, given)
    if isinstance(source, Iterator):
        return _as_located(_stream_of(source).whole(), occurrence)
    if isinstance(source, str | os.PathLike | Source):
        return _read(opened(source, format, whole=True), None, given)
    if isinstance(source, list | tuple):
        return _read_list(source, format, given)
    raise InputError(
        f"cannot read a {type(source).__name__}, expected a path, a list or Arrow data"
    )


def implied(answers: str | None) -> ReadFormat | None:
    """Return the format that a column of answers stands for."""
    return None if answers is None else "answers"


def _as_located(relations: Relations, occurrence: Occurrence) -> Relations:
    """Return relations that are there already, unless texts are to be located otherwise."""
    if occurrence not in ("gap", relations.reading.spans):
        raise ValueError(f'occurrence is "{occurrence}", but there are no texts of spans')
    return relations


def _refuse_others(format: Format, given: Mapping[str, Any]) -> None:
    """Raise ValueError for an argument, other than its default, that a format does not take."""
    for name in ("answers", "occurrence"):  # what has no tags tells its caller so
        value = given[name]
        if value not in (None, "gap") and name not in format.takes:
            takers = ", ".join(known.name for known in ALL if name in known.takes)
            raise ValueError(f'{name} is "{value}", which is for {takers}, not for {format.name}')


def opened(source: Any, format: ReadFormat | None = None, *, whole: bool = False) -> Any:
    """Return the `Opened` file that a path stands for; any other source as it is.

    Parameters
    ----------
    source : path, `Source` or anything else
    format : str, optional
        One of `fastcausal.options.ReadFormat`; told from the name and the content if not given.
    whole : bool
        Whether all of a large file is wanted, or its batches.

    Raises
    ------
    InputError
        The file cannot be opened or is empty, or its format cannot be told.
    """
    source = local(source)
    if isinstance(source, Source):
        known = FORMATS[format] if format else sniffing.sniff(source, FORMATS)
        return Opened(source, known, content=source)
    if not isinstance(source, str | os.PathLike) or is_folder(source):
        return source
    if not whole:
        source = plain_file(source)
    known_by_name = FORMATS[format] if format else sniffing.named(source, FORMATS)
    if known_by_name is not None:
        return Opened(source, known_by_name, content=known_by_name.load(source) if whole else None)
    if not whole and _size(source) > SMALL:
        head = Source.open(source, most=HEAD)
        by_content = sniffing.sniff_head(head, FORMATS)
        if by_content is not None and by_content.stream is not None:
            return Opened(source, by_content, head)
    content = Source.open(source)
    return Opened(source, sniffing.sniff(content, FORMATS), content=content)


def is_folder(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Tell whether a source is the path of a directory, or of a zip of several files."""
    is_path = isinstance(source, str | os.PathLike)
    is_directory = is_path and os.fspath(source) != "" and Path(source).is_dir()
    return is_directory or projects.is_project(source)


def _size(path: str | os.PathLike[str]) -> int:
    """Count the bytes of a regular file; 0 for all else, which can be read only once."""
    try:
        is_file = path != "-" and Path(path).is_file()
        return Path(path).stat().st_size if is_file else 0
    except (OSError, ValueError):  # of which reading will tell
        return 0


def stream(
    source: Any, columns: Collection[str | None] | None = None, tags: TagReading = "strict"
) -> Stream | None:
    """Return the examples of a source one after another, None where it has to be read whole.

    Parameters
    ----------
    source : Relations, path, `Opened`, `pyarrow.RecordBatchReader` or iterator
        The path of a Parquet or Arrow IPC file, of a large file of JSON lines or a submission, or
        of a directory as `read` takes it; an iterator of Relations or Arrow data.
    columns : collection of str, optional
        The only columns needed of Parquet files.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        How tagged sentences are read.

    Raises
    ------
    InputError
        A file cannot be opened or its format told; a directory has no files of a known format.
    """
    if isinstance(source, Relations):
        read_all = [(source.reading, source.table)]
        return Stream("", lambda _: read_all, len(source), relations=source)
    if isinstance(source, pa.RecordBatchReader):
        if not frames.is_canonical(source.schema):
            return None
        return Stream("", lambda _: batches.of_reader(source), n_bytes=None)
    if isinstance(source, Iterator):
        return _stream_of(source)
    source = opened(source)
    if isinstance(source, Opened):
        batched = source.format.stream if source.in_batches else None
        return None if batched is None else batched(source, columns, tags)
    if projects.is_project(source):
        return projects.stream(name_of(source), None, lambda: _zipped(source))
    return _folder_stream(*_files_of(source), columns) if is_folder(source) else None


def _stream_of(items: Iterator[Any]) -> Stream:
    return Stream("", lambda _: map(batches.batch, items), n_bytes=None)


def _read_folder(
    source: str | os.PathLike[str], wanted: ReadFormat | None, given: Mapping[str, Any]
) -> Relations:
    """Read all files of a directory with the arguments of `read`."""
    if projects.is_project(source):
        _refuse_others(webanno.FORMAT, given)
        return projects.stream(name_of(source), None, lambda: _zipped(source, wanted)).whole()
    name, format, files = _files_of(source, wanted)
    if format is not None:
        _refuse_others(format, given)
    examples = _folder_stream(name, format, files)
    if examples is None:
        opens = (opened(file, wanted, whole=True) for file in files)
        texts = folders.of_one_format(name, opens, lambda file: read(file, **given))
        examples = Stream(name, lambda _: map(batches.batch, texts))
    return examples.whole()


def _files_of(
    source: str | os.PathLike[str], format: ReadFormat | None = None
) -> tuple[str, Format | None, list[Path]]:
    """Return the name of a directory, the format of its files if suffixes tell it, and these."""
    if format is not None and not FORMATS[format].folder:
        raise InputError(f"{name_of(source)}: a directory, {format} is read from one file")
    formats = {name: f for name, f in FORMATS.items() if f.folder and format in (None, name)}
    return name_of(source), *folders.files_of(source, formats)


def _folder_stream(
    name: str,
    format: Format | None,
    files: Sequence[Path],
    columns: Collection[str | None] | None = None,
) -> Stream | None:
    """Return the examples of a directory, None where text files have to be read whole."""
    if format is None:
        return None
    if format.documents is None:
        return table.stream(name, {file: str(file) for file in files}, format.name, columns)
    opens = [Opened(file, format) for file in files]
    return projects.stream(name, sum(file.size() for file in opens), lambda: opens)


def _zipped(source: str | os.PathLike[str], format: ReadFormat | None = None) -> Iterator[Opened]:
    """Yield the files of marked texts in a zip."""
    marked = {name: f for name, f in FORMATS.items() if f.documents and format in (None, name)}
    if not marked:
        raise InputError(f"{name_of(source)}: a zip of files, {format} is read from one file")
    yield from projects.files_of(source, marked, sniffing.sniff)


def documents_of(source: Any) -> Iterator[Any]:
    """Yield the files of marked texts in a directory or zip, `Opened`; any other source alone."""
    if projects.is_project(source):
        yield from _zipped(source)
        return
    if is_folder(source):
        _, format, files = _files_of(source)
        if (format or opened(files[0]).format).documents:
            yield from (Opened(file, format) if format else opened(file) for file in files)
            return
    yield source


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
    known = _format_to_write(target, format)
    given = {"seed": seed, "premise": premise}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in known.options:
            of = next(f.name for f in ALL if name in f.options)
            raise ValueError(f"{name} is for {of}, the format of {target} is {known.name}")
    assert known.write is not None
    lost = known.write(relations, target, **options)
    if not len(relations) and not known.empty:
        lost.append("a file without examples is empty and cannot be read back")
    return lost


def _format_to_write(target: str | os.PathLike[str], format: WriteFormat | None) -> Format:
    if format is None:
        names = [known.name for known in ALL]
        suffix = Path(target).suffix.lower()
        chosen = next((known for known in ALL if suffix in known.suffixes + known.written), None)
        if chosen is None:
            raise InputError(
                f"{target}: the name does not tell the format, {sniffing.choice(names)}"
            )
        if chosen.write is None:
            raise InputError(f"{target}: {chosen.name} can be read but not written")
        return chosen
    written = {known.name: known for known in ALL if known.write is not None}
    check("format", format, written)
    return written[format]


def _read_list(
    source: Sequence[Any], format: ReadFormat | None, given: Mapping[str, Any]
) -> Relations:
    if all(isinstance(example, Mapping) for example in source):
        return frames.of_dicts(source, format, given["like"], given["occurrence"])
    if not all(isinstance(example, list | tuple) for example in source):
        raise InputError(
            "cannot read the list, expected dicts, lists of tagged sentences or lists of tags"
        )
    if format is None:
        nested = not all(issubclass(t, str) for t in set(map(type, chain.from_iterable(source))))
        items = set() if nested else set(chain.from_iterable(source))
        format = "bio" if nested or are_like_tags(items) else "cnc"
    _refuse_others(FORMATS[format], given)
    if format == "bio":
        return bio.read(source, given["like"])
    if format == "cnc":
        return tagged.read(source, given["like"], given["tags"])
    raise InputError(f'lists cannot be read as "{format}", expected cnc or bio')

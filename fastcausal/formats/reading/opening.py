"""Opening: the kind of a path, file or folder, and the format of a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, TypeGuard

from fastcausal.errors import InputError, Problems, Remedy, invalid_json
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import local, plain_file, suffix_of
from fastcausal.files.spelling import Spelling
from fastcausal.files.zips import MARKS, is_zip
from fastcausal.formats import declared
from fastcausal.formats.annotation.projects import archive_of
from fastcausal.formats.reading.format import Format, Opened, choose_format
from fastcausal.options import ReadFormat

Formats = Mapping[str, Format]
HEAD = 1 << 20  # first bytes that decide the format of a large file
SMALL = HEAD  # largest file, in bytes, that is read at once
MAX_UNKNOWN_LINES = 10_000  # lines without a known key, after which the search for a format ends


def opened(
    source: Any,  # path, `Source` or anything else
    # One of `fastcausal.options.ReadFormat`; by default found from the name and the content
    format: ReadFormat | None = None,
    *,
    whole: bool = False,  # True to load all of a large file, False to read its batches
) -> Any:
    """Open a path as an `Opened` file; return any other source unchanged."""
    if isinstance(source, Opened):
        return source
    if isinstance(source, Source):
        known = declared.FORMATS[format] if format else sniff(source, declared.FORMATS)
        return Opened(source, known, content=source)
    source = local(source)
    if not isinstance(source, str | os.PathLike) or is_folder(source):
        return source
    like = [declared.FORMATS[format]] if format else _match_suffix(source, declared.FORMATS)
    if not whole and all(known.load == Source.open for known in like):
        source = plain_file(source)
    if len(like) == 1:
        return Opened(source, like[0], content=like[0].load(source) if whole else None)
    if not whole and _size(source) > SMALL:
        head = Source.open(source, most=HEAD)
        by_content = choose_format(head, like) if like else sniff_head(head, declared.FORMATS)
        if by_content is not None and by_content.stream is not None:
            return Opened(source, by_content, head)
    content = Source.open(source)
    known = choose_format(content, like) if like else sniff(content, declared.FORMATS)
    return Opened(source, known, content=content)


def is_folder(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Return True for the path of a directory, or of a zip of several files."""
    is_path = isinstance(source, str | os.PathLike)
    is_directory = is_path and os.fspath(source) != "" and Path(source).is_dir()
    return is_directory or is_project(source)


def is_project(source: Any) -> bool:
    """Return True for the path of a zip, named ``.zip``, with several files."""
    if not isinstance(source, str | os.PathLike):
        return False
    if not str(source).lower().endswith(".zip"):  # opening every file would cost time
        return False
    try:
        if not Path(source).is_file():
            return False
        with Path(source).open("rb") as file:
            if not is_zip(file.read(len(MARKS[0]))):
                return False
    except (OSError, ValueError):  # reading reports it
        return False
    return len(archive_of(source).own_names) > 1


def _size(path: str | os.PathLike[str]) -> int:
    """Return the bytes of a regular file; 0 for other sources, which can be read only once."""
    try:
        is_file = path != "-" and Path(path).is_file()
        return Path(path).stat().st_size if is_file else 0
    except (OSError, ValueError):  # reading reports it
        return 0


def _match_suffix(path: Any, formats: Formats) -> list[Format]:
    suffix = suffix_of(path)
    return [format for format in formats.values() if suffix in format.suffixes]


def choice(formats: Iterable[str]) -> str:
    """Return advice to give a format explicitly."""
    return f"give a format: {', '.join(formats)}"


def sniff(source: Source, formats: Formats) -> Format:
    """Find the format of a file, from its name and then its content."""
    if like := _match_suffix(source.name, formats):
        return choose_format(source, like)
    known = sniff_head(source, formats)
    if known is not None:
        return known
    for format in formats.values():
        if format.sniff is not None and format.sniff(source):
            return format
    if source.is_json:
        return sniff_lines(source.lines_of_keys(), formats)
    raise InputError(f"{source.name}: the format cannot be told, {choice(formats)}")


def sniff_head(source: Source, formats: Formats) -> Format | None:
    """Find the format from the first bytes, or the first of several JSON lines."""
    for format in formats.values():
        if format.marks and source.data.startswith(format.marks):
            return format
    is_one_line = source.data.find(b"\n") in (-1, len(source.data) - 1)
    if is_one_line or source.is_list:  # one line is ambiguous, and a list has no lines
        return None
    return _format_of(first_object(source), source, formats)


def sniff_lines(source: Source, formats: Formats) -> Format:
    """Find the format of JSON lines: the first line that fits only one format decides."""
    keys = {format.key for format in formats.values()}
    undecided: Format | None = None
    spelling = Spelling(*filter(None, keys))
    faults = Problems()
    n_strange = 0
    for row in _rows(source, faults):
        row = spelling(row) if isinstance(row, dict) else {}
        if keys.isdisjoint(row):
            n_strange += 1
            if n_strange > MAX_UNKNOWN_LINES:
                break
            continue
        if known := _format_of(row, source, formats):
            return known
        # Without a relation, spans know the length from the text.
        undecided = undecided or next((f for f in formats.values() if f.key in row), None)
    if undecided is None:
        if faults.count:
            source.refuse_object()
        if faults.count:
            raise InputError(faults.first[0])
        found = ", ".join(first_object(source))[:200] or "none"
        raise InputError(
            f"{source.name}: no line is a JSON object with {' or '.join(_keys(formats))}: found "
            f"{found}; {choice(formats)}",
            Remedy("answers", ("COLUMN",), "of score or convert reads raw answers of a model"),
        )
    return undecided


def _rows(source: Source, faults: Problems) -> Iterator[Any]:
    """Yield the values of the lines or of a list; None for a line of invalid JSON."""
    if source.is_list:
        yield from (row for _, row in source.items())
        return
    for number, line in source.filled_lines():
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            if line.lstrip().startswith("{"):
                faults.add(invalid_json(source.name, error, number))
            yield None


def _format_of(row: Mapping[str, Any], source: Source, formats: Formats) -> Format | None:
    like = [format for format in formats.values() if format.key in row]
    if len({format.key for format in like}) > 1:
        keys = " and ".join(_keys(formats))
        raise InputError(f"{source.name}: both {keys}, {choice(formats)}")
    return next((f for f in like if f.is_row is None or f.is_row(row)), None)


def _keys(formats: Formats) -> list[str]:
    """Return the keys of JSON lines, each with its formats."""
    keyed = [format for format in formats.values() if format.key is not None]
    return [
        f'"{key}" ({", ".join(format.name for format in group)})'
        for key, group in groupby(keyed, lambda format: format.key)
    ]

"""A directory as a source: all its files of one format."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.packed import name_of, suffix_of
from fastcausal.formats.reading.format import Format, Opened, choose_format
from fastcausal.relations import Relations

LINE_FILES = (".jsonl", ".ndjson")
TEXTS = {".csv": "CSV"} | dict.fromkeys(LINE_FILES, "JSON lines")  # the content has the format
UNTOUCHED = "INITIAL_CAS"  # name of a document before its annotation, in an exported project


def files_of(
    folder: str | os.PathLike[str],
    formats: Mapping[str, Format],  # The possible formats
) -> tuple[Format | None, list[Path]]:
    """Return the format of a directory, and its files and those below it, sorted by path."""
    # Names of files and folders that start with a dot or an underscore are ignored, and so are JSON
    # files beside others: they hold settings. The format is None if the content of each file
    # decides.
    name = name_of(folder)
    of_kind: dict[str, list[Path]] = {}
    kinds = _kinds(formats)
    for path in sorted(Path(folder).rglob("*")):
        kind = kinds.get(suffix_of(path))
        hidden = any(part[0] in "._" for part in path.relative_to(folder).parts)
        if kind and not hidden and path.stem != UNTOUCHED:
            of_kind.setdefault(kind, []).extend([path] if path.is_file() else [])
    known = [kind for kind, files in of_kind.items() if files]
    sure = [kind for kind in known if kind not in formats or formats[kind].suffixes]
    if len(sure) > 1:
        raise InputError(
            f"{name}: a directory with {' and '.join(sure)} files, expected one format"
        )
    if not known:
        raise InputError(f"{name}: a directory without a file that ends in {', '.join(kinds)}")
    kind = (sure or known)[0]
    rivals = [f for f in formats.values() if kind in formats and f.folder == formats[kind].folder]
    if len(rivals) < 2:  # no file need be opened
        return next(iter(rivals), None), of_kind[kind]
    return choose_format(Source.open(of_kind[kind][0]), rivals), of_kind[kind]


def _kinds(formats: Mapping[str, Format]) -> dict[str, str]:
    """Return the kind of files by suffix: a format, or text with its own format."""
    kinds: dict[str, str] = {}
    for known in formats.values():
        for suffix in known.folder:
            kinds.setdefault(suffix, TEXTS.get(suffix, known.name))
    return kinds


def require_one_format(
    folder: str, files: Iterable[Opened], read: Callable[[Opened], Relations]
) -> Iterator[Relations]:
    """Yield the content of files; refuse a repeated id, and different formats."""
    first: Opened | None = None
    owner: dict[str, str] = {}
    for file in files:
        first = first or file
        if file.format is not first.format:
            raise InputError(
                f"{folder}: a directory with {first.format.name} ({first.name}) and "
                f"{file.format.name} ({file.name}) files, expected one format"
            )
        relations = read(file)
        for id in [] if relations.ids is None else relations.ids.to_pylist():
            if owner.setdefault(id, file.name) != file.name:
                raise InputError(f'{file.name}: id "{id}" is also in {owner[id]}')
        yield relations

"""Projects: exported zips, and all documents of one annotator as one source."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fastcausal.errors import InputError, notify
from fastcausal.files.files import UTF8_MARK, Source
from fastcausal.files.packed import name_of, recode_utf8
from fastcausal.files.zips import Archive
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import Relations

if TYPE_CHECKING:
    from fastcausal.formats.annotation.links import Document

MARKED_UP = "annotation"  # in an exported project, the folder with a folder per document
NOBODYS = ("INITIAL_CAS", "CURATION_USER")  # before annotation and after curation: no annotator


def archive_of(source: str | os.PathLike[str]) -> Archive:
    """Open a zip."""
    name = name_of(source)
    try:
        return Archive(name, Path(source).read_bytes())
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error


def files_of(
    source: str | os.PathLike[str],
    formats: Mapping[str, Format],  # Formats of marked texts
    sniff: Callable[[Source, Mapping[str, Format]], Format],  # Returns the format of a file
) -> Iterator[Opened]:
    """Yield the files of marked texts in a project."""
    # In an exported project these are the files below ``annotation``: for each document a file per
    # annotator, perhaps zipped; curated documents are elsewhere and ignored. In any other zip all
    # files count, except names that start with a dot or an underscore, and JSON files beside
    # brat's.
    archive = archive_of(source)
    suffixes = tuple({suffix: 0 for f in formats.values() for suffix in f.folder})
    paths = list(map(PurePosixPath, archive.own_names))
    paths = [p for p in paths if p.stem not in NOBODYS]
    paths = [p for p in paths if not any(part[0] in "._" for part in p.parts)]
    paths = [p for p in paths if MARKED_UP in p.parts[:-2]] or paths
    if any(p.suffix.lower() == ".ann" for p in paths):
        suffixes = (".ann",)
    n_files = 0
    empty: list[str] = []
    for path in paths:
        inside = archive.inside(str(path)) if path.suffix.lower() == ".zip" else None
        for name in (str(path),) if inside is None else inside.names:
            suffix = PurePosixPath(name).suffix.lower()
            if inside is not None and suffix == ".zip":
                raise InputError(f"{inside.name}: {name} is a zip nested too deep")
            if suffix not in suffixes:
                continue
            if (file := _opened(inside or archive, name, formats, sniff)) is None:
                empty.append(f"{(inside or archive).name}/{name}")
                continue
            n_files += 1
            yield file
    for name in empty if n_files else ():
        notify(f"{name} is empty, left out")
    if empty and not n_files:
        raise InputError(f"{empty[0]} is empty")
    if not n_files:
        binary = any(p.suffix == ".ser" for p in map(PurePosixPath, archive.names))
        more = ", but with .ser: export the project as UIMA CAS JSON or XMI" if binary else ""
        raise InputError(
            f"{archive.name}: a zip without a file that ends in {', '.join(suffixes)}{more}"
        )


def _opened(
    archive: Archive,
    name: str,
    formats: Mapping[str, Format],
    sniff: Callable[[Source, Mapping[str, Format]], Format],
) -> Opened | None:
    """Open a file of a zip; None if it is empty."""
    called = f"{archive.name}/{name}"
    data = recode_utf8(archive.read(name), called).removeprefix(UTF8_MARK)
    source = Source(called, data, archive=archive)
    if not data.strip() and not name.lower().endswith(".ann"):
        return None
    try:
        return Opened(source, sniff(source, formats), content=source)
    except InputError as error:
        files = archive.own_names
        raise InputError(
            f"{archive.name}: a zip with {len(files)} files ({', '.join(files[:3])}), expected "
            f"one, or files of an annotation tool, which {name} does not look like"
        ) from error


def stream(
    name: str,
    n_bytes: int | None,
    files: Callable[[], Iterable[Opened]],
    marking: Marking = MARKING,
) -> Stream:
    """Stream the examples of one annotator's files of marked texts."""
    next(iter(files()), None)  # refuses a zip of other files at once
    return Stream(
        name, lambda _: map(batches.batch, _read_documents(files(), marking)), n_bytes=n_bytes
    )


def _read_documents(files: Iterable[Opened], marking: Marking) -> Iterator[Relations]:
    """Yield the relations of each file; refuse a document that repeats."""
    from fastcausal.formats.annotation.links import relations_of

    seen: dict[str, str] = {}
    for file in files:
        marked = documents(file, marking) or []
        for document in marked:
            before = seen.setdefault(document.name, document.file)
            if before != document.file:
                raise InputError(
                    f'{document.file}: document "{document.name}" is also in {before}, expected '
                    "the documents of one annotator; agreement takes those of several"
                )
        yield relations_of(file.name, marked)


def documents(source: Opened, marking: Marking = MARKING) -> list[Document] | None:
    """Parse the spans and links of a file, one document for each text of an annotator."""
    # None for a format of relations without separate marks.
    parse = source.format.documents
    return None if parse is None else list(parse(source.source(), marking))

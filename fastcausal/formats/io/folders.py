"""A directory as a source: all its files of one format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeGuard

from fastcausal.errors import InputError
from fastcausal.formats.io.files import name_of
from fastcausal.options import ReadFormat

SUFFIXES: dict[ReadFormat, tuple[str, ...]] = {
    "parquet": (".parquet", ".pq"),
    "brat": (".ann",),
    "webanno": (".json",),
}
UNTOUCHED = "INITIAL_CAS"  # what an exported project calls a document before its annotation


def is_folder(source: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a source is the path of a directory."""
    is_path = isinstance(source, str | os.PathLike)
    return is_path and os.fspath(source) != "" and Path(source).is_dir()


def files_of(
    folder: str | os.PathLike[str], format: ReadFormat | None = None
) -> tuple[ReadFormat, list[Path]]:
    """The format of a directory, and its files and those below it, sorted by path.

    Names that start with a dot or an underscore do not count, nor do JSON files beside Parquet
    or brat files, which keep settings in them.

    Parameters
    ----------
    folder : path
    format : {"parquet", "brat", "webanno"}, optional
        Told by the suffixes if not given.

    Raises
    ------
    InputError
        There are no such files, or both Parquet and brat files.
    """
    name = name_of(folder)
    paths = [
        path
        for path in sorted(Path(folder).rglob("*"))
        if not path.name.startswith((".", "_")) and path.stem != UNTOUCHED
    ]
    found = {
        known: files
        for known, suffixes in SUFFIXES.items()
        if format in (None, known)
        and (files := [p for p in paths if p.suffix.lower() in suffixes and p.is_file()])
    }
    if "parquet" in found and "brat" in found:
        raise InputError(f"{name}: a directory with Parquet and brat files, expected one format")
    if not found:
        wanted = ", ".join(s for k, v in SUFFIXES.items() if format in (None, k) for s in v)
        raise InputError(f"{name}: a directory without a file that ends in {wanted}")
    return next(iter(found.items()))


def documents_of(source: Any) -> list[tuple[Any, ReadFormat | None]]:
    """The brat or WebAnno files of a directory, with their format; any other source alone."""
    if is_folder(source):
        format, files = files_of(source)
        if format != "parquet":
            return [(file, format) for file in files]
    return [(source, None)]

"""A directory as a source: all its files of one format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from fastcausal.errors import InputError
from fastcausal.formats.io.files import Source, name_of
from fastcausal.formats.io.format import Format

UNTOUCHED = "INITIAL_CAS"  # what an exported project calls a document before its annotation


def files_of(
    folder: str | os.PathLike[str], formats: Mapping[str, Format]
) -> tuple[Format, list[Path]]:
    """Return the format of a directory, and its files and those below it, sorted by path.

    Names that start with a dot or an underscore do not count, nor do JSON files beside Parquet
    or brat files, which keep settings in them.

    Parameters
    ----------
    folder : path
    formats : mapping of str to Format
        Those that it may be of.

    Raises
    ------
    InputError
        There are no such files, or files of two formats whose suffixes tell them.
    """
    name = name_of(folder)
    paths = [
        path
        for path in sorted(Path(folder).rglob("*"))
        if not path.name.startswith((".", "_")) and path.stem != UNTOUCHED
    ]
    files = {
        each: [path for path in paths if path.suffix.lower() in format.folder and path.is_file()]
        for each, format in formats.items()
    }
    known = [each for each in files if files[each]]
    if len(sure := [each for each in known if formats[each].suffixes]) > 1:
        raise InputError(
            f"{name}: a directory with {' and '.join(sure)} files, expected one format"
        )
    if not known:
        wanted = ", ".join(suffix for format in formats.values() for suffix in format.folder)
        raise InputError(f"{name}: a directory without a file that ends in {wanted}")
    rivals = [each for each in known if formats[each].folder == formats[known[0]].folder]
    format = _told(files[known[0]][0], [formats[each] for each in rivals])
    return format, files[format.name]


def _told(file: Path, rivals: list[Format]) -> Format:
    """Return the format of a file among those of its suffix: the first where none knows it."""
    if len(rivals) == 1:
        return rivals[0]
    source = Source.open(file)
    return next((format for format in rivals if format.sniff and format.sniff(source)), rivals[0])

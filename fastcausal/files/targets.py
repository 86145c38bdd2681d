"""Files to write, kept apart from what is read and from each other."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeGuard

from fastcausal.errors import InputError
from fastcausal.files.packed import is_url, local

BESIDE = {".ann": ".txt"}  # marks of brat, and the text beside them


def keep_apart(targets: Iterable[str | os.PathLike[str] | None], sources: Iterable[Any]) -> None:
    """Refuse targets that are a source, lie in a folder that is one, or are one file.

    Parameters
    ----------
    targets : iterable of path
        Files to write; None stands for one that is not written.
    sources : iterable
        All that is read; anything but a path cannot be destroyed.

    Raises
    ------
    InputError
        Names the file; nothing was written so far.

    Examples
    --------
    >>> keep_apart(["examples.parquet", "matches.parquet"], ["gold.csv"])
    >>> keep_apart(["gold.csv"], ["gold.csv"])
    Traceback (most recent call last):
    fastcausal.errors.InputError: gold.csv is read, expected another file to write to
    """
    read = [path for path in map(local, sources) if _is_path(path) and not is_url(path)]
    kept = {file for source in read for file in _files(source)}
    written: dict[object, Any] = {}
    for target in filter(_is_path, targets):
        for file in _files(target):
            if file in kept:
                raise InputError(f"{target} is read, expected another file to write to")
            if file in written:
                raise InputError(f"{target}: two outputs have one file, {written[file]}")
            written[file] = target
        folders = Path(os.path.realpath(target)).parents
        for source in read:
            if Path(os.path.realpath(source)) in folders:
                raise InputError(f"{target} lies in {source}, which is read, expected it elsewhere")


def _is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Tell paths from all else, and from those that can be neither read nor written."""
    return isinstance(value, str | os.PathLike) and "\0" not in str(value) and str(value) != ""


def _files(path: str | os.PathLike[str]) -> Iterator[object]:
    """Identify a file under all its names; devices and pipes hold nothing to lose.

    The marks of brat have a text beside them.
    """
    if path == "-":
        if sys.stdin is not None and sys.stdin is sys.__stdin__:
            yield from _identity(os.fstat(0))
        return
    beside = BESIDE.get(Path(path).suffix.lower(), Path(path).suffix)
    for name in dict.fromkeys((Path(path), Path(path).with_suffix(beside))):
        try:
            yield from _identity(name.stat())
        except OSError:
            yield os.path.realpath(name)


def _identity(status: os.stat_result) -> Iterator[object]:
    if stat.S_ISREG(status.st_mode):
        yield status.st_dev, status.st_ino

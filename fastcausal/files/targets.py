"""Files to write, kept apart from sources and from each other."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeGuard

from fastcausal.errors import InputError
from fastcausal.files.packed import is_url, local, name_of

BESIDE = {".ann": ".txt"}  # brat's marks, and their text in a second file


def keep_apart(
    targets: Iterable[str | os.PathLike[str] | None],  # Files to write; None for none
    sources: Iterable[Any],  # All sources; only paths can be overwritten
) -> None:
    """Refuse targets that are a source, lie in a source folder, or are the same file.

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


def notes_on_one_file(gold: Any, pred: Any) -> tuple[str, ...]:
    """Return a warning if both sides are one file, by their paths or the names of opened files.

    >>> notes_on_one_file("gold.csv", "pred.csv"), notes_on_one_file(["gold.csv"], 3)
    ((), ())
    """
    sides = (s if _is_path(s) else getattr(s, "name", None) for s in (gold, pred))
    a, b = (Path(side) if _is_path(side) else None for side in sides)
    parts = [getattr(getattr(side, "content", None), "data", None) for side in (gold, pred)]
    if None not in parts and parts[0] != parts[1]:  # two columns of one file
        return ()
    with suppress(OSError):  # standard input, a URL, a file in a zip
        if a is not None and b is not None and a.samefile(b) and b.is_file():
            return (f"gold is the file of predictions: {name_of(b)}",)
    return ()


def _is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return True for a path that can be read or written."""
    return isinstance(value, str | os.PathLike) and "\0" not in str(value) and str(value) != ""


def _files(path: str | os.PathLike[str]) -> Iterator[object]:
    """Yield the identity of a file under all its names; devices and pipes are skipped."""
    # Brat's marks have a text in a second file.
    if path == "-":
        if sys.stdin is not None and sys.stdin is sys.__stdin__:
            yield from _identity(os.fstat(0))
        return
    own = Path(path)
    beside = BESIDE.get(own.suffix.lower())
    for name in (own,) if beside is None else (own, own.with_suffix(beside)):
        try:
            yield from _identity(name.stat())
        except OSError:
            yield os.path.realpath(name)


def _identity(status: os.stat_result) -> Iterator[object]:
    if stat.S_ISREG(status.st_mode):
        yield status.st_dev, status.st_ino

"""The only file of predictions in a submission: a file, a folder or a zip of unknown origin."""

from __future__ import annotations

import itertools
import os
import posixpath
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from fastcausal.errors import InputError
from fastcausal.files.packed import packing
from fastcausal.files.zips import ADDED, Archive, Room, is_zip
from fastcausal.report.escapes import cell_text

MAX_FILES = 1000  # of a folder or a zip
ASIDE = (*ADDED, "desktop.ini", "metadata")  # added by operating systems and platforms
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")


class Predictions(NamedTuple):
    """A file of predictions."""

    name: str  # The participant's name for it, for messages
    data: bytes

    @property
    def safe_name(self) -> str:
        """Name for a file on disk; it keeps only the suffix of its own name."""
        suffix = _SUFFIX.search(self.name)
        return f"predictions{suffix[0].lower() if suffix else ''}"


def open_submission(path: Path, most: int) -> Predictions:
    """Read the file of predictions in a submission."""
    if path.is_dir():
        files = dict(files_in(path))
        name = _only(path.name, files)
        return Predictions(*_unpacked_once(name, _read(files[name], most)))
    data = _read(path, most)
    if not is_zip(data):
        return Predictions(*_unpacked_once(path.name, data))
    archive = Archive(path.name, data, Room(most))
    if len(archive.names) > MAX_FILES:
        raise InputError(f"{path.name}: {len(archive.names)} files, expected one")
    name = _only(path.name, archive.names)
    return Predictions(*_unpacked_once(name, archive.read(name)))


def _only(place: str, names: Iterable[str]) -> str:
    """Return the only visible file, by its name."""
    shown = sorted(filter(is_visible, names))
    if len(shown) == 1:
        return shown[0]
    some = ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")
    got = f"{len(shown)} files, {some}" if shown else "no file"
    raise InputError(f"{place}: {got}, expected one file of predictions")


def is_visible(name: str) -> bool:
    """Return True for a participant's file, False for files of operating systems and platforms."""
    parts = name.split("/")
    hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return not hidden and posixpath.basename(name) not in ASIDE


def files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder at any depth with their names; refuse links and devices."""
    left, n = [folder], 0
    while left:
        with os.scandir(left.pop()) as listed:
            entries = [*itertools.islice(listed, MAX_FILES + 1)]
        n += len(entries)
        if n > MAX_FILES:
            raise InputError(f"{folder.name}: more than {MAX_FILES} files, expected one")
        for entry in entries:
            name = _text(os.path.relpath(entry.path, folder))
            if entry.is_dir(follow_symlinks=False):
                left.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield name, Path(entry.path)
            else:
                raise InputError(f"{cell_text(name)}: a link or a device, expected a file")


def _text(name: str) -> str:
    """Decode a path that may not be UTF-8."""
    return os.fsencode(name).decode(errors="backslashreplace")


def _read(path: Path, most: int) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path.name}: not a file, folder or zip")
        if status.st_size > most:
            raise InputError(f"{path.name}: {status.st_size} bytes, expected at most {most}")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path.name}: {error.strerror}") from error


def _unpacked_once(name: str, data: bytes) -> tuple[str, bytes]:
    """Refuse a file that is packed itself."""
    if kind := packing(data[:16]):
        raise InputError(f"{cell_text(name)}: packed as {kind}, expected it unpacked in one zip")
    if not data or data.isspace():
        raise InputError(f"{cell_text(name)} is empty")
    return name, data

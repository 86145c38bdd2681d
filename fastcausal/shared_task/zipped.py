"""Zips of equal bytes for equal files."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path

STORED = (".zip", ".png", ".xz")  # packed already


def entry(name: str) -> zipfile.ZipInfo:
    """Return an entry with a fixed time."""
    made = zipfile.ZipInfo(name)
    made.external_attr = 0o644 << 16
    return made


def write_zip(target: Path, files: Iterable[tuple[str, bytes | Path]]) -> None:
    """Write files of bytes, or of paths, by their names in a zip."""
    with zipfile.ZipFile(target, "w") as archive:
        for name, held in files:
            data = held.read_bytes() if isinstance(held, Path) else held
            kind = zipfile.ZIP_STORED if name.endswith(STORED) else zipfile.ZIP_DEFLATED
            archive.writestr(entry(name), data, kind, 1)


def files_below(folder: Path) -> list[tuple[str, Path]]:
    """Return the files of a folder with their names below it, in order."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.relative_to(folder).as_posix(), path) for path in paths]

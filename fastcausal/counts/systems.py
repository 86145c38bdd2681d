"""Count files of several systems, with their names in the column ``system``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from fastcausal.counts import files
from fastcausal.counts.files import About
from fastcausal.counts.seals import Written
from fastcausal.counts.statistics import Statistics
from fastcausal.files import binary
from fastcausal.files.packed import local


def read_systems(path: str | os.PathLike[str], like: About | None = None) -> dict[str, Statistics]:
    """Read a file of one system or of several, by their names."""
    # A file without the name of its system is named itself; ``like`` is as in `files.load`.
    return {name: Statistics(**parts) for name, parts in files.read(path, like).items()}


def is_counts(source: Any) -> bool:
    """Return True for a file of counts on disk, by its schema."""
    path = local(source)
    schema = binary.schema_of(path) if isinstance(path, str | os.PathLike) else None
    return schema is not None and files.about_in(schema) is not None


def write_systems(path: str | os.PathLike[str], systems: Mapping[str, Statistics]) -> None:
    """Write a file of several systems, with their names in a first column ``system``."""
    tables = {name: statistics.table() for name, statistics in systems.items()}
    abouts = {
        name: systems[name].about(Written.seal(systems[name].formula, table))
        for name, table in tables.items()
    }
    files.write(
        path,
        [files.add_system(table, name) for name, table in tables.items()],
        files.about_systems(abouts),
    )

"""Count files of several systems, with their names in the column ``system``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

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


@contextmanager
def open_rows(target: Path | None, several: bool) -> Iterator[Callable[[str, pa.Table], None]]:
    """Yield a function that writes rows of a system; the file gets names if there are several."""
    with ExitStack() as stack:
        write = None if target is None else stack.enter_context(binary.appending(target))

        def add(system: str, rows: pa.Table) -> None:
            if write is not None:
                write(files.add_system(rows, system) if several else rows)

        yield add


@contextmanager
def join_files(target: Path | None, systems: list[str]) -> Iterator[dict[str, Path]]:
    """Yield a file for each system; join them at the end, with a column of names."""
    if target is None:
        yield {}
        return
    if len(systems) == 1:
        yield {systems[0]: target}
        return
    from tempfile import TemporaryDirectory

    abouts: dict[str, dict[str, Any]] = {}
    with TemporaryDirectory(prefix="fastcausal-") as folder:
        parts = {name: Path(folder, f"{k}.parquet") for k, name in enumerate(systems)}
        yield parts
        with binary.appending(
            target, lambda: files.metadata_of(files.about_systems(abouts))
        ) as write:
            for name, part in parts.items():
                abouts[name], tables = files.batches_in(part)
                for table in tables:
                    write(files.add_system(table, name))

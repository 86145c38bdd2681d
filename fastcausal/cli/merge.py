"""``fastcausal merge PART... --out FILE``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastcausal.cli.console import doing, print_json, short_names, show
from fastcausal.cli.options import JsonOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.report.escapes import cell_text

if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics


def merge(
    parts: Annotated[
        list[str],
        Argument(help="Files of --per-example of different examples, or folders of Parquet files."),
    ],
    out: Annotated[Path, Option(help="Write one file of all examples here, .parquet or .arrow.")],
    system: Annotated[
        str | None, Option(help="Name the system; by default parts of one name keep it.")
    ] = None,
    like: Annotated[
        Path | None,
        Option(help="Take what the metadata of parts said from this file, where that is lost."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Join files of counts of different examples, in any order.

    Examples
    --------
    fastcausal merge careful.parquet --out all.parquet
    fastcausal merge careful.parquet --out all.parquet --like hasty.parquet
    """
    from dataclasses import replace

    from fastcausal.counts.files import about_like, require_metadata
    from fastcausal.counts.systems import read_systems, write_systems
    from fastcausal.errors import InputError, counted
    from fastcausal.files.targets import keep_apart

    keep_apart([out], [*parts, like])
    require_metadata(out)
    with doing("reading counts"):
        said = None if like is None else about_like(like)
        files = [*short_names([file for part in parts for file in _files_of(part)]).values()]
        read = {file: read_systems(file, said) for file in files}
        several = max(map(len, read.values())) > 1
        if several and system is not None:
            raise InputError("--system names one system, the parts have several")
        if not several:
            read = {part: {"": next(iter(systems.values()))} for part, systems in read.items()}
        names = dict.fromkeys(name for systems in read.values() for name in systems)
        merged = {name: joined(_parts_of(read, name)) for name in names}
    if several:
        write_systems(out, merged)
    else:
        whole = merged[""]
        (whole if system is None else replace(whole, system=system)).write(out)
    n_examples = next(iter(merged.values())).n_units
    if json:
        print_json({"out": str(out), "n_parts": len(files), "n_examples": n_examples})
    else:
        show(cell_text(f"{out}: {counted(n_examples, 'example')}, {counted(len(files), 'part')}"))


def _files_of(part: str) -> list[str]:
    """Return the Parquet files of an engine's folder, or the file itself."""
    from fastcausal.formats.reading.folders import files_of
    from fastcausal.formats.table import PARQUET

    if not Path(part).is_dir():
        return [part]
    return [*map(str, files_of(part, {PARQUET.name: PARQUET})[1])]


def _parts_of(parts: dict[str, dict[str, Statistics]], name: str) -> dict[str, Statistics]:
    """Return the statistics of a system from every part that has it."""
    from fastcausal.errors import InputError

    if missing := [part for part, systems in parts.items() if name not in systems]:
        raise InputError(f"{missing[0]}: no system {name}, other parts have it")
    return {part: systems[name] for part, systems in parts.items()}


def joined(parts: Mapping[str, Statistics]) -> Statistics:
    """Join parts; ``parts`` gives their names for errors, such as file names."""
    from fastcausal.counts.signatures import joint_signature
    from fastcausal.errors import InputError, format_some

    (first, start), *rest = parts.items()
    for name, part in rest:
        joint_signature(start.signature, part.signature, (first, name))
    try:
        return start.merge(*(part for _, part in rest))
    except InputError as error:
        where = f"parts{format_some(_find_overlap(parts) or [*parts])}" if rest else first
        raise InputError(f"{where}: {error}") from error


def _find_overlap(parts: Mapping[str, Statistics]) -> list[str]:
    """Return the first two parts that share an id; [] if all parts are disjoint."""
    owner: dict[str, str] = {}
    for name, part in parts.items():
        ids = part.ids()
        for id in [] if ids is None else ids.to_pylist():
            if owner.setdefault(id, name) != name:
                return [owner[id], name]
    return []

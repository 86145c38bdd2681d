"""``fastcausal merge PART... --out FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fastcausal.cli.console import doing, print_json, printable, short_names, show
from fastcausal.cli.options import JsonOption

if TYPE_CHECKING:
    from fastcausal.statistics import Statistics


def merge(
    parts: Annotated[
        list[str], typer.Argument(help="Files of --per-example of different examples.")
    ],
    out: Annotated[
        Path, typer.Option(help="Write one file of all examples here, .parquet or .arrow.")
    ],
    system: Annotated[
        str | None, typer.Option(help="Name the system; by default parts of one name keep it.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Join files of counts of different examples, in any order."""
    from dataclasses import replace

    from fastcausal.count_files import require_metadata
    from fastcausal.errors import InputError
    from fastcausal.formats.io.targets import keep_apart
    from fastcausal.statistics import read_systems, write_systems

    keep_apart([out], parts)
    require_metadata(out)
    with doing("reading counts"):
        read = {part: read_systems(part) for part in short_names(parts).values()}
        several = max(map(len, read.values())) > 1
        if several and system is not None:
            raise InputError("--system names one system, the parts have several")
        if not several:
            read = {part: {"": next(iter(systems.values()))} for part, systems in read.items()}
        names = dict.fromkeys(name for systems in read.values() for name in systems)
        merged = {name: _joined(read, name) for name in names}
    if several:
        write_systems(out, merged)
    else:
        whole = merged[""]
        (whole if system is None else replace(whole, system=system)).write(out)
    n_examples = next(iter(merged.values())).n_units
    if json:
        print_json({"out": str(out), "n_parts": len(parts), "n_examples": n_examples})
    else:
        show(printable(f"{out}: {n_examples} examples, {len(parts)} parts"))


def _joined(parts: dict[str, dict[str, Statistics]], name: str) -> Statistics:
    """Join what every part has of a system."""
    from fastcausal.errors import InputError
    from fastcausal.statistics import joint_signature

    first, *_ = parts
    if missing := [part for part, systems in parts.items() if name not in systems]:
        raise InputError(f"{missing[0]}: no system {name}, other parts have it")
    own = {part: systems[name] for part, systems in parts.items()}
    for part, statistics in own.items():
        try:
            joint_signature(own[first].signature, statistics.signature)
        except ValueError as error:
            raise InputError(f"{first}, {part}: {error}") from error
    start, *rest = own.values()
    return start.merge(*rest)

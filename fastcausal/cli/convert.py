"""``fastcausal convert SOURCE TARGET``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    is_standard_output,
    printable,
    show,
    warn,
)
from fastcausal.options import Premise, ReadFormat, TagReading, WriteFormat


def convert(
    source: Annotated[str, typer.Argument(help="What to read; - for stdin.")],
    target: Annotated[Path, typer.Argument(help="What to write; its suffix tells the format.")],
    tags: Annotated[TagReading, typer.Option(help="How tags are read.")] = "strict",
    like: Annotated[
        str | None, typer.Option(help="Gold annotations that the source predicts for.")
    ] = None,
    source_format: Annotated[
        ReadFormat | None, typer.Option("--from", help="Format of the source.")
    ] = None,
    target_format: Annotated[
        WriteFormat | None, typer.Option("--to", help="Format of the target.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="For squad: which questions are drawn; 0 unless given.")
    ] = None,
    premise: Annotated[
        Premise | None,
        typer.Option(help="For nli: what is the premise; the cause unless given."),
    ] = None,
) -> None:
    """Convert between formats, and say what the target cannot hold."""
    with clear_errors():
        import fastcausal as fc
        from fastcausal.errors import InputError
        from fastcausal.formats import load
        from fastcausal.formats.io.targets import keep_apart

        keep_apart([target], [source, like])
        with doing(f"reading {source}"):
            gold = fc.read(like, tags=tags) if like is not None else None
            opened: Any = source
            format = source_format
            if not Path(source).is_dir():
                opened, format = load(source, format)
            relations = fc.read(opened, format, like=gold, tags=tags)
        needs_gold = relations.reading.predicted or format in ("bio", "spans")
        if gold is not None and not needs_gold:
            raise InputError(f"--like is for predictions, {source} has ids and texts of its own")
        if tags not in ("strict", relations.reading.tags):
            raise InputError(f"--tags is for tagged sentences, {source} has none")
        for message in relations.reading.unread:
            warn([message])
        if relations.n_unread:
            warn([f"{relations.n_unread} relations could not be read and are written as null"])
        with doing(f"writing {target}"):
            lost = fc.write(relations, target, format=target_format, seed=seed, premise=premise)
        warn([f"lost: {message}" for message in lost])
        done = f"{target}: {len(relations)} examples, {relations.n_relations} relations"
        show(printable(done), err=is_standard_output(target))

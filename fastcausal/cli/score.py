"""``fastcausal score GOLD PRED``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fastcausal.cli.console import (
    clear_errors,
    doing,
    print_json,
    print_table,
    short_names,
    warn,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from fastcausal.report import Report

ProtocolName = Literal["recess", "cnc-2023", "cnc-2022"]
Policy = Literal["error", "empty", "skip"]


def score(
    gold: Annotated[str, typer.Argument(help="Gold annotations, in any format; - for stdin.")],
    pred: Annotated[list[str], typer.Argument(help="Predictions; several give a row each.")],
    protocol: Annotated[ProtocolName, typer.Option(help="How to score.")] = "recess",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    per_example: Annotated[
        Path | None, typer.Option(help="Write the counts of every example to a Parquet file.")
    ] = None,
    matches: Annotated[
        Path | None, typer.Option(help="Write the chosen pairs to a Parquet file.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Also score by the values of a column.")] = None,
    unparsed: Annotated[
        Policy, typer.Option(help="What a prediction that cannot be read is.")
    ] = "error",
    unmatched: Annotated[
        Policy, typer.Option(help="What an id is that only one side has.")
    ] = "error",
    backend: Annotated[
        Literal["cpu", "cuda", "reference"], typer.Option(help="What counts.")
    ] = "cpu",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads; the scores never depend on it.")
    ] = None,
) -> None:
    """Score predictions against gold."""
    with clear_errors(json):
        import fastcausal as fc
        from fastcausal.formats.targets import keep_apart

        keep_apart([per_example, matches], [gold, *pred])
        names = short_names(pred)
        reports: dict[str, Report] = {}
        with doing(f"reading {gold}"):
            gold_side = _reusable(gold, protocol)
        with _one_table(per_example, list(names)) as tables:
            for name, path in names.items():
                with (
                    doing(f"scoring {path}") as progress,
                    _named(name if len(names) > 1 else None),
                ):
                    reports[name] = fc.score(
                        gold_side,
                        path,
                        protocol,
                        by=by,
                        unparsed=unparsed,
                        unmatched=unmatched,
                        backend=backend,
                        num_threads=threads,
                        per_example=tables.get(name),
                        progress=progress,
                    )
        if matches is not None:
            from fastcausal.formats.table import appending

            with appending(matches) as write:
                for name, report in reports.items():
                    write(_with_system(report.matches, name if len(names) > 1 else None))
        _print(reports, json)


def _reusable(gold: str, protocol: str) -> Any:
    """Gold for several systems: what can be scored part by part stays in its file."""
    import fastcausal as fc
    from fastcausal.formats import stream
    from fastcausal.formats.source import readable_again
    from fastcausal.protocols import PROTOCOLS

    source = readable_again(gold)
    return fc.read(source, tags=PROTOCOLS[protocol].tags) if stream(source) is None else source


@contextmanager
def _one_table(target: Path | None, systems: list[str]) -> Iterator[dict[str, Path]]:
    """A file for each system to write to; in the end they are one, with a column of names."""
    if target is None:
        yield {}
        return
    if len(systems) == 1:
        yield {systems[0]: target}
        return
    from fastcausal.formats import pieces
    from fastcausal.formats.table import appending

    with TemporaryDirectory(prefix="fastcausal-") as folder:
        files = {name: Path(folder, f"{k}.parquet") for k, name in enumerate(systems)}
        yield files
        with appending(target) as write:
            for name, file in files.items():
                for _, table in pieces.read(file, "parquet", str(file)):
                    write(_with_system(table, name))


def _with_system(table: pa.Table, system: str | None) -> pa.Table:
    """The table of one of several systems has a first column that says which."""
    import pyarrow as pa

    if system is None:
        return table
    return table.add_column(0, "system", pa.array([system] * len(table), pa.string()))


@contextmanager
def _named(system: str | None) -> Iterator[None]:
    """Say in an error which of several systems it is about."""
    from fastcausal.errors import InputError

    try:
        yield
    except InputError as error:
        raise InputError(f"{system}: {error}" if system else str(error)) from error


def _print(reports: dict[str, Report], as_json: bool) -> None:
    if as_json:
        found = {name: report.to_dict() for name, report in reports.items()}
        print_json(*found.values()) if len(found) == 1 else print_json({"systems": found})
        return
    for name, report in reports.items():
        warn([f"{name}: {w}" for w in report.warnings] if len(reports) > 1 else report.warnings)
    first, *others = reports.values()
    print_table(systems_table(reports) if others else first.to_table(), first.signature)


def systems_table(reports: dict[str, Report]) -> Table:
    """A row per system: overall scores, and the last of them (F1) for every role."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from fastcausal.report import number_text

    first = next(iter(reports.values()))
    groups = list(first.scores)
    scores = [name for name, value in first["overall"].items() if isinstance(value, float)]
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, title=Text(first.protocol), title_justify="left"
    )
    table.add_column("")
    for name in (*scores, *(f"{group} {scores[-1]}" for group in groups[1:])):
        table.add_column(name, justify="right")
    for name, report in reports.items():
        values = [report["overall"][s] for s in scores]
        values += [report[group][scores[-1]] for group in groups[1:]]
        table.add_row(Text(name), *(number_text(value) for value in values))
    return table

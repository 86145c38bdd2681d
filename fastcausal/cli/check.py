"""``fastcausal check FILES``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fastcausal.cli.console import clear_errors, doing, print_json, print_table, warn
from fastcausal.options import TagReading

if TYPE_CHECKING:
    from rich.table import Table

    from fastcausal.tables import Grid
    from fastcausal.tasks.corpus.guidelines import CheckReport


def check(
    files: Annotated[
        list[str], typer.Argument(help="Annotations in any format, files or folders; - for stdin.")
    ],
    tags: Annotated[
        TagReading,
        typer.Option(help="Read tags strictly, or as the official scorer of that year."),
    ] = "strict",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Check annotations against the guidelines; exit status 1 if there are findings."""
    with clear_errors(json):
        from fastcausal.tasks.corpus.guidelines import check as check_annotations

        with doing("checking"):
            report = check_annotations(files, tags=tags)
        if json:
            print_json(report.to_dict())
        else:
            _print(report)
        if report.findings:
            raise typer.Exit(1)


def _print(report: CheckReport) -> None:
    warn(f"{what}: {n}" for what, n in report.notes.items())
    if report.findings:
        print_table(findings_table(report), counts_table(report))
    print_table(
        f"files {report.n_files}, examples {report.n_examples}, relations {report.n_relations}, "
        f"findings {len(report.findings)}"
    )


def findings_table(report: CheckReport) -> Table:
    """A row per finding; long text is broken, not cut."""
    from rich import box
    from rich.table import Table
    from rich.text import Text  # what annotators marked is no markup

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("annotator", "file", "example", "kind", "what"):
        table.add_column(name, overflow="fold")
    for finding in report.findings:
        row = (finding.annotator, finding.file, finding.example or "", finding.kind)
        table.add_row(*map(Text, (*row, finding.message)))
    return table


def counts_table(report: CheckReport) -> Grid:
    """A row per kind of finding, a column per annotator."""
    from fastcausal.tables import Grid

    grid = Grid("", [*report.annotators, "all"], corner="kind")
    counts = [report.counts(name) for name in report.annotators] + [report.counts()]
    for kind in counts[-1]:
        grid.add(kind, *(str(count.get(kind, 0)) for count in counts))
    return grid

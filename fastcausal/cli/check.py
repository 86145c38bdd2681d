"""``fastcausal check FILES``."""

from __future__ import annotations

from typing import Annotated

import typer

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import FormatOption, FromOption, JsonOption, format_of, sources_in
from fastcausal.options import TagReading


def check(
    ctx: typer.Context,
    files: Annotated[
        list[str], typer.Argument(help="Annotations in any format, files or folders; - for stdin.")
    ],
    tags: Annotated[
        TagReading,
        typer.Option(help="Read tags so; aligned takes sentences unlike their texts."),
    ] = "strict",
    source_format: FromOption = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Check annotations against the guidelines; exit status 1 if there are findings."""
    chosen = format_of(ctx, json, format)
    from fastcausal.tasks.corpus.guidelines import check as check_annotations

    with doing("checking"):
        report = check_annotations(sources_in(files, source_format), tags=tags)
    print_report(report, chosen)
    if report.findings:
        raise typer.Exit(1)

"""``fastcausal check FILES``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import (
    MARKS,
    FormatOption,
    FromOption,
    JsonOption,
    Marks,
    format_of,
    sources_in,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import TagReading


def check(
    ctx: click.Context,
    files: Annotated[
        list[str], Argument(help="Annotations in any format, files or folders; - for stdin.")
    ],
    tags: Annotated[
        TagReading,
        Option(help="Read tags so; aligned takes sentences unlike their texts."),
    ] = "strict",
    source_format: FromOption = None,
    marks: Marks = MARKS,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Check annotations against the guidelines; exit status 1 if there are findings.

    Examples
    --------
    fastcausal check gold.csv
    fastcausal check annotator_1.jsonl annotator_2.jsonl --json
    """
    chosen = format_of(ctx, json, format)
    from fastcausal.tasks.check.guidelines import check as check_annotations

    with doing("checking"):
        report = check_annotations(sources_in(files, source_format), tags=tags, **marks._asdict())
    print_report(report, chosen)
    if report.findings:
        raise click.exceptions.Exit(1)

"""``fastcausal check FILES``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing
from fastcausal.cli.options import (
    MARKS,
    FromOption,
    Marks,
    open_sources,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import TagReading


def check(
    files: Annotated[
        list[str], Argument(help="Annotations in any format, files or folders; - for stdin.")
    ],
    tags: Annotated[
        TagReading,
        Option(help="Read tags so; aligned takes sentences unlike their texts."),
    ] = "strict",
    source_format: FromOption = None,
    marks: Marks = MARKS,
    tables: TableOptions = TABLES,
) -> None:
    """Check annotations against the guidelines; exit status 1 if there are findings.

    Examples
    --------
    fastcausal check gold.csv
    fastcausal check annotator_1.jsonl annotator_2.jsonl --json
    """
    from fastcausal.tasks.check.guidelines import check as check_annotations

    with doing("checking"):
        report = check_annotations(open_sources(files, source_format), tags=tags, **marks._asdict())
    tables.show(report)
    if report.findings:
        raise click.exceptions.Exit(1)

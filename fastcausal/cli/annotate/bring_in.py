"""``fastcausal annotate import FILE...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import print_grids, print_json, write_tables
from fastcausal.cli.options import FormatOption, JsonOption, format_of
from fastcausal.cli.parameters import Argument, Option

MISSING = 1


def bring_in(
    ctx: click.Context,
    files: Annotated[list[str], Argument(help="Files that raters saved; - for stdin.")],
    to: Annotated[
        Path | None,
        Option(help="Write the labels to this .csv, .jsonl, .parquet or .arrow file, for meta."),
    ] = None,
    key: Annotated[
        str | None,
        Option(help="Read preferences, whose systems this file names for each place."),
    ] = None,
    name: Annotated[
        str | None,
        Option(help="Read names of files, without suffix, by this pattern with {rater}."),
    ] = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Take labels back from saved files; exit status 1 while labels are missing.

    Examples
    --------
    fastcausal annotate import judged_ann.json judged_ben.json --to labels.csv
    """
    chosen = format_of(ctx, json, format)
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.grid import Grid
    from fastcausal.tasks.annotate.collect import collect

    keep_apart([to], [*files, key])
    collected = collect(files, name, key)
    write_tables((to, collected.table))
    counts = collected.to_dict()
    if chosen == "json":
        print_json(counts)
    else:
        grid = Grid(f"labels of {counts['n_items']} items", ["judged", "missing"])
        for rater, of_rater in counts["raters"].items():
            grid.add(rater, *of_rater.values())
        print_grids([grid], chosen)
    if counts["n_missing"]:
        raise click.exceptions.Exit(MISSING)

"""``fastcausal annotate import FILE...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import print_json, write_tables
from fastcausal.cli.options import refuse
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import UnsurePolicy

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
    unsure: Annotated[
        UnsurePolicy, Option(help="Take unsure verdicts of answers as invalid, or as missing.")
    ] = "invalid",
    test: Annotated[
        str | None,
        Option(help="Compare with the verdicts of this file: who passed the test of raters."),
    ] = None,
    qualify: Annotated[
        float, Option(help="Pass raters with at least this share of right labels, 0 to 1.")
    ] = 0.8,
    tables: TableOptions = TABLES,
) -> None:
    """Take labels back from saved files; exit status 1 while labels are missing.

    Examples
    --------
    fastcausal annotate import judged_ann.json judged_ben.json --to labels.csv
    fastcausal annotate import judged_ben.json --test judged_ann.json
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.grid import Grid
    from fastcausal.tasks.annotate.causality import AGREEMENT
    from fastcausal.tasks.annotate.collect import collect

    if key is not None:
        refuse(ctx, ("unsure", "test"), "is for answers, --key for preferences")
    if test is None:
        refuse(ctx, ("qualify",), "is for --test")
    if not 0 <= qualify <= 1:
        raise click.BadParameter(f"{qualify} is not between 0 and 1", param_hint="--qualify")
    keep_apart([to], [*files, key, test])
    collected = collect(files, name, key, unsure=unsure, test=test, qualify=qualify)
    write_tables((to, collected.table))
    counts = collected.to_dict()
    if tables.format == "json":
        print_json(counts)
    else:
        tested = ["right", "share", "passed"] if collected.results else []
        title, columns = f"labels of {counts['n_items']} items", ["judged", "missing", *tested]
        grid = Grid(title, columns, shares=("share",))
        for rater, of_rater in counts["raters"].items():
            grid.add(rater, *of_rater.values())
        grids = [grid]
        if collected.tests:
            names = ["n", "failed", "share", *(each.replace("_", " ") for each in AGREEMENT)]
            shares = tuple(names[2:])
            grids.append(Grid("tests of causality", names, shares=shares))
            for test, found in collected.tests.items():
                grids[1].add(test, *found.values(), *[None] * (len(names) - len(found)))
        tables.show_grids(grids)
    if counts["n_missing"]:
        raise click.exceptions.Exit(MISSING)

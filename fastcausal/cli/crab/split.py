"""``fastcausal crab split GOLD OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import doing, write_rows
from fastcausal.cli.options import SeedOption, refuse
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import SplitBy


def split(
    ctx: click.Context,
    gold: Annotated[str, Argument(help="Judged pairs; - for stdin.")],
    out: Annotated[Path, Argument(help="Write pairs with a column split to this file.")],
    by: Annotated[SplitBy, Option(help="Test on the latest stories, any stories, or any pairs.")],
    test: Annotated[
        int | None, Option(min=1, help="Stories or pairs of the test part; else a quarter.")
    ] = None,
    dates: Annotated[
        str | None,
        Option(help="Take dates from this column, or this file of topic_id and date."),
    ] = None,
    seed: SeedOption = 0,
    tables: TableOptions = TABLES,
) -> None:
    """Split judged pairs into train and test, and report overlaps (CRAB, appendix B).

    Examples
    --------
    fastcausal crab split crab_gold.jsonl parts.jsonl --by pair
    """
    if by == "date":
        refuse(ctx, ("seed",), "is for draws, --by date draws none")
    else:
        refuse(ctx, ("dates",), f"is for --by date, not for --by {by}")
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.crab import splits

    keep_apart([out], [gold, dates])
    with doing(f"splitting {gold}"):
        table = splits.split(gold, by, test=test, dates=dates, seed=seed)
        report = splits.describe_split(table)
    write_rows(out, table)
    tables.show(report)

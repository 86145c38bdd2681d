"""``fastcausal crab agree RATINGS``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import doing, write_rows
from fastcausal.cli.options import refuse
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import Border, Outside, RaterTies


def agree(
    ctx: click.Context,
    ratings: Annotated[
        str,
        Argument(help="A row per rating: the key of a pair or unit, rater, score; - for stdin."),
    ],
    border: Annotated[
        Border, Option(help="Put 20, 50, 80 into C, B, A (up), 80 into B (text), or D, C, B.")
    ] = "up",
    ties: Annotated[
        RaterTies, Option(help="Give a tied pair its lowest class, or no majority.")
    ] = "first",
    outside: Annotated[
        Outside, Option(help="Keep or drop ratings of a class outside of a subset.")
    ] = "keep",
    border_width: Annotated[
        float | None,
        Option(min=0, max=100, help="Send pairs to experts whose mean is so near a border."),
    ] = None,
    min_variance: Annotated[
        float | None, Option(min=0, help="Of these, pairs of at least this variance.")
    ] = None,
    expert_share: Annotated[
        float | None,
        Option(min=0, max=1, help="Of these, the most varied, up to this share of all pairs."),
    ] = None,
    qualify: Annotated[
        float | None,
        Option(min=0, max=1, help="Show each rater's accuracy, and who is above this line."),
    ] = None,
    gold: Annotated[
        str | None, Option(help="Judged pairs: raters qualify by these, else by the majority.")
    ] = None,
    yes_no: Annotated[
        str | None,
        Option(
            "--yes-no",
            help="Compare scores with this column: yes if the effect comes without the cause.",
            metavar="COLUMN",
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        Option(help="Write mean, variance and classes of each pair to this file."),
    ] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Measure how far raters agree on classes of pairs (CRAB, Table 9), and who needs experts.

    Examples
    --------
    fastcausal crab agree crab_ratings.jsonl
    """
    if border_width is None:
        near = "is for pairs near a border: add --border-width"
        refuse(ctx, ("min_variance", "expert_share"), near)
    elif min_variance is not None:
        refuse(ctx, ("expert_share",), "is another rule than --min-variance")
    if qualify is None:
        refuse(ctx, ("gold",), "is for the accuracy of raters: add --qualify")
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.crab import raters

    keep_apart([pairs], [ratings, gold])
    with doing("comparing raters"):
        report = raters.agree(
            ratings,
            border=border,
            ties=ties,
            outside=outside,
            border_width=border_width,
            min_variance=min_variance,
            expert_share=expert_share,
            qualify=qualify,
            gold=gold,
            yes_no=yes_no,
        )
    if pairs is not None:
        write_rows(pairs, report.pairs)
    tables.show(report)

"""``fastcausal crab describe GOLD...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.crab.options import BorderOption, GoldFromOption, PlotOption
from fastcausal.cli.options import ByOption, refuse
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.systems import print_reports, reports_of
from fastcausal.cli.tables import TABLES, TableOptions


def describe(
    ctx: click.Context,
    gold: Annotated[
        list[str], Argument(help="Judged pairs; a report for each file.", metavar="GOLD...")
    ],
    threshold: Annotated[
        float, Option(help="Take scores from this one on as edges of the graph.")
    ] = 50,
    border: BorderOption = "up",
    gold_from: GoldFromOption = "class",
    by: ByOption = None,
    plot: PlotOption = None,
    html: Annotated[
        Path | None, Option("--html", help="Draw the graphs of stories on a page for the browser.")
    ] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Describe judged pairs: classes, stories, and the graph of causes (tables 1, 5, 6).

    Examples
    --------
    fastcausal crab describe crab_gold.jsonl --threshold 80
    fastcausal crab describe crab_gold.jsonl --html graph.html
    """
    import fastcausal as fc
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.pictures import require_pictures
    from fastcausal.tasks.crab.plots import draw_classes

    if len(gold) > 1:
        refuse(ctx, ("html",), "is for one file of judged pairs")
    require_pictures(plot)
    keep_apart([plot, html], gold)
    reports = reports_of(
        gold,
        lambda file: fc.crab.describe(
            file, threshold=threshold, border=border, gold_from=gold_from, by=by
        ),
    )
    if html is not None:
        next(iter(reports.values())).to_html(html)
    if plot is not None:
        draw_classes(plot, reports)
    print_reports(reports, tables)

"""``fastcausal items [GOLD] RUN...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import doing
from fastcausal.cli.gold import GOLD_OPTIONS, GoldOptions, items_of
from fastcausal.cli.options import (
    MARKS,
    VALUES,
    ClusterOption,
    HtmlOption,
    JoinOption,
    Marks,
    ScoreOption,
    ValueOptions,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import AUTO, ItemFilter, ItemOrder

SHOWN = VALUES._replace(missing="skip")


def items(
    ctx: click.Context,
    runs: Annotated[
        list[str],
        Argument(
            metavar="[GOLD] RUN...",
            help="Logs or tables of evaluations; or counts, as score --per-example writes them; or "
            "gold and predictions.",
        ),
    ],
    score: ScoreOption = None,
    only: Annotated[ItemFilter | None, Option(help="Keep these items.")] = None,
    sort: Annotated[
        ItemOrder,
        Option(
            help="Order by id; by change, largest first; by value, lowest first; by crashed "
            "answers, most first."
        ),
    ] = "id",
    top: Annotated[int | None, Option(min=1, help="Show so many items.")] = None,
    scored: GoldOptions = GOLD_OPTIONS,
    marks: Marks = MARKS,
    join: JoinOption = None,
    values: ValueOptions = SHOWN,
    cluster: ClusterOption = AUTO,
    confidence: Annotated[float, Option(help="Set the confidence level.")] = 0.95,
    out: Annotated[
        Path | None,
        Option(help="Write the items to this .json, .jsonl, .csv, .parquet, .arrow or .html file."),
    ] = None,
    tables: TableOptions = TABLES,
    html: HtmlOption = None,
) -> None:
    """Show each item in each run: what changed, what is flaky, what crashed.

    Examples
    --------
    fastcausal items gold.csv hasty.jsonl careful.jsonl --unparsed empty --only flipped
    fastcausal items values_a.csv values_b.csv --only down --sort change
    fastcausal items runs.csv --system model --value match --out items.parquet
    """
    from fastcausal.files.targets import keep_apart

    keep_apart([out, html], runs)
    found = items_of(
        ctx, runs, scored, values, score, cluster, marks, join,
        only=only, sort=sort, top=top, confidence=confidence,
    )  # fmt: skip
    for path in (out, html):
        if path is not None:
            with doing(f"writing {path}"):
                found.to_html(path) if path == html else found.write(path)
    tables.show(found, counts=tables.format == "csv")

"""``fastcausal crab pairwise GOLD ANSWERS...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastcausal.cli.console import doing
from fastcausal.cli.crab.options import (
    ANSWERS,
    Answers,
    AnswersArgument,
    BorderOption,
    ByOption,
    GoldArgument,
    GoldFromOption,
    PlotOption,
)
from fastcausal.cli.options import (
    DRAWS,
    Draws,
    FormatOption,
    IntervalsOption,
    JsonOption,
    format_of,
    refuse,
    refuse_inference,
)
from fastcausal.cli.systems import print_reports, reports_of, with_intervals, write_units
from fastcausal.options import CrabTask


def pairwise(
    ctx: typer.Context,
    gold: GoldArgument,
    pred: AnswersArgument,
    task: Annotated[CrabTask, typer.Option(help="Say what was asked.")] = "score",
    border: BorderOption = "up",
    threshold: Annotated[
        float, typer.Option(help="Take gold scores from this one on as yes (binary).")
    ] = 50,
    gold_from: GoldFromOption = "class",
    by: ByOption = None,
    answers: Answers = ANSWERS,
    per_pair: Annotated[
        Path | None,
        typer.Option(help="Write what became of each pair to this .parquet or .arrow file."),
    ] = None,
    plot: PlotOption = None,
    json: JsonOption = False,
    format: FormatOption = "text",
    intervals: IntervalsOption = False,
    draws: Draws = DRAWS,
) -> None:
    """Score answers on pairs of events: tables 2 and 8 of the paper."""
    chosen = format_of(ctx, json, format)
    refuse_inference(ctx, intervals, draws)
    if task == "binary":
        refuse(ctx, ("gold_from",), "is for classes, task binary takes gold's scores")
    else:
        refuse(ctx, ("threshold",), "is for task binary")
    import fastcausal as fc
    from fastcausal.formats.io.targets import keep_apart
    from fastcausal.tasks.crab.pairs import read_pairs
    from fastcausal.tasks.crab.plots import draw_confusions
    from fastcausal.tasks.pictures import require_pictures

    require_pictures(plot)
    keep_apart([per_pair, plot], [gold, *pred])
    columns = by or []
    with doing(f"reading {gold}"):
        pairs = read_pairs(gold)
    reports = reports_of(
        pred,
        lambda file: fc.crab.pairwise(
            pairs,
            file,
            task,
            border=border,
            threshold=threshold,
            gold_from=gold_from,
            by=columns,
            **answers.arguments(),
        ),
    )
    if intervals:
        of_subsets = columns[0] if len(columns) == 1 else None
        reports = with_intervals(reports, draws, of_subsets)
    write_units(per_pair, reports)
    if plot is not None:
        draw_confusions(plot, reports)
    print_reports(reports, chosen)

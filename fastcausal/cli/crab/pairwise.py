"""``fastcausal crab pairwise GOLD ANSWERS...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.crab.options import (
    ANSWERS,
    AnswerOptions,
    AnswersArgument,
    BorderOption,
    GoldArgument,
    GoldFromOption,
    PlotOption,
)
from fastcausal.cli.crab.reports import print_answers
from fastcausal.cli.options import (
    DRAWS,
    ByOption,
    DrawOptions,
    IntervalsOption,
    refuse,
    refuse_inference,
)
from fastcausal.cli.parameters import Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import CrabTask


def pairwise(
    ctx: click.Context,
    gold: GoldArgument,
    pred: AnswersArgument,
    task: Annotated[CrabTask, Option(help="Say what was asked.")] = "score",
    border: BorderOption = "up",
    threshold: Annotated[
        float, Option(help="Take gold scores from this one on as yes (binary).")
    ] = 50,
    gold_from: GoldFromOption = "class",
    by: ByOption = None,
    answers: AnswerOptions = ANSWERS,
    per_pair: Annotated[
        Path | None,
        Option(help="Write what became of each pair to this .parquet or .arrow file."),
    ] = None,
    plot: PlotOption = None,
    tables: TableOptions = TABLES,
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
) -> None:
    """Score answers on pairs of events: tables 2 and 8 of the paper.

    Examples
    --------
    fastcausal crab pairwise crab_gold.jsonl crab_scores_careful.jsonl
    fastcausal crab pairwise crab_gold.jsonl crab_yes_no.jsonl --task binary
    """
    refuse_inference(ctx, intervals, draws)
    if task == "binary":
        refuse(ctx, ("gold_from",), "is for classes, task binary takes gold's scores")
    else:
        refuse(ctx, ("threshold",), "is for task binary")
    import fastcausal as fc
    from fastcausal.tasks.crab.plots import draw_confusions

    print_answers(
        gold,
        pred,
        lambda pairs, file: fc.crab.pairwise(
            pairs,
            file,
            task,
            border=border,
            threshold=threshold,
            gold_from=gold_from,
            by=by or [],
            **answers.arguments(),
        ),
        tables,
        units=per_pair,
        draws=draws if intervals else None,
        by=by,
        plot=plot,
        draw=draw_confusions,
    )

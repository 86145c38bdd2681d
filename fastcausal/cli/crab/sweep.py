"""``fastcausal crab sweep GOLD ANSWERS...``."""

from __future__ import annotations

from typing import Annotated

import typer

from fastcausal.cli.console import doing
from fastcausal.cli.crab.options import (
    ANSWERS,
    Answers,
    AnswersArgument,
    BorderOption,
    GoldArgument,
    PlotOption,
)
from fastcausal.cli.options import FormatOption, JsonOption, format_of
from fastcausal.cli.systems import print_reports, reports_of


def sweep(
    ctx: typer.Context,
    gold: GoldArgument,
    pred: AnswersArgument,
    thresholds: Annotated[
        str | None,
        typer.Option(
            help="Take gold scores from each of these on as yes; by default 5,10,...,95.",
            metavar="T,T,...",
        ),
    ] = None,
    border: BorderOption = "up",
    answers: Answers = ANSWERS,
    plot: PlotOption = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Score yes and no against gold scores from each threshold on: figure 5 of the paper."""
    chosen = format_of(ctx, json, format)
    import fastcausal as fc
    from fastcausal.formats.io.targets import keep_apart
    from fastcausal.tasks.crab.pairs import read_pairs
    from fastcausal.tasks.crab.plots import draw_sweeps
    from fastcausal.tasks.crab.sweep import THRESHOLDS
    from fastcausal.tasks.pictures import require_pictures

    limits = THRESHOLDS if thresholds is None else _numbers(thresholds)
    require_pictures(plot)
    keep_apart([plot], [gold, *pred])
    with doing(f"reading {gold}"):
        pairs = read_pairs(gold)
    reports = reports_of(
        pred,
        lambda file: fc.crab.sweep(
            pairs,
            file,
            limits,
            border=border,
            **answers.arguments(),
        ),
    )
    if plot is not None:
        draw_sweeps(plot, reports)
    print_reports(reports, chosen)


def _numbers(written: str) -> list[float]:
    try:
        return [float(number) for number in written.split(",")] if written.strip() else []
    except ValueError:
        raise ValueError(
            f'--thresholds is "{written}", expected numbers with commas between them'
        ) from None

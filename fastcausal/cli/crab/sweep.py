"""``fastcausal crab sweep GOLD ANSWERS...``."""

from __future__ import annotations

from typing import Annotated

from fastcausal.cli.crab.options import (
    ANSWERS,
    AnswerOptions,
    AnswersArgument,
    BorderOption,
    GoldArgument,
    PlotOption,
)
from fastcausal.cli.crab.reports import print_answers
from fastcausal.cli.parameters import Option
from fastcausal.cli.tables import TABLES, TableOptions


def sweep(
    gold: GoldArgument,
    pred: AnswersArgument,
    thresholds: Annotated[
        str | None,
        Option(
            help="Take gold scores from each of these on as yes; by default 5,10,...,95.",
            metavar="T,T,...",
        ),
    ] = None,
    border: BorderOption = "up",
    answers: AnswerOptions = ANSWERS,
    plot: PlotOption = None,
    tables: TableOptions = TABLES,
) -> None:
    """Score yes and no against gold scores from each threshold on: figure 5 of the paper.

    Examples
    --------
    fastcausal crab sweep crab_gold.jsonl crab_yes_no.jsonl --plot figure_5.png
    """
    import fastcausal as fc
    from fastcausal.tasks.crab.plots import draw_sweeps
    from fastcausal.tasks.crab.sweep import THRESHOLDS

    limits = THRESHOLDS if thresholds is None else _numbers(thresholds)
    print_answers(
        gold,
        pred,
        lambda pairs, file: fc.crab.sweep(
            pairs, file, limits, border=border, **answers.arguments()
        ),
        tables,
        plot=plot,
        draw=draw_sweeps,
    )


def _numbers(written: str) -> list[float]:
    try:
        return [float(number) for number in written.split(",")] if written.strip() else []
    except ValueError:
        raise ValueError(
            f'--thresholds is "{written}", expected numbers with commas between them'
        ) from None

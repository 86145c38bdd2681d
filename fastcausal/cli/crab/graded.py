"""``fastcausal crab graded QUESTIONS CHOICES...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.crab.options import (
    ANSWERS,
    AnswerOptions,
    AnswersArgument,
    PlotOption,
)
from fastcausal.cli.crab.reports import print_answers
from fastcausal.cli.options import (
    DRAWS,
    ByOption,
    DrawOptions,
    IntervalsOption,
    refuse_inference,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions


def graded(
    ctx: click.Context,
    questions: Annotated[
        str,
        Argument(help="Questions with four causes each, as make-mcq writes; - for stdin."),
    ],
    pred: AnswersArgument,
    by: ByOption = None,
    answers: AnswerOptions = ANSWERS,
    per_question: Annotated[
        Path | None,
        Option(help="Write what became of each question to this .parquet or .arrow file."),
    ] = None,
    plot: PlotOption = None,
    tables: TableOptions = TABLES,
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
) -> None:
    """Score choices among four causes: table 2 of the paper, and bias to the effect's document.

    Examples
    --------
    fastcausal crab graded crab_questions.jsonl crab_choices.jsonl
    """
    refuse_inference(ctx, intervals, draws)
    import fastcausal as fc
    from fastcausal.tasks.crab.plots import draw_confusions
    from fastcausal.tasks.crab.questions import read_questions

    print_answers(
        questions,
        pred,
        lambda asked, file: fc.crab.graded(asked, file, by=by or [], **answers.arguments()),
        tables,
        read=read_questions,
        units=per_question,
        draws=draws if intervals else None,
        by=by,
        plot=plot,
        draw=draw_confusions,
    )

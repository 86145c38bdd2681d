"""``fastcausal crab graded QUESTIONS CHOICES...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fastcausal.cli.console import doing
from fastcausal.cli.crab.options import (
    ANSWERS,
    Answers,
    AnswersArgument,
    ByOption,
    PlotOption,
)
from fastcausal.cli.options import (
    DRAWS,
    Draws,
    FormatOption,
    IntervalsOption,
    JsonOption,
    format_of,
    refuse_inference,
)
from fastcausal.cli.systems import print_reports, reports_of, with_intervals, write_units


def graded(
    ctx: typer.Context,
    questions: Annotated[
        str,
        typer.Argument(help="Questions with four causes each, as make-mcq writes; - for stdin."),
    ],
    pred: AnswersArgument,
    by: ByOption = None,
    answers: Answers = ANSWERS,
    per_question: Annotated[
        Path | None,
        typer.Option(help="Write what became of each question to this .parquet or .arrow file."),
    ] = None,
    plot: PlotOption = None,
    json: JsonOption = False,
    format: FormatOption = "text",
    intervals: IntervalsOption = False,
    draws: Draws = DRAWS,
) -> None:
    """Score choices among four causes: table 2 of the paper, and bias to the effect's document."""
    chosen = format_of(ctx, json, format)
    refuse_inference(ctx, intervals, draws)
    import fastcausal as fc
    from fastcausal.formats.io.targets import keep_apart
    from fastcausal.tasks.crab.plots import draw_confusions
    from fastcausal.tasks.crab.questions import read_questions
    from fastcausal.tasks.pictures import require_pictures

    require_pictures(plot)
    keep_apart([per_question, plot], [questions, *pred])
    columns = by or []
    with doing(f"reading {questions}"):
        asked = read_questions(questions)
    reports = reports_of(
        pred,
        lambda file: fc.crab.graded(
            asked,
            file,
            by=columns,
            **answers.arguments(),
        ),
    )
    if intervals:
        of_subsets = columns[0] if len(columns) == 1 else None
        reports = with_intervals(reports, draws, of_subsets)
    write_units(per_question, reports)
    if plot is not None:
        draw_confusions(plot, reports)
    print_reports(reports, chosen)

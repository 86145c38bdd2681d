"""``fastcausal crab frames GOLD [ANSWERS]...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.crab.options import (
    ANSWERS,
    AnswerOptions,
    AnswersOrNone,
    BorderOption,
    GoldArgument,
    GoldFromOption,
    TaskOption,
)
from fastcausal.cli.crab.reports import print_answers, refuse_unused
from fastcausal.cli.options import (
    DRAWS,
    DrawOptions,
    IntervalsOption,
)
from fastcausal.cli.parameters import Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import FrameRule


def frames(
    ctx: click.Context,
    gold: GoldArgument,
    pred: AnswersOrNone = None,
    task: TaskOption = "multiclass",
    rule: Annotated[
        FrameRule,
        Option(
            help="Take types of the paper's figure (U: none), with U as mixed, or with medium "
            "causes as strong ones (collapse)."
        ),
    ] = "figure",
    border: BorderOption = "up",
    gold_from: GoldFromOption = "class",
    answers: AnswerOptions = ANSWERS,
    per_frame: Annotated[
        Path | None,
        Option(help="Write type and scores of each frame to this .parquet or .arrow file."),
    ] = None,
    tables: TableOptions = TABLES,
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
) -> None:
    """Count the causal frames of events by type, and score answers on them: tables 3 and 6.

    Examples
    --------
    fastcausal crab frames crab_gold.jsonl
    fastcausal crab frames crab_gold.jsonl crab_letters.jsonl
    """
    refuse_unused(ctx, pred, intervals, draws)
    import fastcausal as fc

    print_answers(
        gold,
        pred,
        lambda pairs, file: fc.crab.frames(
            pairs,
            file,
            task,
            rule=rule,
            border=border,
            gold_from=gold_from,
            **answers.arguments(),
        ),
        tables,
        units=per_frame,
        draws=draws if intervals else None,
    )

"""``fastcausal crab chains GOLD [ANSWERS]...``."""

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


def chains(
    ctx: click.Context,
    gold: GoldArgument,
    pred: AnswersOrNone = None,
    task: TaskOption = "multiclass",
    high: Annotated[str, Option(help="Take pairs of these classes as strong.")] = "A",
    mediation: Annotated[
        str, Option(help="Expect one of these classes between x and z, - for no pair.")
    ] = "BC",
    confounding: Annotated[
        str, Option(help="Expect one of these classes between y and z, - for no pair.")
    ] = "C",
    collider: Annotated[
        str, Option(help="Expect one of these classes between x and y, - for no pair.")
    ] = "D",
    border: BorderOption = "up",
    gold_from: GoldFromOption = "class",
    answers: AnswerOptions = ANSWERS,
    per_chain: Annotated[
        Path | None,
        Option(help="Write type and scores of each chain to this .parquet or .arrow file."),
    ] = None,
    tables: TableOptions = TABLES,
    intervals: IntervalsOption = False,
    draws: DrawOptions = DRAWS,
) -> None:
    """Count chains of three events by type, and score answers on them: tables 4 and 7.

    Examples
    --------
    fastcausal crab chains crab_gold.jsonl
    fastcausal crab chains crab_gold.jsonl crab_letters.jsonl
    """
    refuse_unused(ctx, pred, intervals, draws)
    import fastcausal as fc

    print_answers(
        gold,
        pred,
        lambda pairs, file: fc.crab.chains(
            pairs,
            file,
            task,
            high=high,
            mediation=mediation,
            confounding=confounding,
            collider=collider,
            border=border,
            gold_from=gold_from,
            **answers.arguments(),
        ),
        tables,
        units=per_chain,
        draws=draws if intervals else None,
    )

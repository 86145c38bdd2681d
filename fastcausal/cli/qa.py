"""``fastcausal qa GOLD PRED``."""

from __future__ import annotations

from typing import Annotated, Any

import click

from fastcausal.cli.options import DRAWS, DrawOptions, refuse_settings
from fastcausal.cli.parameters import Option
from fastcausal.cli.systems import systems_tables
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.cli.task import SHOWN, GoldArgument, Shown, SystemsArgument, print_scores
from fastcausal.options import Policy, QuestionProtocol


def qa(
    ctx: click.Context,
    gold: GoldArgument,
    pred: SystemsArgument,
    unmatched: Annotated[
        Policy,
        Option(
            help="Stop at ids that one side lacks, score missing answers 0 (empty), or skip them."
        ),
    ] = "error",
    protocol: Annotated[
        QuestionProtocol, Option(help="Read and count as SQuAD does, or as FinCausal 2025.")
    ] = "squad-1.1",
    official_order: Annotated[
        bool, Option(help="Compare rows in file order, as the program of fincausal-2025 does.")
    ] = False,
    similarity: Annotated[
        str | None,
        Option(metavar="COLUMN", help="Average given similarities (SAS) of this column of PRED."),
    ] = None,
    judge: Annotated[
        str | None,
        Option(metavar="COLUMN", help="Average marks of a judge, 1 to 5, with their interval."),
    ] = None,
    shown: Shown = SHOWN,
    draws: DrawOptions = DRAWS,
    tables: TableOptions = TABLES,
) -> None:
    """Score answers to questions: exact match and F1, also for questions about causes.

    Examples
    --------
    fastcausal qa questions.json answers.json
    fastcausal qa causes.csv causes_careful.csv --protocol fincausal-2025 --judge mark
    """
    import fastcausal as fc

    refuse_settings(ctx, "qa", protocol)
    settings: dict[str, Any] = {
        "unmatched": unmatched,
        "protocol": protocol,
        "official_order": official_order,
        "similarity": similarity,
        "judge": judge,
        "by": shown.by,
    }
    shown = shown._replace(intervals=shown.intervals or judge is not None)
    print_scores(
        ctx,
        gold,
        pred,
        lambda file: fc.qa(gold, file, **settings),
        shown,
        draws,
        tables,
        grids=systems_tables,
    )

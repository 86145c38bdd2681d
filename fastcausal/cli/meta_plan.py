"""``fastcausal meta plan SCORES HUMAN``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.meta import (
    HumanArgument,
    HumanOption,
    LabelOption,
    LevelOption,
    MetricOption,
    ScoresArgument,
    UnmatchedOption,
    check_people,
)
from fastcausal.cli.parameters import Option
from fastcausal.cli.tables import TABLES, TableOptions


def meta_plan(
    ctx: click.Context,
    scores: ScoresArgument,
    human: HumanArgument = None,
    delta: Annotated[
        float, Option(help="Reach this half width of the 95% confidence interval.")
    ] = 0.05,
    rater: HumanOption = None,
    label: LabelOption = "label",
    metric: MetricOption = None,
    level: LevelOption = None,
    unmatched: UnmatchedOption = "error",
    tables: TableOptions = TABLES,
) -> None:
    """Plan how many human labels make powered estimates precise enough.

    Examples
    --------
    fastcausal meta plan scores.csv judgments.csv --metric judge --delta 0.1
    """
    check_people(ctx, human, rater)
    import fastcausal as fc

    report = fc.plan_labels(
        scores,
        human,
        delta=delta,
        label=label,
        metrics=metric,
        level=level,
        raters=rater,
        unmatched=unmatched,
    )
    tables.show(report)

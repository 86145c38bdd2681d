"""``fastcausal meta SCORES HUMAN``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.options import (
    IntervalsOption,
    SeedOption,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import LabelPolicy, Level

ScoresArgument = Annotated[
    str,
    Argument(help="Scores: system, item, a column per metric or judge; - for stdin."),
]
HumanArgument = Annotated[
    str | None, Argument(help="Judgments: system, item, rater, label; - for stdin.")
]
HumanOption = Annotated[
    list[str] | None,
    Option(
        "--human",
        metavar="COLUMN",
        help="Take labels of a rater from this column of SCORES; may be given several times.",
    ),
]
LabelOption = Annotated[str, Option(help="The column of labels, numbers or words.")]
MetricOption = Annotated[
    list[str] | None,
    Option(help="Look at this column of scores; may be given several times."),
]
LevelOption = Annotated[
    Level | None,
    Option(
        help="Level of measurement of labels; by default nominal for words, 0 and 1, ordinal "
        "for other whole numbers, else interval."
    ),
]
UnmatchedOption = Annotated[
    LabelPolicy,
    Option(help="Stop at labels without score and at missing scores, or skip them."),
]


def check_people(ctx: click.Context, human: str | None, rater: list[str] | None) -> None:
    """Refuse commands without labels of people, or with labels in two places."""
    if rater is not None:
        refuse(ctx, ("label",), "names the column of labels in HUMAN, expected it without --human")
    if (human is None) == (rater is None):
        raise click.UsageError(
            "expected HUMAN, or --human COLUMN for raters in one wide table", ctx
        )


def meta(
    ctx: click.Context,
    scores: ScoresArgument,
    human: HumanArgument = None,
    rater: HumanOption = None,
    label: LabelOption = "label",
    metric: MetricOption = None,
    level: LevelOption = None,
    rescale: Annotated[
        bool, Option(help="Map scores that leave the range of labels into it.")
    ] = False,
    folds: Annotated[
        int, Option(min=2, max=1000, help="Try thresholds on items held out in so many parts.")
    ] = 5,
    epsilon: Annotated[
        float, Option(min=0, max=1, help="How much better a rater may be in the alt-test.")
    ] = 0.2,
    compare: Annotated[
        str | None,
        Option(
            help="Test differences of this level and score; by default pooled.kendall, or "
            "overall.accuracy of words, of up to 20 metrics."
        ),
    ] = None,
    intervals: IntervalsOption = False,
    cluster: Annotated[
        str | None, Option(help="Resample clusters, the values of this column, instead of items.")
    ] = None,
    resamples: Annotated[
        int, Option("--resamples", min=1, help="Set the number of resamples.")
    ] = 1000,
    seed: SeedOption = 0,
    by: Annotated[
        str | None, Option(help="Also look at each value of this column of scores.")
    ] = None,
    unmatched: UnmatchedOption = "error",
    tables: TableOptions = TABLES,
) -> None:
    """Compare metrics and model judges with people.

    Examples
    --------
    fastcausal meta scores.csv judgments.csv

    fastcausal meta crab_labels.csv --human r4 --human r5 --metric letters
    """
    if not intervals:
        refuse(ctx, ("cluster",), "is for confidence intervals: add --intervals")
    check_people(ctx, human, rater)
    from fastcausal.tasks.meta.scorer import meta as compute

    report = compute(
        scores,
        human,
        label=label,
        metrics=metric or None,
        level=level,
        raters=rater,
        rescale=rescale,
        folds=folds,
        epsilon=epsilon,
        compare=compare,
        intervals=intervals,
        cluster=cluster,
        n_resamples=resamples,
        seed=seed,
        by=by,
        unmatched=unmatched,
    )
    tables.show(report)

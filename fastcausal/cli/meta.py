"""``fastcausal meta SCORES HUMAN``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import print_report
from fastcausal.cli.options import (
    FormatOption,
    IntervalsOption,
    JsonOption,
    SeedOption,
    format_of,
    refuse,
)
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import LabelPolicy, Level


def meta(
    ctx: click.Context,
    scores: Annotated[
        str,
        Argument(help="Scores: system, item, a column per metric; - for stdin."),
    ],
    human: Annotated[str, Argument(help="Judgments: system, item, rater, label; - for stdin.")],
    label: Annotated[str, Option(help="The column of labels, numbers.")] = "label",
    metric: Annotated[
        list[str] | None,
        Option(help="Look at this column of scores; may be given several times."),
    ] = None,
    level: Annotated[Level, Option(help="Level of measurement of alpha.")] = "nominal",
    folds: Annotated[
        int, Option(min=2, max=1000, help="Try thresholds on items held out in so many parts.")
    ] = 5,
    epsilon: Annotated[
        float, Option(min=0, max=1, help="How much better a rater may be in the alt-test.")
    ] = 0.2,
    compare: Annotated[
        str | None,
        Option(
            help="Test differences of this level and score; by default pooled.kendall of up to 20 "
            "metrics."
        ),
    ] = None,
    intervals: IntervalsOption = False,
    cluster: Annotated[
        str | None, Option(help="Draw the values of this column instead of items.")
    ] = None,
    resamples: Annotated[
        int, Option("--resamples", min=1, help="Set the number of resamples.")
    ] = 1000,
    seed: SeedOption = 0,
    by: Annotated[
        str | None, Option(help="Also look at each value of this column of scores.")
    ] = None,
    unmatched: Annotated[
        LabelPolicy,
        Option(help="Stop at labels without score and at missing scores, or skip them."),
    ] = "error",
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Compare metrics and model judges with people.

    Examples
    --------
    fastcausal meta scores.csv judgments.csv
    """
    chosen = format_of(ctx, json, format)
    if not intervals:
        refuse(ctx, ("cluster",), "is for intervals: add --intervals")
    from fastcausal.tasks.meta.scorer import meta as compute

    report = compute(
        scores,
        human,
        label=label,
        metrics=metric or None,
        level=level,
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
    print_report(report, chosen)

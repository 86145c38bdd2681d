"""``fastcausal classify GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import ZERO, FormatOption, JsonOption, PerExampleOption, format_of
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import LabelPolicy, ZeroByZero


def classify(
    ctx: click.Context,
    gold: Annotated[
        str, Argument(help="Gold labels: CSV, JSON lines, Parquet or Arrow; - for stdin.")
    ],
    pred: Annotated[str, Argument(help="Predicted labels; - for stdin.")],
    labels: Annotated[
        str | None,
        Option(help="Expect only these classes, for example 0,1; any other label is an error."),
    ] = None,
    positive: Annotated[str, Option(help="Treat this class as the positive one.")] = "1",
    undefined: Annotated[ZeroByZero, Option(help="Set scores of 0/0 to this value.")] = "null",
    unparsed: Annotated[
        LabelPolicy,
        Option(help="Stop at unparsed predictions, or skip their examples."),
    ] = "error",
    unmatched: Annotated[
        LabelPolicy, Option(help="Stop at ids that one side lacks, or skip them.")
    ] = "error",
    per_example: PerExampleOption = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Score sentence labels, such as causal or not.

    Examples
    --------
    fastcausal classify labels_1.csv labels_2.csv
    """
    chosen = format_of(ctx, json, format)
    from fastcausal.tasks.classification.count import classify as compare

    with doing(f"scoring {pred}"):
        report = compare(
            gold,
            pred,
            labels=None if labels is None else _labels(labels.split(",")),
            positive=_labels([positive])[0],
            undefined=ZERO[undefined],
            unparsed=unparsed,
            unmatched=unmatched,
            per_example=per_example,
        )
    print_report(report, chosen)


def _labels(written: list[str]) -> list[int] | list[str]:
    """Parse labels: integers if all of them look like integers."""
    try:
        return [int(label) for label in written]
    except ValueError:
        return written

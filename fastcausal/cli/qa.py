"""``fastcausal qa GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import FormatOption, JsonOption, PerExampleOption, format_of
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import Policy


def qa(
    ctx: click.Context,
    gold: Annotated[
        str,
        Argument(help="Questions with gold answers: SQuAD JSON or JSON lines; - for stdin."),
    ],
    pred: Annotated[str, Argument(help="Predicted answers as JSON; - for stdin.")],
    unmatched: Annotated[
        Policy,
        Option(
            help="Stop at ids that one side lacks, score missing answers 0 (empty), or skip them."
        ),
    ] = "error",
    per_example: PerExampleOption = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Score answers to questions: exact match and F1, also for questions about causes.

    Examples
    --------
    fastcausal qa questions.json answers.json
    """
    chosen = format_of(ctx, json, format)
    import fastcausal as fc

    with doing(f"scoring {pred}"):
        report = fc.qa(gold, pred, unmatched=unmatched, per_example=per_example)
    print_report(report, chosen)

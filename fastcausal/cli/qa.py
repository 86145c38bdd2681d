"""``fastcausal qa GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

import typer

from fastcausal.cli.console import clear_errors, doing, print_json, print_table, warn
from fastcausal.options import Policy


def qa(
    gold: Annotated[
        str,
        typer.Argument(
            help="Questions with gold answers, in SQuAD JSON or JSON lines; - for stdin."
        ),
    ],
    pred: Annotated[str, typer.Argument(help="Predicted answers in JSON; - for stdin.")],
    unmatched: Annotated[
        Policy,
        typer.Option(
            help="Stop at ids that one side lacks, score missing answers 0 (empty), or skip them."
        ),
    ] = "error",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Score answers to questions: exact match and F1, overall and for questions about causes."""
    with clear_errors(json):
        from fastcausal.tasks.answers.scorer import score_answers

        with doing(f"scoring {pred}"):
            report = score_answers(gold, pred, unmatched=unmatched)
        if json:
            print_json(report.to_dict())
            return
        warn(report.warnings)
        print_table(report.to_table(), report.signature)

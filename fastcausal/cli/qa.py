"""``fastcausal qa GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

import typer

from fastcausal.cli.console import clear_errors, doing, print_json, print_table, warn
from fastcausal.options import Policy


def qa(
    gold: Annotated[str, typer.Argument(help="Questions with gold answers: SQuAD, JSON lines.")],
    pred: Annotated[str, typer.Argument(help="Predicted answers as JSON; - for stdin.")],
    unmatched: Annotated[
        Policy,
        typer.Option(help="What an id is that only one side has."),
    ] = "error",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score answers to questions: exact match and F1, also of the questions about causes."""
    with clear_errors(json):
        from fastcausal.tasks.answers.scorer import score_answers

        with doing(f"scoring {pred}"):
            report = score_answers(gold, pred, unmatched=unmatched)
        if json:
            print_json(report.to_dict())
            return
        warn(report.warnings)
        print_table(report.to_table(), report.signature)

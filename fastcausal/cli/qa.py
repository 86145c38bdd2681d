"""``fastcausal qa GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

from fastcausal.cli.console import doing
from fastcausal.cli.options import PerExampleOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import Policy


def qa(
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
    tables: TableOptions = TABLES,
) -> None:
    """Score answers to questions: exact match and F1, also for questions about causes.

    Examples
    --------
    fastcausal qa questions.json answers.json
    """
    import fastcausal as fc

    with doing(f"scoring {pred}"):
        report = fc.qa(gold, pred, unmatched=unmatched, per_example=per_example)
    tables.show(report)

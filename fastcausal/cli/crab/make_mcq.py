"""``fastcausal crab make-mcq GOLD OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, write_rows
from fastcausal.cli.options import SeedOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import QuestionTies


def make_mcq(
    gold: Annotated[str, Argument(help="Judged pairs with scores; - for stdin.")],
    out: Annotated[Path, Argument(help="Write questions to this .jsonl or .parquet file.")],
    seed: SeedOption = 0,
    per_frame: Annotated[
        int, Option(min=1, help="Make so many questions of an effect, if it has the causes.")
    ] = 1,
    ties: Annotated[
        QuestionTies,
        Option(help="Draw no four causes that tie at the top, or accept several answers."),
    ] = "skip",
    tables: TableOptions = TABLES,
) -> None:
    """Make questions which of four events caused one, and count effects without a question.

    Examples
    --------
    fastcausal crab make-mcq crab_gold.jsonl questions.jsonl
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.crab import mcq

    keep_apart([out], [gold])
    with doing(f"making questions of {gold}"):
        questions = mcq.make_questions(gold, seed=seed, per_frame=per_frame, ties=ties)
    write_rows(out, questions)
    tables.show(mcq.describe_questions(questions))

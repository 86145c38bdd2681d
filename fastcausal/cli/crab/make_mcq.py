"""``fastcausal crab make-mcq GOLD OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import doing, print_report, write_rows
from fastcausal.cli.options import FormatOption, JsonOption, SeedOption, format_of
from fastcausal.cli.parameters import Argument, Option
from fastcausal.options import QuestionTies


def make_mcq(
    ctx: click.Context,
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
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Make questions which of four events caused one, and count effects without a question.

    Examples
    --------
    fastcausal crab make-mcq crab_gold.jsonl questions.jsonl
    """
    chosen = format_of(ctx, json, format)
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.crab import mcq

    keep_apart([out], [gold])
    with doing(f"making questions of {gold}"):
        questions = mcq.make_questions(gold, seed=seed, per_frame=per_frame, ties=ties)
    write_rows(out, questions)
    print_report(mcq.describe_questions(questions), chosen)

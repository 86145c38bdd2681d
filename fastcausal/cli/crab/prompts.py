"""``fastcausal crab prompts GOLD [ARTICLES] --out FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import doing, write_rows
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import AnswerTask, PromptFormat


def prompts(
    gold: Annotated[
        str, Argument(help="Judged pairs, or for task mcq questions, with texts; - for stdin.")
    ],
    out: Annotated[Path, Option(help="Write prompts to this .jsonl, .csv or .parquet file.")],
    articles: Annotated[
        str | None,
        Argument(
            help="Articles: topic_id, article_id, text; none: take those of gold.",
            metavar="[ARTICLES]",
        ),
    ] = None,
    task: Annotated[AnswerTask, Option(help="Ask for this.")] = "score",
    template: Annotated[
        Path | None, Option(help="Make prompts of this jinja2 template, not of the task's own.")
    ] = None,
    words: Annotated[
        int, Option(min=1, help="Clip articles to so many words and the end of their sentence.")
    ] = 250,
    to: Annotated[
        PromptFormat, Option(help="Write id and prompt, or requests of an OpenAI batch.")
    ] = "lines",
    model: Annotated[str | None, Option(help="Name this model in requests.")] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Write the prompts that ask a model about pairs or questions (CRAB, section 5).

    Examples
    --------
    fastcausal crab prompts crab_gold.jsonl --out prompts.jsonl
    fastcausal crab prompts crab_questions.jsonl --task mcq --out prompts.jsonl
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.crab.prompts import prompts as make

    if (to == "openai-batch") != (model is not None):
        raise click.UsageError("--model is for --to openai-batch, which needs it")
    keep_apart([out], [gold, articles, str(template) if template else None])
    with doing(f"making prompts of {gold}"):
        report = make(gold, articles, task, template=template, words=words, format=to, model=model)
    write_rows(out, report.prompts)
    tables.show(report)

"""``fastcausal claims FILE...``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, write_tables
from fastcausal.cli.options import PerTopicOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import LabelPolicy, NullPolicy, RaterPolicy


def claims(
    files: Annotated[list[str], Argument(help="Files of judged claims, or tables; - for stdin.")],
    name: Annotated[
        str | None,
        Option(
            help="Read names of files, without suffix, by this pattern: {side}_{system}_{rater}."
        ),
    ] = None,
    nulls: Annotated[
        NullPolicy,
        Option(help="Stop at claims without judgment, count them as not supported, or skip."),
    ] = "error",
    raters: Annotated[
        RaterPolicy,
        Option(help="Average the scores of raters, or score what most of them say."),
    ] = "mean",
    unmatched: Annotated[
        LabelPolicy, Option(help="Stop at topics of one side alone, or skip them.")
    ] = "error",
    per_topic: PerTopicOption = None,
    judgments: Annotated[
        Path | None,
        Option(help="Write all judgments to this .csv, .jsonl, .parquet or .arrow file."),
    ] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Score articles by the claims that raters find supported.

    Examples
    --------
    fastcausal claims claims_prediction_full_ann.json claims_reference_full_ann.json
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.claims.count import claims as score

    keep_apart([per_topic, judgments], files)
    with doing("reading claims"):
        report = score(files, name=name, nulls=nulls, raters=raters, unmatched=unmatched)
    write_tables((per_topic, report.per_topic), (judgments, report.judgments))
    tables.show(report)

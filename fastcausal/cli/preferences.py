"""``fastcausal preferences FILE... --key FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, write_tables
from fastcausal.cli.options import PerTopicOption
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import Choice


def preferences(
    files: Annotated[list[str], Argument(help="Files of preferences, one of each rater.")],
    key: Annotated[str, Option(help="The file that names the system of each place, by topic.")],
    name: Annotated[
        str | None,
        Option(help="Read names of files, without suffix, by this pattern with {rater}."),
    ] = None,
    choice: Annotated[
        Choice,
        Option(help="Take the choice with the reference, with the topic alone, or the scores."),
    ] = "reference",
    per_topic: PerTopicOption = None,
    judgments: Annotated[
        Path | None,
        Option(
            help="Write a label of each system to this .csv, .jsonl, .parquet or .arrow file, "
            "for meta."
        ),
    ] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Count how often raters prefer each system: wins, ties, ranks, and their agreement.

    Examples
    --------
    fastcausal preferences preferences_ann.json preferences_ben.json --key preferences_key.json
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.preferences.count import preferences as count

    keep_apart([per_topic, judgments], [*files, key])
    with doing("reading preferences"):
        report = count(files, key, name=name, choice=choice)
    write_tables((per_topic, report.tables["per_topic"]), (judgments, report.tables["judgments"]))
    tables.show(report)

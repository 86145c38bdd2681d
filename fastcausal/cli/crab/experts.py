"""``fastcausal crab experts GOLD RATINGS --out FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastcausal.cli.console import doing, write_rows
from fastcausal.cli.crab.options import BorderOption, GoldArgument
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import ExpertRule


def experts(
    gold: GoldArgument,
    ratings: Annotated[
        str,
        Argument(help="Ratings of experts: the key of a pair, rater, class or score."),
    ],
    out: Annotated[Path, Option(help="Write pairs with their new classes to this file.")],
    rule: Annotated[
        ExpertRule,
        Option(help="Take the most frequent class, the nearest to the mean, or the first of both."),
    ] = "both",
    border: BorderOption = "up",
    tables: TableOptions = TABLES,
) -> None:
    """Put classes of experts in place of gold's, and list what changes (CRAB, section 3.3).

    Examples
    --------
    fastcausal crab experts crab_gold.jsonl crab_ratings.jsonl --out judged.jsonl
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.tasks.crab.experts import experts as apply

    keep_apart([out], [gold, ratings])
    with doing(f"reading {ratings}"):
        report = apply(gold, ratings, rule=rule, border=border)
    write_rows(out, report.pairs)
    tables.show(report)

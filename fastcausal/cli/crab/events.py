"""``fastcausal crab events GOLD FOUND``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing
from fastcausal.cli.options import refuse
from fastcausal.cli.parameters import Argument, Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.options import EventMatch


def events(
    ctx: click.Context,
    gold: Annotated[
        str, Argument(help="Events of experts: a row per document, id and a list events.")
    ],
    pred: Annotated[
        str, Argument(metavar="FOUND", help="Events of a model, of the same documents.")
    ],
    match: Annotated[
        EventMatch, Option(help="Match events by F1 of their words, or by the same words.")
    ] = "tokens",
    min_f1: Annotated[float, Option(min=0, max=1, help="Match from this F1 on.")] = 0.5,
    min_tokens: Annotated[
        int, Option(min=0, help="Drop found events of fewer tokens; the paper has 3.")
    ] = 0,
    no_quotes: Annotated[
        bool, Option("--no-quotes", help="Drop found events that quote what somebody said.")
    ] = False,
    tables: TableOptions = TABLES,
) -> None:
    """Score the events that a model finds in documents (CRAB, Table 10).

    Examples
    --------
    fastcausal crab events crab_gold_events.jsonl crab_found_events.jsonl
    """
    if match != "tokens":
        refuse(ctx, ("min_f1",), "is for --match tokens")
    from fastcausal.tasks.crab import event_lists

    with doing(f"matching events of {pred}"):
        report = event_lists.events(
            gold, pred, match=match, min_f1=min_f1, min_tokens=min_tokens, no_quotes=no_quotes
        )
    tables.show(report)

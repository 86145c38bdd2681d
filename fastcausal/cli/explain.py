"""``fastcausal explain GOLD PRED``."""

from __future__ import annotations

from typing import Annotated

import click

from fastcausal.cli.console import doing, print_report
from fastcausal.cli.options import READS, FormatOption, JsonOption, ReadOptions, format_of, refuse
from fastcausal.cli.parameters import Argument


def explain(
    ctx: click.Context,
    gold: Annotated[str, Argument(help="Gold annotations with tags; - for stdin.")],
    pred: Annotated[str, Argument(help="Predictions with tags; - for stdin.")],
    json: JsonOption = False,
    format: FormatOption = "text",
    reads: ReadOptions = READS,
) -> None:
    """Attribute the difference between cnc-2023 and recess to quirks of the official scorer.

    Examples
    --------
    fastcausal explain gold.csv careful.jsonl
    """
    chosen = format_of(ctx, json, format)
    refuse(ctx, ("tags",), "is for score, explain reads tags as cnc-2023 does")
    import fastcausal as fc

    with doing(f"scoring {pred}"):
        gold_relations = fc.read(gold, tags="cnc-2023")
        how = reads.arguments() | {"tags": "cnc-2023"}
        pred_relations = fc.read(pred, like=gold_relations, **how)
        explanation = fc.explain(gold_relations, pred_relations)
    print_report(explanation, chosen)

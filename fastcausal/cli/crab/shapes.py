"""The common part of ``fastcausal crab frames`` and ``chains``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from fastcausal.cli.console import doing
from fastcausal.cli.options import Draws, refuse, refuse_inference
from fastcausal.cli.systems import print_reports, reports_of, with_intervals, write_units

OF_ANSWERS = ("task", "column", "undefined", "unparsed", "unmatched", "intervals", *Draws._fields)


def refuse_unused(
    ctx: typer.Context, pred: list[str] | None, intervals: bool, draws: Draws
) -> None:
    """Refuse options of answers without answers, and those of intervals without them."""
    if not pred:
        refuse(ctx, OF_ANSWERS, "is for answers: name a file of them")
    refuse_inference(ctx, intervals, draws)


def print_shapes(
    gold: str,
    pred: list[str] | None,
    make: Callable[[Any, str | None], Any],
    target: Path | None,
    format: str,
    draws: Draws | None,
) -> None:
    """Make reports of judged pairs and each file of answers, write their units and print them."""
    from fastcausal.formats.io.targets import keep_apart
    from fastcausal.tasks.crab.pairs import read_pairs

    keep_apart([target], [gold, *(pred or [])])
    with doing(f"reading {gold}"):
        pairs = read_pairs(gold)
    reports = reports_of(pred, lambda file: make(pairs, file)) if pred else {"": make(pairs, None)}
    if draws is not None:
        reports = with_intervals(reports, draws, None)
    write_units(target, reports)
    print_reports(reports, format)

"""The common part of CRAB commands that report on files of answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from fastcausal.cli.console import doing
from fastcausal.cli.options import DrawOptions, refuse, refuse_inference
from fastcausal.cli.systems import print_reports, reports_of, with_intervals, write_units
from fastcausal.cli.tables import TableOptions

OF_ANSWERS = (
    "task",
    "column",
    "undefined",
    "unparsed",
    "unmatched",
    "pattern",
    "intervals",
    *DrawOptions._fields,
)


def refuse_unused(
    ctx: click.Context, pred: list[str] | None, intervals: bool, draws: DrawOptions
) -> None:
    """Refuse options for answers if there are no answers, and for intervals without --intervals."""
    if not pred:
        refuse(ctx, OF_ANSWERS, "is for answers: name a file of them")
    refuse_inference(ctx, intervals, draws)


def print_answers(
    gold: str,
    pred: list[str] | None,
    make: Callable[[Any, Any], Any],
    tables: TableOptions,
    *,
    read: Callable[[str], Any] | None = None,
    units: Path | None = None,
    draws: DrawOptions | None = None,
    by: Sequence[str] | None = None,
    plot: Path | None = None,
    draw: Callable[[Path, dict[str, Any]], None] | None = None,
) -> None:
    """Report on each file of answers: print, and write or draw files on request.

    ``make`` makes a report from gold and a file of answers or None; ``read`` reads gold, by default
    as judged pairs.
    """
    from fastcausal.files.targets import keep_apart
    from fastcausal.report.pictures import require_pictures
    from fastcausal.tasks.crab.files import read_pairs

    require_pictures(plot)
    keep_apart([units, plot], [gold, *(pred or [])])
    with doing(f"reading {gold}"):
        asked = (read or read_pairs)(gold)
    reports = reports_of(pred, lambda file: make(asked, file)) if pred else {"": make(asked, None)}
    if draws is not None:
        reports = with_intervals(reports, draws, by)
    write_units(units, reports)
    if plot is not None and draw is not None:
        draw(plot, reports)
    print_reports(reports, tables)

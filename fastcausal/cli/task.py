"""The command of a task: gold against predictions of one system or of several.

A function with `GoldArgument`, `SystemsArgument`, its options, `Shown`, `DrawOptions` and
`TableOptions` calls `print_scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from fastcausal.cli.options import (
    ByOption,
    DrawOptions,
    HtmlOption,
    IntervalsOption,
    PerExampleOption,
    refuse_inference,
)
from fastcausal.cli.parameters import Argument
from fastcausal.cli.tables import TableOptions

if TYPE_CHECKING:
    from fastcausal.cli.systems import Grids

GoldArgument = Annotated[str, Argument(help="Gold; - for stdin.")]
SystemsArgument = Annotated[
    list[str],
    Argument(help="Predictions of a system; a table row for each file.", metavar="PRED..."),
]


class Shown(NamedTuple):
    """Options of subsets, intervals and files to write."""

    by: ByOption = None
    per_example: PerExampleOption = None
    html: HtmlOption = None
    intervals: IntervalsOption = False


SHOWN = Shown()


def print_scores(
    ctx: click.Context,
    gold: str,
    pred: list[str],
    score: Callable[[str], Any],
    shown: Shown,
    draws: DrawOptions,
    tables: TableOptions,
    grids: Grids | None = None,
) -> None:
    """Make a report of every file of predictions, write the requested files, and print.

    ``score`` makes the report of a file of predictions. ``grids`` makes the tables of several
    systems, by default one table of all groups of scores.
    """
    refuse_inference(ctx, shown.intervals, draws)
    from fastcausal.cli.systems import groups_table, print_reports

    reports = written(
        pred,
        score,
        [gold, *pred],
        units=shown.per_example,
        html=shown.html,
        draws=draws if shown.intervals else None,
        by=shown.by,
    )
    print_reports(reports, tables, shown.by, grids=grids or groups_table)


def written(
    pred: list[str],
    score: Callable[[str], Any],
    sources: Sequence[str],
    *,
    units: Path | None,
    html: Path | None = None,
    draws: DrawOptions | None,
    by: Sequence[str] | None,
) -> dict[str, Any]:
    """Make a report of every file by its short name; write the counts of units and a page.

    No file to write may be one of ``sources``. ``draws`` gives every score an interval.
    """
    from fastcausal.cli.console import doing
    from fastcausal.cli.systems import reports_of, with_intervals, write_units
    from fastcausal.errors import InputError
    from fastcausal.files.targets import keep_apart

    if html is not None and len(pred) > 1:
        raise InputError("--html is for one system, expected one file of predictions")
    keep_apart([units, html], sources)
    reports = reports_of(pred, score)
    if draws is not None:
        reports = with_intervals(reports, draws, by)
    write_units(units, reports)
    if html is not None:
        with doing(f"writing {html}"):
            next(iter(reports.values())).to_html(html)
    return reports

"""The command of a task that declares no command of its own: GOLD and the files of systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import click

from fastcausal.cli.options import (
    DRAWS,
    ByOption,
    DrawOptions,
    FormatOption,
    HtmlOption,
    IntervalsOption,
    JsonOption,
    PerExampleOption,
    format_of,
    refuse_inference,
)
from fastcausal.cli.parameters import Argument
from fastcausal.errors import InputError

if TYPE_CHECKING:
    from fastcausal.counts.task import Task


def function_of(task: Task) -> Callable[..., None]:
    """Return the function of a command that scores files by ``task.score(gold, pred, by=by)``."""
    from fastcausal.counts.task import named

    score = named(task.score)

    def run(
        ctx: click.Context,
        gold: Annotated[str, Argument(help="Gold; - for stdin.")],
        pred: Annotated[list[str], Argument(help="Predictions, a file for each system.")],
        by: ByOption = None,
        per_example: PerExampleOption = None,
        html: HtmlOption = None,
        intervals: IntervalsOption = False,
        draws: DrawOptions = DRAWS,
        json: JsonOption = False,
        format: FormatOption = "text",
    ) -> None:
        refuse_inference(ctx, intervals, draws)
        chosen = format_of(ctx, json, format)
        from fastcausal.cli.systems import (
            print_reports,
            reports_of,
            with_intervals,
            write_units,
        )

        if html is not None and len(pred) > 1:
            raise InputError(f"--html shows one system, {len(pred)} were given")
        reports = reports_of(pred, lambda file: score(gold, file, by=by))
        write_units(per_example, reports)
        if intervals:
            reports = with_intervals(reports, draws, by)
        if html is not None:
            next(iter(reports.values())).to_html(html)
        print_reports(reports, chosen, by)

    run.__doc__ = (score.__doc__ or task.command).partition("\n\n")[0]
    return run

"""``fastcausal demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.console import print_grids, print_json, show
from fastcausal.cli.options import FormatOption, JsonOption, format_of
from fastcausal.cli.parameters import Option
from fastcausal.report.escapes import printable


def demo(
    ctx: click.Context,
    copy_to: Annotated[
        Path | None, Option(help="Also copy the files of the sample to this folder.")
    ] = None,
    json: JsonOption = False,
    format: FormatOption = "text",
) -> None:
    """Score the embedded sample: three imagined systems, and one of them in detail.

    Examples
    --------
    fastcausal demo --copy-to sample
    """
    chosen = format_of(ctx, json, format)
    import fastcausal as fc
    from fastcausal import sample
    from fastcausal.sweeps.side_by_side import systems_table

    gold = fc.read(sample.GOLD)
    reports = {
        name: fc.score(gold, fc.read(path, like=gold)) for name, path in sample.SYSTEMS.items()
    }
    careful = reports["careful"]
    if chosen == "json":
        print_json({"systems": {name: report.to_dict() for name, report in reports.items()}})
    else:
        detail = careful.to_table()
        detail.title = f"the first of them in detail, {detail.title}"
        print_grids([systems_table(reports), detail], chosen, careful.signature)
    if copy_to is not None:
        sample.copy_to(copy_to)
        show(printable(f"\nthe files are in {copy_to}"), err=chosen != "text")

"""``fastcausal demo``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastcausal.cli.console import print_json, show
from fastcausal.cli.parameters import Option
from fastcausal.cli.tables import TABLES, TableOptions
from fastcausal.report.escapes import printable

if TYPE_CHECKING:
    from fastcausal.report.report import Report


def demo(
    copy_to: Annotated[
        Path | None, Option(help="Also copy the files of the sample to this folder.")
    ] = None,
    tables: TableOptions = TABLES,
) -> None:
    """Score the embedded sample: three imagined systems, and one of them in detail.

    Examples
    --------
    fastcausal demo --copy-to sample
    """
    import fastcausal as fc
    from fastcausal import sample
    from fastcausal.cli.systems import systems_tables

    gold = fc.read(sample.GOLD)
    reports: dict[str, Report] = {
        name: fc.score(gold, fc.read(path, like=gold)) for name, path in sample.SYSTEMS.items()
    }
    careful = reports["careful"]
    if tables.format == "json":
        print_json({"systems": {name: report.to_dict() for name, report in reports.items()}})
    else:
        detail = careful.to_table()
        detail.title = f"the first of them in detail, {detail.title}"
        tables.show_grids(
            [*systems_tables(reports), detail], careful.signature, scales=careful.scales
        )
    if copy_to is not None:
        sample.copy_to(copy_to)
        show(printable(f"\nthe files are in {copy_to}"), err=tables.format != "text")

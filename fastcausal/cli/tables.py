"""Options of commands that print tables, and printing by these options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fastcausal.cli.console import hint, print_json, print_table, show, warn
from fastcausal.cli.options import is_given, refuse
from fastcausal.cli.parameters import Option
from fastcausal.options import TableFormat
from fastcausal.report.escapes import printable

if TYPE_CHECKING:
    import click
    from rich.console import RenderableType

    from fastcausal.report.grid import Grid
    from fastcausal.report.numbers import Scale
    from fastcausal.report.report import Report

EXACT = ("json", "csv")  # formats of unrounded values


class TableOptions(NamedTuple):
    """Options for the printed form of results."""

    json: Annotated[bool, Option("--json", help="Print one JSON object: --format json.")] = False
    format: Annotated[
        TableFormat, Option("--format", help="Print text, a JSON object, or tables to paste.")
    ] = "text"
    digits: Annotated[
        int | None,
        Option("--digits", min=0, max=15, help="Print so many decimals, by default mostly 4."),
    ] = None
    percent: Annotated[
        bool, Option("--percent", help="Print shares in percent, by default with 2 decimals.")
    ] = False

    def checked(self, ctx: click.Context) -> TableOptions:
        """Return the options with the printed format; raise InputError for two formats."""
        if self.json and self.format != "json":
            refuse(ctx, ("format",), f"is {self.format}, but --json is another")
        made = self._replace(format="json" if self.json else self.format)
        if made.format in EXACT:
            rounds = tuple(name for name in ("digits", "percent") if is_given(ctx, name))
            refuse(ctx, rounds, f"is for tables to read, {made.format} has values as they are")
        return made

    def show(self, report: Report, counts: bool = False) -> None:
        """Print a report; warnings go to standard error, or into the JSON."""
        if self.format == "json":
            print_json(report.to_dict())
            return
        warn(report.warnings)
        for line in report.hints:
            hint(f"hint: {line}")
        grids = report.to_tables(counts)
        scales = report.scales if self.percent else {}
        self.show_grids(grids, *report.legend, report.signature, scales=scales)

    def show_grids(
        self,
        grids: Sequence[Grid],
        *notes: str,
        scales: Mapping[str, Scale] = MappingProxyType({}),
        text: Sequence[RenderableType] = (),
    ) -> None:
        """Print tables, and notes below them, in any format but JSON.

        ``scales`` are of scores, which are the last words of columns; ``text`` replaces the tables
        in the format ``text``.
        """
        from fastcausal.report.printed import RENDERERS

        if self.digits is not None:
            digits = self.digits + 2 * self.percent
            rounded = [grid.round(digits) for grid in grids]
            warn([] if any(rounded) else ["--digits: no number here has decimals"])
        if self.percent:
            named = [grid.show_percent(scales) for grid in grids]
            warn([] if any(named) else ["--percent: no number here is known as a share"])
            said = ", ".join(dict.fromkeys(name for names in named for name in names))
            notes = (*([f"in percent: {said}"] if said else []), *notes)
        if self.format == "text":
            print_table(*(text or grids), *notes)
        else:
            show(printable(RENDERERS[self.format](grids, notes)).rstrip("\n"))


TABLES = TableOptions()

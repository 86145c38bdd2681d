"""Options that commands share; those that would do nothing are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand

from fastcausal.errors import InputError
from fastcausal.options import TableFormat

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
FormatOption = Annotated[
    TableFormat, typer.Option("--format", help="Print text, a JSON object, or tables to paste.")
]
PerExampleOption = Annotated[
    Path | None,
    typer.Option(help="Write the counts of each example to this .parquet or .arrow file."),
]


class Command(TyperCommand):
    """A command that refuses an option given twice, of which the last would win."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments after looking for repeated options."""
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, n in Counter(order).items():
            if n > 1 and option.param_type_name == "option" and not option.multiple:
                raise typer.BadParameter(f"given {n} times, expected once", ctx, option)
        return super().parse_args(ctx, args)


def refuse(ctx: typer.Context, names: tuple[str, ...], reason: str) -> None:
    """Raise InputError for the first of these options that was given."""
    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise InputError(f"--{name.replace('_', '-')} {reason}")


def format_of(ctx: typer.Context, json: bool, format: TableFormat) -> TableFormat:
    """Return the format that ``--json`` and ``--format`` ask for; InputError where they differ."""
    if json and format != "json":
        refuse(ctx, ("format",), f"is {format}, but --json is another")
    return "json" if json else format


def is_json(args: Sequence[str]) -> bool:
    """Tell if arguments, parsed or not, ask for JSON."""
    given = {option.partition("=")[0] for option in args if option.startswith("--json")}
    return "--json" in given or "--format=json" in args or ("--format", "json") in pairwise(args)

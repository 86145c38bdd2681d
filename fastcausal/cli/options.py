"""Options given twice, or without effect, are errors."""

from __future__ import annotations

from collections import Counter

import typer
from typer.core import TyperCommand

from fastcausal.errors import InputError


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

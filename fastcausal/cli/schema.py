"""``fastcausal schema``."""

from __future__ import annotations

from typing import Annotated

from fastcausal.cli.console import show
from fastcausal.cli.parameters import Option
from fastcausal.errors import InputError


def _list_commands() -> list[str]:
    from fastcausal.cli.shapes import SHAPES

    return sorted(SHAPES)


def schema(
    of: Annotated[
        str | None,
        Option(
            metavar="COMMAND",
            help="Print that of what a command prints with --json.",
            names=_list_commands,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of an answer, for services of structured output.

    Examples
    --------
    fastcausal schema
    fastcausal schema --of score
    """
    import json

    from fastcausal.cli.shapes import SHAPES, describe_output
    from fastcausal.formats.model_output import schema

    if of is not None and of not in SHAPES:
        known = ", ".join(_list_commands())
        raise InputError(f'--of: no command "{of}" with --json, expected one of {known}')
    show(json.dumps(schema() if of is None else describe_output(of), indent=2))

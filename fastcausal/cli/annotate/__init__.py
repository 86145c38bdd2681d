"""``fastcausal annotate COMMAND``: one file per command."""

from __future__ import annotations

import typer

from fastcausal.cli.annotate.bring_in import import_
from fastcausal.cli.annotate.export import export
from fastcausal.cli.options import Command

annotate: typer.Typer = typer.Typer(
    name="annotate",
    help="Let people judge answers and claims on a page, and take their labels back.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
annotate.command("export", cls=Command)(export)
annotate.command("import", cls=Command)(import_)

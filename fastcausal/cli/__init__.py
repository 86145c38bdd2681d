"""The command line: one file per subcommand, which parses arguments, calls the job and prints.

Results go to standard output, all else to standard error. Exit status: 0 done, 1 a check failed,
2 bad input or usage, or output that cannot be written, 70 a fault of fastcausal itself, 130 Ctrl-C,
141 a pipe that was closed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from fastcausal.cli.aggregate import aggregate
from fastcausal.cli.agree import agree
from fastcausal.cli.annotate import annotate
from fastcausal.cli.answers import answers
from fastcausal.cli.bench import bench
from fastcausal.cli.check import check
from fastcausal.cli.claims import claims
from fastcausal.cli.classify import classify
from fastcausal.cli.compare import compare
from fastcausal.cli.console import clear_errors, hold_streams, show
from fastcausal.cli.convert import convert
from fastcausal.cli.crab import crab
from fastcausal.cli.demo import demo
from fastcausal.cli.describe import describe
from fastcausal.cli.doctor import doctor
from fastcausal.cli.explain import explain
from fastcausal.cli.gate import gate
from fastcausal.cli.leaderboard import leaderboard
from fastcausal.cli.merge import merge
from fastcausal.cli.meta import meta
from fastcausal.cli.options import Command, expanded, is_json
from fastcausal.cli.qa import qa
from fastcausal.cli.schema import schema
from fastcausal.cli.score import score
from fastcausal.cli.sweep import sweep


class Program(TyperGroup):
    """The command line as a whole, whose errors all end alike, those of usage too."""

    def main(  # type: ignore[override]  # click's own ways to end are not taken
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command and exit with its status."""
        args = list(sys.argv[1:] if args is None else args)
        options = args[: args.index("--")] if "--" in args else args
        try:
            with (
                clear_errors(is_json(options)),
                self.make_context(prog_name or "fastcausal", args, **extra) as context,
            ):
                self.invoke(context)
        except typer.Exit as end:
            sys.exit(end.exit_code)
        sys.exit()


app: typer.Typer = typer.Typer(
    name="fastcausal",
    cls=Program,
    help="Score causal relations: spans of Cause, Effect and Signal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _command in (
    score, compare, leaderboard, gate, sweep, aggregate, merge, explain, agree, classify, qa,
    answers, claims, meta, describe, check, convert, schema, demo, bench,
    doctor,
):  # fmt: skip
    app.command(cls=Command)(expanded(_command))
app.add_typer(crab)
app.add_typer(annotate)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version."),
) -> None:
    if version:
        from fastcausal._version import __version__

        show(f"fastcausal {__version__}")


def main() -> None:
    """Entry point of the ``fastcausal`` command."""
    hold_streams()
    app()

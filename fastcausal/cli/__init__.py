"""The command line: one file per subcommand, which parses arguments, calls the job and prints.

Results go to standard output, all else to standard error. Exit status: 0 done, 1 a check failed,
2 bad input or usage.
"""

from __future__ import annotations

import typer

from fastcausal.cli.agree import agree
from fastcausal.cli.bench import bench
from fastcausal.cli.check import check
from fastcausal.cli.classify import classify
from fastcausal.cli.convert import convert
from fastcausal.cli.demo import demo
from fastcausal.cli.describe import describe
from fastcausal.cli.doctor import doctor
from fastcausal.cli.explain import explain
from fastcausal.cli.options import Command
from fastcausal.cli.qa import qa
from fastcausal.cli.score import score

app = typer.Typer(
    name="fastcausal",
    help="Score causal relations: spans of Cause, Effect and Signal.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    score, explain, agree, classify, qa, describe, check, convert, demo, bench, doctor
):  # fmt: skip
    app.command(cls=Command)(command)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version."),
) -> None:
    if version:
        from fastcausal import __version__

        typer.echo(f"fastcausal {__version__}")


def main() -> None:
    """Entry point of the ``fastcausal`` command."""
    app()

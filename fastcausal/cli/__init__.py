"""The command line: one file per subcommand, which parses arguments, calls the job and prints.

Results go to standard output, all else to standard error. Exit status: 0 done, 1 a check failed,
2 bad input or usage, or output that cannot be written, 70 a fault of fastcausal itself, 130 Ctrl-C,
141 a closed pipe.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from fastcausal.cli.console import clear_errors, notices, occupy_closed_streams, show
from fastcausal.cli.options import is_json
from fastcausal.cli.parameters import Group
from fastcausal.counts.command import CommandRecord, command_of_systems
from fastcausal.counts.task import declared

TOOLS = (
    "errors", "report", "compare", "items", "leaderboard", "gate", "sweep", "aggregate",
    "merge", "explain", "convert", "schema", "demo", "bench", "doctor",
)  # fmt: skip
SECTIONS = {
    "Score": ("score", "classify", "eci", "qa", "answers", "claims", "crab", "explain"),
    "Look": ("errors", "report", "describe", "check"),
    "Compare": (
        "compare",
        "items",
        "leaderboard",
        "schemes",
        "gate",
        "plan",
        "sweep",
        "aggregate",
        "merge",
    ),
    "People": (
        "agree",
        "annotate",
        "preferences",
        "meta",
        "meta plan",
        "meta sample",
        "meta drift",
    ),
    "Share": ("task", "page-scorer", "convert", "schema"),
    "Tools": ("demo", "bench", "doctor"),
}
COMPLETE = "_FASTCAUSAL_COMPLETE"  # set by a shell that completes a line
ID_NUMBERS = "--id-numbers"
BIBTEX = """\
@software{fastcausal,
  title = {fastcausal: exact and fast scoring of causal relations},
  author = {{The fastcausal authors}},
  version = {%s},
  year = {2026},
  license = {Apache-2.0}
}"""  # CITATION.cff has the same facts
OTHERS = {
    "agreement": "agree",
    "evaluate": "score",
    "fincausal": "score --protocol fincausal-2020, classify --protocol fincausal-task1 or qa "
    "--protocol fincausal-2025",
    "unicausal": "classify --protocol unicausal-seq or unicausal-pair, or score --protocol "
    "unicausal-span",
}
SHELLS = ("bash", "zsh", "fish")
# Objects before the first garbage collection: scanning the imported ones takes 15 ms.
EARLIEST = 1 << 16


class Program(Group):
    """The command line as a whole; all errors, also of usage, end alike."""

    @property
    def sections(self) -> dict[str, list[str]]:
        """Commands by the title of their section; another command of a task is for scoring."""
        made = {title: [*names] for title, names in SECTIONS.items()}
        held = {name for names in SECTIONS.values() for name in names}
        for name, entry in self.entries.items():
            if name not in held:
                made["Score" if isinstance(entry, CommandRecord) else "Tools"].append(name)
        return made

    def main(  # type: ignore[override]  # click's own ways to end are not taken
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command and exit with its status."""
        if asked := os.environ.get(COMPLETE):
            self._complete(asked)
        args = list(sys.argv[1:] if args is None else args)
        options = args[: args.index("--")] if "--" in args else args
        if ID_NUMBERS in options:  # an option of all commands, wherever it is
            args = [ID_NUMBERS, *(each for each in args if each != ID_NUMBERS)]
        extra.pop("standalone_mode", None)
        try:
            with (
                clear_errors(is_json(options)),
                notices(),
                self.make_context(prog_name or "fastcausal", args, **extra) as context,
            ):
                self.invoke(context)
        except click.exceptions.Exit as end:
            sys.exit(end.exit_code)
        sys.exit()

    def _complete(self, asked: str) -> NoReturn:
        """Print the completions of the line in the shell's environment."""
        from click.shell_completion import shell_complete

        import fastcausal.cli.completion  # noqa: F401  # registers the shells

        try:
            with clear_errors():
                status: int = shell_complete(self, {}, "fastcausal", COMPLETE, asked)
        except click.exceptions.Exit as end:
            status = end.exit_code
        sys.exit(status)


def entries() -> dict[str, str | CommandRecord]:
    """Return all commands: of tasks, then tools for all tasks."""
    tasks: dict[str, str | CommandRecord] = {}
    for task in declared():
        if isinstance(task.command, CommandRecord):
            tasks[task.command.name] = task.command
        elif task.command:
            entry, _, name = task.command.rpartition(":")
            tasks[name] = task.command if entry else command_of_systems(task.score)
    tools = {name.replace("_", " "): f"fastcausal.cli.{name}:{name}" for name in TOOLS}
    others = {
        "plan": "fastcausal.sweeps.commands:PLAN",
        "schemes": "fastcausal.sweeps.commands:SCHEMES",
        "meta plan": "fastcausal.tasks.meta:PLAN",
        "meta sample": "fastcausal.tasks.meta:SAMPLE",
        "meta drift": "fastcausal.tasks.meta:DRIFT",
        "task": "fastcausal.cli.shared_task:task",
        "page-scorer": "fastcausal.cli.page_scorer:page_scorer",
    }
    return tasks | tools | others


app = Program(
    "fastcausal",
    entries(),
    "Score causal relations: spans of Cause, Effect and Signal.",
    OTHERS,
)


def _join_by_number(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        from fastcausal.files.keys import id_numbers

        ctx.with_resource(id_numbers())


app.params.append(
    click.Option(
        [ID_NUMBERS],
        is_flag=True,
        expose_value=False,
        callback=_join_by_number,
        help="Join ids by number: 001, 1.0 and 1 are one; for every command.",
    )
)


@app.option("-V", "--version", is_flag=True, help="Print the version.")
def _version(given: bool) -> None:
    from fastcausal._version import __version__

    show(f"fastcausal {__version__}")


@app.option("--cite", is_flag=True, help="Print the BibTeX entry of this version.")
def _cite(given: bool) -> None:
    from fastcausal._version import __version__

    show(BIBTEX % __version__)


@app.option("--show-completion", type=click.Choice(SHELLS), help="Print what completes commands.")
def _completion(shell: str) -> None:
    from click.shell_completion import get_completion_class

    import fastcausal.cli.completion  # noqa: F401

    made = get_completion_class(shell)
    assert made is not None
    show(made(app, {}, "fastcausal", COMPLETE).source())


def main() -> None:
    """Run the ``fastcausal`` command."""
    gc.set_threshold(EARLIEST)
    atexit.register(gc.freeze)  # no scan of objects at exit: 35 ms
    occupy_closed_streams()
    app()

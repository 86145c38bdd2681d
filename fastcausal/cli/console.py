"""What all subcommands share: where output goes, and how errors end a command."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fastcausal.errors import InputError

WIDTH = 10_000  # outside a terminal nothing is cut or wrapped

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console, RenderableType


def print_table(*parts: RenderableType) -> None:
    """Print to standard output: in colour on a terminal, plain text in a pipe."""
    console = _console(stderr=False)
    with console.capture() as capture:
        for part in parts:
            console.print(part, highlight=False, soft_wrap=isinstance(part, str), markup=False)
    lines = capture.get().splitlines()
    typer.echo("\n".join(lines if console.is_terminal else map(str.rstrip, lines)))


def print_json(value: Any) -> None:
    """Print one line of JSON to standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False))


def write_rows(target: Path, table: pa.Table) -> None:
    """Write a table to a file that its suffix names, complete or not at all."""
    from fastcausal.formats.table import appending

    with appending(target) as write:
        write(table)


def warn(messages: Iterable[str]) -> None:
    """Print warnings to standard error."""
    for message in messages:
        typer.secho(f"warning: {message}", fg=typer.colors.YELLOW, err=True)


@contextmanager
def doing(what: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show on a terminal what is going on, as long as it goes on.

    Gives what takes the number of examples done and of all of them, to show them with their rate
    and the time that is left; None outside a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from fastcausal.cli.progress import bar

    with bar(what, _console(stderr=True)) as update:
        yield update


@contextmanager
def clear_errors(as_json: bool = False) -> Iterator[None]:
    """Turn bad input into one message and exit status 2; with ``as_json`` into a JSON object."""
    try:
        yield
    except InputError as error:
        message = str(error).encode(errors="backslashreplace").decode()  # of lone surrogates
        if as_json:
            print_json({"error": message})
        else:
            typer.secho(f"error: {message}", fg=typer.colors.RED, err=True)
        raise typer.Exit(2) from error


def short_names(paths: list[str]) -> dict[str, str]:
    """A short name for each file: its stem, or its path where stems are not enough."""
    twice = [path for path in paths if paths.count(path) > 1]
    if twice:
        raise InputError(f"{twice[0]} is given twice")
    stems = [Path(path).stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else paths
    return dict(zip(names, paths, strict=True))


def _console(stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else WIDTH)

"""Output, messages and exit status of all subcommands."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastcausal.errors import InputError, OutputError
from fastcausal.report.escapes import COMMANDS, printable

WIDTH = 10_000  # outside a terminal nothing is cut or wrapped

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console, RenderableType

    from fastcausal.report.grid import Grid
    from fastcausal.report.report import Report

FAILED = 2  # the exit status of bad input, usage, or output that cannot be written
FAULT = 70  # of an error that is fastcausal's own, as in sysexits.h
INTERRUPTED = 130  # of Ctrl-C, as shells have it
CLOSED = 141  # of a pipe that is not read to its end: what a shell reports of SIGPIPE
TRACEBACK = "FASTCAUSAL_TRACEBACK"

_ESCAPED_JSON = {code: rf"\u{code:04x}" for code in COMMANDS if code >= 0x7F}


def print_report(report: Report, format: str, counts: bool = False) -> None:
    """Print a report in any format; its warnings go to standard error, or are in the JSON."""
    if format == "json":
        print_json(report.to_dict())
        return
    warn(report.warnings)
    print_grids(report.to_tables(counts), format, *report.legend, report.signature)


def print_grids(grids: Sequence[Grid], format: str, *notes: str) -> None:
    """Print tables, and notes below them, in any format but JSON."""
    from fastcausal.report.grid import RENDERERS

    if format == "text":
        print_table(*grids, *notes)
    else:
        show(printable(RENDERERS[format](grids, notes)).rstrip("\n"))


def print_table(*parts: RenderableType) -> None:
    """Print to standard output: in colour on a terminal, plain text in a pipe."""
    from rich.segment import Segment, Segments

    console = _console(stderr=False)
    with _results(), console.capture() as capture:  # rich touches the stream even so
        for part in parts:
            if not isinstance(part, str):
                rendered = console.render(part)
                part = Segments(Segment(printable(text), style) for text, style, _ in rendered)
            else:
                part = printable(part)
            console.print(part, highlight=False, soft_wrap=True, markup=False, emoji=False)
    lines = capture.get().splitlines()
    show("\n".join(lines if console.is_terminal else map(str.rstrip, lines)))


def print_json(value: Any) -> None:
    """Print one line of JSON to standard output."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPED_JSON)
    show(text.encode(errors="backslashreplace").decode())  # of half a surrogate pair


def show(text: str, err: bool = False) -> None:
    """Print a result to standard output, or to standard error where that holds the results.

    Raises
    ------
    OutputError
        Standard output is closed or full.
    """
    with _results():
        click.echo(text, err=err)


def is_standard_output(path: Path) -> bool:
    """Tell whether a path is standard output."""
    with suppress(OSError, ValueError):
        return os.path.samestat(path.stat(), os.fstat(1))
    return False


@contextmanager
def _results() -> Iterator[None]:
    if sys.stdout is None:
        raise OutputError("standard output is closed, the result cannot be written")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"the result cannot be written: {error.strerror}") from error


def write_rows(target: Path, table: pa.Table) -> None:
    """Write a table to a file that its suffix names, complete or not at all."""
    from fastcausal.files.binary import appending

    with appending(target) as write:
        write(table)


def write_tables(*tables: tuple[Path | None, pa.Table]) -> None:
    """Write tables to files that their suffixes name, all of them or none; None is not written."""
    from fastcausal.files.binary import appending

    with ExitStack() as files:
        for target, table in tables:
            if target is not None:
                files.enter_context(appending(target))(table)


def warn(messages: Iterable[str]) -> None:
    """Print warnings to standard error."""
    for message in messages:
        click.secho(f"warning: {printable(message)}", fg="yellow", err=True)


def hint(message: str) -> None:
    """Print what may be of use to standard error, if anything."""
    if message:
        click.secho(printable(message), dim=True, err=True)


@contextmanager
def doing(what: str, unit: str = "examples") -> Iterator[Callable[[int, int | None], None] | None]:
    """Show on a terminal what is going on, as long as it goes on.

    Gives what takes the number of units done and of all of them, to show them with their rate
    and the time that is left; None outside a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from fastcausal.cli.progress import bar

    with bar(printable(what), _console(stderr=True), unit) as update:
        yield update


@contextmanager
def clear_errors(as_json: bool = False) -> Iterator[None]:
    """Turn whatever goes wrong into one message and its exit status.

    With ``as_json`` the message is a JSON object on standard output. The environment variable
    FASTCAUSAL_TRACEBACK adds the traceback.
    """
    try:
        yield
    except click.exceptions.Exit:
        raise
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        if os.environ.get(TRACEBACK):
            from traceback import print_exception

            print_exception(error)
        status, message = _ending(error)
        if message:
            _say(printable(message), as_json)
        _let_go()
        raise click.exceptions.Exit(status) from error


def _ending(error: BaseException) -> tuple[int, str]:
    """Exit status and message, empty for none."""
    reason = _reason(error)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, ""
    closed = isinstance(error, SystemExit)  # which is how rich ends then
    if closed or BrokenPipeError in map(type, (error, error.__cause__)):
        return CLOSED, ""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        help_of = context.command_path if context else "fastcausal"
        said = " ".join(error.format_message().split()).rstrip(".")
        return FAILED, f"{said}; see {help_of} --help"
    if isinstance(error, InputError) or type(error) is ValueError:
        return FAILED, reason
    if isinstance(error, MemoryError):
        return FAILED, f"not enough memory{reason and f': {reason}'}"
    if isinstance(error, OSError):
        parts = (error.filename, error.strerror or reason)
        return FAILED, ": ".join(str(part) for part in parts if part)
    name = ": ".join([type(error).__name__, *reason.splitlines()[:1]])
    return FAULT, f"unexpected {name}; please report it with what {TRACEBACK}=1 shows"


def _reason(error: BaseException) -> str:
    """Return the message of an error; it ends in options where the message of a cause advises."""
    reason = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, InputError) and cause.remedy is not None:
            return reason.removesuffix(str(cause.remedy)) + cause.remedy.of_option()
        cause = cause.__cause__
    return reason


def _say(message: str, as_json: bool) -> None:
    """Tell what is wrong, as far as there are streams to tell it on."""
    with suppress(OSError):
        if not (as_json and _said_as_json(message)):
            click.secho(f"error: {message}", fg="red", err=True)


def _said_as_json(message: str) -> bool:
    try:
        print_json({"error": message})
    except OutputError:
        return False
    return True


def _let_go() -> None:
    """Drop what a closed or full stream did not take; Python would try it again as it ends."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def hold_streams() -> None:
    """Keep the numbers of closed streams from the next files opened, which would be written to.

    What a stream does not allow stays an error, but messages go nowhere without standard error.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDWR)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")


def short_names(paths: list[str]) -> dict[str, str]:
    """A short name for each file: its stem, or its path where stems are not enough."""
    from fastcausal.files.packed import stem_of

    twice = [path for path in paths if paths.count(path) > 1]
    if twice:
        raise InputError(f"{twice[0]} is given twice")
    stems = [stem_of(path) for path in paths]
    names = stems if len(set(stems)) == len(stems) else paths
    return dict(zip(names, paths, strict=True))


def _console(stderr: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream and stream.isatty() else WIDTH)

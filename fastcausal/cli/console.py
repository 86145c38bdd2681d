"""Output, messages and exit status of all subcommands."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastcausal.errors import InputError, InputNotice, OutputError
from fastcausal.report.escapes import COMMANDS, cell_text, printable

WIDTH = 10_000  # outside a terminal, so that nothing is cut or wrapped
NARROWEST = 20  # columns in which messages are wrapped
HANGING = "  "  # before the rest of a long line

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console, RenderableType

    from fastcausal.report.grid import Grid


FAILED = 2  # exit status for bad input, usage, or output that cannot be written
FAULT = 70  # for an error of fastcausal itself, as in sysexits.h
INTERRUPTED = 130  # for Ctrl-C, as in shells
CLOSED = 141  # for a pipe closed by its reader: a shell's status for SIGPIPE
TRACEBACK = "FASTCAUSAL_TRACEBACK"

_ESCAPED_JSON = {code: rf"\u{code:04x}" for code in COMMANDS if code >= 0x7F}


def print_table(*parts: Grid | str | RenderableType) -> None:
    """Print to standard output: in colour on a terminal, plain text in a pipe."""
    from fastcausal.report.grid import Grid

    plain = [part for part in parts if isinstance(part, Grid | str)]
    if _is_pipe() and len(plain) == len(parts):
        lines = [line for part in plain for line in _lines(part)]
        show("\n".join(map(str.rstrip, map(printable, lines))))
        return
    from rich.segment import Segment, Segments

    console = _console(stderr=False)
    with _results(), console.capture() as capture:  # rich writes to the stream even then
        for part in parts:
            if not isinstance(part, str):
                rendered = console.render(part)
                part = Segments(Segment(printable(text), style) for text, style, _ in rendered)
            else:
                part = printable(part)
                part = _wrap(part, console.width) if console.is_terminal else part
            console.print(part, highlight=False, soft_wrap=True, markup=False, emoji=False)
    lines = capture.get().splitlines()
    show("\n".join(lines if console.is_terminal else map(str.rstrip, lines)))


def _is_pipe() -> bool:
    """Return True if rich would print plain text of any width."""
    is_forced = not {"FORCE_COLOR", "TTY_COMPATIBLE"}.isdisjoint(os.environ)
    return not is_forced and not (sys.stdout and sys.stdout.isatty())


def _lines(part: Grid | str) -> list[str]:
    return part.expandtabs().split("\n") if isinstance(part, str) else part.lines(WIDTH)


def print_json(value: Any) -> None:
    """Print one line of JSON to standard output."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_ESCAPED_JSON)
    show(text.encode(errors="backslashreplace").decode())  # escapes half a surrogate pair


def show(text: str, err: bool = False) -> None:
    """Print a result to standard output, or to standard error if ``err``."""
    with _results():
        click.echo(text, err=err)


def is_standard_output(path: Path) -> bool:
    """Return True if a path is standard output."""
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
    """Write a table in the format of the file's suffix, completely or not at all."""
    from fastcausal.files.binary import appending

    with appending(target) as write:
        write(table)


def write_tables(*tables: tuple[Path | None, pa.Table]) -> None:
    """Write tables in the formats of their suffixes, all or none; skip a target of None."""
    from fastcausal.files.binary import appending

    with ExitStack() as files:
        for target, table in tables:
            if target is not None:
                files.enter_context(appending(target))(table)


def warn(messages: Iterable[str]) -> None:
    """Print warnings to standard error, each on its own line."""
    for message in messages:
        _say(f"warning: {cell_text(message)}", fg="yellow")


def _say(message: str, **style: Any) -> None:
    """Print a message to standard error; on a terminal long lines are wrapped."""
    if sys.stderr.isatty():
        message = _wrap(message, os.get_terminal_size(sys.stderr.fileno()).columns)
    click.secho(message, err=True, **style)


def _wrap(message: str, width: int) -> str:
    """Break lines between words, and indent the rest of each."""
    from textwrap import TextWrapper

    wrapper = TextWrapper(
        max(width, NARROWEST),
        subsequent_indent=HANGING,
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(map(wrapper.fill, message.split("\n")))


@contextmanager
def notices() -> Iterator[None]:
    """Print the notices of readers to standard error, each once."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show_warning(
            message: Warning | str, category: type[Warning], *place: Any, **text: Any
        ) -> None:
            if category is InputNotice:
                _say(f"notice: {cell_text(str(message))}", dim=True)
            else:
                others(message, category, *place, **text)

        warnings.simplefilter("default", InputNotice)
        warnings.showwarning = show_warning
        yield


def hint(message: str) -> None:
    """Print advice to standard error; print nothing for an empty message."""
    if message:
        _say(printable(message), dim=True)


@contextmanager
def doing(task: str, unit: str = "examples") -> Iterator[Callable[[int, int | None], None] | None]:
    """Show progress on a terminal for as long as the context lasts.

    Yields a function of the number of finished units and of all units, which shows them with their
    rate and the remaining time; None outside a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from fastcausal.cli.progress import bar

    with bar(printable(task), _console(stderr=True), unit) as update:
        yield update


@contextmanager
def clear_errors(as_json: bool = False) -> Iterator[None]:
    """Turn any exception into one message and its exit status.

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
        status, message = _exit_status(error)
        if message:
            _print_error(printable(message), as_json)
        _discard_unwritten()
        raise click.exceptions.Exit(status) from error


def _exit_status(error: BaseException) -> tuple[int, str]:
    """Return exit status and message of an error; no message is ""."""
    reason = phrase_reason(error)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, ""
    closed = isinstance(error, SystemExit)  # rich exits so on a closed pipe
    if closed or BrokenPipeError in map(type, (error, error.__cause__)):
        return CLOSED, ""
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)
        help_of = context.command_path if context else "fastcausal"
        problem = " ".join(error.format_message().split()).rstrip(".")
        return FAILED, f"{problem}; see {help_of} --help"
    if isinstance(error, InputError) or type(error) is ValueError:
        return FAILED, reason
    if isinstance(error, MemoryError):
        return FAILED, f"not enough memory{reason and f': {reason}'}"
    if isinstance(error, OSError):
        parts = (error.filename, error.strerror or reason)
        return FAILED, ": ".join(str(part) for part in parts if part)
    name = ": ".join([type(error).__name__, *reason.splitlines()[:1]])
    return FAULT, f"unexpected {name}; please report it with what {TRACEBACK}=1 shows"


def phrase_reason(error: BaseException) -> str:
    """Return the message of an error, with the remedy of its cause in terms of options."""
    reason = str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, InputError) and cause.remedy is not None:
            return reason.removesuffix(str(cause.remedy)) + cause.remedy.phrase_option()
        cause = cause.__cause__
    return reason


def _print_error(message: str, as_json: bool) -> None:
    """Print an error to the streams that are open."""
    with suppress(OSError):
        if not (as_json and _print_as_json(message)):
            _say(f"error: {message}", fg="red")


def _print_as_json(message: str) -> bool:
    try:
        print_json({"error": message})
    except OutputError:
        return False
    return True


def _discard_unwritten() -> None:
    """Discard unwritten output of a closed or full stream; else Python retries it at exit."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def occupy_closed_streams() -> None:
    """Occupy the numbers of closed streams, so that no opened file receives their output.

    Writing to a closed standard output stays an error; messages without standard error are lost.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_RDWR)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")


def short_names(paths: list[str]) -> dict[str, str]:
    """Return a short name for each file: its stem, or its path if stems repeat."""
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

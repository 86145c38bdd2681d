"""The exception for bad input, and the shared parts of its messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

MAX_NAMED = 4  # systems or annotators in a title


class Remedy(NamedTuple):
    """Advice that ends a message: values of an argument that allow the call, and their effect."""

    argument: str
    values: tuple[str, ...]
    effect: str
    other: Remedy | None = None

    def __str__(self) -> str:
        values = " or ".join(f'"{value}"' for value in self.values)
        argument = f"{self.argument}={values}" if values else f"{self.argument}()"
        return _add_other(f"{argument} {self.effect}", self.other)

    def phrase_option(self) -> str:
        """Return the text for the command line, with the option in place of the argument."""
        option = self.argument.replace("_", "-")
        other = self.other and self.other.phrase_option()
        values = " or ".join(self.values)
        return _add_other(" ".join(filter(None, (f"--{option}", values, self.effect))), other)


def _add_other(remedy: str, other: Remedy | str | None) -> str:
    return remedy if other is None else f"{remedy}\n{other}"


class InputError(ValueError):
    """Input that cannot be read or scored; the message has place, problem, got and expected.

    An argument that is wrong for any data, such as an unknown policy, is a plain ValueError.
    The command line prints the error in one line and exits with status 2.

    Parameters
    ----------
    message : str
    remedy : Remedy, optional
        Ends the message; the command line names its option instead.

    Attributes
    ----------
    problem : str
        The message without its remedy.
    remedy : Remedy or None
    """

    def __init__(self, message: str, remedy: Remedy | None = None) -> None:
        end = "\n" if "\n" in message else "; "
        super().__init__(message if remedy is None else f"{message}{end}{remedy}")
        self.problem = message
        self.remedy = remedy


class FaultsError(InputError):
    """The faults that `Problems` collected in a part of the input."""

    faults: Problems


class OutputError(InputError):
    """A file cannot be written; the input may be valid."""


class InputNotice(UserWarning):
    """A choice of a reader that a user might not expect; the command line prints it."""


def notify(message: str) -> None:
    """Give an `InputNotice`, which filters of warnings may turn off."""
    import warnings

    warnings.warn(message, InputNotice, stacklevel=2)


class Problems:
    """Collector of faults of one input: reports the first ten and the count."""

    # Each fault costs time: after `most` of them, reading stops.

    shown = 10
    most = 100_000

    def __init__(self) -> None:
        self.count: int = 0
        self.first: list[str] = []
        self.remedy: Remedy | None = None  # of the first fault that has one

    def add(self, message: str, remedy: Remedy | None = None) -> None:
        """Add a fault; raise `FaultsError` if there are too many."""
        self.count += 1
        self.remedy = self.remedy or remedy
        if len(self.first) < self.shown:
            self.first.append(message)
        if self.are_too_many:
            self.raise_if_any()

    def add_all(self, others: Problems) -> None:
        """Add the faults of a later part of the input."""
        self.count += others.count
        self.remedy = self.remedy or others.remedy
        self.first += others.first[: self.shown - len(self.first)]

    @property
    def are_too_many(self) -> bool:
        """True if reading is to stop."""
        return self.count > self.most

    def raise_if_any(self) -> None:
        """Raise `FaultsError` with the collected faults, if any."""
        if self.count:
            message = summary(min(self.count, self.most), self.first)
            ending = ", and what follows was not read" if self.are_too_many else ""
            error = FaultsError(message + ending, self.remedy)
            error.faults = self
            raise error


def summary(count: int, first: list[str]) -> str:
    """Join the messages in ``first``, and the number of further messages out of ``count``."""
    left_out = count - len(first)
    return "\n".join(first) + (f"\n... and {left_out} more" if left_out else "")


def counted(n: int, noun: str) -> str:
    """Format a number with its noun, in the plural unless it is 1."""
    return f"{n} {noun}{'s' * (n != 1)}"


def name_few(names: Sequence[str], noun: str) -> str:
    """Join at most four names; give the number of more.

    >>> name_few(["a", "b"], "run"), name_few("abcde", "run")
    ('a, b', '5 runs')
    """
    return ", ".join(names) if len(names) <= MAX_NAMED else counted(len(names), noun)


def format_some(ids: Sequence[str]) -> str:
    """Format the first three ids in brackets after a blank; return "" for an empty list.

    >>> format_some(["a", "b", "c", "d"])
    ' ("a", "b", "c", ...)'
    """
    named = ", ".join(f'"{id}"' for id in ids[:3])
    # JSON can write half of a surrogate pair, but no output can hold it.
    named = named.encode(errors="backslashreplace").decode()
    return f" ({named}{', ...' if len(ids) > 3 else ''})" if ids else ""


def invalid_json(name: str, error: Exception, line: int | None = None) -> str:
    """Return the message for invalid JSON; ``line`` is its line in a larger file."""
    if isinstance(error, json.JSONDecodeError):
        where = f"{name}:{error.lineno if line is None else line}"
        problem = error.msg.removesuffix(" at")
        return f"{where}: invalid JSON: {problem} at column {error.colno}"
    return f"{name if line is None else f'{name}:{line}'}: invalid JSON: {error}"


def unknown(noun: str, name: str, known: Sequence[str]) -> str:
    """Return the message for an unknown name, with the known names and the nearest of them.

    >>> unknown("score", "f1", ["cause_f1", "overall_f1"])
    'unknown score "f1", expected one of cause_f1, overall_f1; did you mean overall_f1?'
    >>> unknown("score", "brier", ["cause_f1", "overall_f1"])
    'unknown score "brier", expected one of cause_f1, overall_f1'
    """
    # The nearest name contains all words of the unknown one; names with "overall" go first, then
    # names with "f1", then short ones. If no name does, it is the one with the most similar
    # letters.
    from difflib import get_close_matches  # 2 ms, which only faults need

    words = set(name.casefold().replace("-", "_").split("_"))
    like = [each for each in known if words <= set(each.casefold().split("_"))]
    like.sort(key=lambda each: ("overall" not in each, "f1" not in each, len(each)))
    near = like or get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f'unknown {noun} "{name}", expected one of {", ".join(known)}{hint}'


Warnings = dict[tuple[str, ...], tuple[int, ...]]
"""Messages: the texts around their counts, and the counts, which add up over parts."""


def add_warnings(warnings: Warnings, more: Mapping[tuple[str, ...], tuple[int, ...]]) -> None:
    """Add the counts of equal messages; append new messages."""
    for texts, counts in more.items():
        before = warnings.get(texts, (0,) * len(counts))
        warnings[texts] = tuple(a + b for a, b in zip(before, counts, strict=True))


def warning_lines(warnings: Mapping[tuple[str, ...], tuple[int, ...]]) -> tuple[str, ...]:
    """Return the messages with their counts, sorted, so that row and batch order do not matter."""
    return tuple(_line(texts, counts) for texts, counts in sorted(warnings.items()))


def _line(texts: tuple[str, ...], counts: tuple[int, ...]) -> str:
    first, *rest = texts
    return first + "".join(f"{n}{text}" for n, text in zip(counts, rest, strict=True))

"""The record of a command: a public function seen from the terminal.

Options, types, defaults and help come from the signature and docstring of the function. A record
adds only the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

PAGE = "Write a page for the browser to this file."


class Flag(NamedTuple):
    """An option whose parameter leaves something open."""

    flag: str = ""  # By default the name of the parameter
    metavar: str | None = None
    min: float | None = None
    max: float | None = None
    read: str = ""  # Entry point of the function from the typed text to the value
    default: Any = None  # By default that of the parameter


class Refusal(NamedTuple):
    """Options that are refused while a condition of all values holds."""

    options: tuple[str, ...]  # Empty: the values together are wrong usage
    holds: Callable[[Mapping[str, Any]], bool]
    reason: str


class Target(NamedTuple):
    """A file to write."""

    text: str  # Its content, in the words of help
    table: str = ""  # A table of the report; by default the name of the option
    required: bool = False


@dataclass(frozen=True, eq=False)
class CommandRecord:
    """The command of a public function; entry points have the form ``package.module:name``."""

    function: str  # Entry point
    # Metavar of each positional parameter: ``PRED...`` takes several files, ``[PRED]...`` also none
    sources: Mapping[str, str]
    examples: tuple[str, ...] = ()
    each: str = ""  # The parameter whose files make a report each; by default all make one report
    unit: str = ""  # The noun of ``--per-UNIT``, which writes counts; empty for no counts
    unit_text: str = ""  # Words for the content of that file
    read: str = ""  # Entry point of the function that reads gold once for all files
    report: str = ""  # Entry point of the function from the result to its report, if it is none
    draw: str = ""  # Entry point of the function that draws the reports for ``--plot``
    page: str = ""  # Help of ``--html``; empty for no page
    one_table: bool = False  # Several systems make one table of all groups of scores
    writes: Mapping[str, Target] = field(default_factory=dict)
    opens: bool = False  # True opens the one source in the format of ``--from``
    fails: str = ""  # A table or list of the report: exit status 1 unless it is empty
    implied: str = ""  # The option that asks for intervals by itself
    flags: Mapping[str, Flag] = field(default_factory=dict)  # By parameter
    refused: tuple[Refusal, ...] = ()

    @property
    def name(self) -> str:
        """Name of the command: the name of its function."""
        return self.function.rpartition(":")[2]

    @property
    def has_intervals(self) -> bool:
        """True if each report has counts of units, and so intervals."""
        return bool(self.each and self.unit)


def command_of_systems(function: str) -> CommandRecord:
    """Return the record of a function of gold and predictions that has nothing else to say."""
    return CommandRecord(
        function,
        {"gold": "GOLD", "pred": "PRED..."},
        each="pred",
        unit="example",
        page=PAGE,
        one_table=True,
    )


def is_missing(*names: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return the condition that all of these options are missing."""
    return lambda values: not any(values[name] not in (None, False) for name in names)

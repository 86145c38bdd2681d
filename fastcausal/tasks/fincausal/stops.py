"""Rows on which the published program ends without a score."""

from __future__ import annotations

from fastcausal.errors import InputError, Warnings

PROGRAM = "the program of fincausal-2020"


def ends_with(exception: str) -> str:
    """Return the end of a message about a row."""
    return f": here {PROGRAM} ends with {exception}; --lenient (lenient=True) scores nonetheless"


class Stops:
    """Collector of causes that end the published program: errors, or warnings if lenient.

    >>> stops = Stops(lenient=True)
    >>> stops.add("pred.csv: 3 rows, expected 2", "AssertionError")
    >>> stops.warnings
    {('the program of fincausal-2020 ends with AssertionError: pred.csv: 3 rows, expected 2',): ()}
    """

    def __init__(self, lenient: bool) -> None:
        self.lenient = lenient
        self.warnings: Warnings = {}

    def add(self, problem: str, exception: str) -> None:
        """Raise InputError, or keep a warning."""
        if not self.lenient:
            raise InputError(f"{problem}{ends_with(exception)}")
        self.warnings[f"{PROGRAM} ends with {exception}: {problem}",] = ()

    def always(self, problem: str, exception: str) -> None:
        """Raise InputError, lenient or not."""
        raise InputError(f"{problem}, expected one or more: {PROGRAM} ends with {exception}")

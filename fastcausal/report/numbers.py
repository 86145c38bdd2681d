"""Numbers as text, with their bounds; the scales of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from fastcausal.options import Better, Kind
from fastcausal.report.escapes import Cell

UNDEFINED = "undefined"
MAX_PLAIN = 1e15  # above, a float has no decimal places
Range = tuple[float, float]
"""Least and largest possible value of a score."""
FRACTION: Range = (0.0, 1.0)
COEFFICIENT: Range = (-1.0, 1.0)  # of correlations, and of agreement corrected for chance


class Scale(NamedTuple):
    """The scale of a score: its kind, the better direction, and its range."""

    # {"share", "correlation", "points", "none"}: ``--percent`` shows shares alone in percent.
    # Correlations include agreement corrected for chance; points are labels, marks or
    # distances; values of an unknown unit have none.
    kind: Kind
    better: Better  # {"higher", "lower", "none"}
    range: Range | None = None  # Least and largest possible value; None without bounds
    # True for a share to which each unit adds its part: a share u of the units changes it by
    # u at most. Means over classes rest on few units if a class is rare.
    of_units: bool = False

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is, 0 without a direction."""
        return {"higher": 1, "lower": -1, "none": 0}[self.better]

    @classmethod
    def joint(cls, scales: Iterable[Scale]) -> Scale:
        """Return the scale of a score of several systems: if two differ, without kind and range."""
        first, *others = scales
        return first if {*others} <= {first} else first._replace(kind="none", range=None)


def shares_in(scales: Mapping[str, Scale]) -> list[str]:
    """Return the names of the scores that are shares.

    >>> shares_in({"f1": SHARE, "kappa": CORRELATION})
    ['f1']
    """
    return [name for name, scale in scales.items() if scale.kind == "share"]


SHARE = Scale("share", "higher", FRACTION, of_units=True)
MEAN_SHARE = Scale("share", "higher", FRACTION)  # a mean of shares, as over classes
COVERAGE = Scale("share", "none", FRACTION)  # of answers that could be read
CORRELATION = Scale("correlation", "higher", COEFFICIENT)


class Bounded(float):
    """A number with bounds, NaN if unknown."""

    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> Self:
        """Make a number with its bounds."""
        number = super().__new__(cls, value)
        number.low, number.high = low, high
        return number

    def __getnewargs__(self) -> tuple[float, float, float]:  # type: ignore[override]
        return float(self), self.low, self.high


def number_text(value: Cell, digits: int = 4, sign: str = "") -> str:
    """Format a number for tables."""
    # NaN and None are undefined. The sign ``"+"`` shows the sign of positive numbers too. A float
    # of 10^15 or more, which has no decimal places, is printed with an exponent.
    if value is None or value != value:
        return UNDEFINED
    if isinstance(value, Bounded):
        low, high = (number_text(bound, digits, sign) for bound in (value.low, value.high))
        bounds = low if low == high == UNDEFINED else f"{low}, {high}"
        return f"{number_text(float(value), digits, sign)} [{bounds}]"
    if not isinstance(value, float):
        return str(value)
    return f"{value:{sign}.{digits}{'f' if abs(value) < MAX_PLAIN else 'e'}}"


def number_columns(
    columns: Iterable[Sequence[Cell]], shown: Iterable[tuple[Sequence[bool], str]], digits: int
) -> list[list[str]]:
    """Format columns of numbers; ``shown`` has the cells in percent and the sign of each column."""
    fewer = max(digits - 2, 0)  # of percent
    return [
        [
            number_text(scale_to_percent(cell), fewer, sign)
            if share and isinstance(cell, float)
            else number_text(cell, digits, sign)
            for cell, share in zip(column, shares, strict=True)
        ]
        for column, (shares, sign) in zip(columns, shown, strict=True)
    ]


def scale_to_percent(share: float) -> float:
    """Return 100 times a number, with 100 times its bounds.

    >>> number_text(scale_to_percent(Bounded(0.5, 0.25, 0.75)), 1)
    '50.0 [25.0, 75.0]'
    """
    if isinstance(share, Bounded):
        return Bounded(100 * share, 100 * share.low, 100 * share.high)
    return 100 * share

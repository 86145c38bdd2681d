"""Ratings of units by raters as flat arrays, the input of every coefficient of agreement."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.files.keys import encode

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Names = list[Any]
MAX_WHOLE = 1 << 16  # largest range of whole numbers that are numbered without hashes


@dataclass(frozen=True)
class Ratings:
    """Ratings unit by unit.

    >>> ratings = Ratings(np.array([1.0, 0.0, np.nan, 1.0]), np.array([0, 2, 4]), None, 2)
    >>> ratings.n_units, ratings.units_of(), ratings.raters_of()
    (2, array([0, 0, 1, 1]), array([0, 1, 0, 1]))
    """

    # float64[n]: Numbers, or indices of ``names`` if labels are text; NaN for a missing
    # rating
    values: Float64
    offsets: Int64  # int64[n_units + 1]: Ratings of unit u: ``values[offsets[u]:offsets[u + 1]]``
    # int64[n] or None: The rater of each rating, from 0; a rater occurs at most once in a
    # unit. None if every unit has one value per rater, in the order of raters.
    raters: Int64 | None
    n_raters: int  # Number of raters
    names: Names | None = None  # The labels in ascending order; None if ratings are numbers
    # int64[n_units] or None: The group of each unit, from 0 in ascending order of the groups'
    # names
    groups: Int64 | None = None
    # Names; None if units or raters have only positions, or if there are no groups
    units: Any = None
    rater_names: Any = None
    group_names: Any = None

    @property
    def n_units(self) -> int:
        """Number of units, with or without ratings."""
        return len(self.offsets) - 1

    def units_of(self) -> Int64:
        """Return the unit of each rating: int64[n]."""
        return np.repeat(np.arange(self.n_units), np.diff(self.offsets))

    def raters_of(self) -> Int64:
        """Return the rater of each rating: int64[n]."""
        if self.raters is not None:
            return self.raters
        return np.tile(np.arange(self.n_raters), self.n_units)

    def paired_values(self) -> Float64:
        """Return the values, NaN in units with fewer than two ratings: float64[n]."""
        units, rated = self.units_of(), ~np.isnan(self.values)
        widths = np.bincount(units[rated], minlength=self.n_units)
        return np.where(widths[units] > 1, self.values, np.nan)

    def take(self, units: npt.NDArray[np.bool_]) -> Ratings:
        """Keep the ratings of some units, without their groups: bool[n_units]."""
        widths = np.diff(self.offsets)
        rows = np.repeat(units, widths)
        return replace(
            self,
            values=self.values[rows],
            offsets=arrow.offsets(widths[units]),
            raters=None if self.raters is None else self.raters[rows],
            groups=None,
            units=None if self.units is None else self.units.filter(pa.array(units)),
            group_names=None,
        )

    def unit_name(self, unit: int) -> str:
        """Return the name of a unit in messages."""
        return f"unit {unit}" if self.units is None else f'unit "{self.units[unit]}"'

    def locate(self, rating: int) -> str:
        """Return the name of a rating in messages."""
        unit = int(np.searchsorted(self.offsets, rating, side="right")) - 1
        return f"{self.unit_name(unit)}: a rating"


def numbered(values: Float64) -> tuple[Int64, Float64]:
    """Return the index of each value among the distinct values, -1 for NaN; and these, ascending.

    >>> numbered(np.array([5.0, np.nan, 2.0]))
    (array([ 1, -1,  0]), array([2., 5.]))
    """
    if (found := _number_whole(values)) is not None:
        return found
    values = values + 0.0  # -0 becomes 0
    places, different = encode(arrow.numbers(values, ~np.isnan(values)))
    return places, arrow.values_of(different)


def _number_whole(values: Float64) -> tuple[Int64, Float64] | None:
    """Do the work of `numbered` for whole numbers of a small range, without a hash of each."""
    least, most = (end.reduce(values, initial=math.nan) for end in (np.fmin, np.fmax))
    if not (most - least < MAX_WHOLE and float(least).is_integer()):
        return None
    far = values - least
    missing = np.isnan(far)
    far[missing] = most - least + 1
    shifts = far.astype(np.int64)
    if (shifts != far).any():
        return None
    seen = np.bincount(shifts, minlength=int(most - least) + 2) > 0
    seen[-1] = False
    ranks = np.cumsum(seen) - 1
    ranks[-1] = -1
    return ranks[shifts], least + np.flatnonzero(seen)


def label_name(value: float, names: Names | None) -> str:
    """Return a label as text: its name, or the number, without ``.0`` if whole.

    >>> label_name(1.0, ["no", "yes"]), label_name(1.0, None), label_name(1.5, None)
    ('yes', '1', '1.5')
    """
    if names is not None:
        return str(names[int(value)])
    return str(int(value)) if value.is_integer() else str(value)

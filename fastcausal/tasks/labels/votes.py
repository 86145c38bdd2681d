"""The label that most raters of each unit give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.errors import InputError
from fastcausal.options import MajorityTies, check
from fastcausal.tasks.labels.ratings import Int64, Ratings, numbered
from fastcausal.tasks.labels.reading import read_ratings


def majority_vote(
    data: Any,
    ties: MajorityTies = "none",
    *,
    unit: str | None = None,
    rater: str | None = None,
    label: str | None = None,
) -> npt.NDArray[Any]:
    """Return the most frequent label of each unit.

    Parameters
    ----------
    data, unit, rater, label
        As in `krippendorff_alpha`.
    ties : {"none", "first", "error"}
        The policy for several labels with the most votes: no label, the first in sort order, or
        an error.

    Returns
    -------
    float64[n_units] or object[n_units]
        The label of each unit; for a tie or without ratings NaN if labels are numbers, else None.
        Units of a long table are in order of first occurrence.

    Raises
    ------
    InputError
        As in `krippendorff_alpha`; or there is a tie and ``ties`` is ``"error"``.
    ValueError
        ``ties`` is unknown.

    Examples
    --------
    >>> majority_vote([["a", "a", "b"], ["b", "a", None]])
    array(['a', None], dtype=object)
    >>> majority_vote([[3, 3, 1], [2, 1, None]], ties="first")
    array([3., 1.])
    """
    check("ties", ties, MajorityTies)
    ratings = read_ratings(data, unit, rater, label)
    votes = Votes.of(ratings)
    tied = np.flatnonzero(votes.n_winners > 1)
    if ties == "error" and len(tied):
        first = int(tied[0])
        raise InputError(
            f"{ratings.unit_name(first)}: {votes.n_winners[first]} labels have the most votes"
            f" ({len(tied)} units are tied)"
        )
    return votes.labels(ties == "first")


@dataclass(frozen=True)
class Votes:
    """The labels with the most votes in each unit.

    Attributes
    ----------
    winner : float64[n_units]
        The first label with the most votes, as in `Ratings.values`; NaN without a rating.
    n_winners : int64[n_units]
        Number of labels with the most votes.
    names : list or None
        As in `Ratings`.
    """

    winner: npt.NDArray[np.float64]
    n_winners: Int64
    names: list[Any] | None

    @classmethod
    def of(cls, ratings: Ratings) -> Votes:
        """Count the votes."""
        number, different = numbered(ratings.values)
        rated = number >= 0
        key = np.sort(ratings.units_of()[rated] * len(different) + number[rated])
        last = np.flatnonzero(np.append(key[1:] != key[:-1], np.full(min(len(key), 1), True)))
        votes = np.diff(last, prepend=-1)
        unit, number = np.divmod(key[last], max(len(different), 1))
        most = np.zeros(ratings.n_units, np.int64)
        np.maximum.at(most, unit, votes)
        wins = votes == most[unit]
        winner = np.full(ratings.n_units, math.nan)
        winner[unit[wins][::-1]] = different[number[wins][::-1]]  # the first is written last
        n_winners = np.bincount(unit[wins], minlength=ratings.n_units)
        return cls(winner, n_winners, ratings.names)

    def labels(self, first_of_ties: bool) -> npt.NDArray[Any]:
        """Return the winning labels; None, or NaN for numbers, without a winner."""
        tied = self.n_winners > (math.inf if first_of_ties else 1)
        winner = np.where(tied, math.nan, self.winner)
        if self.names is None:
            return winner
        named = np.array([*self.names, None], dtype=object)
        return named[np.where(np.isnan(winner), -1, winner).astype(np.int64)]

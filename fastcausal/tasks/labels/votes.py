"""The label that most raters of each unit give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.errors import InputError
from fastcausal.options import MajorityTies, check
from fastcausal.report.groups import Scores
from fastcausal.tasks.labels.ratings import Int64, Ratings, label_name, numbered
from fastcausal.tasks.labels.reading import read_ratings

DENSE = 8  # units × labels for each rating: below it, counting beats sorting


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
    votes = Votes.count(ratings)
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
    """The labels with the most votes in each unit."""

    # float64[n_units]: The first label with the most votes, as in `Ratings.values`; NaN
    # without a rating
    winner: npt.NDArray[np.float64]
    n_winners: Int64  # int64[n_units]: Number of labels with the most votes
    n_votes: Int64  # int64[n_units]: Most votes for a label
    n_ratings: Int64  # int64[n_units]: Number of ratings
    n_equal: Int64  # int64[n_units]: Number of ordered pairs of equal ratings
    names: list[Any] | None  # As in `Ratings`

    @classmethod
    def count(cls, ratings: Ratings) -> Votes:
        """Count the votes."""
        number, different = numbered(ratings.values)
        rated = number >= 0
        keys = ratings.units_of()[rated] * len(different) + number[rated]
        if ratings.n_units * len(different) < DENSE * len(keys):
            counts = np.bincount(keys)
            key = np.flatnonzero(counts)
            votes = counts[key]
        else:
            key, votes = np.unique(keys, return_counts=True)
        unit, number = np.divmod(key, max(len(different), 1))
        starts = np.flatnonzero(np.diff(unit, prepend=-1))  # units ascend
        voted = unit[starts]
        most = np.zeros(ratings.n_units, np.int64)
        most[voted] = np.maximum.reduceat(votes, starts) if len(starts) else 0
        wins = votes == most[unit]
        winner = np.full(ratings.n_units, math.nan)
        winner[unit[wins][::-1]] = different[number[wins][::-1]]  # the first is written last
        sums = np.zeros((3, ratings.n_units), np.int64)
        for row, each in zip(sums, (wins, votes, votes * (votes - 1)), strict=True):
            row[voted] = np.add.reduceat(each, starts, dtype=np.int64) if len(starts) else 0
        n_winners, n_ratings, n_equal = sums
        return cls(winner, n_winners, most, n_ratings, n_equal, ratings.names)

    def score_by_class(self) -> dict[str, Scores]:
        """Score agreement on each label, over the units of two or more ratings that it wins."""
        clear = (self.n_winners == 1) & (self.n_ratings > 1)
        n, most = self.n_ratings[clear], self.n_votes[clear]
        measures = {
            "mean_share": (most, n),
            "percent_agreement": (self.n_equal[clear], n * (n - 1)),
            "unanimous": ((most == n).astype(np.int64), np.ones_like(n)),
        }
        groups = {}
        for winner in np.unique(self.winner[clear]).tolist():
            of_label = self.winner[clear] == winner
            means = {k: mean_ratio(a[of_label], b[of_label]) for k, (a, b) in measures.items()}
            n_units = int(np.count_nonzero(of_label))
            groups[label_name(winner, self.names)] = Scores({"n_units": n_units, **means})
        return groups

    def labels(self, first_of_ties: bool) -> npt.NDArray[Any]:
        """Return the winning labels; None, or NaN for numbers, without a winner."""
        tied = self.n_winners > (math.inf if first_of_ties else 1)
        winner = np.where(tied, math.nan, self.winner)
        if self.names is None:
            return winner
        named = np.array([*self.names, None], dtype=object)
        return named[np.where(np.isnan(winner), -1, winner).astype(np.int64)]


def mean_ratio(
    above: Int64,  # [n]
    below: Int64,  # [n]
) -> float:
    """Average the ratios of integers, rounded once.

    >>> mean_ratio(np.array([3, 2]), np.array([3, 3]))
    0.8333333333333334
    """
    sums = ((int(above[below == n].sum()), n) for n in np.unique(below).tolist())
    return float(sum(Fraction(total, n) for total, n in sums) / len(above))

"""Reliability of labels and scores: how far raters of the same units agree beyond chance.

::

    units × raters, or a long table ── Ratings ──┬─ disagreements (native) ── alpha, Fleiss, percent
                                                 ├─ kappas.py ─────────────── Cohen
                                                 └─ votes.py ──────────────── majority, all at once

Every measure drops missing ratings, and is NaN where it is undefined. Order and names of units and
raters change no bit of any of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, get_args, overload

import numpy as np
import numpy.typing as npt

from fastcausal.engine import _native
from fastcausal.errors import InputError
from fastcausal.options import Level, check
from fastcausal.report import plain
from fastcausal.significance.intervals import bootstrap
from fastcausal.tasks.reliability.ratings import Float64, Ratings

LEVELS = get_args(Level)  # in the order of the native Level


@overload
def krippendorff_alpha(
    data: Any,
    level: Level = ...,
    groups: None = ...,
    *,
    unit: str | None = ...,
    rater: str | None = ...,
    label: str | None = ...,
) -> float: ...
@overload
def krippendorff_alpha(
    data: Any,
    level: Level = ...,
    groups: Any = ...,
    *,
    unit: str | None = ...,
    rater: str | None = ...,
    label: str | None = ...,
) -> Float64: ...
def krippendorff_alpha(
    data: Any,
    level: Level = "nominal",
    groups: Any = None,
    *,
    unit: str | None = None,
    rater: str | None = None,
    label: str | None = None,
) -> float | Float64:
    """Krippendorff's alpha: 1 − observed / expected disagreement of two ratings.

    Units with fewer than two ratings drop out. Without variation in the ratings left (all of them
    the same, or none) alpha is undefined.

    Parameters
    ----------
    data : array-like [n_units, n_raters], or table
        Numbers or labels; None, NaN and null are missing ratings. Units are the rows. Or a long
        table with a row per rating, and the three names of its columns.
    level : {"nominal", "ordinal", "interval", "ratio"}
        What the distance of two ratings is. Labels that are no numbers are nominal.
    groups : array-like [n_units], or name of a column of a long table, optional
        Gives an alpha for each group of units, in ascending order of ``numpy.unique(groups)``.
    unit, rater, label : str, optional
        Columns of a long table.

    Returns
    -------
    float, or float64[n_groups]
        NaN where undefined.

    Raises
    ------
    InputError
        Ratings of mixed types, infinite, negative at the level ratio, or no numbers at a level
        other than nominal; a unit that one rater rated twice; a unit without group.
    ValueError
        An unknown level.

    Notes
    -----
    Krippendorff, *Content Analysis*, 4th edition (2018), chapter 12. Memory is linear in the data.
    So is time, but for the level ratio, which compares all different values with each other.

    Examples
    --------
    >>> krippendorff_alpha([["yes", "yes"], ["no", "no"], ["no", "yes"], ["yes", None]])
    0.4444444444444444
    >>> krippendorff_alpha([[1, 1], [2, 3], [4, 4], [1, 2]], "interval", groups=[0, 0, 1, 1])
    array([0.72727273, 0.88888889])
    """
    ratings = Ratings.of(data, unit, rater, label, groups)
    alphas = alphas_of(disagreements(ratings, level))
    return float(alphas[0]) if groups is None else alphas


@dataclass(frozen=True)
class AlphaInterval:
    """Krippendorff's alpha and a bootstrap interval of it.

    Attributes
    ----------
    alpha, low, high : float
        NaN where undefined.
    n_undefined : int
        Resamples without variation, which the interval leaves out.
    """

    alpha: float
    low: float
    high: float
    n_undefined: int

    def to_dict(self) -> dict[str, float | int | None]:
        """Plain values for JSON; undefined is None."""
        values: dict[str, float | int | None] = plain(self)
        return values


def alpha_interval(
    data: Any,
    level: Level = "nominal",
    *,
    clusters: Any = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    unit: str | None = None,
    rater: str | None = None,
    label: str | None = None,
) -> AlphaInterval:
    """Percentile bootstrap interval of Krippendorff's alpha, over units or clusters of units.

    Units with at least two ratings are drawn with replacement, as many as there are; with
    ``clusters`` all units of a cluster are drawn together. What is drawn depends on the seed and
    on the order of the units.

    Parameters
    ----------
    data, level, unit, rater, label
        As in `krippendorff_alpha`.
    clusters : array-like [n_units], or name of a column of a long table, optional
        The cluster of each unit, such as its document.
    n_resamples : int
        Number of resamples.
    seed : int
        Of ``numpy.random.default_rng``.
    confidence : float
        Share of resamples between the bounds.

    Raises
    ------
    InputError
        As in `krippendorff_alpha`.
    ValueError
        An unknown level, a number of resamples below 1 or a confidence outside of 0 to 1.

    Examples
    --------
    >>> data = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 3], [1, 1]]
    >>> alpha_interval(data, "ordinal", n_resamples=200)
    AlphaInterval(alpha=0.76..., low=-0.22..., high=1.0, n_undefined=0)
    """
    ratings = Ratings.of(data, unit, rater, label, clusters)
    rated = np.bincount(ratings.units_of()[~np.isnan(ratings.values)], minlength=ratings.n_units)
    ratings = ratings.take(rated > 1)
    drawn = np.arange(ratings.n_units) if ratings.groups is None else ratings.groups
    ratings = replace(ratings, groups=None)

    def scores(times: npt.NDArray[np.int64]) -> dict[str, Float64]:
        return {"alpha": alphas_of(disagreements(ratings, level, times.astype(np.int32)))}

    interval = bootstrap(scores, drawn, n_resamples=n_resamples, confidence=confidence, seed=seed)[
        "alpha"
    ]
    return AlphaInterval(float(alphas_of(disagreements(ratings, level))[0]), *interval)


def percent_agreement(
    data: Any, *, unit: str | None = None, rater: str | None = None, label: str | None = None
) -> float:
    """Share of pairs of ratings of a unit that are the same, averaged over units (a fraction).

    Units with fewer than two ratings drop out; every other one weighs the same. NaN if none is
    left. Parameters and errors are those of `krippendorff_alpha`.

    Examples
    --------
    >>> percent_agreement([["a", "a", "a"], ["a", "a", "b"], ["b", None, None]])
    0.6666666666666667
    """
    return percent_of(disagreements(Ratings.of(data, unit, rater, label), "nominal"))


def fleiss_kappa(
    data: Any, *, unit: str | None = None, rater: str | None = None, label: str | None = None
) -> float:
    """Fleiss' kappa: agreement of any raters beyond chance (Fleiss 1971).

    Agreement is `percent_agreement`, chance that of two draws with replacement from all ratings.
    Units with fewer than two ratings drop out; units may have different numbers of ratings. NaN
    without variation. Parameters and errors are those of `krippendorff_alpha`.

    Examples
    --------
    >>> fleiss_kappa([["a", "a", "a"], ["a", "b", "b"], ["b", "b", "b"]])
    0.55
    """
    return fleiss_of(disagreements(Ratings.of(data, unit, rater, label), "nominal"))


def disagreements(
    ratings: Ratings, level: Level, times: npt.NDArray[np.int32] | None = None
) -> Float64:
    """What alpha and Fleiss' kappa are made of: float64[n_problems, 5].

    A problem is each group of units, else each row of ``times`` (how often every unit is in), else
    all of them. Columns: units and ratings of units with two ratings or more; mean squared
    distance of two ratings of a unit, over ratings and over units; and that of any two ratings.
    """
    check("level", level, Level)
    if level != "nominal" and ratings.names:
        raise InputError(
            f"ratings such as {ratings.names[0]!r} are nominal, level {level} needs numbers"
        )
    if level == "ratio" and (negative := ratings.values < 0).any():
        k = int(np.argmax(negative))
        raise InputError(f"{ratings.where(k)} is {ratings.values[k]}, level ratio has none below 0")
    groups = ratings.groups
    if times is not None:
        n_problems = len(times)
    else:
        n_problems = 1 if groups is None else int(groups.max(initial=-1)) + 1
    found = np.empty((n_problems, 5))
    _native.disagreements(
        LEVELS.index(level), ratings.values, ratings.offsets, groups, times, found
    )
    return found


def alphas_of(found: Float64) -> Float64:
    """Krippendorff's alpha of every row of `disagreements`."""
    observed, expected = found[:, 2], found[:, 4]
    undefined = np.full(len(found), math.nan)
    alphas: Float64 = 1 - np.divide(observed, expected, out=undefined, where=expected > 0)
    return alphas


def percent_of(found: Float64) -> float:
    """Percent agreement from the one row of nominal `disagreements`."""
    n_units, _, _, by_unit, _ = found[0].tolist()
    return 1 - by_unit if n_units else math.nan


def fleiss_of(found: Float64) -> float:
    """Fleiss' kappa from the one row of nominal `disagreements`."""
    _, n_ratings, _, by_unit, expected = found[0].tolist()
    # Expected of two draws without replacement; Fleiss' chance is with it.
    return 1 - by_unit / (expected * (n_ratings - 1) / n_ratings) if expected else math.nan

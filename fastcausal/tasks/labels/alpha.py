"""Krippendorff's alpha with its interval, Fleiss' kappa, Gwet's AC1 and percent agreement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, overload

from fastcausal.counts.statistics import Statistics
from fastcausal.errors import notify
from fastcausal.options import Level, Method
from fastcausal.report.report import plain
from fastcausal.significance.intervals import UNSURE, unsure
from fastcausal.tasks.labels.coefficients import (
    alphas_of,
    coefficients,
    disagreements,
    fleiss_kappas_of,
    percents_of,
)
from fastcausal.tasks.labels.count import CLUSTER, paired, statistics_of
from fastcausal.tasks.labels.ratings import Float64
from fastcausal.tasks.labels.reading import read_ratings


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
    """Compute Krippendorff's alpha: 1 − observed / expected disagreement of two ratings.

    Units with fewer than two ratings drop out. Alpha is undefined if no ratings remain, or if the
    remaining ratings do not vary.

    Parameters
    ----------
    data : array-like [n_units, n_raters], or table
        Numbers or labels, a row per unit; None, NaN and null are missing ratings. Or a long table
        with a row per rating, together with ``unit``, ``rater`` and ``label``.
    level : {"nominal", "ordinal", "interval", "ratio"}
        The distance of two ratings. Text is nominal.
    groups : array-like [n_units], or name of a column of a long table, optional
        The group of each unit; alpha is computed for each group, in the order of
        ``numpy.unique(groups)``.
    unit, rater, label : str, optional
        Columns of a long table.

    Returns
    -------
    float, or float64[n_groups]
        NaN if undefined.

    Raises
    ------
    InputError
        Ratings have mixed types, are infinite, negative at the level ratio, or text at a level
        other than nominal; a rater rated a unit twice; or a unit has no group.
    ValueError
        The level is unknown.

    Notes
    -----
    Krippendorff, *Content Analysis*, 4th edition (2018), chapter 12. Memory is linear in the data,
    and so is time, except at the level ratio, which compares all pairs of distinct values.

    Examples
    --------
    >>> krippendorff_alpha([["yes", "yes"], ["no", "no"], ["no", "yes"], ["yes", None]])
    0.4444444444444444
    >>> krippendorff_alpha([[1, 1], [2, 3], [4, 4], [1, 2]], "interval", groups=[0, 0, 1, 1])
    array([0.72727273, 0.88888889])
    """
    ratings = read_ratings(data, unit, rater, label, groups)
    alphas = alphas_of(disagreements(ratings, level))
    return float(alphas[0]) if groups is None else alphas


@dataclass(frozen=True)
class AlphaInterval:
    """Krippendorff's alpha with a confidence interval.

    Attributes
    ----------
    alpha, low, high : float
        NaN if undefined; bounds are also NaN for an alpha of 1 or without variation, for fewer than
        two units, and if alpha is undefined without one of them (except by ``percentile``).
    n_undefined : int
        Number of resamples with an undefined alpha, which the interval ignores; 0 for the
        jackknife, which draws none.
    method : {"bca", "percentile", "jackknife"}
    statistics : Statistics
        The ratings of every resampled unit.
    """

    alpha: float
    low: float
    high: float
    n_undefined: int
    method: Method
    statistics: Statistics = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; undefined values are None."""
        values: dict[str, Any] = plain(self)
        return values


def alpha_interval(
    data: Any,
    level: Level = "nominal",
    *,
    clusters: Any = None,
    method: Method = "jackknife",
    n_resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    unit: str | None = None,
    rater: str | None = None,
    label: str | None = None,
) -> AlphaInterval:
    """Estimate a confidence interval of Krippendorff's alpha, over units or clusters of units.

    The jackknife leaves out each unit with at least two ratings, or with ``clusters`` all units of
    a cluster; the bounds are by Student's t on Fisher's z. A resample of the other methods draws as
    many, with replacement. Draws depend on the ratings and the seed, not on the order of units or
    raters. An alpha that is undefined in more than 5% of resamples gives a warning.

    Parameters
    ----------
    data, level, unit, rater, label
        As in `krippendorff_alpha`.
    clusters : array-like [n_units], or name of a column of a long table, optional
        The cluster of each unit, such as its document.
    method : {"bca", "percentile", "jackknife"}
        See `fastcausal.significance.intervals.intervals_of`.
    n_resamples, seed : int
        As in `fastcausal.significance.sampling.bootstrap_weights`; the jackknife uses neither.
    confidence : float
        Share of samples with an interval that covers the true alpha, between 0 and 1.

    Raises
    ------
    InputError
        As in `krippendorff_alpha`.
    ValueError
        The level or the method is unknown, the number of resamples is below 1, the confidence is
        not between 0 and 1, or the seed is outside of 0 to 2^63 - 1.

    Examples
    --------
    >>> data = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 3], [1, 1]]
    >>> alpha_interval(data, "ordinal")
    AlphaInterval(alpha=0.76..., low=-0.08..., high=0.96..., n_undefined=0, method='jackknife')
    """
    ratings = read_ratings(data, unit, rater, label, clusters)
    statistics = statistics_of(paired(ratings), level, ("alpha",))
    alpha = float(statistics.scores()["overall_alpha"][0])
    interval = statistics.interval(
        "overall_alpha",
        cluster=None if clusters is None else CLUSTER,
        method=method,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
    )
    if unsure({"alpha": interval}, n_resamples):
        notify(f"alpha: {UNSURE}")
    return AlphaInterval(alpha, *interval, method, statistics)


def percent_agreement(
    data: Any, *, unit: str | None = None, rater: str | None = None, label: str | None = None
) -> float:
    """Average over units the share of equal pairs of ratings (a fraction).

    Units with fewer than two ratings drop out; all others have the same weight. NaN if no unit is
    left. See `krippendorff_alpha` for parameters and errors.

    Examples
    --------
    >>> percent_agreement([["a", "a", "a"], ["a", "a", "b"], ["b", None, None]])
    0.6666666666666667
    """
    ratings = read_ratings(data, unit, rater, label)
    return float(percents_of(disagreements(ratings, "nominal"))[0])


def fleiss_kappa(
    data: Any, *, unit: str | None = None, rater: str | None = None, label: str | None = None
) -> float:
    """Compute Fleiss' kappa: agreement of any raters beyond chance (Fleiss 1971).

    Agreement is `percent_agreement`; chance is the agreement of two draws with replacement from all
    ratings. Units with fewer than two ratings drop out; units may have different numbers of
    ratings. NaN without variation. See `krippendorff_alpha` for parameters and errors.

    Examples
    --------
    >>> fleiss_kappa([["a", "a", "a"], ["a", "b", "b"], ["b", "b", "b"]])
    0.55
    """
    ratings = read_ratings(data, unit, rater, label)
    return float(fleiss_kappas_of(disagreements(ratings, "nominal"))[0])


def gwet_ac1(
    data: Any, *, unit: str | None = None, rater: str | None = None, label: str | None = None
) -> float:
    """Compute Gwet's AC1: agreement beyond chance, valid for rare labels too (Gwet 2008).

    Agreement is `percent_agreement`; chance is Σπ(1 − π) / (q − 1), with π the mean share of a
    label over the units with a rating, and q the number of labels. NaN for a single label. See
    `krippendorff_alpha` for parameters and errors.

    Examples
    --------
    >>> data = [["no", "no"]] * 97 + [["no", "yes"]] * 2 + [["yes", "no"]]
    >>> round(gwet_ac1(data), 4), round(fleiss_kappa(data), 4)
    (0.9691, -0.0152)
    """
    ratings = read_ratings(data, unit, rater, label)
    return float(coefficients(ratings, "nominal", ["gwet_ac1"])["gwet_ac1"][0])

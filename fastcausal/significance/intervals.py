"""Intervals of scores: jackknife, BCa, percentile bootstrap, and shares without variation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from fastcausal.arrays.strata import DOCUMENT, texts_of_column
from fastcausal.errors import InputError
from fastcausal.options import Method
from fastcausal.report.numbers import Range
from fastcausal.significance.draws import METHODS, Draws
from fastcausal.significance.laws import binomial, normal_quantile, normal_share, student_quantile
from fastcausal.significance.sampling import bootstrap_sums, bootstrap_weights
from fastcausal.significance.sums import sums_of
from fastcausal.significance.units import EXAMPLE, Units, cut, rounding_of

if TYPE_CHECKING:
    import pyarrow as pa

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]

FEW = 30  # below so many units, intervals of resamples are too narrow (docs/inference.md)
MAX_UNDEFINED = 0.05  # of resamples: beyond, the defined ones are no sample of all
UNSURE = "undefined in more than 5% of resamples, which confidence intervals leave out"
LEVEL_DIGITS = 12  # digits of a quantile's level: the last ones differ between libraries


class Interval(NamedTuple):
    """Bounds of a score, NaN if unknown."""

    low: float
    high: float
    n_undefined: int = 0  # Resamples with an undefined score; the bounds ignore them


NONE = Interval(math.nan, math.nan)
JACKKNIFE = Draws()


class Resampled(Protocol):
    """Units for resampling, with their scores, such as `Units`."""

    @property
    def times(self) -> Int64:
        """Number of units of each kind."""

    def scores(self, weights: Int64) -> Mapping[str, Float64]:
        """Compute scores under each int64[n_draws, n_kinds] of weights."""

    def score_without_each(self) -> Mapping[str, Float64]:
        """Compute the scores without one unit, for a unit of every kind."""

    def grouped(self) -> Resampled:
        """Return groups of units for the jackknife, if leaving out each takes too long."""

    def range_of(self, name: str) -> Range | None:
        """Return the least and the largest possible value of a score; None if it has no bounds."""

    def worth(self, name: str) -> float:
        """Return how many equal units tell as much about a score as these units do."""

    def right_of(self, name: str) -> tuple[int, int] | None:
        """Count right units, and all, of a share of single units; None for other scores."""

    def alike(self, values: Mapping[str, float]) -> Mapping[str, int]:
        """Count the units with this score on their own, for shares without variation."""


def intervals_of(
    units: Resampled,
    # ``bca`` is the bias-corrected and accelerated bootstrap (Efron 1987), ``percentile`` takes
    # plain quantiles of resamples. ``jackknife`` is Student's t with the jackknife's standard error
    # (Tukey 1958), on the logit scale for scores that stay between 0 and 1; it needs no resamples.
    # Shares of single units that are right or wrong have the exact bounds of Clopper and Pearson.
    draws: Draws = JACKKNIFE,
) -> dict[str, Interval]:
    """Compute the interval of every score."""
    # Returns dict of str to Interval: a share without variation has the bounds of `unvaried`, for
    # every method. Bounds are NaN for fewer than two units, for an undefined score, for other
    # scores without variation, and, except by ``percentile``, for a score that is undefined without
    # one of the units.
    values = {name: float(each[0]) for name, each in units.scores(units.times[None]).items()}
    if units.times.sum() < 2:
        return dict.fromkeys(values, NONE)
    intervals = varied(units, values, draws)
    unknown = {
        name: value
        for name, value in values.items()
        if math.isnan(intervals[name].low) and 0 <= value <= 1
    }
    for name, n in (units.alike(unknown) if unknown else {}).items():
        if n > 1:
            bounds = unvaried(unknown[name], n, draws.confidence)
            intervals[name] = Interval(*bounds, intervals[name].n_undefined)
    return intervals


def unvaried(value: float, n: int, confidence: float) -> tuple[float, float]:
    """Return bounds of a share with the same value in each of n units.

    >>> [round(bound, 4) for bound in unvaried(1.0, 30, 0.95)]
    [0.8843, 1.0]
    """
    # Let u be the upper bound of Clopper and Pearson for the share of different units in the
    # population, if none is among n. If all of these score 0, the score is (1 - u) times the value;
    # if all score 1, it is the value plus u times its distance to 1. For a proportion of 1 or 0
    # these are the bounds of Clopper and Pearson.
    unlike = unseen(n, confidence)
    return value * (1 - unlike), value + (1 - value) * unlike


def unseen(n: int, confidence: float) -> float:
    """Return the largest share of units that may differ if none of n does: the upper bound.

    >>> round(unseen(30, 0.95), 4), round(unseen(30, 0.9), 4)
    (0.1157, 0.095)
    """
    return -math.expm1(math.log((1 - confidence) / 2) / n)


def freedom_of(n: int, worth: float) -> float:
    """Return the degrees of freedom of n units that are worth as many equal ones.

    >>> freedom_of(24, 7.5), freedom_of(24, 24.0), freedom_of(2, 1.2)
    (6.5, 23.0, 1.0)
    """
    return max(1.0, min(n - 1.0, worth - 1.0))


def varied(units: Resampled, values: Mapping[str, float], draws: Draws) -> dict[str, Interval]:
    """Compute the intervals of scores by the method of ``draws``; NaN without variation."""
    method, confidence = draws.method, draws.confidence
    spreads = {} if method == "percentile" else _spreads(units.grouped())
    if method == "jackknife":
        n = int(units.times.sum())
        intervals = {}
        for name, value in values.items():
            if (counts := units.right_of(name)) is not None:
                intervals[name] = _checked(value, *binomial(*counts, confidence))
                continue
            quantile = student_quantile((1 + confidence) / 2, freedom_of(n, units.worth(name)))
            bounds = _jackknife(value, spreads[name].error * quantile, units.range_of(name))
            intervals[name] = _checked(value, *bounds)
        return intervals
    drawn = drawn_scores(units, draws.n_resamples, draws.seed)
    return {
        name: _take_quantiles(value, drawn[name], spreads.get(name), confidence)
        for name, value in values.items()
    }


def _spreads(units: Resampled) -> dict[str, Spread]:
    return spreads_of(units.score_without_each(), units.times)


def warnings_of(units: Units, table: pa.Table | None, method: Method) -> tuple[str, ...]:
    """Return warnings about too narrow intervals; ``table`` has the examples of these units."""
    warnings = []
    if method != "jackknife" and units.n_units > 1 and units.main_worth < FEW:
        warnings.append(
            f"{units.text}: {METHODS[method]} confidence intervals of fewer than {FEW} are too "
            "narrow"
        )
    if units.unit == EXAMPLE and table is not None and _share_documents(table):
        warnings.append(
            f"examples share a {DOCUMENT} and are taken as independent: confidence intervals are "
            f"too narrow and p-values too small, take the column {DOCUMENT} as cluster"
        )
    return tuple(warnings)


def unsure(intervals: Mapping[str, Interval], n_resamples: int) -> list[str]:
    """Return the scores that are undefined in more than 5% of resamples, but not in all.

    >>> unsure({"alpha": Interval(0.1, 0.2, 60), "kappa": Interval(0.1, 0.2, 50)}, 1000)
    ['alpha']
    """
    least = MAX_UNDEFINED * n_resamples
    return [name for name, i in intervals.items() if least < i.n_undefined < n_resamples]


def _share_documents(table: pa.Table) -> bool:
    """Return True if two examples share a document, in a column that can be a cluster."""
    try:
        names, codes = texts_of_column(table, DOCUMENT)
    except InputError:
        return False
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return any(n > 1 for name, n in zip(names, counts, strict=True) if name is not None)


def drawn_scores(units: Resampled, n_resamples: int, seed: int) -> dict[str, Float64]:
    """Compute the scores of every resample: float64[n_resamples] each."""
    if type(units) is Units and units.terms.dtype.kind == "f":
        return {
            **units.formula.scores_of(bootstrap_sums(units.terms, units.times, n_resamples, seed))
        }
    draws = bootstrap_weights(units.times, n_resamples, seed)
    return _joined([units.scores(weights) for weights in draws])


def _joined(blocks: list[Mapping[str, Float64]]) -> dict[str, Float64]:
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


class Spread(NamedTuple):
    """Variation of a score by the jackknife; NaN for a score that is constant or undefined."""

    error: float  # Standard error: its square is (n - 1) / n times the sum of squared deviations
    acceleration: float  # A sixth of the skewness of the deviations, for BCa


def spreads_of(
    left_out: Mapping[str, Float64],
    # int64[n_kinds]: Number of units of each kind. Sums are rounded once, so the order of units
    # does not change a bit.
    times: Int64,
) -> dict[str, Spread]:
    """Compute the spread of scores from their values with one unit left out."""
    if not len(times):
        return dict.fromkeys(left_out, Spread(math.nan, math.nan))
    values = np.stack([*left_out.values()], axis=1)
    varies = np.ptp(values, axis=0) > rounding_of(values[0])  # false if undefined
    n, weights = int(times.sum()), times[None]
    values = np.where(varies, values, 0.0)
    away = sums_of(values, weights) / n - values
    scale = np.frexp(np.abs(away).max(axis=0))[1]  # powers of two change no digit of a power
    away = np.ldexp(away, -scale)
    squares, cubes = (sums_of(power, weights)[0] for power in (away * away, away * away * away))
    with np.errstate(invalid="ignore"):
        accelerations = cubes / (6 * squares * np.sqrt(squares))
    errors = np.where(varies, np.ldexp(np.sqrt(squares * (n - 1) / n), scale), math.nan)
    pairs = zip(errors.tolist(), accelerations.tolist(), strict=True)
    return dict(zip(left_out, map(Spread._make, pairs), strict=True))


def _jackknife(value: float, half: float, range: Range | None) -> tuple[float, float]:
    """Return bounds at this distance from the value, on the logit scale of its range."""
    # A value at an end of its range has no logit: its bounds are cut to the range.
    least, most = range or (value, value)
    if not least < value < most:
        return cut(value - half, range), cut(value + half, range)
    below, above, width = value - least, most - value, most - least
    center, half = math.log(below / above), half * width / (below * above)
    return least + width * _logistic(center - half), least + width * _logistic(center + half)


def _logistic(x: float) -> float:
    power = math.exp(-abs(x))
    return (1 if x >= 0 else power) / (1 + power)


def _take_quantiles(
    value: float, drawn: Float64, spread: Spread | None, confidence: float
) -> Interval:
    """Return the quantiles of the defined resampled scores, at the levels of the method."""
    ascending = np.sort(drawn[~np.isnan(drawn)])
    n_undefined = len(drawn) - len(ascending)
    levels = [(1 - confidence) / 2, (1 + confidence) / 2]
    if spread is not None:
        levels = _bca_levels(value, ascending, spread.acceleration, levels)
    low, high = (quantile(ascending, level) for level in levels)
    return _checked(value, low, high, n_undefined)


def _bca_levels(
    value: float, ascending: Float64, acceleration: float, levels: list[float]
) -> list[float]:
    """Return levels shifted by the bias and the acceleration (Efron 1987, section 3)."""
    rounding = rounding_of(max(value, -value, *ascending[:1], *ascending[-1:]))
    below, up_to = np.searchsorted(ascending, [value - rounding, value + rounding]).tolist()
    bias = normal_quantile((below + up_to) / max(2 * len(ascending), 1))
    shifted = np.array([bias + normal_quantile(level) for level in levels])
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = bias + shifted / np.maximum(1 - acceleration * shifted, 0)
    return [round(normal_share(x), LEVEL_DIGITS) for x in moved.tolist()]


def quantile(ascending: Float64, level: float) -> float:
    """Return a linear quantile of sorted values; NaN if there are none or the level is NaN."""
    if not len(ascending) or math.isnan(level):
        return math.nan
    place = level * (len(ascending) - 1)
    k = min(int(place), len(ascending) - 2) if len(ascending) > 1 else 0
    low, high = float(ascending[k]), float(ascending[min(k + 1, len(ascending) - 1)])
    return low + (high - low) * (place - k)


def _checked(value: float, low: float, high: float, n_undefined: int = 0) -> Interval:
    """Make an interval; undefined scores and intervals of one point have NaN bounds."""
    if math.isnan(value) or not high - low > rounding_of(value):
        return Interval(math.nan, math.nan, n_undefined)
    return Interval(low, high, n_undefined)

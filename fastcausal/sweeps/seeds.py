"""Systems that differ in their seed: mean, deviation, and intervals of the mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.counts.joint import terms_of
from fastcausal.counts.statistics import Statistics
from fastcausal.options import Method
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Scale
from fastcausal.report.report import Report, scores_table
from fastcausal.significance.crossed import cross
from fastcausal.significance.draws import METHODS, Draws
from fastcausal.significance.intervals import intervals_of, warnings_of
from fastcausal.significance.laws import student_quantile
from fastcausal.significance.sums import CountRows, Float64, sums_of
from fastcausal.significance.units import OneScore, SystemParts, Units, cut, units_text
from fastcausal.sweeps.compare import direction_lines
from fastcausal.sweeps.hyperparameters import groups_of
from fastcausal.sweeps.systems import list_failures, load_systems, request_scores
from fastcausal.tasks.values.reading import ValueReading

BOUNDS = ("seeds_low", "seeds_high", "units_low", "units_high", "both_low", "both_high")
SHARES = ("mean", "std", *BOUNDS)


def seeds(
    systems: Any,
    group: str | Mapping[str, str],
    score: str | Iterable[str] | None = None,
    *,
    table: Any = None,
    lower_is_better: bool = False,
    top: int | None = None,
    reading: ValueReading | None = None,
    cluster: str | None = "auto",
    method: Method = "jackknife",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Report:
    """Average scores over systems that differ in their seed.

    Parameters
    ----------
    systems : list of Statistics, Report, path or table; or mapping of names to them
        As in `leaderboard`.
    group : str or mapping of str to str
        A pattern of names with the field ``{seed}``, such as ``"{model}_s{seed}"``, whose other
        fields name the group; a column of ``table``; or the group of each system.
    score : str or iterable of str, optional
        Flat names; groups are ordered by the first. By default as in `compare`.
    table : path or table, optional
        A row for each system, named in the column ``system`` or ``run``.
    lower_is_better : bool
    top : int, optional
        Most groups to keep.
    reading, cluster, method, confidence, n_resamples, seed
        As in `leaderboard`.

    Returns
    -------
    Report
        A group for each group of systems, best first: ``mean`` and standard deviation ``std``
        over its ``n`` systems; ``seeds_low`` to ``seeds_high``, the confidence interval of the
        mean over seeds (Student's t); ``units_low`` to ``units_high``, the interval of the same
        mean over examples or clusters; ``both_low`` to ``both_high``, the interval for new seeds on
        new examples (Student's t). Further scores are ``subsets``.

    Raises
    ------
    InputError
        As `leaderboard`; a name does not fit the pattern, or a system has no row in the table.
    ValueError
        As `leaderboard`, or the pattern is invalid.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> names = {"a_s1": "careful", "a_s2": "chatty", "b_s1": "hasty"}
    >>> runs = {name: fc.score(sample.GOLD, sample.SYSTEMS[of], unparsed="empty")
    ...         for name, of in names.items()}
    >>> a = fc.seeds(runs, "{model}_s{seed}")["a"]
    >>> round(a.mean, 4), round(a.std, 4), a.n
    (0.7469, 0.1018, 2)
    """
    if top is not None and top < 1:
        raise ValueError(f"top is {top}, expected at least 1")
    draws = Draws(method, confidence, n_resamples, seed, cluster)
    joint = load_systems(systems, request_scores(reading, score, cluster))
    first, *more = joint.scores(score)
    scale_of = {first: joint.ranking_scale(first, lower_is_better)}
    scale_of |= {name: joint.scale(name) for name in more}
    sign = -scale_of[first].sign
    groups = groups_of([*joint.systems], group, table)
    of_scores = {
        name: {
            of: _scores([joint.systems[system] for system in members], name, draws)
            for of, members in groups.items()
        }
        for name in (first, *more)
    }
    order = sorted(groups, key=lambda of: _worth(of_scores[first][of]["mean"], sign, of))[:top]
    any_one = joint.systems[min(joint.systems)]  # the same, in whatever order systems come
    units = any_one.drawn(cluster, first)
    text = units_text(units.n_units, units.unit)
    parts = {name: {of: each[of] for of in order} for name, each in of_scores.items()}
    return Report(
        f"{first} of {len(groups)} groups of {len(joint.systems)} systems on {text}",
        joint.first.signature,
        parts[first],
        subsets={name: parts[name] for name in more},
        facts={
            "score": first,
            "n_groups": len(groups),
            "systems": {of: groups[of] for of in order},
            "unit": units.unit,
            "n_units": units.n_units,
            **draws.settings(),
        },
        warnings=list_failures(systems)
        + joint.warnings
        + warnings_of(units, any_one.units, method)
        + _alone(groups),
        legend=(*_legend(draws, text), *direction_lines(scale_of)),
        logged=(),
        grids=partial(_tables, scale_of),
    )


def _tables(scale_of: Mapping[str, Scale], report: Report, counts: bool) -> list[Grid]:
    """Make the table of all scores; pasted ones emphasize the best means."""
    first, *more = scale_of
    scales = scale_of if more else {"": scale_of[first]}  # by part
    parts = dict(zip(scales, (report.scores, *report.subsets.values()), strict=True))
    grid = scores_table(report.title, parts, counts)
    grid.shares = SHARES
    grid.share_parts = [part for part, scale in scales.items() if scale.kind == "share"]
    if grid.emphasize_best(lambda part, name: scales.get(part) if name == "mean" else None):
        grid.caption = "Bold: the best mean, not tested"
    return [grid]


def _worth(mean: float, sign: int, name: str) -> tuple[bool, float, str]:
    """Return the key by which groups are ordered: undefined means last, equal ones by name."""
    return math.isnan(mean), sign * mean, name


def _legend(draws: Draws, units: str) -> tuple[str, ...]:
    interval = f"{100 * draws.confidence:g}% confidence interval of the mean"
    return (
        "mean, std: over n seeds, the deviation with n - 1",
        f"seeds_low, seeds_high: {interval} over seeds (Student's t)",
        f"units_low, units_high: {interval} over {units} ({METHODS[draws.method]})",
        f"both_low, both_high: {interval} over new seeds and new units (Student's t)",
    )


def _alone(groups: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Warn of groups with a single system."""
    n = sum(len(members) == 1 for members in groups.values())
    return (f"{n} of {len(groups)} groups have one system: no deviation over seeds",) if n else ()


def _scores(systems: Sequence[Statistics], score: str, draws: Draws) -> Scores:
    """Return mean, deviation, and both intervals of a score of these systems."""
    values = np.array([each.scores()[score][0] for each in systems])
    n = len(values)
    mean, std = math.fsum(values) / n, math.nan
    half = math.nan
    if n > 1:
        std = math.sqrt(math.fsum((values - mean) ** 2) / (n - 1))
        half = student_quantile((1 + draws.confidence) / 2, n - 1) * std / math.sqrt(n)
    units = mean_units(systems, score, draws.cluster)
    range = units.range_of(score)
    [interval] = intervals_of(units, draws).values()
    formula = systems[0].formula.only(score)
    sums = sums_of(units.terms, units.times[None]) - units.terms
    left_out = np.stack([formula.scores_of(side)[score] for side in np.hsplit(sums, n)], axis=1)
    both = cross(values, left_out, units.times, draws.confidence)
    if not systems[0].formula.holds_values:  # the range of values is only what was seen
        both = cut(both[0], range), cut(both[1], range)
    return Scores(
        {
            "mean": mean,
            "std": std,
            "n": n,
            "seeds_low": cut(mean - half, range),
            "seeds_high": cut(mean + half, range),
            "units_low": interval.low,
            "units_high": interval.high,
            "both_low": both[0],
            "both_high": both[1],
        }
    )


def mean_units(systems: Sequence[Statistics], score: str, cluster: str | None = None) -> Units:
    """Return the units of several systems in one order, with the mean of a score."""
    first = systems[0]
    terms, row_of = distinct(np.hstack([terms_of(each, cluster, score) for each in systems]))
    formula = first.formula.only(score)
    assert isinstance(formula, OneScore)  # terms_of refuses scores that are not sums
    times = np.bincount(row_of, minlength=len(terms))
    unit = first.resolve_cluster(cluster) or first.formula.unit
    n = len(systems)
    worth = SystemParts.of(Units(formula, terms, times, unit), formula, n).worth
    return Units(_mean_of(formula, n), terms, times, unit, worth)


def _mean_of(formula: OneScore, n: int) -> OneScore:
    """Return the formula of the mean score of n systems, from their terms side by side."""

    def value(sums: CountRows) -> Float64:
        mean: Float64 = np.mean([formula.value(side) for side in np.hsplit(sums, n)], axis=0)
        return mean

    def scaled(terms: CountRows) -> Scale:
        return Scale.joint(map(formula.scaled, np.hsplit(terms, n)))

    return replace(formula, value=value, scaled=scaled)

"""Sections on top of the page of several systems: ranks, differences, scores, errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from fastcausal.errors import InputError
from fastcausal.options import Method
from fastcausal.pages import Section
from fastcausal.report import Report
from fastcausal.sweeps.leaderboard import leaderboard
from fastcausal.sweeps.side_by_side import systems_table
from fastcausal.sweeps.systems import systems_of
from fastcausal.tables import Grid
from fastcausal.tasks.charts import COLOURS, MOST_ROWS, bars, stacks
from fastcausal.tasks.extraction.sections import (
    confusion_section,
    digest_of_gold,
    errors_by_group,
    main_score,
    unparsed_section,
)
from fastcausal.tasks.pictures import missing_pictures, pictures_of

Reports = Mapping[str, Report]


def sections_of_systems(
    reports: Reports,
    *,
    by: Sequence[str] | None = None,
    cluster: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    method: Method = "bca",
) -> list[Section]:
    """Make the sections that stand above the examples of several systems.

    The leaderboard, where every system is tested against the first one given; scores side by side,
    with intervals where `with_intervals` has made them; what could not be read; errors; confusion
    of roles.

    Parameters
    ----------
    reports : mapping of str to Report
        By system.
    by : sequence of str, optional
        Columns whose values have scores of their own.
    cluster, confidence, n_resamples, seed, method
        As in `leaderboard`.

    Raises
    ------
    InputError, ValueError
        As `leaderboard`; systems of different examples are not ranked, and a line says so.
    """
    draws = {"confidence": confidence, "n_resamples": n_resamples, "seed": seed}
    ranks = _ranks(reports, cluster=cluster, method=method, **draws)
    sections = [ranks, _scores(reports, by), *unparsed_section(reports), *_errors(reports)]
    return [*sections, *confusion_section(reports)]


def _ranks(reports: Reports, **options: Any) -> Section:
    """Rank systems of the same examples, and test them against the first."""
    first, *_ = reports
    title = "Leaderboard"
    try:
        systems = systems_of({name: report.statistics for name, report in reports.items()})
    except InputError as error:
        return Section(title, lines=[f"no ranks: {error}", *missing_pictures()])
    score = f"overall_{main_score(reports[first])}"
    board = leaderboard(systems, score, baseline=first if len(systems) > 1 else None, **options)
    [section] = board.sections()
    return section._replace(title=title)


def _scores(reports: Reports, by: Sequence[str] | None) -> Section:
    """Show scores side by side, and what a reader has to know of each system."""
    warnings = [f"{name}: warning: {w}" for name, each in reports.items() for w in each.warnings]
    digests = dict.fromkeys(map(digest_of_gold, reports.values()))
    gold = [f"gold: {digest}" for digest in digests if digest is not None]
    lines = [*warnings, *dict.fromkeys(each.signature for each in reports.values()), *gold]
    shown = dict([*reports.items()][:MOST_ROWS])
    name = main_score(next(iter(shown.values())))
    rows = {
        system: {group: values[name] for group, values in report.scores.items()}
        for system, report in shown.items()
    }
    drawings = {f"{name} by system and role": partial(bars, rows=rows)}
    if by and (subsets := _subsets(reports, name)):
        drawings[f"{name} by subset and system"] = partial(bars, rows=subsets)
    return Section("Scores", [systems_table(reports, by)], pictures_of(drawings), lines)


def _subsets(reports: Reports, name: str) -> dict[str, dict[str, float]]:
    """Return a score of the first systems by subset, as many of both as a picture holds."""
    shown = [*reports.items()][: len(COLOURS)]
    subsets = dict.fromkeys(subset for report in reports.values() for subset in report.subsets)
    return {
        subset: {
            system: report.subsets[subset]["overall"][name]
            if subset in report.subsets
            else math.nan
            for system, report in shown
        }
        for subset in [*subsets][: MOST_ROWS // len(shown)]
    }


def _errors(reports: Reports) -> list[Section]:
    """Count errors by system, overall and by role."""
    counts = {name: errors_by_group(report) for name, report in reports.items()}
    if not all(counts.values()):
        return []
    groups = {group: kinds for each in counts.values() for group, kinds in each.items()}
    parts = {
        group: {name: [*each[group].values()] for name, each in counts.items() if group in each}
        for group in groups
    }
    grid = Grid("", [*groups["overall"]], "system", parts=parts)
    rows = {name: each["overall"] for name, each in [*counts.items()][:MOST_ROWS]}
    return [
        Section("Errors", [grid], pictures_of({"Errors by system": partial(stacks, rows=rows)}))
    ]

"""Sections on top of the page of several systems: ranks, differences, scores, errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fastcausal.errors import InputError
from fastcausal.options import Method
from fastcausal.report.charts import bars_of, stacks_of
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.page import Section
from fastcausal.report.pictures import missing_pictures, pictures_of
from fastcausal.report.report import Report
from fastcausal.sweeps.leaderboard import leaderboard
from fastcausal.sweeps.side_by_side import (
    shared_legend,
    subsets_of,
    subsets_table,
    systems_table,
)
from fastcausal.sweeps.systems import systems_of
from fastcausal.tasks.extraction.sections import (
    confusion_section,
    errors_by_group,
    gold_lines,
    main_score,
    unparsed_section,
)

Reports = Mapping[str, Report]


def sections_of_systems(
    reports: Reports,
    *,
    cluster: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    method: Method = "jackknife",
) -> list[Section]:
    """Make the sections above the examples of several systems.

    The leaderboard, with every system tested against the first; scores side by side, with
    intervals if `with_intervals` added them; unparsed relations; errors; confusion of roles;
    scores of subsets.

    Parameters
    ----------
    reports : mapping of str to Report
        By system.
    cluster, confidence, n_resamples, seed, method
        As in `leaderboard`.

    Raises
    ------
    InputError, ValueError
        As `leaderboard` does; systems with different examples get a line instead of ranks.
    """
    draws = {"confidence": confidence, "n_resamples": n_resamples, "seed": seed}
    ranks = _ranks(reports, cluster=cluster, method=method, **draws)
    sections = [ranks, _scores(reports), *unparsed_section(reports), *_errors(reports)]
    return [*sections, *confusion_section(reports), *_subsets(reports)]


def _ranks(reports: Reports, **options: Any) -> Section:
    """Rank systems of the same examples, and test them against the first."""
    first, *_ = reports
    title = "Leaderboard"
    try:
        systems = systems_of({n: report.statistics for n, report in reports.items()}).systems
    except InputError as error:
        return Section(title, lines=[f"no ranks: {error}", *missing_pictures()])
    score = f"overall_{main_score(reports[first])}"
    board = leaderboard(systems, score, baseline=first if len(systems) > 1 else None, **options)
    [section] = board.sections()
    return section._replace(title=title)


def _scores(reports: Reports) -> Section:
    """Show scores side by side, with the warnings of each system."""
    warnings = [f"{name}: warning: {w}" for name, each in reports.items() for w in each.warnings]
    signatures = dict.fromkeys(report.signature for report in reports.values())
    lines = [*shared_legend(reports), *warnings, *signatures, *gold_lines(reports.values())]
    name = main_score(next(iter(reports.values())))
    roles = {
        system: {group: values[name] for group, values in report.scores.items()}
        for system, report in reports.items()
    }
    pictures = pictures_of(bars_of(f"{name} by system and role", roles))
    return Section("Scores", [systems_table(reports)], pictures, lines)


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
    of_systems = {name: each["overall"] for name, each in counts.items()}
    return [Section("Errors", [grid], pictures_of(stacks_of("Errors by system", of_systems)))]


def _subsets(reports: Reports) -> list[Section]:
    """Show the scores of subsets; NaN for a system that lacks the subset."""
    subsets = subsets_of(reports)
    if not subsets:
        return []
    name = main_score(next(iter(reports.values())))
    undefined = {"overall": Scores({name: math.nan})}
    rows = {
        subset: {
            system: report.subsets.get(subset, undefined)["overall"][name]
            for system, report in reports.items()
        }
        for subset in subsets
    }
    pictures = pictures_of(bars_of(f"{name} by subset and system", rows))
    return [Section("Subsets", [subsets_table(reports)], pictures)]

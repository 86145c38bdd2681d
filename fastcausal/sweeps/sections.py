"""Parts of the page of several systems: cards, scores, errors, ranks and differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcausal.errors import InputError
from fastcausal.options import Method
from fastcausal.report.grid import Grid
from fastcausal.report.page import COMPARE, ERRORS, Card, Drawn, Section
from fastcausal.report.report import Report
from fastcausal.sweeps.drawn import standings
from fastcausal.sweeps.leaderboard import Leaderboard, leaderboard
from fastcausal.sweeps.side_by_side import subsets_of, subsets_table, systems_table
from fastcausal.sweeps.systems import load_systems
from fastcausal.tasks.extraction.evaluation import find_evaluation
from fastcausal.tasks.extraction.kinds import WORDS
from fastcausal.tasks.extraction.sections import (
    about_section,
    cards_of,
    confusion_section,
    drawn_scores,
    error_links,
    errors_by_group,
    main_score,
    types_section,
    unparsed_section,
)

Reports = Mapping[str, Report]


def parts_of_systems(
    reports: Reports,
    *,
    cluster: str | None = "auto",
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
    method: Method = "jackknife",
) -> tuple[list[Section], list[Card]]:
    """Make the sections beside the examples of several systems, and their cards."""
    # Sections show scores side by side, with intervals if `with_intervals` added them; scores of
    # subsets; errors; confusion of roles; unparsed predictions; and the leaderboard, with every
    # system tested against the first.
    draws = {"confidence": confidence, "n_resamples": n_resamples, "seed": seed}
    try:
        board = _board(reports, cluster=cluster, method=method, **draws)
    except _NotRanked as error:
        ranks, standing = [Section("Leaderboard", lines=[f"no ranks: {error}"], tab=COMPARE)], {}
    else:
        table, _ = board.sections()
        ranks = [table._replace(title="Leaderboard", tab=COMPARE), *_wins(reports)]
        standing = standings(board.scores)
    sections = [
        Section("Scores", [drawn_scores(systems_table(reports))]),
        *_subsets(reports),
        *_errors(reports),
        *confusion_section(reports),
        *types_section(reports),
        *unparsed_section(reports),
        *ranks,
        about_section(reports.values()),
    ]
    return sections, cards_of(reports, standing)


class _NotRanked(InputError):
    """Systems have different examples, or scores that do not add."""


def _board(reports: Reports, **options: Any) -> Leaderboard:
    """Rank systems of the same examples, and test them against the first."""
    first, *_ = reports
    try:
        systems = load_systems({n: report.statistics for n, report in reports.items()}).systems
    except InputError as error:
        raise _NotRanked(str(error)) from error
    group = next(iter(reports[first].scores))
    score = f"{group}_{main_score(reports[first])}"
    return leaderboard(systems, score, baseline=first if len(systems) > 1 else None, **options)


def _wins(reports: Reports) -> list[Section]:
    """Count the examples in which a system has fewer errors than another; each opens them."""
    tables = {name: find_evaluation(report) for name, report in reports.items()}
    if (
        len(reports) < 2
        or not all(tables.values())
        or not errors_by_group(next(iter(reports.values())))
    ):
        return []
    n_errors = {}
    for name, details in tables.items():
        assert details is not None
        counting = details.counting
        names = counting.detailed_columns
        places = [names.index(f"{of}_{kind}") for of in counting.counted
                  for kind in counting.error_kinds]  # fmt: skip
        counts = counting.detail(counting.run(details.examples(), partners=False).counts)
        n_errors[name] = counts[:, places].sum(axis=1)
    grid = Grid("", [*reports], "fewer errors than")
    for name, own in n_errors.items():
        grid.add(name, *("" if name == other else int((own < of_other).sum())
                         for other, of_other in n_errors.items()))  # fmt: skip
    links = {("", a, b): f"#better={k}&than={n}&order=difference"
             for k, a in enumerate(reports) for n, b in enumerate(reports)}  # fmt: skip
    line = "Each cell counts the examples in which the system of the row has fewer errors."
    return [Section("Examples that tell them apart", [Drawn(grid, links=links)], [line], COMPARE)]


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
    kinds = [*next(iter(groups.values()))]
    grid = Grid("", kinds, "system", parts=parts)
    links = error_links({name: f"system={k}&" for k, name in enumerate(reports)}, groups)
    return [Section("Errors", [Drawn(grid, stacked=kinds, links=links, words=WORDS)], tab=ERRORS)]


def _subsets(reports: Reports) -> list[Section]:
    """Show the scores of subsets."""
    if not subsets_of(reports):
        return []
    return [Section("Subsets", [drawn_scores(subsets_table(reports))])]

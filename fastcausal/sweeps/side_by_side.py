"""Scores of several systems in one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Number, Scores
from fastcausal.report.report import Report, scores_table


def shared_legend(reports: Mapping[str, Report]) -> list[str]:
    """Return the lines below the tables that all systems share."""
    first, *more = reports.values()
    return [line for line in first.legend if all(line in each.legend for each in more)]


def systems_table(
    reports: Mapping[str, Report], by: Sequence[str] | None = None, counts: bool = False
) -> Grid:
    """Make a row per system: overall scores, and the last score (F1) of every role."""
    # Parts are the values of the columns `by`; `counts` adds counts over all roles.
    first = next(iter(reports.values()))
    parts = {"": {name: _make_row(report.scores, counts) for name, report in reports.items()}}
    columns = tuple(f"{column}=" for column in by or ())
    parts |= _parts(reports, [s for s in subsets_of(reports) if s.startswith(columns)], counts)
    sentences = _range([report.facts["n_examples"] for report in reports.values()])
    relations = _range([report.facts["n_gold_relations"] for report in reports.values()])
    facts = f"{sentences} sentences, {relations} gold relations, {len(reports)} systems"
    return scores_table(f"{first.facts['protocol']}: {facts}", parts, counts=True)


def subsets_table(reports: Mapping[str, Report]) -> Grid:
    """Make the rows of `systems_table` for every subset in any report."""
    return scores_table("", _parts(reports, subsets_of(reports)), counts=True)


def subsets_of(reports: Mapping[str, Report]) -> list[str]:
    """Return the names of the subsets in any report."""
    return [*dict.fromkeys(name for report in reports.values() for name in report.subsets)]


def _parts(
    reports: Mapping[str, Report], subsets: Sequence[str], counts: bool = False
) -> dict[str, dict[str, Scores]]:
    return {
        subset: {
            name: _make_row(report.subsets[subset], counts)
            for name, report in reports.items()
            if subset in report.subsets
        }
        for subset in subsets
    }


def _range(numbers: list[int]) -> str:
    """Format one number or a range: systems may differ in their examples."""
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def _make_row(groups: Groups, counts: bool) -> Scores:
    """Return one row of `systems_table`."""
    first, *others = groups
    overall = groups[first]
    scores = {name: value for name, value in overall.items() if isinstance(value, float)}
    *_, last = scores
    row: dict[str, Number] = dict(scores)
    row |= {f"{group} {last}": groups[group][last] for group in others if last in groups[group]}
    return Scores(row | (dict(overall) if counts else {}))

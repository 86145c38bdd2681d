"""Report of entities in tags: all, and by corpus with the mean over corpora."""

from __future__ import annotations

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.report.grid import Grid
from fastcausal.report.groups import means_over
from fastcausal.report.report import Report, scores_table


def present(statistics: Statistics, by: By = None) -> Report:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    n = statistics.n_units
    report = Report.of(
        f"entities of {n} examples",
        statistics,
        by,
        keys=("signature", "n_examples", "scores", "subsets", "means", "warnings"),
        grids=_grids,
    )
    report.facts = {"n_examples": n, "means": means_over(report.subsets)}
    return report


def _grids(report: Report, counts: bool) -> list[Grid]:
    means = {f"mean over {column}": groups for column, groups in report.facts["means"].items()}
    return [scores_table(report.title, {"": report.scores, **report.subsets, **means}, counts)]

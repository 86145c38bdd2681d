"""Report of entities in tags: all, and by corpus with the mean over corpora."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores, means_over
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.significance.sums import CountRows, Int64, sums_of
from fastcausal.tasks.unicausal.formula import COUNTS, ROLES, EntityFormula


def present(statistics: Statistics, by: By = None) -> Report:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, EntityFormula)
    subsets = {
        name: _scores(formula, rows, np.ones(len(rows), np.int64))
        for name, rows in statistics.subsets(by).items()
    }
    n = int(statistics.times.sum())
    return Report(
        f"entities of {n} examples",
        statistics.signature,
        _scores(formula, statistics.rows, statistics.times),
        facts={"n_examples": n, "means": means_over(subsets)},
        subsets=subsets,
        warnings=warning_lines(statistics.warnings),
        tables=Tables(per_example=statistics.table),
        statistics=partial(replace, statistics),
        keys=("signature", "n_examples", "scores", "subsets", "means", "warnings"),
        grids=_grids,
    )


def _scores(formula: EntityFormula, rows: CountRows, times: Int64) -> Groups:
    """Compute the scores of all groups, with their counts."""
    sums = sums_of(formula.terms(rows), times[None])
    counts = dict(zip(formula.fields, sums[0].tolist(), strict=True))
    of_roles = {r: {name: counts[f"{r}_{name}"] for name in COUNTS} for r in ROLES}
    both = {name: sum(of_role[name] for of_role in of_roles.values()) for name in COUNTS}
    besides = {"overall": both, **of_roles}
    return {
        group: Scores({name: float(v[0]) for name, v in scores.items()} | besides[group])
        for group, scores in formula.groups_of(sums).items()
    }


def _grids(report: Report, counts: bool) -> list[Grid]:
    means = {f"mean over {column}": groups for column, groups in report.facts["means"].items()}
    return [scores_table(report.title, {"": report.scores, **report.subsets, **means}, counts)]

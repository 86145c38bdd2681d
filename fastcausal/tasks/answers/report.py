"""Scores of extractions, their triage, and raters' verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables, scores_table
from fastcausal.significance.sums import Int64
from fastcausal.tasks.answers.formula import ExtractionFormula
from fastcausal.tasks.answers.shares import grids_of
from fastcausal.tasks.answers.tables import TRIAGE, triage_of

if TYPE_CHECKING:
    import pyarrow as pa

OF_ROLES = ("overall", "cause", "effect")


KEYS = (
    "signature", "protocol", "n_items", "n_unparsed", "warnings", "triage", "scores", "by",
    "verdicts", "reasons",
)  # fmt: skip


AnswersReport = Report
"""Scores of the extractions of one system.

``report["overall"].f1``, ``report["cause"].precision``, ``report["joint"].exact_match``,
``report["relation"].accuracy``, ``report["source"].contained``. Groups are overall, cause, effect,
joint, relation, source; text on request.

Attributes
----------
protocol : {"guide", "fcr"}
n_items : int
    Number of scored items.
triage : mapping of str to int
    Numbers of scored items decided by a rule (``exact``: valid; ``empty``, ``disjoint``: invalid),
    and of items left for people to ``judge``.
n_unparsed : int
    Number of unreadable items.
verdicts : mapping
    Counts over all items: ``n_raters``, ``n_judged``, ``n_missing``; and ``valid``, the mean over
    items of the share of verdicts that are valid.
reasons : mapping
    Counts and shares of the reasons of invalid verdicts, and agreement on them:
    `fastcausal.tasks.answers.shares.shares_of`. Empty in reports of statistics.
column : str or None
    The column whose values have scores in ``by``; None with no or several columns.
by : mapping of str to mapping
    Scores by the values of a column; with several columns, by ``column=value``.
per_item : pyarrow.Table
    Scored items: item, scores, triage, missing words, and other columns.
judgments : pyarrow.Table
    Verdicts: item, rater, label (1 valid, 0 invalid); reason if any is known.
differing : pyarrow.Table
    Items that raters call invalid for different reasons: item, rater, reason.
"""


def _grids(report: Report, counts: bool) -> list[Grid]:
    """Make the table of roles and the table of all other scores; ``counts`` adds word counts."""
    parts = {"": report.scores, **report.subsets}
    roles: dict[str, Groups] = {
        name: {role: groups[role] for role in OF_ROLES} for name, groups in parts.items()
    }
    if not counts:
        roles = {name: _drop_counts(groups) for name, groups in roles.items()}
    rows = {name: dict(scores) for name, scores in report.scores.items() if name not in OF_ROLES}
    rows |= {"triage": dict(report.triage), "verdicts": dict(report.verdicts)}
    shares = [name for name, scale in report.scales.items() if scale.kind == "share"]
    others = Grid("whole answers", ["value"], shares=("value",), share_rows=shares)
    for part, values in rows.items():
        others.part(part)
        for name, value in values.items():
            others.add(name, value)
    return [scores_table(report.title, roles, counts), others, *grids_of(report.reasons)]


def _drop_counts(groups: Groups) -> dict[str, Scores]:
    return {
        role: Scores({name: v for name, v in scores.items() if isinstance(v, float)})
        for role, scores in groups.items()
    }


def present(statistics: Statistics, by: By = None) -> AnswersReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    return report_of(statistics, by)


def report_of(
    statistics: Statistics,
    by: By = None,
    *,
    more: Mapping[str, Scores] | None = None,
    verdicts: Mapping[str, Any] | None = None,
    reasons: Mapping[str, Any] | None = None,
    tables: Mapping[str, Callable[[], pa.Table]] | None = None,
    kept: Statistics | None = None,
) -> AnswersReport:
    """Make the report of statistics with ``more`` groups of scores.

    ``verdicts`` and ``reasons`` cover all items; by default verdicts cover the scored items, and
    reasons are empty. ``kept`` are the statistics that the report keeps, by default the given ones.
    """
    formula, rows, times = statistics.formula, statistics.rows, statistics.times
    assert isinstance(formula, ExtractionFormula)
    columns = formula.by_field(rows)
    counts = np.bincount(triage_of(columns), times, len(TRIAGE)).astype(int)
    if verdicts is None:
        each = (columns[name] for name in ("asked", "judged", "valid"))
        verdicts = verdicts_of(*(np.repeat(column, times) for column in each))
    n_unparsed = int((columns["unread"] * times).sum()) + len(statistics.left_out or ())
    whole, parts = statistics.groups(by)
    subsets = {name: _drop_verdicts(groups) for name, groups in parts.items()}
    [column] = asked if len(asked := columns_by(by)) == 1 else [None]
    return AnswersReport(
        f"{statistics.n_units} extractions, protocol {formula.protocol}",
        statistics.signature + ("|text:rouge-l,bleu" if more else ""),
        {**_drop_verdicts(whole), **(more or {})},
        facts={
            "protocol": formula.protocol,
            "n_items": statistics.n_units,
            "n_unparsed": n_unparsed,
            "triage": dict(zip(TRIAGE, counts.tolist(), strict=True)),
            "verdicts": verdicts,
            "reasons": reasons or {},
            "column": column,
            "by": {name.removeprefix(f"{column}="): part for name, part in subsets.items()},
        },
        subsets=subsets,
        warnings=warning_lines(statistics.warnings),
        tables=Tables(**(tables or {})),
        statistics=statistics if kept is None else kept,
        keys=KEYS,
        grids=_grids,
    )


def _drop_verdicts(groups: Mapping[str, Scores]) -> Groups:
    return {name: scores for name, scores in groups.items() if name != "verdicts"}


def verdicts_of(
    asked: Int64,  # [n_items]: raters of each item
    judged: Int64,  # [n_items]: raters with a verdict
    valid: Int64,  # [n_items]: raters with the verdict valid
) -> dict[str, Any]:
    """Count verdicts, and average the share of valid ones over items.

    >>> verdicts_of(np.array([2, 2]), np.array([2, 1]), np.array([1, 1]))
    {'n_raters': 2, 'n_judged': 3, 'n_missing': 1, 'valid': 0.75}
    """
    shares = (valid[judged > 0] / judged[judged > 0]).tolist()
    return {
        "n_raters": int(asked.max(initial=0)),
        "n_judged": int(judged.sum()),
        "n_missing": int((asked - judged).sum()),
        "valid": math.fsum(shares) / len(shares) if shares else math.nan,
    }

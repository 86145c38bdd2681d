"""Evaluations made of statistics, such as a count file."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.extraction.evaluation import Evaluation
from fastcausal.tasks.extraction.tally import COLUMN_TOTALS, METADATA_TOTALS, Tally, Totals
from fastcausal.tasks.relations.formula import GroupedFormula


def evaluation_of(statistics: Statistics, by: By) -> Evaluation:
    """Add up the counts of every example, and of every value of the columns ``by``."""
    parts = {name: _sum(rows) for name, rows in statistics.subsets(by).items()}
    return Evaluation(None, _tally_of(statistics), counted=statistics, parts=parts)


def _tally_of(statistics: Statistics) -> Tally:
    """Add up the rows of statistics."""
    formula, left_out = statistics.formula, statistics.left_out
    assert isinstance(formula, GroupedFormula)
    assert statistics.units is not None
    whole = {n: statistics.totals[n] for n in METADATA_TOTALS if n in statistics.totals}
    totals = Totals(statistics.n_units, **_sums_of_columns(statistics.units), **whole)
    if left_out is not None:
        lost = _sums_of_columns(left_out)
        totals += Totals(
            n_unparsed=lost["n_unparsed"],
            n_unparsed_answers=lost["n_unparsed_answers"],
            n_left_out=len(left_out),
            n_readable=lost["n_pred_relations"],
        )
    several = statistics.rows[:, -1] > 0
    counts = statistics.rows[:, :-1] * statistics.times[:, None]
    return Tally(
        totals,
        {(): np.stack([counts[~several].sum(axis=0), counts[several].sum(axis=0)])},
        formula.roles,
        warnings=dict(statistics.warnings),
        unread=_unread_counts(statistics, formula),
    )


def _sums_of_columns(table: pa.Table) -> dict[str, int]:
    """Add up the totals of units; a column that an older file lacks adds 0."""
    present = {*table.column_names}
    return {n: pc.sum(table[n], min_count=0).as_py() if n in present else 0 for n in COLUMN_TOTALS}


def _unread_counts(statistics: Statistics, formula: GroupedFormula) -> Int64 | None:
    """Add up the counts of examples with unparsed predictions; None if the file lacks them."""
    left_out = statistics.left_out
    if left_out is None:
        assert statistics.units is not None
        is_unread = np.asarray(statistics.units["n_unparsed"]) > 0
        return _sum(statistics.rows_of_units()[is_unread])
    known = [left_out[n] for n in formula.empty_fields if n in left_out.column_names]
    if len(known) < len(formula.empty_fields) or any(column.null_count for column in known):
        return None
    return np.array([pc.sum(column, min_count=0).as_py() for column in known], np.int64)


def _sum(rows: CountRows) -> Int64:
    counts: Int64 = rows[:, :-1].sum(axis=0)
    return counts

"""Scores of the values of one system."""

from __future__ import annotations

from functools import partial

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.values.formula import ValueFormula
from fastcausal.tasks.values.pairing import counts_of, notes


def present(statistics: Statistics, by: By = None) -> Report:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, ValueFormula)
    parts = statistics.subsets(by)
    name = statistics.system or "values"
    return Report(
        f"values of {statistics.n_units} examples",
        statistics.signature,
        _scores(formula, statistics.rows, statistics.times),
        facts={"answers": {"rule": formula.answers, **counts_of(statistics)}},
        subsets={
            name: _scores(formula, rows, np.ones(len(rows), np.int64))
            for name, rows in parts.items()
        },
        warnings=notes({name: statistics}),
        tables=Tables(per_example=statistics.table),
        statistics=partial(_itself, statistics),
    )


def _itself(statistics: Statistics) -> Statistics:
    return statistics


def _scores(formula: ValueFormula, rows: CountRows, times: Int64) -> Groups:
    values = formula.scores(rows, times[None])
    return {"overall": Scores({name: float(value[0]) for name, value in values.items()})}

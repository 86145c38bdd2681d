"""A toy task: the share of weights that a system has right. Reader, counts, formula, report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays.strata import By
from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.files import system_of
from fastcausal.counts.formula import Formula
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.task import Task
from fastcausal.errors import InputError
from fastcausal.files.records import read_records
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.report.report import Report
from fastcausal.significance.sums import CountRows

TASK = Task(
    job="toy",
    formula="tests.tasks.toy:ToyFormula",
    present="tests.tasks.toy:present",
    score="tests.tasks.toy:weigh",
    command="toy",
    page="qa",
)


def read(source: Any) -> pa.Table:
    """Read a flat table of ids and weights."""
    table = read_records(source).table
    if not {"id", "weight"} <= {*table.column_names}:
        raise InputError(f"{source}: expected columns id and weight")
    return table


@dataclass(frozen=True)
class ToyFormula(Formula):
    """Share of units that are right."""

    job = "toy"

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("right",)

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows, and 1 for each unit."""
        return np.hstack([rows, np.ones_like(rows)])

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the accuracy."""
        return {"overall": {"accuracy": ratio(sums[:, 0], sums[:, 1], np.nan)}}

    def count_groups(self, sums: CountRows) -> dict[str, dict[str, int]]:
        """Return the number of units."""
        return {"overall": {"n": int(sums[0, 1])}}

    def scale(self, group: str, score: str) -> Scale:
        """Declare a share of units."""
        return SHARE


def weigh(gold: Any, pred: Any, by: By = None) -> Report:
    """Score weights.

    Parameters
    ----------
    gold, pred : path, table or list of mappings
        Weights.
    by : str or sequence of str, optional
        Columns of gold; each of their values is a subset.
    """
    wanted, given = read(gold), read(pred)
    right = np.asarray(wanted["weight"]) == np.asarray(given["weight"])
    statistics = Statistics.of_units(
        ToyFormula(),
        "toy|1",
        right[:, None].astype(np.int64),
        wanted.drop_columns(["weight"]),
        system=system_of(pred),
    )
    return present(statistics, by)


def present(statistics: Statistics, by: By = None) -> Report:
    """Make the report of statistics."""
    return Report.of(f"{statistics.n_units} weights", statistics, by)

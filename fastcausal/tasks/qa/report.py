"""The mean scores of answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.formula import Formula
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables
from fastcausal.significance.sums import CountRows, Int64, sums_of
from fastcausal.tasks.qa.formula import QuestionFormula

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False, repr=False)
class QAReport(Report):
    """Scores of the answers of one system.

    ``report["overall"].exact_match``, ``report["why"].f1``; ``n_questions`` of each group is the
    number of questions in its means. Without questions, means are NaN in Python, null in JSON.

    Attributes
    ----------
    signature : str
        Every setting on which the numbers depend, in one line.
    scores : mapping of str to Scores
        By group: ``overall``, and ``why`` for the questions about causes.
    warnings : tuple of str
    subsets : mapping of str to mapping
        The same groups for the values of a column, if requested.
    """

    signature: str
    scores: Mapping[str, Scores]
    warnings: tuple[str, ...] = ()
    subsets: Mapping[str, Groups] = field(default_factory=dict)
    _statistics: Callable[[], Statistics] | None = field(default=None, repr=False, compare=False)

    @property
    def _keys(self) -> tuple[str, ...]:
        subsets = ("subsets",) if self.subsets else ()
        return ("signature", "n_questions", "scores", *subsets, "warnings")

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """``per_example``: the marks of every question."""
        return Tables(per_example=self.statistics.table)

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return int(self.scores["overall"].n_questions)

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Number of questions."""
        return {"n_questions": self.n_questions}

    @cached_property
    def title(self) -> str:
        """Line with the number of questions."""
        return f"answers to {self.n_questions} questions"


def present(statistics: Statistics, by: By = None) -> QAReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    parts = statistics.subsets(by)
    return QAReport(
        statistics.signature,
        _means(formula, statistics.rows, statistics.times),
        warning_lines(statistics.warnings),
        {name: _means(formula, rows, np.ones(len(rows), np.int64)) for name, rows in parts.items()},
        partial(replace, statistics),
    )


def _means(formula: Formula, rows: CountRows, times: Int64) -> Groups:
    """Return the means over all questions and over subsets of them, and how many these are."""
    assert isinstance(formula, QuestionFormula)
    sums = sums_of(formula.terms(rows), times[None])
    sizes = [int(part[-1]) for part in np.hsplit(sums[0], 1 + len(formula.subsets))]
    means = formula.groups_of(sums)
    return {
        group: Scores({n: float(v[0]) for n, v in means[group].items()} | {"n_questions": size})
        for group, size in zip(means, sizes, strict=True)
    }

"""The mean scores of answers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.formula import Formula
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables
from fastcausal.significance.sums import CountRows, Int64, sums_of
from fastcausal.tasks.qa.formula import QuestionFormula


class QAReport(Report):
    """Scores of the answers of one system.

    ``report["overall"].exact_match``, ``report["why"].f1``; each group also has ``n_questions``,
    the number of its questions. Means are undefined without questions.
    """

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        n: int = self.facts["n_questions"]
        return n


def present(statistics: Statistics, by: By = None) -> QAReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    scores = _means(formula, statistics.rows, statistics.times)
    subsets = {
        name: _means(formula, rows, np.ones(len(rows), np.int64))
        for name, rows in statistics.subsets(by).items()
    }
    n = int(scores["overall"].n_questions)
    shown = ("subsets",) if subsets else ()
    return QAReport(
        f"answers to {n} questions",
        statistics.signature,
        scores,
        facts={"n_questions": n},
        subsets=subsets,
        warnings=warning_lines(statistics.warnings),
        tables=Tables(per_example=statistics.table),
        statistics=partial(replace, statistics),
        keys=("signature", "n_questions", "scores", *shown, "warnings"),
    )


def _means(formula: Formula, rows: CountRows, times: Int64) -> Groups:
    """Return the means over all questions and over subsets, with the numbers of questions."""
    assert isinstance(formula, QuestionFormula)
    sums = sums_of(formula.terms(rows), times[None])
    sizes = [int(part[-1]) for part in np.hsplit(sums[0], 1 + len(formula.subsets))]
    means = formula.groups_of(sums)
    return {
        group: Scores({n: float(v[0]) for n, v in means[group].items()} | {"n_questions": size})
        for group, size in zip(means, sizes, strict=True)
    }

"""The mean scores of answers."""

from __future__ import annotations

from fastcausal.arrays.strata import By
from fastcausal.counts.statistics import Statistics
from fastcausal.report.report import Report

QAReport = Report
"""Scores of the answers of one system.

``report["overall"].exact_match``, ``report["why"].f1``; each group also has ``n_questions``, the
number of its questions. Means are undefined without questions.
"""


def present(statistics: Statistics, by: By = None) -> QAReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    n = statistics.n_units
    return QAReport.of(
        f"answers to {n} questions",
        statistics,
        by,
        facts={"n_questions": n},
        keys=("signature", "n_questions", "scores", "subsets?", "warnings"),
    )

"""Exact match and F1 of answers: means over questions, and over those about causes."""

from __future__ import annotations

from dataclasses import dataclass

from fastcausal.counts.means import MeanFormula


@dataclass(frozen=True)
class QAFormula(MeanFormula):
    """Means over questions; the subset ``why`` holds the questions about causes.

    Examples
    --------
    >>> import numpy as np
    >>> formula = QAFormula(("f1",), ("why",))
    >>> formula.scores(np.array([[0.5, 1], [1.0, 0]]), np.array([[1, 1]]))
    {'overall_f1': array([0.75]), 'why_f1': array([0.5])}
    """

    job = "answers"

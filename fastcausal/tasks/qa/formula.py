"""Means of exact match and F1 over questions."""

from __future__ import annotations

from dataclasses import dataclass

from fastcausal.counts.means import MeanFormula


@dataclass(frozen=True)
class QuestionFormula(MeanFormula):
    """Means over questions, and over those of subsets.

    Examples
    --------
    >>> import numpy as np
    >>> formula = QuestionFormula(("f1",), ("why",))
    >>> formula.scores(np.array([[0.5, 1], [1.0, 0]]), np.array([[1, 1]]))
    {'overall_f1': array([0.75]), 'why_f1': array([0.5])}
    """

    job = "answers"

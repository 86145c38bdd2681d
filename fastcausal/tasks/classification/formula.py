"""Scores of predicted labels."""

from __future__ import annotations

from dataclasses import dataclass

from fastcausal.counts.labels import ConfusionFormula


@dataclass(frozen=True)
class LabelFormula(ConfusionFormula):
    """Scores of overall, positive, macro, weighted and every class.

    Examples
    --------
    >>> import numpy as np
    >>> formula = LabelFormula(("no", "yes"), True, "yes", None)
    >>> formula.scores(np.array([[0, 0], [1, 0]]), np.array([[1, 1]]))["overall_accuracy"]
    array([0.5])
    """

    job = "classification"

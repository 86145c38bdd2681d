"""Scores of predicted labels."""

from __future__ import annotations

from dataclasses import dataclass

from fastcausal.counts.labels import ConfusionFormula


@dataclass(frozen=True)
class LabelFormula(ConfusionFormula):
    """Scores of overall, positive, macro, weighted and every class."""

    job = "classification"

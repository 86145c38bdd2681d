"""Formulas of whole evaluations: from rows of counts, and how often each is in, to every score.

A formula is a frozen dataclass of plain values, so equal ones compare equal and a file can name it.
A file for each kind of counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcausal.formulas.claims import ClaimFormula
from fastcausal.formulas.extractions import ExtractionFormula
from fastcausal.formulas.formula import Formula, Int64, OneScore, Rows, flat, sums_of
from fastcausal.formulas.judged import NO_NUMBER, UNANSWERED, JudgedFormula, ScoredFormula
from fastcausal.formulas.labels import ConfusionFormula, Label, classes_of
from fastcausal.formulas.means import MeanFormula, RatioFormula
from fastcausal.formulas.ratings import RatingsFormula
from fastcausal.formulas.relations import MULTI, RelationFormula
from fastcausal.formulas.shapes import ChainFormula, FrameFormula

__all__ = [
    "MULTI", "NO_NUMBER", "UNANSWERED", "ChainFormula", "ClaimFormula", "ConfusionFormula",
    "ExtractionFormula", "Formula", "FrameFormula", "Int64", "JudgedFormula", "Label",
    "MeanFormula", "OneScore", "RatingsFormula", "RatioFormula", "RelationFormula", "Rows",
    "ScoredFormula", "classes_of", "flat", "formula_of", "sums_of",
]  # fmt: skip

KINDS: tuple[type[Formula], ...] = (
    RelationFormula, ConfusionFormula, JudgedFormula, ScoredFormula, MeanFormula, RatioFormula,
    RatingsFormula, FrameFormula, ChainFormula, ClaimFormula, ExtractionFormula,
)  # fmt: skip


def formula_of(values: Mapping[str, Any]) -> Formula:
    """Return the formula that `Formula.to_dict` described.

    Raises
    ------
    ValueError, TypeError, KeyError
        It describes none.
    """
    kind = {kind.job: kind for kind in KINDS}[values["job"]]
    return kind(**{k: _frozen(value) for k, value in values.items() if k != "job"})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

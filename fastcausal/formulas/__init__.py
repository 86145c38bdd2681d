"""Formulas of whole evaluations: from rows of counts, and how often each is in, to every score.

A formula is a frozen dataclass of plain values, so equal ones compare equal and a file can name it.
A file for each kind of counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastcausal.formulas.formula import (
    MOST,
    Formula,
    Int64,
    OneScore,
    Rows,
    flat,
    is_share,
    sums_of,
)

if TYPE_CHECKING:  # each is imported when it is first used
    from fastcausal.formulas.claims import ClaimFormula
    from fastcausal.formulas.extractions import ExtractionFormula
    from fastcausal.formulas.judged import NO_NUMBER, UNANSWERED, JudgedFormula, ScoredFormula
    from fastcausal.formulas.labels import ConfusionFormula, Label, classes_of
    from fastcausal.formulas.means import MeanFormula, RatioFormula
    from fastcausal.formulas.ratings import RatingsFormula
    from fastcausal.formulas.relations import MULTI, RelationFormula
    from fastcausal.formulas.shapes import ChainFormula, FrameFormula

__all__ = [
    "MOST", "MULTI", "NO_NUMBER", "UNANSWERED", "ChainFormula", "ClaimFormula", "ConfusionFormula",
    "ExtractionFormula", "Formula", "FrameFormula", "Int64", "JudgedFormula", "Label",
    "MeanFormula", "OneScore", "RatingsFormula", "RatioFormula", "RelationFormula", "Rows",
    "ScoredFormula", "classes_of", "flat", "formula_of", "is_share", "kinds", "sums_of",
]  # fmt: skip

_NAMES = {
    "claims": ("ClaimFormula",),
    "extractions": ("ExtractionFormula",),
    "judged": ("JudgedFormula", "ScoredFormula", "NO_NUMBER", "UNANSWERED"),
    "labels": ("ConfusionFormula", "Label", "classes_of"),
    "means": ("MeanFormula", "RatioFormula"),
    "ratings": ("RatingsFormula",),
    "relations": ("RelationFormula", "MULTI"),
    "shapes": ("ChainFormula", "FrameFormula"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__} has no {name}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def kinds() -> list[type[Formula]]:
    """Return the formulas of all evaluations."""
    return [__getattr__(name) for name in _MODULES if name.endswith("Formula")]


def formula_of(values: Mapping[str, Any]) -> Formula:
    """Return the formula that `Formula.to_dict` described.

    Raises
    ------
    ValueError, TypeError, KeyError
        It describes none.
    """
    kind = {kind.job: kind for kind in kinds()}[values["job"]]
    return kind(**{k: _frozen(value) for k, value in values.items() if k != "job"})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

"""The formulas of all evaluations, by the job that a file of statistics names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from fastcausal.counts.formula import Formula

_FORMULAS = {
    "counts.labels": ("ConfusionFormula",),
    "counts.means": ("MeanFormula", "RatioFormula"),
    "tasks.answers.formula": ("ExtractionFormula",),
    "tasks.claims.formula": ("ClaimFormula",),
    "tasks.crab.formula": ("JudgedFormula", "ScoredFormula"),
    "tasks.crab.shape_formula": ("ChainFormula", "FrameFormula"),
    "tasks.labels.formula": ("RatingsFormula",),
    "tasks.relations.formula": ("RelationFormula",),
}


def kinds() -> list[type[Formula]]:
    """Return the formulas of all evaluations."""
    return [
        getattr(import_module(f"fastcausal.{module}"), name)
        for module, names in _FORMULAS.items()
        for name in names
    ]


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

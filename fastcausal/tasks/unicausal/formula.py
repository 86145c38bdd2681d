"""Scores of labels over the classes that occur, and of entities in tags of words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, precision_recall_f1, ratio
from fastcausal.counts.formula import Formula
from fastcausal.counts.rules import Rule
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.classification.formula import LabelFormula

ROLES = ("cause", "effect")
COUNTS = ("tp", "predicted", "gold")


@dataclass(frozen=True)
class OccurringFormula(LabelFormula):
    """Scores of labels."""

    # The macro mean leaves out a class that is absent from both sides.

    job = "unicausal-labels"

    def weigh_classes(self, predicted: Int64, wanted: Int64) -> Int64:
        """Return 1 for the classes that occur, else 0."""
        return (predicted + wanted > 0).astype(np.int64)


@dataclass(frozen=True)
class EntityFormula(Formula):
    """Precision, recall and F1 of entities, and the accuracy of tags."""

    # 0/0 is 0.

    job = "unicausal-spans"

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the counts: of each role, then of equal tags and of all tags."""
        return (*(f"{role}_{name}" for role in ROLES for name in COUNTS), "right", "tokens")

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules: hits are at most predicted and gold entities."""
        hits = [Rule((f"{r}_tp",), (f"{r}_{name}",)) for r in ROLES for name in COUNTS[1:]]
        return (*hits, Rule(("right",), ("tokens",)))

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Entities and tokens of gold."""
        return (*((f"{role}_gold",) for role in ROLES), ("tokens",))

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows: counts add."""
        return rows

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of both roles together, and of each role."""
        cause, effect, tags = np.hsplit(sums, [len(COUNTS), 2 * len(COUNTS)])
        overall = precision_recall_f1(*(cause + effect).T, 0.0)  # type: ignore[call-arg]
        overall["accuracy"] = ratio(tags[:, 0], tags[:, 1], 0.0)
        return {"overall": overall} | {
            role: precision_recall_f1(*counts.T, 0.0)  # type: ignore[call-arg]
            for role, counts in zip(ROLES, (cause, effect), strict=True)
        }

    def count_groups(self, sums: CountRows) -> dict[str, dict[str, int]]:
        """Return the entities of both roles together, and of each role."""
        counts = np.reshape(sums[0, : len(ROLES) * len(COUNTS)], (len(ROLES), -1))
        rows = (counts.sum(axis=0), *counts)
        return {
            group: dict(zip(COUNTS, row.tolist(), strict=True))
            for group, row in zip(("overall", *ROLES), rows, strict=True)
        }

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares of entities or tokens."""
        return SHARE

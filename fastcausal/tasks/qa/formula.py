"""Means of exact match and F1 over questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastcausal.counts.means import MeanFormula
from fastcausal.report.numbers import CORRELATION, Scale
from fastcausal.significance.sums import CountRows

SIMILARITY, JUDGE = "sas", "judge"
SCALES = {SIMILARITY: CORRELATION, JUDGE: Scale("points", "higher", (1.0, 5.0))}


@dataclass(frozen=True)
class QuestionFormula(MeanFormula):
    """Means over all questions, and over questions of subsets."""

    job = "qa"

    @property
    def main(self) -> str:
        """F1, or the first measure."""
        return "overall_f1" if "f1" in self.measures else f"overall_{self.measures[0]}"

    def limits(self, field: str) -> tuple[float, float]:
        """Return 0 and 1; for similarities -1 and 1, for a judge's marks 1 and 5."""
        scale = SCALES.get(field)
        return super().limits(field) if scale is None or scale.range is None else scale.range

    def count_groups(self, sums: CountRows) -> dict[str, dict[str, int]]:
        """Return the numbers of questions."""
        sizes = (int(part[-1]) for part in np.hsplit(sums[0], 1 + len(self.subsets)))
        return {name: {"n_questions": n} for name, n in zip(self.names(), sizes, strict=True)}

    def scale(self, group: str, score: str) -> Scale:
        """Declare similarities, which are cosines; a judge's marks; and shares."""
        return SCALES.get(score) or super().scale(group, score)

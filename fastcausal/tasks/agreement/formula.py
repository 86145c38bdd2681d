"""Means of measures over pairs of annotators, from sums of every example."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.formula import MAX_COUNT, Formula
from fastcausal.counts.means import mean_of_pairs
from fastcausal.report.numbers import CORRELATION, SHARE, Scale
from fastcausal.significance.sums import CountRows


@dataclass(frozen=True)
class RatioFormula(Formula):
    """Means over pairs of annotators of ratios of sums."""

    job = "agreement"
    dtype: ClassVar[type[np.generic]] = np.float64

    annotators: tuple[tuple[str, str], ...]  # The pairs
    roles: tuple[str, ...]  # The groups: the roles, and the total
    measures: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns: numerator and denominator of each pair, group and measure."""
        return tuple(
            f"{a}_{b}_{part}_{role}_{measure}"
            for a, b in self.annotators
            for part in ("top", "bottom")
            for role in self.roles
            for measure in self.measures
        )

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value: alpha may be negative."""
        return -MAX_COUNT, MAX_COUNT

    def scale(self, group: str, score: str) -> Scale:
        """Declare a correlation for alpha, which is corrected for chance; shares for the rest."""
        return CORRELATION if score.startswith("alpha") else SHARE

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows: numerators and denominators add."""
        return rows

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the mean of each measure over the pairs of annotators that define it."""
        sums = sums.reshape(-1, len(self.annotators), 2, len(self.roles), len(self.measures))
        means = mean_of_pairs(ratio(sums[:, :, 0], sums[:, :, 1], math.nan).swapaxes(0, 1))
        return {
            role: {name: means[:, g, m] for m, name in enumerate(self.measures)}
            for g, role in enumerate(self.roles)
        }

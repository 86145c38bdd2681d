"""Means of measures over units, and over pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.formula import Formula
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.significance.sums import CountRows, Float64


@dataclass(frozen=True)
class MeanFormula(Formula):
    """Means of measures over all units and over subsets of them; NaN without units."""

    # A unit without a measure (NaN) is left out of its mean.

    dtype: ClassVar[type[np.generic]] = np.float64

    measures: tuple[str, ...]
    subsets: tuple[str, ...]  # Columns with 1 for units of the subset, else 0

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.measures + self.subsets

    def limits(self, field: str) -> tuple[float, float]:
        """Return 0 and 1: measures are shares, subsets are 0 or 1."""
        return 0, 1

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """The subsets."""
        return tuple((name,) for name in self.subsets)

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares: measures are shares, and means of them too."""
        return SHARE

    def terms(self, rows: CountRows) -> CountRows:
        """Return the measures and 1 for all units, then for each subset the same or 0."""
        measures, member = np.hsplit(rows, [len(self.measures)])
        lacks = np.isnan(measures).any(axis=1)
        whole = np.where(lacks[:, None], 0.0, np.column_stack([measures, np.ones(len(rows))]))
        return np.hstack([whole, *(whole * (belongs[:, None] > 0) for belongs in member.T)])

    def own_scores(self, rows: CountRows, name: str | None = None) -> Float64:
        """Return the measure of each unit; NaN for a unit without measures."""
        lacks = np.isnan(rows[:, : len(self.measures)]).any(axis=1)
        return np.where(lacks, math.nan, super().own_scores(rows, name))

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the means over all units and over every subset."""
        parts = np.hsplit(sums, 1 + len(self.subsets))
        return {
            subset: {
                name: ratio(total, part[:, -1], math.nan)
                for name, total in zip(self.measures, part.T, strict=False)
            }
            for subset, part in zip(("overall", *self.subsets), parts, strict=True)
        }


def mean_of_pairs(values: Float64) -> Float64:
    """Average the defined values over the first axis, independent of their order."""
    defined = ~np.isnan(values)
    ordered = np.sort(np.where(defined, values, 0.0), axis=0)
    mean: Float64 = ratio(ordered.sum(axis=0), defined.sum(axis=0).astype(np.float64), math.nan)
    return mean

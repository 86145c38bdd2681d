"""Means of values and ratios of sums, with a denominator for each score."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from fastcausal._version import __version__
from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.formula import Formula
from fastcausal.errors import InputError
from fastcausal.report.numbers import FRACTION, Scale
from fastcausal.significance.sums import LARGEST, CountRows, Float64

PARTS = ("value", "weight")
CONTENT = "content"  # the column of digests of examples
WITHIN = "within"  # begins columns of variances of values, of several answers to an example
N_ANSWERS = ("n_answers", "n_errors", "n_limits", "n_unscored")


@dataclass(frozen=True)
class ValueFormula(Formula):
    """Sums of values by sums of weights, for each score of examples."""

    # A mean has the weight 1 for each example, 0 for an example without this score. A ratio of sums
    # has denominators as weights.

    job = "values"
    dtype: ClassVar[type[np.generic]] = np.float64
    totals: ClassVar[tuple[str, ...]] = N_ANSWERS
    holds_values: ClassVar[bool] = True

    names_of_scores: tuple[str, ...]  # Names of the scores in the source
    of: str = "mean"  # {"mean", "ratio"}
    answers: str = "mean"  # The rule from the answers of an example to its value
    missing: str = "error"  # {"error", "skip", "zero"}: The policy for answers without a score
    lower: tuple[str, ...] = ()  # Scores for which lower is better

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns: the value and the weight of each score."""
        return tuple(f"{part}:{name}" for name in self.names_of_scores for part in PARTS)

    @property
    def main(self) -> str:
        """Name of the only score."""
        if len(self.names_of_scores) > 1:
            names = ", ".join(self.names_of_scores)
            raise InputError(f"several scores, name one with --score: {names}")
        return self.names_of_scores[0]

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value; weights are not negative."""
        return (0 if field.startswith("weight:") else -LARGEST, LARGEST)

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows: values and weights add."""
        return rows

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores."""
        parts = sums.reshape(len(sums), -1, 2)
        return {
            "overall": {
                name: ratio(parts[:, k, 0], parts[:, k, 1], math.nan)
                for k, name in enumerate(self.names_of_scores)
            }
        }

    def own_scores(self, rows: CountRows, name: str | None = None) -> Float64:
        """Return the value of each example; NaN for a mean without this score."""
        k = 2 * self.names_of_scores.index(name or self.main)
        lacks = (rows[:, k + 1] == 0) & (self.of == "mean")
        return np.where(lacks, math.nan, super().own_scores(rows, name))

    def flat_name(self, group: str, name: str) -> str:
        """Return the name of a score in the source."""
        return name

    def scale(self, group: str, score: str) -> Scale:
        """Declare the direction of a score: higher is better unless its source says lower."""
        # The source does not tell the kind. Each example changes a mean only by its part.
        return Scale("none", "lower" if score in self.lower else "higher", None, self.of == "mean")

    def scale_of(self, name: str, rows: CountRows) -> Scale:
        """Return a share if the value of each unit is from 0 to 1; an error rate may exceed 1."""
        scale = super().scale_of(name, rows)
        k = 2 * self.names_of_scores.index(name)
        values, weights = rows[:, k : k + 2].T
        if not ((values >= 0) & (values <= weights)).all():
            return scale
        return scale._replace(kind="share", range=FRACTION, of_units=True)

    def scales(self, rows: CountRows) -> dict[str, Scale]:
        """Return the scales of scores on these rows."""
        return {name: self.scale_of(name, rows) for name in self.names_of_scores}

    def union(self, other: Formula) -> Self:
        """Return the formula of both; ValueError if they differ in more than `lower`."""
        if isinstance(other, ValueFormula):
            lower = tuple(sorted({*self.lower, *other.lower}))
            if replace(self, lower=lower) == replace(other, lower=lower):
                return replace(self, lower=lower)
        return super().union(other)

    def signature(self, formats: Iterable[str]) -> str:
        """Return the signature line: settings of the scores, and formats of their sources."""
        parts = [
            "fastcausal", __version__, "values", f"score:{'+'.join(self.names_of_scores)}",
            f"of:{self.of}", f"answers:{self.answers}", f"missing:{self.missing}",
            f"source:{'+'.join(sorted({*formats}))}",
        ]  # fmt: skip
        return "|".join(parts)

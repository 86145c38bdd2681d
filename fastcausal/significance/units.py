"""Units of resampling: examples or clusters, equal ones stored once.

Units are sorted by content, so the order of examples changes no draw and no sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.report.numbers import Range, Scale
from fastcausal.significance.sampling import BLOCK
from fastcausal.significance.sums import CountRows, Float64, Int64, sums_of

EXAMPLE, DOCUMENT, SECTION = "example", "document", "section"
NOUNS = (EXAMPLE, DOCUMENT, SECTION)  # single units; other units are clusters, named by a column
EQUAL = 1e-12  # closer scores up to 1 count as equal


def cut(bound: float, range: Range | None) -> float:
    """Return a bound, or the end of the range that it leaves.

    >>> cut(1.5, (0.0, 1.0)), cut(1.5, None)
    (1.0, 1.5)
    """
    return bound if range is None else min(max(bound, range[0]), range[1])


def range_of_difference(a: Range | None, b: Range | None) -> Range | None:
    """Return the range of B minus A, None if either has no bounds.

    >>> range_of_difference((0.0, 1.0), (0.0, 1.0))
    (-1.0, 1.0)
    """
    return None if a is None or b is None else (b[0] - a[1], b[1] - a[0])


def rounding_of(values: Float64 | float) -> Any:
    """Return the distance at which scores of the size of these values count as equal.

    >>> float(rounding_of(0.5)), float(rounding_of(-4e6))
    (1e-12, 4e-06)
    """
    return EQUAL * np.maximum(1.0, np.abs(values))


def units_text(n_units: int, unit: str) -> str:
    """Format the number of units with their noun.

    >>> units_text(61, "example"), units_text(5, "document"), units_text(12, "doc_id")
    ('61 examples', '5 documents', '12 clusters (doc_id)')
    """
    return f"{n_units} {nouns_of(unit)}"


def nouns_of(unit: str) -> str:
    """Return the plural noun for units; clusters have their column in brackets."""
    return f"{unit}s" if unit in NOUNS else f"clusters ({unit})"


def merged(rows: CountRows, times: Int64) -> tuple[CountRows, Int64]:
    """Return the distinct rows, ascending, and how often each occurs.

    >>> merged(np.array([[2, 0], [1, 5], [2, 0]]), np.array([1, 4, 2]))
    (array([[1, 5],
           [2, 0]]), array([4, 3]))
    """
    different, row_of = distinct(rows)
    sums = np.zeros(len(different), np.int64)
    np.add.at(sums, row_of, times)
    return different, sums


class Scored(Protocol):
    """A formula from sums of terms to scores by flat name."""

    def scale_of(self, name: str, rows: CountRows) -> Scale:
        """Return the scale of a score on units with these rows or terms."""
        ...

    def scores_of(self, sums: CountRows) -> Mapping[str, Float64]:
        """Compute scores from sums of terms [n_draws, n_terms]."""
        ...


class ScoredRows(Scored, Protocol):
    """A formula from weighted rows to scores that are not functions of sums."""

    def scores(self, rows: CountRows, weights: Int64) -> Mapping[str, Float64]:
        """Compute scores of rows under each int64[n_draws, n_rows] of weights."""
        ...


@dataclass(frozen=True)
class OneScore:
    """A formula from rows to one score, with only the terms that it needs."""

    name: str  # Flat name, such as ``overall_f1``
    terms: Callable[[CountRows], CountRows]  # Converts rows to additive terms, as `Formula.terms`
    # Computes the score, float64[n_draws], from sums of terms [n_draws, n_terms]
    value: Callable[[CountRows], Float64]
    scaled: Callable[[CountRows], Scale]  # Takes the terms of units; returns the scale of the score

    def scale_of(self, name: str, rows: CountRows) -> Scale:
        """Return the scale of the score."""
        return self.scaled(rows)

    def scores_of(self, sums: CountRows) -> dict[str, Float64]:
        """Compute the score from sums of terms, as `Formula.scores_of`."""
        return {self.name: self.value(sums)}

    def scores(self, rows: CountRows, weights: Int64) -> dict[str, Float64]:
        """Compute the score of rows under each row of weights, as `Formula.scores`."""
        return self.scores_of(sums_of(self.terms(rows), weights))


@dataclass(frozen=True, eq=False)
class Units:
    """Distinct units, ascending by their counts, with their frequencies."""

    # Computes scores from sums of terms; for two joined systems, from those of one system
    formula: Scored
    # int64 or float64[n_distinct, n_terms]: Additive terms of each unit; for two joined
    # systems, of A and then of B
    terms: CountRows
    # int64[n_distinct]: Number of units with equal counts, including counts that are not in
    # ``terms``
    times: Int64
    unit: str  # One of `NOUNS`, or the column of the clusters

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.times.sum())

    def scores(self, weights: Int64) -> Mapping[str, Float64]:
        """Compute scores by flat name under each int64[n_draws, n_distinct] of weights."""
        return self.formula.scores_of(sums_of(self.terms, weights))

    def score_without_each(self) -> Mapping[str, Float64]:
        """Compute the scores without one unit, for every distinct unit."""
        return self.formula.scores_of(sums_of(self.terms, self.times[None]) - self.terms)

    def range_of(self, name: str) -> Range | None:
        """Return the range of a score on these units; None if it has no bounds."""
        return self.formula.scale_of(name, self.terms).range

    def alike(self, values: Mapping[str, float]) -> dict[str, int]:
        """Count, for each share, the units that have its value on their own."""
        # All other units must leave it undefined, or have the value of no units at all; else the
        # share is missing in the result. It is also missing if it has the value of no units itself.
        shares = [n for n in values if self.formula.scale_of(n, self.terms).of_units]
        if not shares:
            return {}
        alone, none = self._alone(), self.scores(np.zeros((1, len(self.times)), np.int64))
        counts = {}
        for name in shares:
            near = np.abs(alone[name] - values[name]) <= EQUAL
            void = np.isnan(alone[name]) | (np.abs(alone[name] - none[name]) <= EQUAL)
            if (near ^ void).all():
                counts[name] = int(self.times[near].sum())
        return counts

    def _alone(self) -> Mapping[str, Float64]:
        """Compute the scores of every distinct unit on its own."""
        return self.formula.scores_of(self.terms)


@dataclass(frozen=True, eq=False)
class WholeUnits(Units):
    """Distinct units whose scores are functions of all rows, not of sums."""

    formula: ScoredRows
    unit_of: Int64  # int64[n_rows]: the unit of each row of ``terms``, which are unit by unit

    def scores(self, weights: Int64) -> Mapping[str, Float64]:
        """Compute scores by flat name under each int64[n_draws, n_distinct] of weights."""
        return self._score_in_parts(len(weights), lambda part: weights[part])

    def score_without_each(self) -> Mapping[str, Float64]:
        """Compute the scores without one unit, for every distinct unit."""
        numbers = np.arange(len(self.times))
        return self._score_in_parts(
            len(numbers), lambda part: self.times - (numbers[part, None] == numbers)
        )

    def _alone(self) -> Mapping[str, Float64]:
        """Compute the scores of every distinct unit on its own."""
        numbers = np.arange(len(self.times))
        return self._score_in_parts(
            len(numbers), lambda part: (numbers[part, None] == numbers).astype(np.int64)
        )

    def _score_in_parts(
        self, n_draws: int, weights_of: Callable[[slice], Int64]
    ) -> dict[str, Float64]:
        most = max(1, BLOCK // max(len(self.unit_of), len(self.times), 1))
        parts = [
            self.formula.scores(self.terms, weights_of(slice(k, k + most))[:, self.unit_of])
            for k in range(0, n_draws, most)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

"""Units of resampling: examples or clusters, equal ones stored once.

Units are sorted by content, so the order of examples changes no draw and no sum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from fastcausal.arrays.distinct import distinct
from fastcausal.report.numbers import Range, Scale
from fastcausal.significance.sampling import BLOCK, groups_of
from fastcausal.significance.sums import (
    EXACT,
    CountRows,
    Float64,
    Int64,
    max_abs,
    products_of,
    scaled_down,
    sums_of,
)

EXAMPLE, DOCUMENT, SECTION = "example", "document", "section"
NOUNS = (EXAMPLE, DOCUMENT, SECTION)  # single units; other units are clusters, named by a column
MAX_LEFT_OUT = 1000  # units that are left out one by one where scores are no sums of theirs
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


def units_text(n_units: int, unit: str, worth: float = math.nan) -> str:
    """Format the number of units with their noun, and the worth of clusters if it is known.

    >>> units_text(61, "example"), units_text(5, "document"), units_text(12, "doc_id", 7.31)
    ('61 examples', '5 documents', '12 clusters (doc_id), worth 7.3')
    """
    text = f"{n_units} {nouns_of(unit)}"
    return text if unit in NOUNS or math.isnan(worth) else f"{text}, worth {worth:.1f}"


def differ_text(n_differ: int | None, n_units: int, unit: str, worth: float) -> str:
    """Format how many of the units of two systems differ.

    >>> differ_text(7, 61, "example", 61.0), differ_text(5, 12, "doc_id", 7.31)
    ('7 of 61 examples differ', '12 clusters (doc_id), worth 7.3; 5 differ')
    """
    text = units_text(n_units, unit, worth)
    return f"{n_differ} of {text} differ" if unit in NOUNS else f"{text}; {n_differ} differ"


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


Parts = tuple[CountRows, CountRows]  # numerators and denominators of a score, [n_draws] each


def parts_in(scores: Iterable[tuple[str, Any]]) -> dict[str, Parts]:
    """Return the numerators and denominators of the scores that remember them."""
    return {name: parts for name, v in scores if (parts := getattr(v, "parts", None)) is not None}


def worth_of(sizes: CountRows, times: Int64) -> float:
    """Return how many units of one size tell as much as units of these sizes.

    >>> round(worth_of(np.array([1, 5]), np.array([5, 1])), 4)
    3.3333
    """
    # (sum d)^2 / sum d^2, the effective number of units (Kish 1965)
    n, sizes = int(times.sum()), scaled_down(sizes)
    sums = sums_of(np.column_stack([sizes, products_of(sizes, sizes, n)]), times[None])
    total, squares = sums[0].tolist()
    return total / squares * total if squares else 0.0


class Scored(Protocol):
    """A formula from sums of terms to scores by flat name."""

    def scale_of(self, name: str, rows: CountRows) -> Scale:
        """Return the scale of a score on units with these rows or terms."""
        ...

    def scores_of(self, sums: CountRows) -> Mapping[str, Float64]:
        """Compute scores from sums of terms [n_draws, n_terms]."""
        ...

    def parts_of(self, sums: CountRows) -> Mapping[str, Parts]:
        """Return numerators and denominators of the scores that are quotients."""
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

    def parts_of(self, sums: CountRows) -> dict[str, Parts]:
        """Return numerator and denominator of the score, as `Formula.parts_of`."""
        return parts_in([(self.name, self.value(sums))])

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
    # Worth of clusters by their numbers of examples, for scores that are no ratio; None: all equal
    worth_of_examples: float | None = None

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

    @cached_property
    def fractions(self) -> dict[str, CountRows]:
        """Numerator and denominator of each unit, [n_distinct, 2], for scores that are ratios."""
        # A quotient is a ratio of sums if the parts of all units are the sums of their parts.
        found = {}
        whole = self.formula.parts_of(self.terms.sum(axis=0, keepdims=True))
        for name, parts in self.formula.parts_of(self.terms).items():
            if name in whole and all(map(_add_up, parts, whole[name])):
                found[name] = np.column_stack(parts)
        return found

    def worth(self, name: str) -> float:
        """Return how many equal units tell as much about a score as these units do."""
        rows = self.fractions.get(name)
        if rows is not None:
            return worth_of(rows[:, 1], self.times)
        return float(self.n_units) if self.worth_of_examples is None else self.worth_of_examples

    @property
    def main_worth(self) -> float:
        """Worth of the units for F1 of the first group, else for the first ratio."""
        first = next(iter(self.fractions), "")
        f1 = f"{first.rpartition('_')[0]}_f1"
        return self.worth(f1 if f1 in self.fractions else first)

    @property
    def text(self) -> str:
        """Number of units with their noun, and the worth of clusters."""
        return units_text(self.n_units, self.unit, self.main_worth)

    def right_of(self, name: str) -> tuple[int, int] | None:
        """Count right units, and all, of a share of single units; None for other scores."""
        rows = self.fractions.get(name) if self.unit in NOUNS else None
        if rows is None or not self.formula.scale_of(name, self.terms).of_units:
            return None
        right, counted = rows.T
        if not (np.isin(rows, (0, 1)).all() and (right <= counted).all()):
            return None
        return int(self.times[right == 1].sum()), int(self.times[counted == 1].sum())

    def grouped(self) -> Units:
        """Return the units: scores without each of them are found at once."""
        return self

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


def as_integers(rows: CountRows) -> CountRows:
    """Return fractions of integers or halves as integers, whose sums and products are faster."""
    for scale in (1, 2) if rows.dtype.kind == "f" else ():
        scaled = rows * scale
        whole = np.rint(scaled)
        if (scaled == whole).all() and max_abs(scaled) < EXACT:
            found: Int64 = whole.astype(np.int64)
            return found
    return rows


def _add_up(parts: CountRows, whole: CountRows) -> bool:
    """Return True if parts of units add up to that of all of them, but for rounding."""
    return math.isclose(float(parts.sum()), float(whole[0]), rel_tol=1e-9, abs_tol=1e-9)


class SystemParts(NamedTuple):
    """Several systems on joint units, in the terms of one score."""

    fractions: list[CountRows]  # of each system; none for a score that is no ratio
    worth: float  # by the sums of all denominators

    @classmethod
    def of(cls, units: Units, score: OneScore, n: int) -> SystemParts:
        """Split joint units of n systems into numerators and denominators."""
        sides = [replace(units, terms=t, formula=score) for t in np.hsplit(units.terms, n)]
        rows = [side.fractions[score.name] for side in sides if score.name in side.fractions]
        if len(rows) < n:
            return cls([], sides[0].worth(score.name))
        rows = np.hsplit(as_integers(np.hstack(rows)), n)  # of one scale, as worth adds sides
        return cls(rows, worth_of(np.sum(rows, axis=0)[:, 1], units.times))


@dataclass(frozen=True, eq=False)
class WholeUnits(Units):
    """Distinct units whose scores are functions of all rows, not of sums."""

    formula: ScoredRows
    # int64[n_rows]: the unit of each row of ``terms``, which are unit by unit
    unit_of: Int64 = field(kw_only=True)

    @cached_property
    def fractions(self) -> dict[str, CountRows]:
        """No score is a ratio of sums."""
        return {}

    def scores(self, weights: Int64) -> Mapping[str, Float64]:
        """Compute scores by flat name under each int64[n_draws, n_distinct] of weights."""
        return self._score_in_parts(len(weights), lambda part: weights[part])

    def score_without_each(self) -> Mapping[str, Float64]:
        """Compute the scores without one unit, for every distinct unit."""
        numbers = np.arange(len(self.times))
        return self._score_in_parts(
            len(numbers), lambda part: self.times - (numbers[part, None] == numbers)
        )

    def grouped(self) -> WholeUnits:
        """Return groups of units if these are many: scores without each take their square."""
        # The jackknife that deletes a group estimates the same variance (Shao and Tu 1995, 5.1).
        kinds = np.repeat(np.arange(len(self.times)), self.times)
        sizes = np.bincount(self.unit_of, minlength=len(self.times))
        lengths = sizes[kinds]
        ends = np.cumsum(lengths)
        if len(self.times) * len(self.unit_of) <= MAX_LEFT_OUT * int(lengths.sum()):
            return self
        shifts = (np.cumsum(sizes) - sizes)[kinds] - (ends - lengths)
        rows = np.arange(int(lengths.sum())) + np.repeat(shifts, lengths)
        groups = groups_of(len(kinds), MAX_LEFT_OUT)
        ones = np.ones(MAX_LEFT_OUT, np.int64)
        unit_of = np.repeat(groups, lengths)
        return replace(self, terms=self.terms[rows], times=ones, unit_of=unit_of)

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

"""Coefficients of agreement between raters, from the ratings of every unit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastcausal.counts.formula import Formula
from fastcausal.options import Level
from fastcausal.report.numbers import CORRELATION, SHARE, Scale
from fastcausal.significance.sums import CountRows, Float64, Int64
from fastcausal.tasks.labels.coefficients import COEFFICIENTS, coefficients
from fastcausal.tasks.labels.ratings import Ratings

SCALES = dict.fromkeys(COEFFICIENTS, CORRELATION) | {"percent_agreement": SHARE}


@dataclass(frozen=True)
class RatingsFormula(Formula):
    """Coefficients from rows of ratings: indices of labels from 1; 0 for a missing rating."""

    # Coefficients are functions of all ratings, not of sums over units.

    job = "labels"
    adds = False

    level: Level  # {"nominal", "ordinal", "interval", "ratio"}: Level of measurement
    raters: tuple[str, ...]  # Names of raters, ascending
    labels: tuple[float | str, ...]  # All labels, ascending
    measures: tuple[str, ...]  # Names of `fastcausal.tasks.labels.coefficients.COEFFICIENTS`

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(f"rater_{name}" for name in self.raters)

    def limits(self, field: str) -> tuple[float, float]:
        """Return the limits of indices: 0 for a missing rating, and the number of labels."""
        return 0, len(self.labels)

    def scale(self, group: str, score: str) -> Scale:
        """Declare a share for percent agreement; other coefficients are corrected for chance."""
        return SCALES[score]

    def terms(self, rows: CountRows) -> CountRows:
        """Raise ValueError: rows have no additive terms."""
        raise ValueError("coefficients of raters depend on all ratings, not on sums over units")

    groups_of = terms  # type: ignore[assignment]

    def scores(self, rows: CountRows, weights: Int64) -> dict[str, Float64]:
        """Compute the coefficients of rows, under each int64[n_draws, n_rows] of weights."""
        text = bool(self.labels) and isinstance(self.labels[0], str)
        labels = range(len(self.labels)) if text else self.labels
        values = np.array([np.nan, *labels])[rows]
        offsets = np.arange(len(rows) + 1) * len(self.raters)
        names: list[Any] | None = [*self.labels] if text else None
        ratings = Ratings(values.ravel(), offsets, None, len(self.raters), names)
        values_of = coefficients(ratings, self.level, self.measures, weights)
        return {f"overall_{name}": values for name, values in values_of.items()}

    def only(self, name: str) -> RatingsFormula:
        """Return the formula of one coefficient."""
        self._require(name)
        return replace(self, measures=(name.removeprefix("overall_"),))

    def names(self) -> dict[str, list[str]]:
        """Return the names of the coefficients."""
        return {"overall": [*self.measures]}

    def union(self, other: Formula) -> RatingsFormula:
        """Return the formula with the raters and labels of both."""
        if not isinstance(other, RatingsFormula):
            return super().union(other)
        labels = {*self.labels, *other.labels}
        if len({type(label) for label in labels}) > 1:
            raise ValueError("ratings are numbers on one side and text on the other")
        raters = {*self.raters, *other.raters}
        mine, theirs = (
            replace(f, raters=tuple(sorted(raters)), labels=tuple(sorted(labels)))
            for f in (self, other)
        )
        return Formula.union(mine, theirs)

    def convert(self, rows: CountRows, formula: Formula) -> CountRows:
        """Renumber labels and raters for a union."""
        assert isinstance(formula, RatingsFormula)
        place = {label: k for k, label in enumerate(formula.labels, 1)}
        column = {name: k for k, name in enumerate(formula.raters)}
        converted = np.zeros((len(rows), len(column)), np.int64)
        places = np.array([0, *(place[label] for label in self.labels)])
        converted[:, [column[name] for name in self.raters]] = places[rows]
        return converted

"""Formulas from weighted rows to scores, to all of them or to one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.rules import Rule, UnitColumn
from fastcausal.errors import unknown
from fastcausal.report.groups import Number, Scores
from fastcausal.report.numbers import Scale
from fastcausal.significance.sums import EXACT, CountRows, Float64, Int64, sums_of
from fastcausal.significance.units import EXAMPLE, OneScore, Parts, parts_in

MAX_COUNT = EXACT - 1  # of a count


@dataclass(frozen=True)
class Formula(ABC):
    """A formula from weighted rows to scores; a subclass per kind of evaluation."""

    job: ClassVar[str]  # in files
    dtype: ClassVar[type[np.generic]] = np.int64  # of rows
    totals: ClassVar[tuple[str, ...]] = ()  # further counts of each unit in a file
    later_totals: ClassVar[tuple[str, ...]] = ()  # totals that older files lack, all of them
    adds: ClassVar[bool] = True  # scores are functions of sums over rows
    subsets_of_groups: ClassVar[tuple[str, ...]] = ()  # names that start the names of groups
    gaps: ClassVar[bool] = False  # a unit may lack measures: NaN in rows, null in files
    unit: ClassVar[str] = EXAMPLE  # one of `significance.units.NOUNS`
    holds_values: ClassVar[bool] = False  # of other programs: examples may be missing on a side
    in_gold: ClassVar[str] = ""  # a field that is 0 for a unit that gold does not name

    @property
    @abstractmethod
    def fields(self) -> tuple[str, ...]:
        """Names of the columns of rows."""

    @property
    def main(self) -> str:
        """Flat name of the score to look at by default."""
        return "overall_f1"

    @property
    def main_of_one(self) -> str:
        """Flat name of the score of a single unit to look at by default."""
        return self.main

    @property
    def compared(self) -> tuple[str, ...]:
        """Flat names of the scores to compare two systems by, unless others are asked for."""
        return (self.main,)

    def parts_like(self, score: str) -> list[str]:
        """Return the flat names of a score in every group, and all scores of a group without it."""
        self._require(score)
        _, own = self._flat_names[score]
        names = self.names()
        return [
            flat for flat, (of, name) in self._flat_names.items()
            if name == own or own not in names[of]
        ]  # fmt: skip

    def describe_change(self, scores: Mapping[str, Scores]) -> tuple[str, ...]:
        """Say what the changes of compared scores mean, in lines below their table."""
        return ()

    @property
    def empty_fields(self) -> tuple[str, ...]:
        """Names of counts of left-out units, computed with empty predictions."""
        return ()

    def limits(self, field: str) -> tuple[float, float]:
        """Return the least and the largest value of a field."""
        return 0, MAX_COUNT

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules for every valid row."""
        return ()

    @property
    def unit_columns(self) -> Mapping[str, UnitColumn]:
        """Columns of units besides counts that the report reads."""
        return {}

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Fields or totals with sums that depend on gold alone, equal for all systems."""
        return ()

    @abstractmethod
    def terms(self, rows: CountRows) -> CountRows:
        """Return the additive terms of rows: int64 or float64[n_rows, n_terms]."""

    @abstractmethod
    def groups_of(
        self,
        sums: CountRows,  # [n_draws, n_terms]
    ) -> dict[str, ScoresByName]:
        """Compute the scores of every group from sums of terms."""
        # Each score is float64[n_draws].

    def scores_of(self, sums: CountRows) -> dict[str, Float64]:
        """Compute every score under its flat name, such as ``overall_f1``, from sums of terms."""
        return self.flat(self.groups_of(sums))

    def flat(self, groups: Mapping[str, ScoresByName]) -> dict[str, Float64]:
        """Name the scores of groups as loggers and files do."""
        return {n: np.asarray(value) for n, value in self._named(groups)}

    def _named(self, groups: Mapping[str, ScoresByName]) -> Iterator[tuple[str, Any]]:
        """Yield the scores of groups with their flat names."""
        for group, scores in groups.items():
            yield from ((self.flat_name(group, name), v) for name, v in scores.items())

    def parts_of(self, sums: CountRows) -> dict[str, Parts]:
        """Return numerators and denominators of the scores that are quotients, by flat name."""
        return parts_in(self._named(self.groups_of(sums)))

    def flat_name(self, group: str, name: str) -> str:
        """Join the names of a group and a score as loggers and files do."""
        return f"{group}_{name}"

    def scores(self, rows: CountRows, weights: Int64) -> dict[str, Float64]:
        """Compute every score of rows, under each int64[n_draws, n_rows] of weights."""
        return self.scores_of(sums_of(self.terms(rows), weights))

    def sum_terms(self, rows: CountRows, times: Int64) -> CountRows:
        """Return the sums of terms of rows with these frequencies: [1, n_terms]."""
        return sums_of(self.terms(rows), times[None])

    def count_groups(self, sums: CountRows) -> Mapping[str, Mapping[str, Number]]:
        """Return counts to show beside the scores of groups, from one row of sums of terms."""
        return {}

    def groups_from(self, rows: CountRows, times: Int64) -> dict[str, Scores]:
        """Return the scores and counts of every group, from rows with these frequencies."""
        sums = self.sum_terms(rows, times)
        counts = self.count_groups(sums)
        return {
            group: Scores({n: float(v[0]) for n, v in scores.items()} | {**counts.get(group, {})})
            for group, scores in self.groups_of(sums).items()
        }

    def only(self, name: str) -> Formula | OneScore:
        """Return the formula of one score."""
        self._require(name)
        group, score = self._flat_names[name]
        return OneScore(
            name,
            self.terms,
            lambda sums: self.groups_of(sums)[group][score],
            lambda terms: self.scale_of(name, terms),
        )

    def own_scores(self, rows: CountRows, name: str | None = None) -> Float64:
        """Return a score of each row by itself, 1 for 0/0; NaN for a unit without a measure."""
        name = name or self.main_of_one
        of = self.only(name)
        values = of.scores_of(of.terms(rows))[name]
        parts = getattr(values, "parts", None)
        if parts is None:
            return np.where(np.isnan(values), 1.0, np.asarray(values))
        # A quotient is divided once: equal ones are equal floats, however they were reached.
        return np.asarray(ratio(np.asarray(parts[0]), np.asarray(parts[1]), 1.0))

    @abstractmethod
    def scale(self, group: str, score: str) -> Scale:
        """Declare the scale of a score of a group: kind, better direction and range."""

    def scale_of(self, name: str, rows: CountRows) -> Scale:
        """Return the scale of a score, by flat name, on units with these rows or terms."""
        self._require(name)
        return self.scale(*self._flat_names[name])

    def scales(self, rows: CountRows) -> dict[str, Scale]:
        """Return the scales of scores by name within a group; its first group tells."""
        groups = self.names().items()
        return {s: self.scale(g, s) for g, scores in [*groups][::-1] for s in scores}

    def names(self) -> dict[str, list[str]]:
        """Return the names of the scores of every group."""
        no_rows = self.terms(np.zeros((0, len(self.fields)), self.dtype))
        groups = self.groups_of(np.zeros((1, no_rows.shape[1]), self.dtype))
        return {group: [*scores] for group, scores in groups.items()}

    @cached_property
    def _flat_names(self) -> dict[str, tuple[str, str]]:
        """Group and score by flat name."""
        return {self.flat_name(g, n): (g, n) for g, names in self.names().items() for n in names}

    def _require(self, name: str) -> None:
        if name not in self._flat_names:
            raise ValueError(unknown("score", name, [*self._flat_names]))

    def union(self, other: Formula) -> Self:
        """Return the formula for the rows of both; raise ValueError if they count other things."""
        if self != other:
            raise ValueError("statistics that count other things do not add")
        return self

    def convert(self, rows: CountRows, formula: Formula) -> CountRows:
        """Convert rows of this formula to rows of a union with it."""
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return {"job": self.job, **asdict(self)}

"""Counts of items with several answers: all answers count, items are the units of chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fastcausal.arrays import arrow
from fastcausal.counts.arithmetic import ScoresByName
from fastcausal.counts.formula import Formula
from fastcausal.counts.statistics import Statistics
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import Scale
from fastcausal.significance.sums import CountRows


@dataclass(frozen=True)
class ItemSums(Formula):
    """Sums of the terms of answers, which another formula scores; they stay in memory."""

    of: Formula
    n_terms: int

    @property
    def job(self) -> str:  # type: ignore[override]
        """Name of the evaluation."""
        return self.of.job

    @property
    def unit(self) -> str:  # type: ignore[override]
        """Noun of an item."""
        return self.of.unit

    @property
    def dtype(self) -> type[np.generic]:  # type: ignore[override]
        """Type of the terms."""
        return self.of.dtype

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(f"term {k}" for k in range(self.n_terms))

    @property
    def main(self) -> str:
        """Flat name of the score to look at by default."""
        return self.of.main

    @property
    def main_of_one(self) -> str:
        """Flat name of the score of a single unit to look at by default."""
        return self.of.main_of_one

    @property
    def compared(self) -> tuple[str, ...]:
        """Flat names of the scores to compare two systems by."""
        return self.of.compared

    def describe_change(self, scores: Mapping[str, Scores]) -> tuple[str, ...]:
        """Say what the changes of compared scores mean."""
        return self.of.describe_change(scores)

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows: they are sums of terms."""
        return rows

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute the scores of every group."""
        return self.of.groups_of(sums)

    def flat_name(self, group: str, name: str) -> str:
        """Join the names of a group and a score."""
        return self.of.flat_name(group, name)

    def scale(self, group: str, score: str) -> Scale:
        """Declare the scale of a score."""
        return self.of.scale(group, score)


def sum_items(systems: Mapping[str, Statistics]) -> dict[str, Statistics]:
    """Sum the answers to each item in all systems, by one formula."""
    first, *rest = systems.values()
    formula = first.formula
    for other in rest:
        formula = formula.union(other.formula)
    return {name: _sum_items(each, formula) for name, each in systems.items()}


def _sum_items(statistics: Statistics, formula: Formula) -> Statistics:
    units = statistics.units
    assert units is not None
    coded = arrow.joined(units["id"]).dictionary_encode()
    codes = arrow.values_of(coded.indices)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    terms = formula.terms(statistics.formula.convert(statistics.rows_of_units(), formula))
    rows = np.add.reduceat(terms[order], starts)
    table: Any = units.take(arrow.numbers(order[starts]))
    return replace(
        statistics,
        formula=ItemSums(formula, rows.shape[1]),
        rows=rows,
        times=np.ones(len(rows), np.int64),
        units=table,
        row_of=None,
        left_out=None,
    )

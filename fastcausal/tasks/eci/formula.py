"""Precision, recall and F1 of pairs, from sums of counts of documents."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fastcausal.counts.arithmetic import ScoresByName, ratio
from fastcausal.counts.formula import Formula
from fastcausal.counts.rules import Rule, UnitColumn
from fastcausal.report.numbers import SHARE, Scale
from fastcausal.significance.sums import CountRows
from fastcausal.significance.units import DOCUMENT
from fastcausal.tasks.eci.protocols import DIRECTION, INTER, INTRA, OVERALL

EVERY = "every"  # the group in which every candidate is called causal
OF_EVERY = ("tp", "predicted", "gold")
TOTALS = ("n_documents", "n_outside", "n_candidates", "n_ignored")


@dataclass(frozen=True)
class PairFormula(Formula):
    """Scores of groups of pairs, overall and by sentences."""

    job = "eci"
    subsets_of_groups = (INTRA, INTER)
    in_gold = TOTALS[0]
    unit = DOCUMENT

    groups: tuple[str, ...]  # Some of ``exists``, ``direction`` and ``typed``
    strata: tuple[str, ...]  # ``overall``, perhaps with ``intra`` and ``inter``
    counts: tuple[str, str]  # ``predicted`` and ``gold``, or ``fp`` and ``fn``
    candidates: bool  # True with candidates: the group ``every`` calls all of them causal
    undefined: float | None  # Value of 0/0; None: NaN in Python, null in JSON

    @property
    def main(self) -> str:
        """F1 of directions, or of the last group."""
        return f"{DIRECTION if DIRECTION in self.groups else self.groups[-1]}_f1"

    @property
    def unit_columns(self) -> dict[str, UnitColumn]:
        """The ids of documents."""
        return {"id": UnitColumn("string")}

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the counts: hits and two other counts of each group; then totals."""
        of_groups = [f"{group}_{name}" for group in self._groups for name in ("tp", *self.counts)]
        every = [f"{group}_{name}" for group in self._every for name in OF_EVERY]
        return (*of_groups, *every, *TOTALS)

    @property
    def _groups(self) -> list[str]:
        return [name_group(group, stratum) for group in self.groups for stratum in self.strata]

    @property
    def _every(self) -> list[str]:
        return [name_group(EVERY, stratum) for stratum in self.strata] if self.candidates else []

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Rules: hits are at most predicted and gold pairs; strata are parts of the whole."""
        fields = ("tp", *self.counts)
        of_groups = [
            Rule((f"{group}_tp",), (f"{group}_{name}",))
            for group in self._groups
            for name in self.counts
            if name in ("predicted", "gold")
        ]
        within = [
            Rule(tuple(f"{name_group(g, s)}_{name}" for s in self.strata[1:]), (f"{g}_{name}",))
            for g in self.groups
            for name in fields
            if len(self.strata) > 1
        ]
        return tuple(of_groups + within)

    @property
    def gold_fields(self) -> tuple[tuple[str, ...], ...]:
        """Number of documents; numbers of gold pairs if they are counted."""
        if "gold" not in self.counts:
            return (("n_documents",),)
        return (("n_documents",), *((f"{group}_gold",) for group in self._groups))

    def terms(self, rows: CountRows) -> CountRows:
        """Return the rows: counts add."""
        return rows

    def groups_of(self, sums: CountRows) -> dict[str, ScoresByName]:
        """Compute precision, recall and F1 of every group."""
        columns = dict(zip(self.fields, sums.T, strict=True))
        return {
            group: self.scores_from(tp, predicted, gold)
            for group, tp, predicted, gold in self.counts_from(columns)
        }

    def count_groups(self, sums: CountRows) -> dict[str, dict[str, int]]:
        """Return hits and the numbers of predicted and gold pairs, or of false pairs, by group."""
        counts: dict[str, dict[str, int]] = {}
        for group, *of in self.counts_from(dict(zip(self.fields, sums.T, strict=True))):
            tp, predicted, gold = (int(value[0]) for value in of)
            counts[group] = {"tp": tp, "predicted": predicted, "gold": gold}
            if "fp" in self.counts and group not in self._every:
                counts[group] = {"tp": tp, "fp": predicted - tp, "fn": gold - tp}
        return counts

    def scale(self, group: str, score: str) -> Scale:
        """Declare shares; those of every candidate depend on gold alone."""
        return SHARE._replace(better="none") if group in self._every else SHARE

    def counts_from(
        self, columns: dict[str, CountRows]
    ) -> Iterator[tuple[str, CountRows, CountRows, CountRows]]:
        """Yield every group with its hits and the numbers of predicted and of gold pairs."""
        for group in self._groups:
            tp, *rest = (columns[f"{group}_{name}"] for name in ("tp", *self.counts))
            predicted, gold = rest if "gold" in self.counts else [tp + errors for errors in rest]
            yield group, tp, predicted, gold
        for group in self._every:
            tp, predicted, gold = (columns[f"{group}_{name}"] for name in OF_EVERY)
            yield group, tp, predicted, gold

    def scores_from(self, tp: CountRows, predicted: CountRows, gold: CountRows) -> ScoresByName:
        """Compute precision, recall and F1; F1 is 2 tp / (predicted + gold), rounded once."""
        zero = math.nan if self.undefined is None else float(self.undefined)
        return {
            "precision": ratio(tp, predicted, zero),
            "recall": ratio(tp, gold, zero),
            "f1": ratio(2 * tp, predicted + gold, zero),
        }

    def union(self, other: Formula) -> PairFormula:
        """Return the formula of the strata of both: a part may have no sentences."""
        if not isinstance(other, PairFormula) or replace(self, strata=other.strata) != other:
            return super().union(other)
        return self if len(self.strata) >= len(other.strata) else other

    def convert(self, rows: CountRows, formula: Formula) -> CountRows:
        """Convert rows to a union's formula: added strata have no pairs."""
        if formula == self:
            return rows
        at = {name: k for k, name in enumerate(formula.fields)}
        wider = np.zeros((len(rows), len(at)), rows.dtype)
        wider[:, [at[name] for name in self.fields]] = rows
        return wider


def name_group(group: str, stratum: str) -> str:
    """Name a group of a stratum.

    >>> name_group("typed", "overall"), name_group("typed", "intra")
    ('typed', 'intra_typed')
    """
    return group if stratum == OVERALL else f"{stratum}_{group}"

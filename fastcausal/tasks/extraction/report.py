"""The report of extracted relations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.count_files import system_of
from fastcausal.errors import Warnings, warning_lines
from fastcausal.formulas import MULTI, Int64, RelationFormula, Rows
from fastcausal.groups import CountedGroups, Groups
from fastcausal.report import Report, Tables
from fastcausal.statistics import Statistics
from fastcausal.tasks.unread import Unparsed

DETAILS = ("per_example", "matches")
AS_GIVEN = "tags:as-given: "


def report_of(
    protocol: str,
    signature: str,
    n_examples: int,
    n_gold_relations: int,
    n_pred_relations: int,
    scores: Groups,
    subsets: Mapping[str, Groups] | None = None,
    warnings: tuple[str, ...] = (),
    n_unparsed: int = 0,
    details: Callable[[str], pa.Table] | None = None,
    statistics: Callable[[], Statistics] | None = None,
) -> Report:
    """Make the report; ``details`` makes its tables by name, None if only sums are left."""
    unparsed = f", {n_unparsed} unparsed" if n_unparsed else ""
    return Report(
        f"{protocol}: {n_examples} sentences, {n_gold_relations} gold relations, "
        f"{n_pred_relations} predicted{unparsed}",
        signature,
        scores,
        facts={
            "protocol": protocol,
            "n_examples": n_examples,
            "n_gold_relations": n_gold_relations,
            "n_pred_relations": n_pred_relations,
            "n_unparsed": n_unparsed,
        },
        subsets=subsets,
        warnings=warnings,
        tables=None
        if details is None
        else Tables(**{name: partial(details, name) for name in DETAILS}),
        statistics=statistics,
    )


class Totals(NamedTuple):
    """Sums over the examples of one evaluation.

    Attributes
    ----------
    protocol, signature : str
    formula : RelationFormula
    counts : int64[2, n_counts]
        Of examples with at most one gold relation, and of the others.
    subsets : mapping of str to int64[n_counts]
        Counts of the values of a column.
    n_examples, n_gold_relations, n_pred_relations : int
        As in the report.
    unparsed : Unparsed
    warnings : Warnings
        Without those that follow from the other attributes.
    n_as_given : int
        Relations whose spans are used as they are, although the protocol reads tags otherwise.
    pred_path : path, optional
        File of the predictions.
    """

    protocol: str
    signature: str
    formula: RelationFormula
    counts: Int64
    subsets: Mapping[str, Int64]
    n_examples: int
    n_gold_relations: int
    n_pred_relations: int
    unparsed: Unparsed
    warnings: Warnings
    n_as_given: int
    pred_path: Any = None

    def about(self) -> Statistics:
        """Make statistics without rows, which say all else."""
        facts = {"protocol": self.protocol, "roles": list(self.formula.roles)}
        no_rows = np.zeros((0, len(self.formula.fields)), np.int64)
        return Statistics.of_units(
            self.formula,
            self.signature,
            no_rows,
            facts=facts,
            system=system_of(self.pred_path),
            warnings=self.warnings | as_given(self.n_as_given, self.protocol),
        )

    def report(
        self,
        details: Callable[[str], pa.Table] | None,
        statistics: Callable[[], Statistics],
    ) -> Report:
        """Return the report; ``details`` and ``statistics`` make its tables and statistics."""
        return Report.later(partial(self._report, details, statistics), statistics)

    def _report(
        self,
        details: Callable[[str], pa.Table] | None,
        statistics: Callable[[], Statistics],
    ) -> Report:
        subsets = {MULTI: self.counts[1], **self.subsets}
        return report_of(
            self.protocol,
            self.signature,
            self.n_examples,
            self.n_gold_relations,
            self.n_pred_relations,
            CountedGroups(self.formula, self.counts[0] + self.counts[1]),
            {name: CountedGroups(self.formula, counts) for name, counts in subsets.items()},
            self._lines(),
            self.unparsed.relations,
            details,
            statistics,
        )

    def _lines(self) -> tuple[str, ...]:
        lost: list[str] = []
        if self.unparsed.relations:
            _, _, rest = self.signature.partition("|unparsed:")
            lost = self.unparsed.warnings(rest.partition("|")[0], self.n_pred_relations)
        stops = self._official_stops() if "|ties:first|" in self.signature else ()
        given = warning_lines(as_given(self.n_as_given, self.protocol)) if self.n_as_given else ()
        seen = warning_lines(self.warnings) if self.warnings else ()
        return (*seen, *lost, *given, *stops)

    def _official_stops(self) -> list[str]:
        """List where the official program would have stopped instead of giving a score."""
        several: list[int] = self.counts[1].tolist()
        stops = self._absent(self.counts.sum(axis=0).tolist(), "")
        if not any(several):
            return [*stops, "no example has several relations, the official program stops"]
        return stops + self._absent(several, " in examples with several relations")

    def _absent(self, counts: list[int], subset: str) -> list[str]:
        n = len(self.formula.role_fields)
        return [
            f"no {role} on either side{subset}, the official program stops"
            for k, role in enumerate(self.formula.roles)
            if not any(counts[n * k : n * (k + 1)])
        ]


def as_given(n: int, protocol: str) -> Warnings:
    """Say of how many relations the spans are used as they are, if of any."""
    reason = "tags cannot hold them, or were read otherwise than"
    text = f" relations are used as they are: {reason} {protocol} reads them"
    return {(AS_GIVEN, text): (n,)} if n else {}


def of_statistics(statistics: Statistics, by: str | None = None) -> Report:
    """Make the report of statistics; ``by`` is a column whose values become subsets."""
    return totals_of(statistics, by).report(None, partial(replace, statistics))


def totals_of(statistics: Statistics, by: str | None) -> Totals:
    """Add up the counts of every example, and of every value of a column."""
    formula = statistics.formula
    assert isinstance(formula, RelationFormula)
    assert statistics.units is not None
    n_gold, n_pred, n_unparsed = _added(statistics.units, formula)
    lost = Unparsed(n_unparsed)
    if statistics.left_out is not None:
        _, readable, n_lost = _added(statistics.left_out, formula)
        lost += Unparsed(n_lost, len(statistics.left_out), readable)
    protocol = str(statistics.facts.get("protocol"))
    given = as_given(1, protocol).keys()
    subsets = {} if by is None else statistics.subsets(by)
    several = statistics.rows[:, -1] > 0
    counts = statistics.rows[:, :-1] * statistics.times[:, None]
    return Totals(
        protocol,
        statistics.signature,
        formula,
        np.stack([counts[~several].sum(axis=0), counts[several].sum(axis=0)]),
        {name: _sum(rows) for name, rows in subsets.items()},
        statistics.n_units,
        n_gold,
        n_pred,
        lost,
        {texts: counts for texts, counts in statistics.warnings.items() if texts not in given},
        sum(counts[0] for texts, counts in statistics.warnings.items() if texts in given),
    )


def _added(table: pa.Table, formula: RelationFormula) -> list[int]:
    return [pc.sum(table[name], min_count=0).as_py() for name in formula.totals]


def _sum(rows: Rows) -> Int64:
    counts: Int64 = rows[:, :-1].sum(axis=0)
    return counts

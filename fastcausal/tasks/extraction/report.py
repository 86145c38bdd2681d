"""The report of extracted relations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import By
from fastcausal.counts.files import AS_GIVEN, system_of
from fastcausal.errors import Warnings, warning_lines
from fastcausal.report.grid import number_text
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.report import Report, Tables
from fastcausal.significance.sums import Int64, Rows
from fastcausal.tasks.relations.formula import MULTI, RelationFormula
from fastcausal.tasks.relations.groups import CountedGroups
from fastcausal.tasks.relations.unread import ALL_READ, Unparsed

DETAILS = ("per_example", "matches")
NO_GOLD = "gold has no relation in any example"
if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.report.page import Section
    from fastcausal.tasks.extraction.errors import Errors
    from fastcausal.tasks.extraction.tables import Details

NO_REASONS = pa.schema(
    [("id", pa.string()), ("relation", pa.int32()), ("reason", pa.string()), ("text", pa.string())]
)
Bounds = dict[str, dict[str, float] | None]


class ExtractionReport(Report):
    """Scores of extracted relations; a `Report` that can show the examples behind them."""

    if TYPE_CHECKING:

        @property
        def _details(self) -> Details | None:
            """Sources of its tables."""

    def without_details(self) -> Self:
        """Return this report without what its tables, statistics and errors are made of."""
        report = super().without_details()
        vars(report).update(_details=None)
        return report

    def errors(
        self,
        top: int | None = 10,
        types: Sequence[str] = (),
        roles: Sequence[str] = (),
    ) -> Errors:
        """Show the examples that went wrong, worst first.

        Parameters
        ----------
        top : int, optional
            How many; None: all that have an error.
        types : sequence of str
            The only counts of the kernel to go by, such as ``["le", "be"]``; none: all errors.
        roles : sequence of str
            The only roles to count.

        Returns
        -------
        Errors
            Examples with as many errors stand in the order of gold.

        Raises
        ------
        InputError
            The report is one of counts alone.
        ValueError
            The kernel has no such type, the examples no such role.

        Examples
        --------
        >>> import fastcausal as fc
        >>> from fastcausal import sample
        >>> report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
        >>> wrong = report.errors(top=2, types=["be"], roles=["effect"])
        >>> wrong.n_wrong, [(example.id, example.errors) for example in wrong.examples]
        (17, [('sample_datacentre_2', 2), ('sample_harbour_2', 1)])
        """
        from fastcausal.tasks.extraction.errors import errors_of
        from fastcausal.tasks.extraction.tables import require_details

        details = require_details(self, "errors to show")
        counting, aligned = details.counting, details.examples()
        return errors_of(counting, aligned, self.signature, top, types, roles)

    def to_html(self, path: str | os.PathLike[str], examples: int = 20_000) -> None:
        """Write a page for the browser: scores, errors, and the examples with their spans marked.

        Parameters
        ----------
        path : path
            It is one file, which needs nothing else and appears complete or not at all.
        examples : int
            Of more, those with fewest errors are left out.

        Raises
        ------
        InputError
            The report is one of counts alone, or the file cannot be written.
        ValueError
            ``examples`` is negative.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import fastcausal as fc
        >>> from fastcausal import sample
        >>> report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
        >>> with TemporaryDirectory() as folder:
        ...     page = Path(folder, "careful.html")
        ...     report.to_html(page)
        ...     report.title in page.read_text(encoding="utf-8")
        True
        """
        from fastcausal.report.page import write_page
        from fastcausal.tasks.extraction.page import EXAMPLES, page_of
        from fastcausal.tasks.extraction.tables import require_details

        require_details(self, EXAMPLES)  # before statistics, which scores may not have
        name = self.statistics.system or "pred"
        write_page(path, page_of(self.title, self.sections(), {name: self}, examples))

    def sections(self) -> list[Section]:
        """Return the parts of its page above the examples."""
        from fastcausal.tasks.extraction.sections import sections_of

        return sections_of(self)


def report_of(
    protocol: str,
    signature: str,
    n_examples: int,
    n_gold_relations: int,
    n_pred_relations: int,
    scores: Groups,
    subsets: Mapping[str, Groups] | None = None,
    warnings: tuple[str, ...] = (),
    unparsed: Unparsed = ALL_READ,
    bounds: Bounds | None = None,
    details: Details | None = None,
    reasons: tuple[pa.Table, ...] | None = None,
    statistics: Callable[[], Statistics] | None = None,
) -> ExtractionReport:
    """Make the report; ``details`` makes its tables by name, None if only sums are left."""
    lost = f", {unparsed.relations} unparsed" if unparsed.relations else ""
    tables = {} if details is None else {name: partial(details, name) for name in DETAILS}
    if reasons is not None:
        tables["unparsed"] = partial(_all_reasons, reasons)
    report = ExtractionReport(
        f"{protocol}: {n_examples} sentences, {n_gold_relations} gold relations, "
        f"{n_pred_relations} predicted{lost}",
        signature,
        scores,
        facts={
            "protocol": protocol,
            "n_examples": n_examples,
            "n_gold_relations": n_gold_relations,
            "n_pred_relations": n_pred_relations,
            "n_unparsed": unparsed.relations,
            **unparsed.facts(n_examples, n_pred_relations),
            "bounds": bounds,
        },
        subsets=subsets,
        warnings=(*warnings, *([] if n_gold_relations or not n_examples else [NO_GOLD])),
        tables=Tables(**tables),
        statistics=statistics,
        legend=() if bounds is None else (_bounds_line(bounds),),
    )
    vars(report)["_details"] = details
    return report


def _all_reasons(reasons: tuple[pa.Table, ...]) -> pa.Table:
    return pa.concat_tables([NO_REASONS.empty_table(), *reasons])


def bounds_of(if_empty: Scores | None, if_skipped: Scores | None) -> Bounds:
    """Return the scores of all roles with what is unparsed as no relation, and left out.

    None where examples that are left out cannot be scored.
    """
    return {"if_empty": _floats(if_empty), "if_skipped": _floats(if_skipped)}


def _floats(scores: Scores | None) -> dict[str, float] | None:
    if scores is None:
        return None
    return {name: value for name, value in scores.items() if isinstance(value, float)}


def _bounds_line(bounds: Bounds) -> str:
    """Say what the scores of all roles would be."""
    said = [
        f"{name.replace('_', ' ')} "
        + (
            "unknown"
            if not values
            else ", ".join(f"{n} {number_text(v)}" for n, v in values.items())
        )
        for name, values in bounds.items()
    ]
    return f"unparsed: overall {'; '.join(said)}"


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
    unread_counts : int64[n_counts], optional
        Of examples with something unparsed, that as no relation; None where that is unknown.
    reasons : tuple of pyarrow.Table, optional
        Why predictions could not be read; None where that is unknown.
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
    unread_counts: Int64 | None = None
    reasons: tuple[pa.Table, ...] | None = None

    def about(self) -> Statistics:
        """Make statistics without rows, which say all else."""
        from fastcausal.counts.statistics import Statistics  # 4 ms that scores alone do without

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
        details: Details | None,
        statistics: Callable[[], Statistics],
    ) -> ExtractionReport:
        """Return the report; ``details`` and ``statistics`` make its tables and statistics."""
        scores = CountedGroups(self.formula, self.counts)
        return ExtractionReport.later(partial(self._report, scores, details, statistics), scores)

    def _report(
        self, scores: Groups, details: Details | None, statistics: Callable[[], Statistics]
    ) -> ExtractionReport:
        subsets = {MULTI: self.counts[1], **self.subsets}
        return report_of(
            self.protocol,
            self.signature,
            self.n_examples,
            self.n_gold_relations,
            self.n_pred_relations,
            scores,
            {name: CountedGroups(self.formula, counts) for name, counts in subsets.items()},
            self._lines(),
            self.unparsed,
            self._bounds() if self.unparsed.relations else None,
            details,
            self.reasons,
            statistics,
        )

    def _bounds(self) -> Bounds:
        total, unread = self.counts[0] + self.counts[1], self.unread_counts
        if self.unparsed.examples:  # left out
            return bounds_of(None if unread is None else self._overall(total + unread),
                             self._overall(total))  # fmt: skip
        assert unread is not None
        return bounds_of(self._overall(total), self._overall(total - unread))

    def _overall(self, sums: Int64) -> Scores:
        return CountedGroups(self.formula, sums)["overall"]

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


def present(statistics: Statistics, by: By = None) -> ExtractionReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    return totals_of(statistics, by).report(None, partial(replace, statistics))


def totals_of(statistics: Statistics, by: By) -> Totals:
    """Add up the counts of every example, and of every value of each column."""
    formula = statistics.formula
    assert isinstance(formula, RelationFormula)
    assert statistics.units is not None
    n_gold, n_pred, n_unparsed, n_answers = _added(statistics.units, formula)
    lost = Unparsed(n_unparsed, answers=n_answers)
    if statistics.left_out is not None:
        _, readable, n_lost, n_answers = _added(statistics.left_out, formula)
        lost += Unparsed(n_lost, len(statistics.left_out), readable, n_answers)
    protocol = str(statistics.facts.get("protocol"))
    given = as_given(1, protocol).keys()
    several = statistics.rows[:, -1] > 0
    counts = statistics.rows[:, :-1] * statistics.times[:, None]
    return Totals(
        protocol,
        statistics.signature,
        formula,
        np.stack([counts[~several].sum(axis=0), counts[several].sum(axis=0)]),
        {name: _sum(rows) for name, rows in statistics.subsets(by).items()},
        statistics.n_units,
        n_gold,
        n_pred,
        lost,
        {texts: counts for texts, counts in statistics.warnings.items() if texts not in given},
        sum(counts[0] for texts, counts in statistics.warnings.items() if texts in given),
        unread_counts=_unread_counts(statistics, formula),
    )


def _added(table: pa.Table, formula: RelationFormula) -> list[int]:
    names = (*formula.totals, *formula.later_totals)
    present = {*table.column_names}
    return [pc.sum(table[n], min_count=0).as_py() if n in present else 0 for n in names]


def _unread_counts(statistics: Statistics, formula: RelationFormula) -> Int64 | None:
    """Add up the counts of examples with something unread; None where a file lacks them."""
    left_out = statistics.left_out
    if left_out is None:
        assert statistics.units is not None
        is_unread = np.asarray(statistics.units["n_unparsed"]) > 0
        return _sum(statistics.rows_of_units()[is_unread])
    known = [left_out[n] for n in formula.if_empty if n in left_out.column_names]
    if len(known) < len(formula.if_empty) or any(column.null_count for column in known):
        return None
    return np.array([pc.sum(column, min_count=0).as_py() for column in known], np.int64)


def _sum(rows: Rows) -> Int64:
    counts: Int64 = rows[:, :-1].sum(axis=0)
    return counts

"""The report of extracted relations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import no_rows
from fastcausal.arrays.strata import By, columns_by
from fastcausal.errors import counted
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import Scale, number_text
from fastcausal.report.once import once
from fastcausal.report.report import MAX_COLUMNS, NO_STATISTICS, Report, Tables
from fastcausal.tasks.extraction.confusion import confusion_grid
from fastcausal.tasks.extraction.evaluation import Bounds, Evaluation
from fastcausal.tasks.extraction.tally import TYPE

DETAILS = ("per_example", "matches")
TYPES_TITLE = "types of paired relations: rows gold, columns predicted"
if TYPE_CHECKING:
    from fastcausal.counts.statistics import Statistics
    from fastcausal.report.page import Section
    from fastcausal.tasks.extraction.errors import Errors

NO_REASONS = pa.schema(
    [("id", pa.string()), ("relation", pa.int32()), ("reason", pa.string()), ("text", pa.string())]
)


def _make_tables(report: Any, counts: bool) -> list[Grid]:
    parts = {"": report.scores, **report.subsets}
    grids: list[Grid] = report._evaluation.formula.make_grids(report.title, parts, counts)
    return grids


def _summarize(report: Any, subset: str) -> Scores:
    groups = report.subsets[subset] if subset else report.scores
    summary: Scores = report._evaluation.formula.summarize(groups)
    return summary


def _nest_scores(report: Any) -> Mapping[str, Any]:
    nested: Mapping[str, Any] = report._evaluation.formula.nest(report.scores)
    return nested


def _nest_subsets(report: Any) -> dict[str, Any]:
    formula = report._evaluation.formula
    return {
        name: {**formula.nest(groups), **formula.facts_of(groups)}
        for name, groups in report.subsets.items()
    }


class ExtractionReport(Report):
    """Scores of extracted relations; a `Report` that can show the examples behind them."""

    _grids = staticmethod(_make_tables)
    _summary = staticmethod(_summarize)
    _values = MappingProxyType({"scores": _nest_scores, "subsets": _nest_subsets})

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    @once
    def title(self) -> str:
        """Title line: protocol and numbers of sentences and relations."""
        totals = self._evaluation.tally.totals
        lost = f", {totals.n_unparsed} unparsed" if totals.n_unparsed else ""
        return (
            f"{self._evaluation.protocol}: {totals.n_examples} sentences, "
            f"{totals.n_gold_relations} gold relations, {totals.n_pred_relations} predicted{lost}"
        )

    @once
    def signature(self) -> str:
        """Signature line: all settings that the scores depend on."""
        return self._evaluation.signature

    @once
    def scores(self) -> Groups:
        """Scores by group."""
        return self._evaluation.scores()

    @once
    def facts(self) -> Mapping[str, Any]:
        """Protocol, totals, rates and bounds."""
        evaluation = self._evaluation
        return {
            "protocol": evaluation.protocol,
            **evaluation.tally.totals.facts(),
            "bounds": evaluation.bounds() if evaluation.tally.totals.n_unparsed else None,
            **evaluation.types(),
            **evaluation.confusion(),
            **evaluation.formula.facts_of(self.scores),
        }

    @once
    def subsets(self) -> Mapping[str, Groups]:
        """Scores by subset and group."""
        return self._evaluation.subsets()

    @once
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the scores."""
        return self._evaluation.warnings()

    @once
    def hints(self) -> tuple[str, ...]:
        """Mends of the predictions that would raise a low F1 by more than 0.2.

        `score` sets those of files while it has their examples, at most 65,536.
        """
        from fastcausal.tasks.extraction.hints import hints_of

        evaluation = self._evaluation
        if evaluation.sides is None or not evaluation.is_in_memory:
            return ()
        return hints_of(evaluation.counting, evaluation.formula, evaluation.examples())

    @once
    def legend(self) -> tuple[str, ...]:
        """Lines below the tables that explain them."""
        bounds, by_type = self.facts["bounds"], self._evaluation.tally.by_type
        lines = [] if bounds is None else [_bounds_line(bounds)]
        if by_type is not None:
            n = sum(int(counts[-2] > 0) for counts in by_type.values())
            lines.append(_types_line(self.facts, counted(n, "type")))
        return tuple(lines)

    @property
    def scales(self) -> Mapping[str, Scale]:
        """Scales of scores by name within a group."""
        formula = self._evaluation.formula
        return formula.scales(np.zeros((0, len(formula.fields)), np.int64))

    @once
    def tables(self) -> Mapping[str, pa.Table]:
        """Details by name."""
        evaluation, reasons = self._evaluation, self._evaluation.reasons
        makers: dict[str, Callable[[], pa.Table]] = {}
        if evaluation.sides is not None:
            makers |= {name: partial(evaluation.table, name) for name in DETAILS}
        if reasons is not None:
            makers["unparsed"] = partial(_join_reasons, reasons)
        return Tables(**makers)

    @once
    def _statistics(self) -> Any:
        return self._evaluation.statistics if self._evaluation.adds else NO_STATISTICS

    @property
    def _drawn(self) -> Statistics:
        """Statistics to draw from, narrow if they were kept."""
        kept = None if isinstance(self._statistics, str) else self._evaluation.counted
        return kept or self.statistics

    def to_tables(self, counts: bool = False) -> Sequence[Grid]:
        """Return the table of scores, and the confusion of types if there are few."""
        grids = super().to_tables(counts)
        types = self.facts.get("types")
        if types is None or len(types["labels"]) > MAX_COLUMNS:
            return grids
        return [*grids, confusion_grid(types, TYPES_TITLE)]

    def with_intervals(self, **options: Any) -> Self:
        """Return this report with an interval of every score but those of types alone."""
        # Statistics have the counts of whole examples.
        if self._evaluation.tally.by_type is not None:
            by = [column for column in columns_by(options.get("by")) if column != TYPE]
            options = {**options, "by": by}
        return super().with_intervals(**options)

    def without_details(self) -> Self:
        """Return this report without the sources of its tables, statistics and errors."""
        report = super().without_details()
        report.hints, report.warnings = self.hints, self.warnings
        report._evaluation = self._evaluation.drop_sides()
        return report

    @property
    def per_example(self) -> pa.Table:
        """Table of examples: their columns in gold, relations on both sides, and all counts."""
        return self._table("per_example")

    @property
    def matches(self) -> pa.Table:
        """Table of pairs: example, gold and predicted relation (null: unmatched), counts, words."""
        return self._table("matches")

    @property
    def unparsed(self) -> pa.Table:
        """Table of unparsed predictions: (id, relation, reason, text)."""
        return self._table("unparsed")

    def errors(
        self,
        top: int | None = 10,
        types: Sequence[str] = (),
        roles: Sequence[str] = (),
    ) -> Errors:
        """Find the examples with errors, worst first.

        Parameters
        ----------
        top : int, optional
            Most examples to return; None: all with an error.
        types : sequence of str
            Counts of the kernel to take as errors, such as ``["le", "be"]``; empty: all its errors.
        roles : sequence of str
            Roles to count; empty: all.

        Returns
        -------
        Errors
            Examples with equal numbers of errors are in the order of gold.

        Raises
        ------
        InputError
            The report has only counts.
        ValueError
            A type or role is unknown.

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
        from fastcausal.tasks.extraction.evaluation import require_evaluation

        details = require_evaluation(self, "errors to show")
        counting, aligned = details.counting, details.examples()
        system = self.statistics.system or "pred"
        return errors_of(
            counting, aligned, self.signature, top, types, roles, system, self.protocol
        )

    def to_html(self, path: str | os.PathLike[str], examples: int = 20_000) -> None:
        """Write a page for the browser: scores, errors, and the examples with their spans marked.

        Parameters
        ----------
        path : path
            One self-contained file; it appears complete or not at all.
        examples : int
            Most examples on the page; those with fewest errors are left out.

        Raises
        ------
        InputError
            The report has only counts, or the file cannot be written.
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
        from fastcausal.report.page.page import title_of
        from fastcausal.tasks.extraction.evaluation import require_evaluation
        from fastcausal.tasks.extraction.page import EXAMPLES, page_of
        from fastcausal.tasks.extraction.sections import cards_of

        require_evaluation(self, EXAMPLES)  # before statistics, which may not exist
        name = self.statistics.system or "pred"
        reports = {name: self}
        title = title_of(self.title, self.statistics.system)
        page = page_of(title, self.sections(), reports, examples, cards_of(reports))
        write_page(path, page)

    def sections(self) -> list[Section]:
        """Return the sections of its page beside the examples."""
        from fastcausal.tasks.extraction.sections import sections_of

        return sections_of(self)


def _join_reasons(reasons: tuple[pa.Table, ...]) -> pa.Table:
    return pa.concat_tables([no_rows(NO_REASONS), *reasons])


def _bounds_line(bounds: Bounds) -> str:
    """Return the legend line with the overall scores under each policy."""
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


def _types_line(facts: Mapping[str, Any], types: str) -> str:
    """Return the legend line with the means over types, and the scores of all types."""
    said = [f"{name.replace('_', ' ')} {number_text(value)}" for name, value in facts.items()
            if name.startswith("macro_")]  # fmt: skip
    said += [f"micro {name.replace('_', ' ')} {number_text(value)}"
             for name, value in facts["micro"].items() if name.endswith("f1")]  # fmt: skip
    return f"{types} of gold: {', '.join(said)}"


def present_statistics(statistics: Statistics, by: By = None) -> ExtractionReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    from fastcausal.tasks.extraction.stored import evaluation_of

    return ExtractionReport(evaluation_of(statistics, by))

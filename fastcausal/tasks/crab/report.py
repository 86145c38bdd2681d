"""Scores of judgments of pairs, or of choices among causes, with the share of answers read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastcausal.arrays.arrow import joined
from fastcausal.arrays.strata import By, columns_by, strata_of
from fastcausal.counts.confusions import confusions
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import scores_table
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.classification.report import ClassificationReport
from fastcausal.tasks.crab.count import coverage_of
from fastcausal.tasks.crab.formula import DIRECTION, UNANSWERED, JudgedFormula, ScoredFormula
from fastcausal.tasks.crab.parse import REASONS
from fastcausal.tasks.crab.same_document import NEAR, same_document

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = {
    "overall": ("accuracy", "mcc"),
    "macro": ("f1",),
    "positive": ("f1",),
    "score": ("mae", "spearman"),
}
"""Scores in the row of a system or subset, by group."""
REASON = "answer"  # the column of units with the fate of the answer
IN_DOCUMENT, CROSS = "in_document", "cross_document"
PART = ("task", "n", "labels", "scores", "classes", "confusion", "unanswered", "coverage")


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentReport(ClassificationReport):
    """Scores of the answers of one system.

    ``report["macro"].f1``, ``report["score"].mae``; ``report.parts["in_document"]`` is the same
    for a part of the pairs.

    Attributes
    ----------
    task : str
    unanswered : int64[n_labels]
        Counted pairs of each gold label without a readable answer.
    coverage : mapping
        ``n_read``, ``share`` of all pairs, and ``unread``: the number by reason.
    numbers : mapping of str to float
        ``mae``, ``spearman`` and ``bias`` of scores; empty for other tasks.
    parts : mapping of str to JudgmentReport
        ``in_document``, ``cross_document``, and ``COLUMN=VALUE`` for requested columns.
    same_document : mapping of str to mapping, optional
        For questions with known articles: choices of a candidate in the effect's article.
    """

    task: str = ""
    unanswered: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    coverage: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, JudgmentReport] = field(default_factory=dict)
    same_document: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def things(self) -> str:
        """Plural noun for the units."""
        return "questions" if self.task == "mcq" else "pairs"

    @property
    def n_asked(self) -> int:
        """Number of pairs or questions, including those without an answer."""
        n_read: int = self.coverage["n_read"]
        n_unread: int = sum(self.coverage["unread"].values())
        return n_read + n_unread

    @property
    def _keys(self) -> tuple[str, ...]:
        names = (f"n_{self.things}" if name == "n" else name for name in PART)
        documents = () if self.same_document is None else ("same_document",)
        return ("signature", *names, "subsets", *documents, "warnings")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: undefined scores are None."""
        values = super().to_dict()
        if self._formula.is_graded:
            scores = values["scores"]
            scores["overall"][DIRECTION] = scores.pop(DIRECTION)
            for row in values["classes"]:
                row[DIRECTION] = scores.pop(f"{DIRECTION}_{row['label']}")
        parts = {name: part.to_dict() for name, part in self.parts.items()}
        for part in parts.values():
            for name in ("signature", "subsets", "warnings"):
                del part[name]
        return values | {"subsets": parts}

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Values in `to_dict` besides scores and classes."""
        names = ("task", "labels", "confusion", "unanswered", "coverage")
        return {name: getattr(self, name) for name in names} | {f"n_{self.things}": self.n_asked}

    @property
    def per_pair(self) -> pa.Table:
        """Table of pairs: their columns in gold, the fate of the answer, gold and answer."""
        return self.tables["per_example"]

    per_question = per_pair

    @cached_property
    def scores(self) -> Mapping[str, Scores]:
        """Groups of scores: overall, score or positive if they apply, macro and weighted.

        Of graded labels also ``direction``, and ``direction_A`` to ``direction_D`` by gold label.
        """
        groups = dict(super().scores)
        numbers = {"score": Scores(self.numbers)} if self.numbers else {}
        directions = {
            name: Scores(self._groups[name]) for name in self._groups if name.startswith(DIRECTION)
        }
        return {"overall": groups.pop("overall")} | numbers | groups | directions

    @property
    def _formula(self) -> JudgedFormula:
        return JudgedFormula(self.labels, True, self.positive, self.undefined, self.task)

    @property
    def _sums(self) -> tuple[Int64, Int64, Int64]:
        hits, predicted, wanted = super()._sums
        return hits, predicted, wanted + self.unanswered

    @property
    def _terms(self) -> tuple[Int64, ...]:
        return (*self._sums, self.confusion.ravel()) if self._formula.is_graded else self._sums

    @cached_property
    def title(self) -> str:
        """Line with the task and the number of units."""
        n, share = self.coverage["n_read"], self.coverage["share"]
        return f"{self.task}: {self.n_asked} {self.things}, {n} answers read ({share:.1%})"

    @cached_property
    def legend(self) -> tuple[str, ...]:
        """Line with the number of pairs of each class without a class in the answer."""
        if not self.unanswered.any():
            return ()
        each = zip(self.labels, self.unanswered.tolist(), strict=True)
        return (f"{UNANSWERED}: {', '.join(f'{label} {n}' for label, n in each)}",)

    def to_table(self, counts: bool = False) -> Grid:
        """Return a row per class, with its confusions, and the means."""
        whole = copy(self)
        vars(whole)["subsets"] = {}
        table = ClassificationReport.to_table(whole, counts)
        for name, value in self.scores.get("score", {}).items():
            table.add(name, value)
        return table

    def to_tables(self, counts: bool = False) -> Sequence[Grid]:
        """Return the table of classes, and one of subsets with a row each."""
        more = (*self._direction_table(), *self._subsets_table(), *self._documents_table())
        return [self.to_table(counts), *more]

    def _direction_table(self) -> Iterator[Grid]:
        """Yield a row for all answers, for each gold label and for each subset."""
        if not self._formula.is_graded:
            return
        columns = ["too strong", "too weak", "mean difference"]
        grid = Grid("direction of errors", columns, "gold", signed=columns[2:])
        grid.add("all", *self.scores[DIRECTION].values())
        for label in self.labels:
            grid.add(str(label), *self.scores[f"{DIRECTION}_{label}"].values())
        for name, groups in self.subsets.items():
            grid.add(name, *groups[DIRECTION].values())
        yield grid

    def _documents_table(self) -> Iterator[Grid]:
        if self.same_document is not None:
            grid = Grid("choices of the effect's document", list(self.same_document["wrong"]))
            for name, numbers in self.same_document.items():
                grid.add(name.replace("_", " "), *numbers.values())
            yield grid

    def summary(self, subset: str = "") -> Scores:
        """Return the coverage and the main scores, of all pairs or of a subset."""
        part = self.parts[subset] if subset else self
        groups = self.subsets[subset] if subset else self.scores
        return Scores(
            {f"n_{self.things}": part.n_asked, "read": part.coverage["share"]}
            | {
                f"{group} {name}" if name == "f1" else name: groups[group][name]
                for group, names in SHOWN.items()
                for name in names
                if group in groups
            }
        )

    def _subsets_table(self) -> list[Grid]:
        rows = {"": {name: self.summary(name) for name in self.parts}}
        return [scores_table("subsets", rows, counts=True)] if self.parts else []


def present(statistics: Statistics, by: By = None) -> JudgmentReport:
    """Make the report of statistics; each value of the columns ``by`` is a subset."""
    columns = [*columns_by(by)]
    counted = _counted(statistics)
    [whole] = _reports(statistics, counted, np.zeros(len(counted.pred), np.int64), 1)
    if IN_DOCUMENT in counted.units.column_names:
        columns.insert(0, IN_DOCUMENT)
    parts: dict[str, JudgmentReport] = {}
    for column in dict.fromkeys(columns):
        names, codes = strata_of(counted.units, column)
        each = _reports(statistics, counted, codes, len(names))
        named = {_subset(column, name): part for name, part in zip(names, each, strict=True)}
        parts |= {
            name: named[name] for name in sorted(named, key=lambda name: (name == CROSS, name))
        }
    documents = None
    if NEAR in counted.units.column_names:
        is_cross = ~np.asarray(joined(counted.units[IN_DOCUMENT]))
        documents = same_document(counted.units, counted.pred, is_cross)
    return replace(
        whole,
        same_document=documents,
        parts=parts,
        subsets={name: part.scores for name, part in parts.items()},
        warnings=warning_lines(statistics.warnings),
        _statistics=partial(replace, statistics),
    )


class _Counted(NamedTuple):
    """All pairs, left-out ones last: their columns, reasons, and rows of counts; pred -1."""

    units: pa.Table
    reasons: Int64
    rows: CountRows
    gold: Int64
    pred: Int64


def _counted(statistics: Statistics) -> _Counted:
    import pyarrow as pa
    import pyarrow.compute as pc

    kept = statistics.take(statistics.clusters(None))
    units, left_out = kept.units, statistics.left_out
    assert units is not None
    if left_out is not None:
        units = pa.concat_tables([units, left_out.select(units.column_names)])
    n_left = len(units) - len(kept.rows)
    gold, pred = (np.append(side, np.full(n_left, -1)) for side in kept.rows[:, :2].T)
    reasons = pc.index_in(joined(units[REASON]), pa.array(REASONS))
    codes = (np.asarray(codes, np.int64) for codes in (reasons, gold, pred))
    return _Counted(units, next(codes), kept.rows, *codes)


def _reports(
    statistics: Statistics, counted: _Counted, groups: Int64, n_groups: int
) -> list[JudgmentReport]:
    """Return the report of every group of pairs."""
    formula = statistics.formula
    assert isinstance(formula, JudgedFormula)
    counts = confusions(counted.gold, counted.pred, groups, n_groups, len(formula.labels))
    members = np.split(np.argsort(groups, kind="stable"), _ends(groups, n_groups)[:-1])
    return [
        JudgmentReport(
            statistics.signature,
            formula.labels,
            matrix[:, :-1],
            formula.positive,
            formula.undefined,
            task=formula.task,
            unanswered=matrix[:, -1],
            coverage=coverage_of(counted.reasons[places]),
            numbers=_numbers(formula, counted.rows[places[places < len(counted.rows)]]),
        )
        for matrix, places in zip(counts, members, strict=True)
    ]


def _ends(groups: Int64, n_groups: int) -> Int64:
    return np.cumsum(np.bincount(groups, minlength=n_groups))


def _numbers(formula: JudgedFormula, rows: CountRows) -> dict[str, float]:
    if not isinstance(formula, ScoredFormula):
        return {}
    numbers = formula.numbers(rows, np.ones((1, len(rows)), np.int64))
    return {name: float(values[0]) for name, values in numbers.items()}


def _subset(column: str, value: str) -> str:
    """Name a subset: ``in_document``, ``cross_document``, or the column and its value."""
    if column != IN_DOCUMENT:
        return f"{column}={value}"
    return IN_DOCUMENT if value == "true" else CROSS

"""Scores of judgments of pairs, or of choices among causes, with the share of answers read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fastcausal.arrays.arrow import joined
from fastcausal.arrays.strata import By, columns_by, strata_of
from fastcausal.counts.confusions import confusions
from fastcausal.counts.labels import Label
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import warning_lines
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores
from fastcausal.report.numbers import COVERAGE
from fastcausal.report.report import NO_STATISTICS, Report, Tables, scores_table
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.classification.report import (
    ClassificationReport,
    classes_grid,
    confusion_tables,
    groups_of,
    label_terms,
    per_example_table,
)
from fastcausal.tasks.crab.count import coverage_of
from fastcausal.tasks.crab.formula import (
    DIRECTION,
    IN_DOCUMENT,
    REASON,
    UNANSWERED,
    JudgedFormula,
    ScoredFormula,
)
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
CROSS = "cross_document"
PART = ("task", "n", "labels", "scores", "classes", "confusion", "unanswered", "coverage")


JudgmentReport = ClassificationReport
"""Scores of the answers of one system.

``report["macro"].f1``, ``report["score"].mae``; ``report.parts["in_document"]`` is the report
of a part of the pairs. If labels are graded, ``report["direction"]`` has the direction of
errors, ``report["direction_A"]`` only for gold label A.

Attributes
----------
task : str
unanswered : int64[n_labels]
    Number of counted pairs of each gold label without a readable answer.
coverage : mapping
    ``n_read``, ``share`` of all pairs, and ``unread``: the number by reason.
parts : mapping of str to JudgmentReport
    ``in_document``, ``cross_document``, and ``COLUMN=VALUE`` for requested columns.
same_document : mapping of str to mapping or None
    For questions with known articles, counts of choices of a candidate in the effect's article.
n_asked : int
    Number of pairs or questions, including those without an answer.
per_pair, per_question : pyarrow.Table
    Pairs: columns of gold, whether the answer was read, gold label and answer.
"""


def _nest_scores(report: Report) -> dict[str, Any]:
    """Return the scores by group, with the direction of errors among the overall scores."""
    scores: dict[str, Any] = {n: s for n, s in report.scores.items() if DIRECTION not in n}
    if DIRECTION in report.scores:
        scores["overall"] = {**scores["overall"], DIRECTION: report.scores[DIRECTION]}
    return scores


def _list_classes(report: Report) -> list[dict[str, Any]]:
    """Return the scores of classes, with the direction of errors of each."""
    rows: list[dict[str, Any]] = report.tables["classes"].to_pylist()
    for row in rows if DIRECTION in report.scores else ():
        row[DIRECTION] = report.scores[f"{DIRECTION}_{row['label']}"]
    return rows


def _list_parts(report: Report) -> dict[str, Any]:
    of_whole = ("signature", "subsets", "warnings")
    return {
        name: {key: value for key, value in part.to_dict().items() if key not in of_whole}
        for name, part in report.parts.items()
    }


VALUES = {"scores": _nest_scores, "classes": _list_classes, "subsets": _list_parts}


def _summarize(report: Report, subset: str) -> Scores:
    """Return the coverage and the main scores, of all pairs or of a subset."""
    part = report.parts[subset] if subset else report
    return Scores(
        {f"n_{things_of(report.task)}": part.n_asked, "read": part.coverage["share"]}
        | {
            f"{group} {name}" if name == "f1" else name: part.scores[group][name]
            for group, names in SHOWN.items()
            for name in names
            if group in part.scores
        }
    )


def things_of(task: str) -> str:
    """Return the plural noun for the units of a task."""
    return "questions" if task == "mcq" else "pairs"


def _grids(report: JudgmentReport, counts: bool) -> list[Grid]:
    """Make a row per class with its confusions; tables of directions, subsets and documents."""
    table = classes_grid(report, {}, counts)
    for name, value in report.scores.get("score", {}).items():
        table.add(name, value, score=name)
    grids = [table]
    if DIRECTION in report.scores:
        grids.append(_directions(report))
    if report.parts:
        rows = {"": {name: report.summary(name) for name in report.parts}}
        grids.append(scores_table("subsets", rows, counts=True))
    if report.same_document is not None:
        columns = list(report.same_document["wrong"])
        title = "choices of the effect's document"
        grid = Grid(title, columns, shares=("share", "chance"))
        for name, numbers in report.same_document.items():
            grid.add(name.replace("_", " "), *numbers.values())
        grids.append(grid)
    return grids


def _directions(report: JudgmentReport) -> Grid:
    """Make a row for all answers, for each gold label and for each subset."""
    columns = ["too strong", "too weak", "mean difference"]
    shares = columns[:2]
    grid = Grid("direction of errors", columns, "gold", signed=columns[2:], shares=shares)
    grid.add("all", *report.scores[DIRECTION].values())
    for label in report.labels:
        grid.add(str(label), *report.scores[f"{DIRECTION}_{label}"].values())
    for name, groups in report.subsets.items():
        grid.add(name, *groups[DIRECTION].values())
    return grid


def present(statistics: Statistics, by: By = None) -> JudgmentReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    columns = [*columns_by(by)]
    counted = _counted(statistics)
    [whole] = _parts(statistics, counted, np.zeros(len(counted.pred), np.int64), 1)
    if IN_DOCUMENT in counted.units.column_names:
        columns.insert(0, IN_DOCUMENT)
    parts: dict[str, JudgmentReport] = {}
    for column in dict.fromkeys(columns):
        names, codes = strata_of(counted.units, column)
        each = [
            _report_of(statistics, part) for part in _parts(statistics, counted, codes, len(names))
        ]
        named = {_subset(column, name): part for name, part in zip(names, each, strict=True)}
        parts |= {
            name: named[name] for name in sorted(named, key=lambda name: (name == CROSS, name))
        }
    documents = None
    if NEAR in counted.units.column_names and NEAR in statistics.formula.unit_columns:
        is_cross = ~np.asarray(joined(counted.units[IN_DOCUMENT]))
        documents = same_document(counted.units, counted.pred, is_cross)
    return _report_of(
        statistics,
        whole,
        parts,
        documents,
        warnings=warning_lines(statistics.warnings),
        statistics=statistics,
    )


class _Counted(NamedTuple):
    """All pairs; those left out are last, with gold and pred -1, and without rows of counts."""

    units: pa.Table
    reasons: Int64
    rows: CountRows
    gold: Int64
    pred: Int64


def _counted(statistics: Statistics) -> _Counted:
    import pyarrow as pa

    from fastcausal.arrays import compute as pc

    rows, units, left_out = statistics.rows_of_units(), statistics.units, statistics.left_out
    assert units is not None
    if left_out is not None:
        units = pa.concat_tables([units, left_out.select(units.column_names)])
    n_left = len(units) - len(rows)
    gold, pred = (np.append(side, np.full(n_left, -1)) for side in rows[:, :2].T)
    reasons = pc.index_in(joined(units[REASON]), pa.array(REASONS))
    codes = (np.asarray(codes, np.int64) for codes in (reasons, gold, pred))
    return _Counted(units, next(codes), rows, *codes)


class _Part(NamedTuple):
    """Counts of a part of the pairs."""

    confusion: Int64  # [n_labels, n_labels + 1], pairs without an answer last
    coverage: Mapping[str, Any]
    numbers: Mapping[str, float]


def _parts(statistics: Statistics, counted: _Counted, groups: Int64, n_groups: int) -> list[_Part]:
    """Count every group of pairs."""
    formula = statistics.formula
    assert isinstance(formula, JudgedFormula)
    counts = confusions(counted.gold, counted.pred, groups, n_groups, len(formula.labels))
    members = np.split(np.argsort(groups, kind="stable"), _ends(groups, n_groups)[:-1])
    return [
        _Part(
            matrix,
            coverage_of(counted.reasons[places]),
            _numbers(formula, counted.rows[places[places < len(counted.rows)]]),
        )
        for matrix, places in zip(counts, members, strict=True)
    ]


def _report_of(
    about: Statistics,
    part: _Part,
    parts: Mapping[str, JudgmentReport] = MappingProxyType({}),
    documents: Mapping[str, Mapping[str, Any]] | None = None,
    warnings: tuple[str, ...] = (),
    statistics: Statistics | str = NO_STATISTICS,
) -> JudgmentReport:
    """Make the report of a part of the pairs."""
    formula = about.formula
    assert isinstance(formula, JudgedFormula)
    confusion, unanswered = part.confusion[:, :-1], part.confusion[:, -1]
    scores, classes = _groups(formula.labels_alone, confusion, unanswered, part.numbers)
    n_read, share = (part.coverage[name] for name in ("n_read", "share"))
    n, things = n_read + sum(part.coverage["unread"].values()), things_of(formula.task)
    facts = {
        "task": formula.task,
        f"n_{things}": n,
        "n_asked": n,
        "labels": formula.labels,
        "classes": classes,
        "positive": formula.positive,
        "undefined": formula.undefined,
        "confusion": confusion,
        "unanswered": unanswered,
        "coverage": part.coverage,
        "n_examples": int(confusion.sum()),
        "n_unparsed": 0,
        "parts": parts,
        "same_document": documents,
    }
    tables = confusion_tables(formula.labels, confusion, classes)
    if not isinstance(statistics, str):
        names = ("per_example", "per_pair", "per_question")
        tables |= dict.fromkeys(names, partial(per_example_table, statistics))
    keys = (f"n_{things}" if name == "n" else name for name in PART)
    each = zip(formula.labels, unanswered.tolist(), strict=True)
    return JudgmentReport(
        f"{formula.task}: {n} {things}, {n_read} answers read ({share:.1%})",
        about.signature,
        scores,
        facts=facts,
        subsets={name: of_part.scores for name, of_part in parts.items()},
        class_scores=classes,
        warnings=warnings,
        tables=Tables(**tables),
        statistics=statistics,
        legend=(f"{UNANSWERED}: {', '.join(f'{label} {n}' for label, n in each)}",)
        if unanswered.any()
        else (),
        keys=("signature", *keys, "subsets", "same_document?", "warnings"),
        values=VALUES,
        logged=(),
        scales={"read": COVERAGE},
        grids=_grids,
        summary=_summarize,
    )


def _groups(
    formula: JudgedFormula, confusion: Int64, unanswered: Int64, numbers: Mapping[str, float]
) -> tuple[Groups, Mapping[Label, Scores]]:
    """Compute all groups; scores of numbers follow ``overall``, directions of errors are last."""
    hits, predicted, wanted = np.split(label_terms(confusion), 3)
    terms = [hits, predicted, wanted + unanswered]
    if formula.is_graded:
        terms.append(confusion.ravel())
    groups, classes = groups_of(formula, np.concatenate(terms))
    scores = {"overall": groups["overall"]} | ({"score": Scores(numbers)} if numbers else {})
    is_direction = {name: name.startswith(DIRECTION) for name in groups}
    for last in (False, True):
        scores |= {name: groups[name] for name in groups if is_direction[name] is last}
    return scores, classes


def _ends(groups: Int64, n_groups: int) -> Int64:
    return np.cumsum(np.bincount(groups, minlength=n_groups))


def _numbers(formula: JudgedFormula, rows: CountRows) -> dict[str, float]:
    if not isinstance(formula, ScoredFormula):
        return {}
    numbers = formula.numbers(rows, np.ones((1, len(rows)), np.int64))
    return {name: float(values[0]) for name, values in numbers.items()}


def _subset(column: str, value: str) -> str:
    """Return the name of a subset: ``in_document``, ``cross_document``, or ``COLUMN=VALUE``."""
    if column != IN_DOCUMENT:
        return f"{column}={value}"
    return IN_DOCUMENT if value == "true" else CROSS

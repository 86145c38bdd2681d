"""Report of a confusion matrix with all its scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fastcausal.arrays.strata import By
from fastcausal.counts.labels import ConfusionFormula, Label
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, warning_lines
from fastcausal.files.values import shown
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Scores, means_over
from fastcausal.report.report import Report, Tables, plain, scores_table
from fastcausal.significance.sums import CountRows, Int64
from fastcausal.tasks.classification.formula import LabelFormula

if TYPE_CHECKING:
    import pyarrow as pa

KEYS = (
    "signature", "n_examples", "n_unparsed", "labels", "positive", "scores", "classes", "confusion",
    "subsets?", "means?", "warnings",
)  # fmt: skip
SUMMARY = {"overall": ("accuracy", "mcc"), "macro": ("f1",), "positive": ("f1",)}
MAX_SHOWN = 5  # classes whose confusions still fit into a table


class ClassificationReport(Report):
    """Scores of one classifier.

    ``report["overall"].accuracy``, ``report["positive"].f1``, ``report["macro"].f1``,
    ``report["weighted"].f1``; ``report.class_scores[0].recall`` is of one class. A class with an
    undefined score is left out of the mean of that score.

    Attributes
    ----------
    labels : tuple of int or str
        The classes, in the order of the matrix.
    confusion : int64[n_labels, n_labels]
        Examples by gold label (row) and predicted label (column).
    classes : mapping of int or str to Scores
        Precision, recall, F1, support and counts of every class.
    positive : int, str or None
        The positive label, None if it is not a class.
    undefined : float or None
        The value of 0/0; None: NaN in Python, null in JSON.
    n_examples : int
    n_unparsed : int
        Examples left out because their prediction has no label.
    per_example : pyarrow.Table
        Columns of the examples in gold, and both labels.
    means : mapping
        Means of the scores over the values of each column of the subsets.
    """

    labels: tuple[Label, ...]
    confusion: Int64
    positive: Label | None
    undefined: float | None
    classes: Mapping[Label, Scores]


def list_classes(report: Report) -> pa.Table:
    """Return the table of classes."""
    return report.tables["classes"]


def summarize(report: Report, subset: str) -> Scores:
    """Return the main scores, of all examples or of a subset."""
    groups = report.subsets[subset] if subset else report.scores
    return Scores(
        {
            name if group == "overall" else f"{group} {name}": groups[group][name]
            for group, names in SUMMARY.items()
            for name in names
            if group in groups
        }
    )


def groups_of(formula: ConfusionFormula, terms: Int64) -> tuple[Groups, dict[Label, Scores]]:
    """Compute all groups of scores; precision, recall, F1, support and counts of every class."""
    groups = {
        group: {name: float(v[0]) for name, v in scores.items()}
        for group, scores in formula.groups_of(terms[None]).items()
    }
    k = len(formula.labels)
    classes = {
        label: Scores(
            groups.pop(f"class_{label}") | {"support": w, "tp": tp, "fp": p - tp, "fn": w - tp}
        )
        for label, tp, p, w in zip(
            formula.labels, *terms[: 3 * k].reshape(3, k).tolist(), strict=True
        )
    }
    scores = {group: Scores(values) for group, values in groups.items()}
    if formula.positive in classes:
        scores["positive"] = classes[formula.positive]
    return scores, classes


def confusion_tables(
    labels: tuple[Label, ...], confusion: Int64, classes: Mapping[Label, Scores]
) -> dict[str, Callable[[], pa.Table]]:
    """Return makers of ``classes`` and of ``confusion``, a row per pair of labels."""
    return {
        "classes": partial(_classes_table, classes),
        "confusion": partial(_confusion_table, labels, confusion),
    }


def _classes_table(classes: Mapping[Label, Scores]) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(
        plain([{"label": label, **scores} for label, scores in classes.items()])
    )


def _confusion_table(labels: tuple[Label, ...], confusion: Int64) -> pa.Table:
    import pyarrow as pa

    gold, pred = np.indices(confusion.shape).reshape(2, -1)
    names = pa.array(labels)
    columns = (names.take(gold), names.take(pred), confusion.ravel())
    return pa.table(dict(zip(("gold", "pred", "n"), columns, strict=True)))


def classes_grid(report: Any, subsets: Mapping[str, Groups], counts: bool) -> Grid:
    """Make a table of classes, with the confusions of few classes beside their scores."""
    rows = {
        f"{label} (positive)" if label == report.positive else str(label): dict(scores)
        for label, scores in report.class_scores.items()
    }
    if counts or len(rows) <= MAX_SHOWN:
        for row, confusions in zip(rows.values(), report.confusion.tolist(), strict=True):
            row |= {f"as {label}": n for label, n in zip(report.labels, confusions, strict=True)}
    means = {name: report.scores[name] for name in ("macro", "weighted")}
    groups = {name: Scores(row) for name, row in rows.items()} | means
    parts = {name: _drop_overall(subset) for name, subset in subsets.items()}
    table = scores_table(report.title, {"": groups, **parts}, counts)
    table.part("all classes")
    for name, value in report.scores["overall"].items():
        if isinstance(value, float):
            table.add(name, value, score=name)
    return table


def _grids(report: ClassificationReport, counts: bool) -> list[Grid]:
    means = {f"mean over {column}": groups for column, groups in report.means.items()}
    return [classes_grid(report, {**report.subsets, **means}, counts)]


def _drop_overall(groups: Groups) -> Groups:
    """Return the groups with precision, recall and F1."""
    return {name: scores for name, scores in groups.items() if name != "overall"}


def report_of(
    about: Statistics,
    confusion: Int64,
    n_unparsed: int,
    statistics: Statistics | Callable[[], Statistics],
    subsets: Mapping[str, Int64] | None = None,
) -> ClassificationReport:
    """Make the report of confusion matrices, overall and of subsets, with metadata ``about``."""
    formula = about.formula
    assert isinstance(formula, LabelFormula)
    known = formula.positive in formula.labels
    missing = [] if known or formula.positive == 1 else [f"no label {shown(formula.positive)}"]
    scores, classes = groups_of(formula, label_terms(confusion))
    n = int(confusion.sum())
    parts = {
        name: groups_of(formula, label_terms(matrix))[0] for name, matrix in (subsets or {}).items()
    }
    return ClassificationReport(
        f"classification of {n} examples",
        about.signature,
        scores,
        facts={
            "n_examples": n,
            "n_unparsed": n_unparsed,
            "labels": formula.labels,
            "classes": classes,
            "positive": formula.positive if known else None,
            "undefined": formula.undefined,
            "confusion": confusion,
            "means": means_over(parts),
        },
        subsets=parts,
        class_scores=classes,
        warnings=(
            *warning_lines(about.warnings),
            *_foreign_labels(formula, confusion),
            *_unparsed_share(n_unparsed, n),
            *missing,
        ),
        tables=Tables(
            **confusion_tables(formula.labels, confusion, classes),
            per_example=partial(per_example_table, statistics),
        ),
        statistics=statistics,
        keys=KEYS,
        values={"classes": list_classes},
        logged=(),
        grids=_grids,
        summary=summarize,
    )


def label_terms(confusion: Int64) -> Int64:
    """Return the numbers of right, predicted and gold labels for each label: int64[3 n]."""
    return np.concatenate([confusion.diagonal(), confusion.sum(axis=0), confusion.sum(axis=1)])


def per_example_table(source: Statistics | Callable[[], Statistics]) -> pa.Table:
    """Make the table of units; raise InputError without units."""
    statistics = source() if callable(source) else source
    if statistics.units is None:
        raise InputError("a report of counts alone has no per_example")
    return statistics.table()


def _foreign_labels(formula: LabelFormula, confusion: Int64) -> list[str]:
    """Warn of each predicted label that gold lacks, unless the caller named the labels."""
    if formula.given:
        return []
    counts = zip(formula.labels, confusion.sum(axis=1), confusion.sum(axis=0), strict=True)
    return [
        f"gold lacks the label {shown(label)} of pred, examples: {n_pred}"
        for label, n_gold, n_pred in counts
        if n_pred and not n_gold
    ]


def _unparsed_share(n_unparsed: int, n_examples: int) -> list[str]:
    if not n_unparsed:
        return []
    n = n_unparsed + n_examples
    share = f"{n_unparsed} of {n} predicted examples have no label"
    return [f"unparsed=skip: {share} ({n_unparsed / n:.1%}) and are left out"]


def present(statistics: Statistics, by: By = None) -> ClassificationReport:
    """Make the report of statistics; values of the columns ``by`` become subsets."""
    formula = statistics.formula
    assert isinstance(formula, LabelFormula)
    k = len(formula.labels)
    parts = statistics.subsets(by)
    subsets = {
        name: confusion_of(rows, np.ones(len(rows), np.int64), k) for name, rows in parts.items()
    }
    confusion = confusion_of(statistics.rows, statistics.times, k)
    n_unparsed = 0 if statistics.left_out is None else len(statistics.left_out)
    return report_of(statistics, confusion, n_unparsed, statistics, subsets)


def confusion_of(rows: CountRows, times: Any, k: int) -> Int64:
    """Count rows by their code in gold (row) and as predicted (column), both below k."""
    matrix = np.zeros((k, k), np.int64)
    np.add.at(matrix, (rows[:, 0], rows[:, 1]), times)
    return matrix
